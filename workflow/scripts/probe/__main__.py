"""Tests on a Mac whether macOS behaves as the driver expects, and writes a report.

Usage: bash workflow/run.sh probe [--folder DIR] [--keep-images DIR]
  --folder DIR        works in DIR instead of .diskbench: at least 5 GB must be free there
  --keep-images DIR   also packs a small image of each format and encryption into DIR, at most
                      0.1 GB in 3 more minutes, and checks that the core reads them

At most 10 minutes, no administrator; it removes whatever it made, also after Ctrl-C.
The report is a folder in .diskbench/probes: probe.json, and what the programs answered. Nothing in
it identifies the Mac or its user. What to do with it: reports/manual/probe.qmd
Exit codes: 0 done, 2 bad input, 3 not enough space, 4 folder unusable, 5 busy, 7 an image stays
  attached, or one to keep was not made or read, 9 no Mac, or a macOS before 13, 130 interrupted
"""

import platform
import shutil
from pathlib import Path

from arguments import Parser, typed_path, writable_folder
from console import ExitCode, StudyError, run, say, show
from places import CORE
from probe import keeping, looking, report, screen
from probe.bench import Bench
from study.core import build, released_core
from study.machine import is_mac

STATE = Path(".diskbench")
REPORTS = STATE / "probes"


def main(words: list[str] | None = None) -> int:
    """Probe, write and print the report; 0 whatever the verdicts are."""
    parser = Parser(prog="bash workflow/run.sh probe", description=__doc__)
    parser.add_argument("--folder")
    parser.add_argument("--keep-images", type=typed_path)
    arguments = parser.parse_args(words)
    if not is_mac():
        raise StudyError(
            ExitCode.NOT_QUIET,
            f"a probe tests macOS, and this is {platform.system()}: run it on a Mac; nothing was "
            "changed",
        )
    STATE.mkdir(exist_ok=True)
    folder = STATE if arguments.folder is None else writable_folder(arguments.folder)
    if arguments.keep_images is not None:
        arguments.keep_images.mkdir(parents=True, exist_ok=True)
    _build_core()
    failed: list[str] = []
    place: Path | None = None

    def keep(bench: Bench, found: report.Found) -> None:
        # first of all: an image that stays attached ends the probe with an error
        nonlocal place
        place = report.write(found, REPORTS)
        show("\n".join(screen.lines(found.document, str(place))))
        if arguments.keep_images is not None:
            say("keeping images")
            failed.extend(keeping.keep(bench, arguments.keep_images))

    try:
        looking.look(folder, CORE, lambda probe: say(f"looking: {probe}"), after=keep)
    except KeyboardInterrupt:
        kept = "the report is complete" if place else "no report was written"
        say(f"interrupted: what was made was removed, and {kept}")
        return ExitCode.INTERRUPTED
    for line in failed:
        say(f"{arguments.keep_images}: {line}")
    return ExitCode.CELL_FAILED if failed else ExitCode.DONE


def _build_core() -> None:
    """Build the core if possible; without it, the probes that need it are skipped."""
    if CORE.exists() or not (released_core() or shutil.which("cargo")):
        return
    try:
        build(Path("core/Cargo.toml"), CORE)
    except StudyError as error:
        say(f"{error.line}; the probe continues without it")


if __name__ == "__main__":
    run(main)
