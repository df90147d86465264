"""Runs all probes on this Mac in turn, whether or not each succeeds."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from probe import cleaning, mac, report, workplace
from probe.bench import Bench, UnseenError
from probe.cleaning import Cleaner
from probe.probes import PROBES, Probe
from probe.programs import OutOfTimeError, Programs
from probe.statements import all_of_them

# seconds for the probes; with the rest, less than 10 minutes
SECONDS = 9 * 60.0

Tell = Callable[[str], None]


def look(
    below: Path,
    core: Path | None,
    tell: Tell,
    probes: tuple[Probe, ...] | None = None,
    after: Callable[[Bench, report.Found], object] = lambda bench, found: None,
) -> report.Found:
    """Run all or these probes in a folder below this one, and collect their observations.

    `after` runs on the same Mac afterwards, before its images are removed.

    Raises StudyError (not fit, folder unusable, busy, no space, or failed if an image stays
    attached) and KeyboardInterrupt; only a still attached image leaves something behind.
    """
    calls = Programs(SECONDS)
    this = mac.this(calls)
    with workplace.entered(below, calls) as folder:
        # contains only images and captures
        work = folder / "images"
        work.mkdir()
        bench = Bench(this, work, calls, Cleaner(work, cleaning.names_here()), core)
        begun = datetime.now(UTC)
        for probe in PROBES if probes is None else probes:
            _one(bench, probe, tell)
        _tell_unseen(bench)
        found = report.found(bench, begun)
        after(bench, found)
        return found


def _one(bench: Bench, probe: Probe, tell: Tell) -> None:
    statements = [name for name in report.of_probe(probe.name) if bench.is_about(name)]
    if not statements:
        return
    why: str | None = None
    if probe.of_kernel and bench.mac.stand_in:
        why = "stand-ins for a Mac have no kernel of macOS"
    else:
        tell(probe.name)
        try:
            probe.look(bench)
        except UnseenError as unseen:
            why = str(unseen)
            statements = [name for name in statements if name not in bench.observations]
        except OutOfTimeError:
            why = "the probe's time limit was reached"
        # an unexpected answer must not stop the other probes
        except Exception as error:
            why = f"the probe failed: {type(error).__name__}: {bench.cleaner.text(str(error))}"
    for name in statements if why else ():
        bench.cannot(name, why)


def _tell_unseen(bench: Bench) -> None:
    for statement in all_of_them().values():
        if statement.probe and statement.id not in bench.observations:
            bench.cannot(statement.id, "nothing came up that shows it")
