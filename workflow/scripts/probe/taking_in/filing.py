"""Where reports are kept: data/probes/<release>-<build>/<a word for its content>/."""

from collections.abc import Iterator
from pathlib import Path

from console import StudyError, say
from probe import report
from probe.taking_in.check import Report, checked

PROBES = Path("data/probes")


def file(taken: Report, into: Path = PROBES) -> Path | None:
    """Keep a report, whole or not at all; gives its folder, or None where it is there already."""
    folder = into / taken.release / taken.id
    if folder.exists():
        return None
    report.write_folder(folder, taken.text, taken.captures)
    return folder


def kept(into: Path = PROBES, release: str = "*") -> Iterator[Report]:
    """The reports that are kept, of one release or of all; one that is damaged is named."""
    for document in sorted(into.glob(f"{release}/*/{report.FILE}")):
        try:
            yield checked(document.parent)
        except StudyError as error:
            say(error.line)
