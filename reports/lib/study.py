"""What pages need of the study itself: its settings, scales and constants, from its own files."""

from types import ModuleType

from lib import project

SETTINGS = "workflow/config/study.yaml"


def scales() -> ModuleType:
    """The module with the sizes and scales of a study."""
    return project.code("study.scales")


def settings() -> dict:
    """The study's settings as shipped."""
    return project.document(SETTINGS)


def warm_limit() -> float:
    """The share of a pass that may have come from memory without making its reads warm."""
    return project.constant("core/system/src/calls.rs", "WARM_PERCENT") / 100


def resamples() -> int:
    """How many times the files of a cell are drawn for an interval."""
    return int(project.constant("workflow/scripts/database/statistics/resampling.py", "RESAMPLES"))


def confidence() -> float:
    """In what share of cases an interval is to cover what it claims to."""
    return project.constant("workflow/scripts/database/statistics/estimate.py", "CONFIDENCE")


def sizes_mb() -> list[int]:
    """The 16 file sizes of a set, in MB."""
    return [size // scales().MEGABYTE for size in scales().SIZES_BYTES]


def set_gb() -> float:
    """What one set holds, in GB."""
    return sum(scales().SIZES_BYTES) / 1e9
