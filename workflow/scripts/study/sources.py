"""Which files a step is made from, so that Snakemake knows when it is out of date."""

import hashlib
from pathlib import Path

# What a step itself leaves beside its sources.
MADE = {"_site", "_freeze", ".quarto", "__pycache__", ".ipynb_checkpoints", "site_libs"}


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


def digest(paths: list[str]) -> str:
    """One word for a list of files: it changes when one comes or goes."""
    return hashlib.sha256("\n".join(paths).encode()).hexdigest()[:16]
