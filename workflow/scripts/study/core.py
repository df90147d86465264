"""The compiled core, seen from the workflow: building it, and running one cell with it."""

import logging
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import durable
from console import ExitCode, StudyError, log_file, say

log = logging.getLogger(__name__)

# What cargo says when it reaches no registry: curl's words, below its own.
UNREACHED = re.compile(
    r"could not resolve host|failed to connect|couldn't connect|network failure|timed? ?out"
    r"|connection refused|network is unreachable",
    re.IGNORECASE,
)


def build(manifest: Path, binary: Path) -> None:
    """`cargo build --release --locked`, cargo's words in the log; StudyError when it fails.

    With a released core, which `workflow/setup.sh` has checked, that is taken instead.
    """
    if released := released_core():
        _take(released[0], binary)
        return
    if not binary.exists():
        say("building the core (the first time this takes about a minute)")
    command = ["cargo", "build", "--release", "--locked"]
    # <target>/release/diskbench: said outright, as the user's own settings may name another target
    command += ["--manifest-path", str(manifest), "--target-dir", str(binary.parents[1])]
    log.info("%s", " ".join(command))
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    log.info("%s", done.stderr)
    if done.returncode != 0:
        if UNREACHED.search(done.stderr):
            raise StudyError(
                ExitCode.FOLDER_UNUSABLE,
                f"no network: crates of the core could not be fetched ({log_file()} has the "
                "details); connect this machine, or set HTTPS_PROXY, then run again",
            )
        errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"the core did not build ({(errors or ['cargo failed'])[0]}): see {log_file()}",
        )
    # cargo leaves a binary that is up to date untouched; Snakemake compares times
    binary.touch()


def released_core() -> list[Path]:
    """The released core of this call, if there is one."""
    named = os.environ.get("DISKBENCH_CORE")
    return [Path(named)] if named else []


def _take(released: Path, binary: Path) -> None:
    """Replace the file, not its content: cargo's own has two names, and the other is not ours."""
    log.info("taking %s", released)
    durable.write(binary, released.read_bytes(), mode=0o777)


def measure(binary: Path, options: dict[str, Any], more: Sequence[str] = ()) -> None:
    """`diskbench run` for one cell, its progress on our terminal; `more` options as they are.

    A cell that failed left a record that says why: the study goes on, and its summary reports it.
    Anything else ends the study with the core's own exit code: what went wrong, and the wish for a
    restart of this machine, after which the same command goes on.
    """
    command = [str(binary), "run"]
    for name, value in options.items():
        command += [name, str(value)]
    command += more
    log.info("%s", " ".join(command))
    # Ctrl-C reaches the core too, which puts its files away: this process only waits for it
    signal.signal(signal.SIGINT, lambda *_: None)
    code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    log.info("exit code %d", code)
    if code < 0:
        raise StudyError(
            ExitCode.INTERRUPTED,
            f"the core was ended by signal {-code} (9 may be the system's, when memory is short)",
        )
    if code not in (ExitCode.DONE, ExitCode.CELL_FAILED):
        # the core has already said in one line what is wrong
        raise SystemExit(code)
