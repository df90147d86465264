"""Turns the Markdown of a page into HTML: pandoc, the template `page.html`, links."""

import html
import json
import re
import subprocess
import tempfile
from pathlib import Path

import pypandoc

from console import ExitCode, StudyError
from publish.project import Project

HERE = Path(__file__).resolve().parent
RENDERER = "Rendered with diskbench\u2019s plain renderer"
HEADER = "<!-- the project's headers -->"  # a placeholder in page.html

# pandoc adds an invisible link to each line of code
LINE_OF_CODE = re.compile(r'<a href="#cb\d+-\d+" aria-hidden="true" tabindex="-1"></a>')


def write(project: Project, page: Path, head: dict, markdown: str) -> str:
    """The HTML of a page."""
    root = "../" * len(page.parent.parts)
    variables = {
        "site": project.title,
        "root": root,
        "favicon": root + project.favicon,
        "styles": [f"{root}{name}" for name in ["assets/plain.css", *project.styles]],
        "navigation": [_entry(page, entry, root) for entry in project.navigation],
        "footer": project.footer,
        "renderer": RENDERER,
        "title": head.get("title", project.title),
        "subtitle": head.get("subtitle"),
        "description": head.get("description"),
        "contents": head.get("toc", project.html["toc"]),
    }
    text = _pandoc(page, markdown, variables, project.html["toc-depth"])
    headers = "".join(file.read_text(encoding="utf-8") for file in project.headers)
    # as in Quarto, an address that begins with `/` is relative to the site
    headers = re.sub(r'((?:href|src)=")/(?!/)', rf"\g<1>{root}", headers)
    text = text.replace(HEADER, headers, 1)
    text = LINE_OF_CODE.sub("", text)
    # as in Quarto, links between pages name the source
    return re.sub(r'(<a [^>]*href="(?![a-z]+:)[^"#?]*)\.qmd(?=["#?])', r"\1.html", text)


def _entry(page: Path, entry: dict, root: str) -> dict:
    """An entry of the navigation bar: a link, or a menu, marked if it contains this page."""
    if "menu" not in entry:
        return _link(page, entry, root)
    links = [_link(page, one, root) for one in entry["menu"]]
    return {"text": entry["text"], "menu": links, "here": any(one["here"] for one in links)}


def _link(page: Path, entry: dict[str, str], root: str) -> dict[str, str | bool]:
    """A link of the navigation bar, marked if it leads to this page."""
    href = root + Path(entry["href"]).with_suffix(".html").as_posix()
    return {"text": entry["text"], "href": href, "here": Path(entry["href"]) == page}


def _pandoc(page: Path, markdown: str, variables: dict, depth: int) -> str:
    with tempfile.TemporaryDirectory() as temporary:
        metadata = Path(temporary) / "page.json"
        # metadata would be parsed as Markdown; variables are not
        escaped = {key: _escape(value) for key, value in variables.items() if value}
        metadata.write_text(
            json.dumps({"variables": escaped, "metadata": {"pagetitle": variables["title"]}})
        )
        command = [
            pypandoc.get_pandoc_path(), "--from=markdown", "--to=html5", "--standalone",
            "--wrap=none", "--mathml", "--toc", f"--toc-depth={depth}",
            f"--template={HERE / 'page.html'}", f"--defaults={metadata}",
        ]  # fmt: skip
        result = subprocess.run(
            command, input=markdown, text=True, encoding="utf-8", capture_output=True, check=False
        )
    if result.returncode:
        line = f"{page}: pandoc failed: {' '.join(result.stderr.split())}"
        raise StudyError(ExitCode.UNEXPECTED, line)
    return result.stdout


def _escape(value: object) -> object:
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, list):
        return [_escape(item) for item in value]
    if isinstance(value, dict):
        return {key: _escape(item) for key, item in value.items()}
    return value
