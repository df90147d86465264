"""The files of the site, and of any folder, by their SHA-256 checksums."""

import hashlib
import os
import stat
from collections.abc import Container
from pathlib import Path

from console import ExitCode, StudyError

# GitHub Pages would run the files through Jekyll, which leaves out what begins with `_` or `.`.
NO_JEKYLL = ".nojekyll"

# What each page carries that shows synthetic or stand-in figures (reports/lib).
WATERMARK = b'class="watermark"'


def checked(site: Path) -> dict[str, str]:
    """What is to be published: path -> checksum of each file, and of the empty `.nojekyll`.

    Raises StudyError (bad input) where there is no site, or one of figures that are no results.
    """
    if not (site / "index.html").is_file():
        raise StudyError(
            ExitCode.BAD_INPUT, f"there is no site in {site} yet; run: bash workflow/run.sh"
        )
    for page in sorted(site.rglob("*.html")):
        if page.is_file() and WATERMARK in page.read_bytes():
            raise StudyError(
                ExitCode.BAD_INPUT,
                f"{page} shows synthetic or stand-in figures, which are no results: "
                "take their records out of data/runs and call run.sh, then publish again",
            )
    found = {path: checksum for path, checksum in checksums(site).items() if checksum}
    return found | {NO_JEKYLL: hashlib.sha256().hexdigest()}


def content(site: Path, path: str, expected: str) -> bytes:
    """A file's content. Raises StudyError (busy) when its checksum is no longer as expected."""
    found = b"" if path == NO_JEKYLL else (site / path).read_bytes()
    if hashlib.sha256(found).hexdigest() != expected:
        raise StudyError(
            ExitCode.BUSY,
            f"{site / path} changed while the site was published: "
            "let the study that makes the site end, then call again",
        )
    return found


def checksums(folder: Path, known: Container[str] | None = None) -> dict[str, str | None]:
    """Path -> checksum of each file; None for a link, device, ..., which is not opened.

    known: the paths that are worth reading; others are None too. Without it all are.
    """
    found: dict[str, str | None] = {}
    for above, folders, files in os.walk(folder, onerror=_raise):
        for name in [*folders, *files]:
            path = Path(above, name)
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode):
                relative = path.relative_to(folder).as_posix()
                readable = stat.S_ISREG(mode) and (known is None or relative in known)
                found[relative] = _checksum(path) if readable else None
    return found


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _raise(error: OSError) -> None:
    raise error
