"""The files that pages quote: a change of one makes the site anew, and copied pages need them."""

from pathlib import Path

from study.sources import files_below

FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "core/system/src/calls.rs",
    "workflow/schemas/cell.schema.json",
    "workflow/schemas/protocol.schema.json",
    "workflow/schemas/study.schema.json",
    "workflow/scripts/database/statistics/estimate.py",
    "workflow/scripts/database/statistics/resampling.py",
)
# the last one for the plan of each study, in the manual
FOLDERS = ("data/proofs", "workflow/config", "workflow/scripts/study")
# what the study's modules import
MODULES = "workflow/scripts"


def files(project: Path) -> list[str]:
    """Their paths."""
    found = [str(project / name) for name in FILES]
    found += sorted(map(str, (project / MODULES).glob("*.py")))
    for folder in FOLDERS:
        found += files_below(project / folder, "*")
    return found
