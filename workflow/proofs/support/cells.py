"""The cell of benchmarks: one set written and read back."""

from typing import Any

from study.machine import release_slug
from study.scales import SIZES_BYTES

# One set of the study's sizes divided by 10, 533 MB: long enough to time, small enough for memory.
SIZE_DIVISOR = 10
BLOCK_BYTES = 1_048_576


def cell(
    driver: str = "native",
    image_format: str = "native",
    encryption: str = "none",
    cache: str = "none",
) -> dict[str, Any]:
    """One set written and read back, as a cell's description."""
    steps = [{"step": step} for step in ("create", "write", "detach", "attach", "read")]
    return {
        "cell_version": 1,
        "host": "bench",
        "release": release_slug(),
        "protocol": "bench",
        "scale": "smoke",
        "storage": "memory",
        "driver": driver,
        "format": image_format,
        "encryption": encryption,
        "repeat": 1,
        "phase": "fresh",
        "seed": 1,
        "sets": 1,
        "sizes_bytes": [size // SIZE_DIVISOR for size in SIZES_BYTES],
        "nominal_bytes": 1_000_000_000,
        "io": {"block_bytes": BLOCK_BYTES, "cache": cache, "durability": "fsync"},
        "phases": [{"phase": "fresh", "steps": steps}],
    }
