"""The source files of steps, so that Snakemake detects outdated ones."""

import json
from pathlib import Path

# what steps, and the Finder, write beside their sources
MADE = {
    "_site", "_freeze", ".quarto", "__pycache__", ".ipynb_checkpoints", "site_libs",
    "downloads", "engine", "node_modules", ".DS_Store",
}  # fmt: skip
# what Quarto writes beside a page, and leaves there when it fails or is ended
BESIDE_A_PAGE = {".html", ".quarto_ipynb"}


def files_below(root: Path, pattern: str) -> list[str]:
    """Every file below a folder that matches the pattern, sorted, without files that steps write.

    The list is made when the workflow starts, so files added later do not count.
    """
    return sorted(
        str(path)
        for path in root.rglob(pattern)
        if path.is_file()
        and not MADE.intersection(path.relative_to(root).parts)
        and path.name != "vega.js"  # reports/lib/runtime.py makes it
        and not (path.suffix in BESIDE_A_PAGE and path.with_suffix(".qmd").is_file())
    )


def sources_of_the_core(core: Path) -> list[str]:
    """Manifests and sources of the crates of the program `diskbench`, sorted."""
    crates = {path.parent for path in core.glob("*/Cargo.toml")} - {core / "fuzz", core / "doubles"}
    sources = (file for crate in crates for file in files_below(crate / "src", "*.rs"))
    return sorted([*sources, *(str(crate / "Cargo.toml") for crate in crates)])


def missing_engine(state: Path, this_call: str) -> str:
    """A value that differs in each call while the site's SQL engine is missing, to retry.

    No source of the site changes when a network becomes available.
    """
    try:
        missing = "missing" in json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        missing = False
    return this_call if missing else ""
