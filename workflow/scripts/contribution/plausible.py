"""What no machine can have measured: against the record's own limits, clock and disk."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from study.scales import SCALES, SIZES_BYTES

# What diskbench itself reaches in memory is measured beside each cell, on a machine that may be
# busy: on one that was, real reads from memory came to 4.4 times of it. Ten times none has.
IMPOSSIBLE = 10.0
# Times of day have whole seconds.
CLOCK_SECONDS = 2
# Clocks may go wrong by some hours, not by more.
AHEAD = timedelta(days=1)
TIME = "%Y-%m-%dT%H:%M:%SZ"

Record = dict[str, Any]


def impossible(record: Record, now: datetime | None = None) -> Iterator[str]:
    """Everything about one record that cannot be."""
    yield from _system(record)
    yield from _files(record)
    yield from _rates(record, IMPOSSIBLE, math.inf)
    yield from _times(record, now or datetime.now(UTC))
    yield from _space(record)


def overlaps(times: list[tuple[str, datetime, datetime]]) -> Iterator[tuple[str, str]]:
    """Pairs of cells of one machine that were measured at the same time.

    `times` has the id of each cell, when it began and when it ended.
    """
    ordered = sorted(times, key=lambda one: (one[1], one[2]))
    last = None  # to end, of those that began before
    for later in ordered:
        if last and (last[2] - later[1]).total_seconds() > CLOCK_SECONDS:
            yield last[0], later[0]
        if last is None or later[2] > last[2]:
            last = later


def _system(record: Record) -> Iterator[str]:
    """The system as the core read it, against what the record's own names say of it."""
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
    """What may be, and should be asked about."""
    yield from _rates(record, 1.0, IMPOSSIBLE)


def _rates(record: Record, above: float, up_to: float) -> Iterator[str]:
    """Rates of a direction between so many times of what the machine's memory does."""
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
        # a restart lies between the steps of that protocol, and is in none of them
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
