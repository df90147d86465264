"""Files reports in data/probes/<release>-<build>/<hash of the content>/."""

from collections.abc import Iterator
from pathlib import Path

from console import StudyError, say
from probe import report
from probe.taking_in.check import Report, checked

PROBES = Path("data/probes")


def file(taken: Report) -> Path | None:
    """File a report atomically; returns its folder, or None if it is already filed."""
    folder = PROBES / taken.release / taken.id
    if folder.exists():
        return None
    report.write_folder(folder, taken.text, taken.captures)
    return folder


def kept(into: Path = PROBES, release: str = "*") -> Iterator[Report]:
    """The filed reports of one release or of all; damaged ones are named."""
    for document in sorted(into.glob(f"{release}/*/{report.FILE}")):
        try:
            yield checked(document.parent)
        except StudyError as error:
            say(error.line)
