"""Running all probes on this Mac, one after the other, whatever becomes of each."""

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from probe import cleaning, mac, programs, report, workplace
from probe.bench import Bench, UnseenError
from probe.cleaning import Cleaner
from probe.probes import PROBES, Probe
from probe.programs import OutOfTimeError, Programs
from probe.statements import all_of_them

# With what comes after, a probe ends within 10 minutes.
SECONDS = 9 * 60.0

Tell = Callable[[str], None]


def look(
    below: Path,
    core: Path | None,
    tell: Tell,
    probes: tuple[Probe, ...] | None = None,
    after: Callable[[Bench], object] = lambda bench: None,
) -> report.Found:
    """Run every probe, or these, in a folder below this one, and gather what they saw.

    `after` does the same Mac something more, and adds nothing to the report.

    Raises StudyError (not fit, folder unusable, busy, no space, or failed when an image stays
    attached) and KeyboardInterrupt; nothing is left behind but in the last case of the first.
    """
    programs.refuse_elsewhere(platform.system())
    calls = Programs(SECONDS)
    this = mac.this(calls)
    with workplace.entered(below, calls) as folder:
        # images and captures alone in it
        work = folder / "images"
        work.mkdir()
        bench = Bench(this, work, calls, Cleaner(work, cleaning.names_here()), core)
        begun = datetime.now(UTC)
        for probe in PROBES if probes is None else probes:
            _one(bench, probe, tell)
        _tell_unseen(bench)
        found = report.found(bench, begun)
        after(bench)
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
        # whatever a Mac answers, the other probes are run
        except Exception as error:
            why = f"the probe failed: {type(error).__name__}: {bench.cleaner.text(str(error))}"
    for name in statements if why else ():
        bench.cannot(name, why)


def _tell_unseen(bench: Bench) -> None:
    for statement in all_of_them().values():
        if statement.probe and statement.id not in bench.observations:
            bench.cannot(statement.id, "nothing came up that shows it")
