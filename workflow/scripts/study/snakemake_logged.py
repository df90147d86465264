"""Runs Snakemake with all of its messages in a log; the terminal shows only our steps.

`--quiet all` also silences its own log files (`.snakemake/log`), so that failures of Snakemake
itself would leave no message.
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
    """Writes the first error among Snakemake's events to a file, and whether steps had run."""

    steps = False

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        self.steps |= event == "run_info"
        if event not in ("job_error", "error") or ERROR.exists():
            return
        failed = event == "job_error"
        why = f"{record.rule_name} ended without saying why" if failed else record.getMessage()
        with suppress(OSError):  # the launcher detects a full disk
            ERROR.write_text(json.dumps([self.steps, why]), encoding="utf-8")


def snakemake(arguments: list[str]) -> None:
    """Run Snakemake in this process; exits with its code, or that of `conclude`.

    A failure of Snakemake itself writes no exit code (console.py); a step that writes one
    has printed its error.
    """
    try:
        from snakemake.cli import main
        from snakemake.logging import DefaultFormatter, LogEvent, get_event
    except KeyboardInterrupt:
        # Snakemake handles it itself from here on
        sys.exit(ExitCode.INTERRUPTED)

    LOG.parent.mkdir(parents=True, exist_ok=True)
    ERROR.unlink(missing_ok=True)
    handler = logging.FileHandler(LOG, mode="w", encoding="utf-8")
    handler.setFormatter(DefaultFormatter())
    # this message contains host and user
    handler.addFilter(lambda record: get_event(record) != LogEvent.WORKFLOW_STARTED)
    # on the root logger: Snakemake removes the handlers of its own
    logging.getLogger("snakemake").addHandler(handler)
    logging.getLogger("snakemake").addHandler(FirstError())
    # on a full disk, failed log lines must not fill the terminal
    logging.raiseExceptions = False
    try:
        main(arguments)
    except SystemExit as ended:
        if ended.code:
            raise
    run(conclude)


def had_nothing_to_do() -> bool:
    """Whether the call that wrote the log had nothing to do."""
    return "\nNothing to be done" in LOG.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    snakemake(sys.argv[1:])
