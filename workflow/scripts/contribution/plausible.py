"""Finds impossible figures by the record's own limits, clock and disk."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from study.scales import SCALES, SIZES_BYTES

# The harness's speed in memory is measured with each cell. On a busy machine, real reads from
# memory were 4.4 times as fast; ten times has never been seen.
IMPOSSIBLE = 10.0
# times of day are in whole seconds
CLOCK_SECONDS = 2
# tolerated error of clocks
AHEAD = timedelta(days=1)
TIME = "%Y-%m-%dT%H:%M:%SZ"

Record = dict[str, Any]


def impossible(record: Record, now: datetime | None = None) -> Iterator[str]:
    """Every impossible value of a record."""
    yield from _system(record)
    yield from _files(record)
    yield from _rates(record, IMPOSSIBLE, math.inf)
    yield from _times(record, now or datetime.now(UTC))
    yield from _space(record)


def overlaps(times: list[tuple[str, datetime, datetime]]) -> Iterator[tuple[str, str]]:
    """Pairs of cells of one machine that were measured at the same time.

    `times` has the id, start and end of each cell.
    """
    ordered = sorted(times, key=lambda one: (one[1], one[2]))
    last = None  # to end, of those that began before
    for later in ordered:
        if last and (last[2] - later[1]).total_seconds() > CLOCK_SECONDS:
            yield last[0], later[0]
        if last is None or later[2] > last[2]:
            last = later


def _system(record: Record) -> Iterator[str]:
    """Compare the system that the core detected with the release in the record's path."""
    system, release = record["host"]["os"], record["cell"]["release"]
    if (system["name"] == "macos") != system["kernel"].startswith("Darwin "):
        yield f"its system is {system['name']}, and its kernel {system['kernel']}"
    named = f"{system['name']}-{system['version']}-{system['build']}"
    if release != named:
        yield f"its release is {release}, and its system {named}"


def _files(record: Record) -> Iterator[str]:
    cell = record["cell"]
    scale = SCALES[cell["scale"]]
    sizes = [size // scale.size_divisor for size in SIZES_BYTES]
    if cell["sizes_bytes"] != sizes or cell["sets"] != scale.sets:
        yield f"its files are not those of scale {cell['scale']}"
    elif any(sample["size_bytes"] not in sizes for sample in record["samples"]):
        yield "it contains files of sizes that its cell does not have"
    if any(sample["elapsed_ns"] == 0 for sample in record["samples"]):
        yield "a file took no time"
    if record["samples"] and record["ceiling"] is None:
        yield "the speed of its machine's memory was not measured"


def doubtful(record: Record) -> Iterator[str]:
    """Possible but doubtful values, to ask the sender about."""
    yield from _rates(record, 1.0, IMPOSSIBLE)


def _rates(record: Record, above: float, up_to: float) -> Iterator[str]:
    """Rates of a direction within a range of multiples of the memory's speed."""
    for op in ("write", "read"):
        files = [one for one in record["samples"] if one["op"] == op and one["elapsed_ns"] > 0]
        if not files or record["ceiling"] is None:
            continue
        limit = record["ceiling"][f"{op}_bytes_per_second"] / 1e9
        rate = sum(one["size_bytes"] for one in files) / sum(one["elapsed_ns"] for one in files)
        if above * limit < rate <= up_to * limit:
            yield f"{op} of {rate:.1f} GB/s, above the {limit:.1f} GB/s of its machine's memory"


def _times(record: Record, now: datetime) -> Iterator[str]:
    began, ended = time(record["started_utc"]), time(record["finished_utc"])
    if ended < began:
        yield "it ended before it began"
        return
    if ended.replace(tzinfo=UTC) > now + AHEAD:
        yield "its end is in the future"
    took = (ended - began).total_seconds() + CLOCK_SECONDS
    for what in ("samples", "steps"):
        seconds = sum(one["elapsed_ns"] for one in record[what]) / 1e9
        # protocol restart: the restart is between its steps, and is not timed
        if seconds > took:
            yield f"its {what} took {seconds:.0f} s, but the whole cell only {took:.0f} s"


def _space(record: Record) -> Iterator[str]:
    disk = record["host"]["storage"]["size_bytes"]
    if disk is None:
        return
    free = record["conditions"]["before"]["free_bytes"]
    if free is not None and free > disk:
        yield "more of its disk was free than the disk has"
    if any(size["allocated_bytes"] > disk for size in record["sizes"]):
        yield "its image is larger than the disk that it lies on"
    if record["samples"] and sum(record["cell"]["sizes_bytes"]) * record["cell"]["sets"] > disk:
        yield "it wrote more than its disk holds"


def time(text: str) -> datetime:
    """A time of a record. Raises ValueError or TypeError."""
    return datetime.strptime(text, TIME)
