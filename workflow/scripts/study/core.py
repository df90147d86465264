"""Builds the core, and measures cells with it."""

import logging
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import durable
from console import ExitCode, StudyError, is_full, log_file, no_room, say

log = logging.getLogger(__name__)

# cargo's messages without a network: curl's errors, below its own
UNREACHED = re.compile(
    r"could not resolve host|failed to connect|couldn't connect|network failure|timed? ?out"
    r"|connection refused|network is unreachable",
    re.IGNORECASE,
)


def build(manifest: Path, binary: Path) -> None:
    """Run `cargo build --release --locked`, with output in the log; StudyError if it fails.

    A released core, checked by `workflow/setup.sh`, is used instead if given.
    """
    if released := released_core():
        log.info("taking %s", released[0])
        # replace the file, not its content, because cargo hard-links its binary
        durable.write(binary, released[0].read_bytes(), mode=0o777)
        return
    if not binary.exists():
        say("building the core (the first time this takes about a minute)")
    cargo_build("the core", manifest, binary.parents[1])
    # cargo does not touch an up-to-date binary, but Snakemake compares times
    binary.touch()


def cargo_build(what: str, manifest: Path, target: Path, *more: str) -> None:
    """Run `cargo build --release --locked` with these options; StudyError if `what` fails."""
    command = ["cargo", "build", "--release", "--locked"]
    # explicit, as the user's settings may name another target folder: <target>/release/diskbench
    command += ["--manifest-path", str(manifest), "--target-dir", str(target), *more]
    log.info("%s", " ".join(command))
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    log.info("%s", done.stderr)
    if done.returncode == 0:
        return
    if is_full(done.stderr):
        raise no_room(target)
    if UNREACHED.search(done.stderr):
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"no network: crates of the core could not be fetched ({log_file()} has the "
            "details); connect this machine, or set HTTPS_PROXY, then run again",
        )
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    raise StudyError(
        ExitCode.UNEXPECTED,
        f"{what} did not build ({(errors or ['cargo failed'])[0]}): see {log_file()}",
    )


def released_core() -> list[Path]:
    """The released core of this call, if any."""
    named = os.environ.get("DISKBENCH_CORE")
    return [Path(named)] if named else []


def measure(binary: Path, options: dict[str, Any], more: Sequence[str] = ()) -> None:
    """Run `diskbench run` for one cell, with its progress on our terminal and `more` options.

    A failed cell leaves a record with the reason: the study continues, and its summary reports it.
    Any other failure ends the study with the core's exit code, and so does the request to restart
    this machine, after which the same command resumes.
    """
    command = [str(binary), "run"]
    for name, value in options.items():
        command += [name, str(value)]
    command += more
    log.info("%s", " ".join(command))
    # the core gets Ctrl-C too, and removes its files: this process only waits for it
    signal.signal(signal.SIGINT, lambda *_: None)
    code = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    log.info("exit code %d", code)
    if code < 0:
        raise StudyError(
            ExitCode.INTERRUPTED,
            f"the core was ended by signal {-code} (9 may be the system's, when memory is short)",
        )
    if code not in (ExitCode.DONE, ExitCode.CELL_FAILED):
        # the core has already printed the error
        raise SystemExit(code)
