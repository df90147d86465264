"""Which files a step is made from, so that Snakemake knows when it is out of date."""

import hashlib
from pathlib import Path

# What a step itself leaves beside its sources.
MADE = {
    "_site", "_pdf", "pdf", "_freeze", ".quarto", "__pycache__", ".ipynb_checkpoints", "site_libs",
    "downloads", "engine", "node_modules",
}  # fmt: skip


def files_below(folder: str, pattern: str) -> list[str]:
    """Every file below a folder whose name fits the pattern, sorted, but for what the steps make.

    The list is made when the workflow starts, so files that a step adds meanwhile do not count.
    """
    root = Path(folder)
    return sorted(
        str(path)
        for path in root.rglob(pattern)
        if path.is_file()
        and not MADE.intersection(path.relative_to(root).parts)
        and "vega-bundle" not in path.name
    )


def digest(records: list[str], planned: set[str]) -> str:
    """One word for the records: it changes when one comes, goes, or is replaced from elsewhere.

    What is copied here may be older than what was made from it, so times alone do not tell. The
    planned ones are measured by this very call: of them only the names count.
    """
    words = hashlib.sha256()
    for name in records:
        words.update(name.encode())
        if name not in planned:
            status = Path(name).stat()
            words.update(f" {status.st_size} {status.st_mtime_ns}".encode())
        words.update(b"\n")
    return words.hexdigest()[:16]
