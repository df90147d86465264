"""The plain renderer: makes every page of the site without Quarto."""

import logging
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

from console import ExitCode, StudyError, is_full, no_room
from publish import search
from publish.announce import announce
from publish.assemble import assemble
from publish.execute import CellError, execute
from publish.parts import Part, split_head
from publish.progress import pass_on, say_page
from publish.project import Project
from publish.write import HERE, write

LOG = logging.getLogger(__name__)
PROCESSES = 2  # pages run at once
SECONDS = 15  # seconds between two lines of progress


def render(project: Project) -> dict[Path, list[Part]]:
    """Render all pages and swap in the finished site; if one fails, the old site stays.

    Returns the executed pages by path in the project.
    """
    pages = project.pages()
    with new_site(project.site) as site:
        for script in project.prepare:
            _prepare(project, script)
        done = _all(project, pages)
        written = {page.with_suffix(".html").as_posix(): html for page, (_, html) in done.items()}
        for page, html in written.items():
            (site / page).parent.mkdir(parents=True, exist_ok=True)
            (site / page).write_text(html, encoding="utf-8")
        _assets(project, site)
        (site / search.INDEX).write_text(search.index(written), encoding="utf-8")
        announce(project, site)
    return {page: parts for page, (parts, _) in done.items()}


def _all(project: Project, pages: list[Path]) -> dict[Path, tuple[list[Part], str]]:
    """Execute every page and write its HTML."""
    heads, texts = {}, {}
    for page in pages:
        source = (project.folder / page).read_text(encoding="utf-8")
        heads[page], texts[page] = split_head(source)
    done, told = {}, monotonic()
    try:
        with closing(execute(project.folder, texts, PROCESSES)) as executed:
            for page, parts in executed:
                LOG.info("%s: executed; printed: %s", page, "".join(one.printed for one in parts))
                defaults = {"echo": project.echo} | heads[page].get("execute", {})
                markdown = assemble(parts, defaults)
                done[page] = parts, write(project, page, heads[page], markdown)
                if monotonic() - told >= SECONDS:
                    told = monotonic()
                    say_page(len(done), len(pages), page.as_posix())
    except CellError as error:
        line, details = error.args
        LOG.error("%s", details)
        if is_full(line):
            raise no_room(project.folder) from None
        raise StudyError(ExitCode.UNEXPECTED, line) from None
    return {page: done[page] for page in pages}


def _prepare(project: Project, script: str) -> None:
    """Run a `pre-render` script in the project's folder, as Quarto does."""
    result = subprocess.run(
        [sys.executable, script], cwd=project.folder, capture_output=True, text=True, check=False
    )
    LOG.info("%s: exit %s %s%s", script, result.returncode, result.stdout, result.stderr)
    if result.returncode:
        if is_full(result.stderr):
            raise no_room(project.folder)
        reason = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise StudyError(ExitCode.UNEXPECTED, f"{script} failed: {reason}")
    pass_on(result.stderr)


def _assets(project: Project, site: Path) -> None:
    """Copy files that pages load: the renderer's, and the project's styles, icon and resources."""
    for name in (*project.styles, project.favicon, *project.resources):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project.folder / name, site / name)
    (site / "assets").mkdir(exist_ok=True)
    for name in ("plain.css", "search.js"):
        shutil.copyfile(HERE / name, site / "assets" / name)


@contextmanager
def new_site(target: Path) -> Iterator[Path]:
    """A folder beside the site that replaces it on success."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _recover(target)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        new.rename(target)
    finally:
        _recover(target)


def _recover(target: Path) -> None:
    """Restore a site moved away by a failed or killed call, and clean up.

    The launcher's or Snakemake's lock ensures that only one call makes the site.
    """
    for folder in target.parent.glob(f".{target.name}-*"):
        if not target.exists() and (folder / "old").is_dir():
            (folder / "old").rename(target)
        shutil.rmtree(folder, ignore_errors=True)
