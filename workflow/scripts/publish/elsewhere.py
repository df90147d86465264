"""Renders the site of another working directory from a copy of the project.

Rendering writes beside the pages and reads the project's folder, so pages cannot be rendered in
place with data of another directory.
"""

import shutil
from pathlib import Path

from publish import quoted
from publish.plain import new_site

MADE = shutil.ignore_patterns("_site", ".quarto", "downloads", "engine", "__pycache__")
# kept between calls: files made from the database, and npm packages
KEPT = {"downloads", "engine"}


def copy(project: Path, folder: Path, database: Path) -> Path:
    """Copies a project's pages and what they quote into a folder; returns the copy's `reports`."""
    reports = folder / "reports"
    for old in reports.glob("*"):
        if old.name not in KEPT:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(project / "reports", reports, ignore=MADE, dirs_exist_ok=True)
    for file in quoted.files(project):
        copied = folder / Path(file).relative_to(project)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copied)
    link = folder / "data" / database.name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(database.absolute())
    return reports


def move(rendered: Path, site: Path) -> None:
    """Replaces an older site by a rendered one."""
    with new_site(site) as new:
        new.rmdir()
        rendered.rename(new)
