"""Snakemake with everything that it says kept in a log: at the terminal only our steps speak.

`--quiet all` silences its own log files too (`.snakemake/log`), so that a failure of Snakemake
itself would leave no word.
"""

import json
import logging
import sys
from contextlib import suppress
from pathlib import Path

from console import ExitCode, run
from study.commands import conclude

LOG = Path(".diskbench/logs/snakemake.log")
ERROR = Path(".diskbench/logs/snakemake-error.json")


class FirstError(logging.Handler):
    """Leaves the first error of Snakemake's events in a file, and whether it ran steps by then."""

    steps = False

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        self.steps |= event == "run_info"
        if event not in ("job_error", "error") or ERROR.exists():
            return
        failed = event == "job_error"
        why = f"{record.rule_name} ended without saying why" if failed else record.getMessage()
        with suppress(OSError):  # a full disk is noticed by the launcher
            ERROR.write_text(json.dumps([self.steps, why]), encoding="utf-8")


def snakemake(arguments: list[str]) -> None:
    """Run it in this process, which ends with its exit code, or with that of `conclude`.

    Where Snakemake fails, it leaves no exit code (console.py): what leaves one has said what is
    wrong.
    """
    try:
        from snakemake.cli import main
        from snakemake.logging import DefaultFormatter, LogEvent, get_event
    except KeyboardInterrupt:
        # from here on Snakemake heeds it itself
        sys.exit(ExitCode.INTERRUPTED)

    LOG.parent.mkdir(parents=True, exist_ok=True)
    ERROR.unlink(missing_ok=True)
    handler = logging.FileHandler(LOG, mode="w", encoding="utf-8")
    handler.setFormatter(DefaultFormatter())
    # names the host and the user
    handler.addFilter(lambda record: get_event(record) != LogEvent.WORKFLOW_STARTED)
    # above its own logger, whose handlers it removes when it begins
    logging.getLogger("snakemake").addHandler(handler)
    logging.getLogger("snakemake").addHandler(FirstError())
    # a full disk must not fill the terminal with what the log cannot take
    logging.raiseExceptions = False
    try:
        main(arguments)
    except SystemExit as ended:
        if ended.code:
            raise
    run(conclude)


def had_nothing_to_do() -> bool:
    """Whether everything was there already, in the call that left the log."""
    return "\nNothing to be done" in LOG.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    snakemake(sys.argv[1:])
