"""Renders the site of another working directory from a copy of the project.

Rendering writes beside the pages and reads the project's folder, so pages cannot be rendered in
place with data of another directory.
"""

import shutil
from pathlib import Path

from publish.plain import new_site

# the sources of pages
SOURCES = (
    *("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md"),
    *("core", "data/proofs", "data/published", "reports", "workflow"),
)
MADE = shutil.ignore_patterns("target", "tests", "_site", "downloads", "engine", "__pycache__")
# kept between calls: files made from the database, and npm packages
KEPT = {"downloads", "engine"}


def copy(project: Path, folder: Path, database: Path) -> Path:
    """Copies a project's sources into a folder, over older ones; returns the copy's `reports`."""
    reports = folder / "reports"
    for old in reports.glob("*"):
        if old.name not in KEPT:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name in SOURCES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (project / name).is_dir():
            shutil.copytree(project / name, folder / name, ignore=MADE, dirs_exist_ok=True)
        else:
            shutil.copy2(project / name, folder / name)
    link = folder / "data" / database.name
    link.unlink(missing_ok=True)
    link.symlink_to(database.absolute())
    return reports


def move(rendered: Path, site: Path) -> None:
    """Replaces an older site by a rendered one."""
    with new_site(site) as new:
        new.rmdir()
        rendered.rename(new)
