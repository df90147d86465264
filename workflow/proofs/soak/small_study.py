"""The study to kill: small enough to be called hundreds of times."""

import shutil

from proofs.support.project import Project

# Four cells of 0.27 GB: two phases of one image without a file system of its own, and two formats.
CONFIG = (
    "--config",
    "protocols=[usage-phases]",
    "matrix=["
    "{driver: native, formats: [native], encryptions: [host], phases: [fresh, partly-filled]},"
    " {driver: portable, formats: [UDSB], encryptions: [none], phases: [fresh]},"
    " {driver: portable, formats: [ASIF], encryptions: [AES-256], phases: [fresh]}]",
)
CELLS = 4

# How long what outlives a kill of something else may take to end by itself, in seconds.
ENDING_SECONDS = 180


def begin_anew(project: Project) -> None:
    """As if nothing had ever been measured here; Snakemake's own memory is kept."""
    for folder in ("data/runs", "data/parquet", ".diskbench", "reports/_site"):
        shutil.rmtree(project.folder / folder, ignore_errors=True)
    (project.folder / "data" / "diskbench.duckdb").unlink(missing_ok=True)
