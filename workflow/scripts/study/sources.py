"""Which files a step is made from, so that Snakemake knows when it is out of date."""

import json
from pathlib import Path

# What a step itself leaves beside its sources.
MADE = {
    "_site", "_freeze", ".quarto", "__pycache__", ".ipynb_checkpoints", "site_libs",
    "downloads", "engine", "node_modules",
}  # fmt: skip


def files_below(root: Path, pattern: str) -> list[str]:
    """Every file below a folder whose name fits the pattern, sorted, but for what the steps make.

    The list is made when the workflow starts, so files that a step adds meanwhile do not count.
    """
    return sorted(
        str(path)
        for path in root.rglob(pattern)
        if path.is_file()
        and not MADE.intersection(path.relative_to(root).parts)
        and path.name != "vega.js"  # reports/lib/runtime.py makes it
    )


def sources_of_the_core(core: Path) -> list[str]:
    """Manifest and sources of each crate that the program `diskbench` is made from, sorted."""
    crates = {path.parent for path in core.glob("*/Cargo.toml")} - {core / "fuzz"}
    sources = (file for crate in crates for file in files_below(crate / "src", "*.rs"))
    return sorted([*sources, *(str(crate / "Cargo.toml") for crate in crates)])


def missing_engine(state: Path, this_call: str) -> str:
    """A word that differs in each call while the site's SQL engine is missing: it is tried again.

    Nothing of what the site is made from changes when a network comes back.
    """
    try:
        missing = "missing" in json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        missing = False
    return this_call if missing else ""
