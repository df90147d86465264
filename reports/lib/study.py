"""Settings, scales and constants of the study for pages, from the study's own files."""

from types import ModuleType

from lib import project

SETTINGS = "workflow/config/study.yaml"


def scales() -> ModuleType:
    """The study's module of sizes and scales."""
    return project.code("study.scales")


def settings() -> dict:
    """The study's settings as shipped."""
    return project.document(SETTINGS)


def warm_limit() -> float:
    """The share of a pass that may come from memory before its reads count as warm."""
    return project.constant("core/system/src/calls.rs", "WARM_PERCENT") / 100


def resamples() -> int:
    """How many resamples of a cell's files an interval uses."""
    return int(project.constant("workflow/scripts/database/statistics/resampling.py", "RESAMPLES"))


def confidence() -> float:
    """The nominal coverage of intervals, as a share."""
    return project.constant("workflow/scripts/database/statistics/estimate.py", "CONFIDENCE")


def sizes_mb() -> list[int]:
    """The 16 file sizes of a set, in MB."""
    return [size // scales().MEGABYTE for size in scales().SIZES_BYTES]


def set_gb() -> float:
    """The size of one set, in GB."""
    return sum(scales().SIZES_BYTES) / 1e9
