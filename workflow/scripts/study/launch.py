"""Runs Snakemake for `workflow/run.sh`: one study at a time, with documented exit codes.

Snakemake exits with 1 whatever step failed. The failed step writes its own code to a file, which is
used instead.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import yaml

import made
from console import CODE_WIDTH, EXIT_FILE_VARIABLE, ExitCode, StudyError, no_room, say
from lock import held
from places import CORE
from record import shorten
from study import asked, commands, machine, options, snakemake_logged, survivors

STATE = Path(".diskbench")
# exists while a study runs; finding it at the start means that the last study was killed
RUNNING = STATE / "running"
PLAN = commands.PLAN
PROFILE = Path("workflow/profiles/default/profile.yaml")

# free bytes that Snakemake needs for its metadata
LEAST_FREE_BYTES = 1_000_000

# the rules that users may request
TARGETS = ("plan", "records", "database", "site")

# folders that a study creates; later they may be on another disk or belong to another user
WRITTEN_BELOW = (".diskbench", ".snakemake", "data/runs", "data/parquet", "reports/_site")


def launch(arguments: list[str]) -> int:
    """Run Snakemake with the user's arguments in the project's folder; returns the exit code."""
    arguments = asked.with_markers(arguments)
    wanted = options.parse(arguments)
    options.refuse_no_cache()
    # run.sh has its own profile
    os.environ.pop("SNAKEMAKE_PROFILE", None)
    # must not clean up or end anything
    if wanted.dry_run:
        return subprocess.run(_plain(arguments), check=False).returncode
    if set(wanted.targets) == {"plan"}:
        with _only_study():
            return _study([*arguments, "--nolock", "--quiet", "all"])
    # with these options Snakemake prints its own messages; otherwise only our steps do
    quiet = [] if wanted.verbose or wanted.printshellcmds else ["--quiet", "all"]
    _refuse_read_only_folders()
    with _only_study():
        _stay_awake()
        cut_short = _see_to_one_cut_short()
        _see_to_what_was_replaced()
        # this call may have other storages than the killed study
        before = _image_folders()
        try:
            # our lock is released however the process ends, unlike Snakemake's, which is not needed
            code = _study([*arguments, "--nolock", *quiet])
        finally:
            for line in _sweep(before | _image_folders()):
                # of other calls the core has reported it
                if cut_short:
                    say(line)
        RUNNING.unlink(missing_ok=True)
    if code == ExitCode.DONE and snakemake_logged.had_nothing_to_do():
        say("nothing to do: everything requested is up to date")
        if made.SUMMARY.exists() and not set(TARGETS).intersection(arguments):
            for line in made.SUMMARY.read_text(encoding="utf-8").splitlines():
                say(line)
    if code == ExitCode.INTERRUPTED:
        say(f"interrupted: finished records are kept; {_next(wanted)}")
    return code


def _next(wanted: argparse.Namespace) -> str:
    """What the same command does after an interruption."""
    if wanted.forceall or "measure" in (wanted.forcerun or []):
        return (
            "the same command forces all of it again; without --forcerun and --forceall, cells not "
            "reached keep their older records"
        )
    return "run the same command again to resume"


def _stay_awake() -> None:
    """Keep a Mac awake until this process ends, also between two cells, when no core does.

    After its display has been off for some time, macOS sleeps as soon as no process prevents it
    (pmset(1), caffeinate(8)).
    """
    if not machine.is_mac():
        return
    own = str(os.getpid())
    with suppress(OSError):  # then the core's records have a warning
        subprocess.Popen(
            [machine.place("caffeinate"), "-i", "-s", "-m", "-w", own],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C must not end it before the cleanup
        )


def _see_to_one_cut_short() -> bool:
    """Whether the last study was killed; ends its remaining processes and reports them."""
    cut_short = RUNNING.exists()
    if cut_short:
        say(
            "the last study was killed, or the machine went down: its records are kept, and this "
            "call resumes it"
        )
        if survivors.at_work(_exit_file()):
            say("a part of it is still running: it is being ended, so that only one study measures")
            survivors.end(_exit_file())
    RUNNING.touch()
    return cut_short


def _see_to_what_was_replaced() -> None:
    """Make Snakemake repeat steps with missing, truncated or replaced products.

    The rules detect it too (`made.call_of`), if Snakemake still has metadata of the last call.
    """
    for product in (made.DATABASE, made.SITE):
        if not product.marker.exists() or made.is_as_noted(product):
            continue
        if Path(product.name).exists():
            say(
                f"{product.name} has changed since it was built, or the clock was set back: "
                "it is built again from the records"
            )
        product.marker.unlink()


def _exit_file() -> Path:
    return STATE.resolve() / "exit-code"


def _study(arguments: list[str]) -> int:
    exit_file = _exit_file()
    exit_file.write_text(f"{0:<{CODE_WIDTH}}", encoding="utf-8")
    with _Interruptible() as interruptible:
        process = subprocess.Popen(
            _command(arguments),
            env=os.environ | {EXIT_FILE_VARIABLE: str(exit_file)},
            # in the background, who reads from a terminal is stopped by the system for ever
            stdin=subprocess.DEVNULL,
            # a process group of its own, so that a signal to this process is forwarded to all once
            process_group=0,
        )
        interruptible.forward_to(process)
        code = process.wait()
    if interruptible.happened:
        return ExitCode.INTERRUPTED
    if code < 0:
        # its children may still be measuring
        survivors.end(exit_file)
        say(f"Snakemake was ended by signal {-code}: run the same command again to resume")
        return ExitCode.INTERRUPTED
    if code != ExitCode.UNEXPECTED:
        return code
    # the failed step has already printed its error
    return int(exit_file.read_text(encoding="utf-8")) or _explain()


def _explain() -> int:
    """Print the error of Snakemake itself."""
    if shutil.disk_usage(".").free < LEAST_FREE_BYTES:
        full = no_room(Path.cwd().name)
        # not raised: this study has ended, and was not killed
        say(full.line)
        return full.code
    steps, error = False, ""
    if snakemake_logged.ERROR.exists():
        steps, error = json.loads(snakemake_logged.ERROR.read_text(encoding="utf-8"))
    lines = error.strip().splitlines() or ["it does not say why"]
    why = shorten(lines[-1] if lines[0].startswith("Traceback") else " ".join(lines), limit=300)
    if steps:
        say(f"a step could not be run ({why}): {snakemake_logged.LOG} has the details")
        return ExitCode.UNEXPECTED
    if missing := re.search(r"No rule to produce (\S+)", why):
        say(f"there is no target {missing[1]}; there are {', '.join(TARGETS)}")
    else:
        say(f"Snakemake refuses this call: {why}")
    return ExitCode.BAD_INPUT


def _plain(arguments: list[str]) -> list[str]:
    # as a module: the script `snakemake` stops working if the project is moved
    return [sys.executable, "-m", "snakemake", *_profile(), *arguments]


def _command(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "study.snakemake_logged", *_profile(), *arguments]


def _refuse_read_only_folders() -> None:
    for folder in (".", "core", "data", "reports", *WRITTEN_BELOW):
        if Path(folder).is_dir() and not os.access(folder, os.W_OK):
            name = Path.cwd().name if folder == "." else folder
            raise StudyError(
                ExitCode.FOLDER_UNUSABLE,
                f"the project's folder {name} cannot be written: "
                "make it writable, or copy the project to a folder that is",
            )


def _image_folders() -> set[str]:
    """The folders of the last plan's storages, where images are put."""
    try:
        storages = json.loads(PLAN.read_text(encoding="utf-8"))["storages"]
    except (OSError, ValueError):
        return set()  # truncated by a crash of the machine; the next plan replaces it
    return {storage["folder"] for storage in storages}


def _sweep(folders: set[str]) -> Iterator[str]:
    """Remove the images that this or a killed study left in these folders.

    Returns a line for each that was removed, and for each that was not, with the reason.
    """
    for folder in sorted(folders) if CORE.exists() else ():
        command = [CORE, "sweep", "--folder", folder]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, start_new_session=True
            )
        except OSError as error:
            say(f"{folder} was not searched for leftover images ({error.strerror})")
            continue
        if done.returncode:
            continue  # an unusable folder, which the plan refuses where it is needed
        for name in re.findall(r"^removed (.+)$", done.stdout, re.MULTILINE):
            yield f"removed {name}, which the killed study had left"
        yield from re.findall(r"^diskbench: (.+)$", done.stderr, re.MULTILINE)


def _profile() -> list[str]:
    """The profile as options, because Snakemake prints a line about a profile."""
    options = ["--workflow-profile", "none"]
    for name, value in yaml.safe_load(PROFILE.read_text(encoding="utf-8")).items():
        options.append(f"--{name}" if value is True else f"--{name}={value}")
    return options


class _Interruptible:
    """Forwards Ctrl-C and SIGTERM to a process group while it is entered.

    happened: whether there was a signal.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    process: subprocess.Popen | None = None
    happened = False

    def __enter__(self) -> "_Interruptible":
        # keep ignored signals ignored, as under nohup
        heeded = [n for n in self.SIGNALS if signal.getsignal(n) != signal.SIG_IGN]
        self.before = {number: signal.signal(number, self._pass_on) for number in heeded}
        return self

    def _pass_on(self, *_: object) -> None:
        # once: the cleanup of Snakemake and the core must not be interrupted
        if not self.happened:
            self.happened = True
            if self.process:
                _interrupt_group(self.process.pid)

    def forward_to(self, process: subprocess.Popen) -> None:
        """The process group to interrupt, also by a signal that came while it was started."""
        self.process = process
        if self.happened:
            _interrupt_group(process.pid)

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


def _interrupt_group(leader: int) -> None:
    # macOS permits no signal to a group whose processes have all ended (xnu, killpg1)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGINT)


@contextmanager
def _only_study() -> Iterator[None]:
    """Hold this project's lock until this process ends; StudyError if another process has it."""
    STATE.mkdir(exist_ok=True)
    busy = "another study runs in this folder: wait for it or stop it, then run again"
    with held(STATE / "study.lock", busy):
        yield
