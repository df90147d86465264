"""Snakemake with its plugin for Slurm, and an eye on both until every node's job is over.

Snakemake alone is not enough: it waits for ever for a job that waits for a node that went down, and
for one of which squeue no longer knows.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import yaml

from console import ExitCode, StudyError, say
from record import shorten
from slurm import call as calls
from slurm import controller
from slurm.call import PLACE, Call, Outcome
from slurm.controller import Job

PROFILE = Path("workflow/profiles/slurm/profile.yaml")
NODES = Path("workflow/rules/nodes.smk")
LOG = Path(".diskbench/logs/slurm.log")

LOOK_EVERY = 2.0  # seconds; squeue answers in some hundredths of one

# Seconds after which Snakemake is ended when every job is over and it has not seen it: the plugin
# looks ever more rarely, down to every 180 s, and never sees a job that squeue has forgotten.
UNSEEN = 10.0
# The same while a job's own word is missing: what a node wrote is seen here when the file system
# that they share looks again, after up to a minute. A job that was killed left none.
UNHEARD = 90.0

# Seconds for Snakemake to call its jobs back, one scancel for all; what is left then is called back
# here.
CALLING_BACK = 10.0

# Seconds for jobs to come to their end then: Slurm kills them KillWait (30 s as shipped) after it
# asked, and they put their files away and bring their records home before.
ENDING = 60.0

# Looks in a row at which a job waits for a node that is down, before it is called back.
DOWN_LOOKS = 5


# What became of a job that could not say it itself, by the state that Slurm tells.
ENDED_BY_SLURM = {
    "CANCELLED": "was cancelled",
    "NODE_FAIL": "ended with its node, which failed",
    "OUT_OF_MEMORY": "was ended for the memory that it took",
    "TIMEOUT": "was ended for its time (minutes in workflow/config/slurm.yaml)",
    "FORGOTTEN": "ended, and Slurm does not know how any more",
}


class Watch:
    """The nodes of one call, from the queue to their end.

    interrupted: whether the user ended it.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self, call: Call, prefix: str, tools: Path):
        self.call = call
        self.prefix = prefix
        self.tools = tools
        self.interrupted = False
        self._reasons: dict[str, str] = {}
        self._jobs: dict[str, Job] = {}
        self._told: dict[str, str] = {}
        self._down: dict[str, int] = {}

    def give_up(self, node: str, reason: str) -> None:
        """Have no job for this node, or no longer one, for this reason."""
        self._reasons.setdefault(node, reason)

    def until_all_ended(self) -> None:
        """Run Snakemake for every node that was not given up, until all jobs are over."""
        waited = {name: node for name, node in self.call.nodes.items() if name not in self._reasons}
        if not waited:
            return
        config = self.call.place / "call.json"
        calls.write(
            Call(**(vars(self.call) | {"nodes": waited})),
            config,
        )
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("w", encoding="utf-8") as log:
            log.write(f"{shlex.join(self._command(config))}\n")
            log.flush()
            process = subprocess.Popen(
                self._command(config),
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # ours alone decides what an interrupt does
                process_group=0,
            )
        before = {number: signal.signal(number, self._interrupt) for number in self.SIGNALS}
        try:
            self._watch(process, set(waited))
        finally:
            self._end(process)
            for number, handler in before.items():
                signal.signal(number, handler)

    def ended(self, node: str) -> Outcome:
        """How a node ended: by its own word, else by Slurm's."""
        said = calls.outcome(self.call, node)
        job = self._jobs.get(node)
        if said is not None:
            ended_it = job and ENDED_BY_SLURM.get(job.state)
            if said.code != ExitCode.INTERRUPTED or self.interrupted or not ended_it:
                return said
            line = f"its job {job.number} {ended_it}; its finished records are here"
            return Outcome(ExitCode.UNEXPECTED, line, said.brought)
        if node in self._reasons:
            return Outcome(ExitCode.UNEXPECTED, f"not measured: {self._reasons[node]}")
        if job is None:
            return Outcome(
                ExitCode.UNEXPECTED, f"not measured: Slurm did not take its job ({self._why()})"
            )
        why = ENDED_BY_SLURM.get(job.state, f"ended as {job.state}")
        return Outcome(
            ExitCode.UNEXPECTED,
            f"its job {job.number} {why}; finished records are kept on the node, and are brought "
            "home by the next call",
        )

    def _watch(self, process: subprocess.Popen, names: set[str]) -> None:
        over_since = None
        while process.poll() is None and not self.interrupted:
            self._look()
            over = bool(self._jobs) and not any(job.active for job in self._jobs.values())
            over_since = (over_since or time.monotonic()) if over else None
            heard = all(calls.outcome(self.call, name) for name in names)
            if over_since and time.monotonic() - over_since > (UNSEEN if heard else UNHEARD):
                return
            time.sleep(LOOK_EVERY)
        self._look()

    def _look(self) -> None:
        try:
            seen = controller.jobs(self.prefix)
        except StudyError:
            return  # a controller that restarts is back in a moment, and jobs go on without it
        numbers = {job.number for job in seen}
        for job in seen:
            self._jobs[job.node] = job
            self._say(job)
        for node, job in self._jobs.items():
            if job.active and job.number not in numbers:
                # longer ago than Slurm remembers
                self._jobs[node] = Job(job.number, node, "FORGOTTEN", "")
        self._call_back([job for job in seen if job.state == "PENDING"])

    def _say(self, job: Job) -> None:
        told = {
            "PENDING": f"job {job.number} waits ({job.reason})",
            "RUNNING": f"job {job.number} runs as {self.call.nodes[job.node].host}; "
            f"what it says: {PLACE}/logs/{job.node}.log",
        }.get(job.state)
        # every job waits for a moment, for no reason yet
        waits_for_nothing = job.state == "PENDING" and job.reason == "None"
        if told and not waits_for_nothing and self._told.get(job.node) != told:
            self._told[job.node] = told
            say(f"{job.node}: {told}")

    def _call_back(self, waiting: list[Job]) -> None:
        """End jobs that wait for a node that is down: nobody knows for how long."""
        try:
            states = controller.states([job.node for job in waiting]) if waiting else {}
        except StudyError:
            return
        for job in waiting:
            state, reason = states.get(job.node, ("UNKNOWN", ""))
            down = controller.is_down(state)
            self._down[job.node] = self._down.get(job.node, 0) + 1 if down else 0
            if self._down[job.node] >= DOWN_LOOKS:
                why = f" ({reason})" if reason else ""
                self.give_up(job.node, f"the node went {state.lower()}{why} while its job waited")
                controller.cancel([job.number])

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True

    def _end(self, process: subprocess.Popen) -> None:
        """Leave nothing behind: neither Snakemake nor a job."""
        if process.poll() is None:
            # it calls its jobs back, and then may wait for minutes, or for ever
            _signal_group(process, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(CALLING_BACK)
        if process.poll() is None:
            _signal_group(process, signal.SIGKILL)
            process.wait()
        with suppress(StudyError):
            controller.cancel([job.number for job in controller.jobs(self.prefix) if job.active])
            last = time.monotonic() + ENDING
            while time.monotonic() < last:
                if not any(job.active for job in controller.jobs(self.prefix)):
                    break
                time.sleep(LOOK_EVERY)
        self._look()

    def _why(self) -> str:
        """The last words of sbatch, as Snakemake's log has them."""
        lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
        said = [line[line.index(mark) :] for line in lines if (mark := "sbatch: error:") in line]
        return f"{shorten(said[0])}; " * bool(said) + f"{LOG} has the details"

    def _command(self, config: Path) -> list[str]:
        command = [sys.executable, "-m", "snakemake", "--workflow-profile", "none", "--nolock"]
        command += ["--snakefile", str(NODES.resolve()), "--directory", str(self.call.place)]
        command += ["--configfile", str(config), "--slurm-jobname-prefix", self.prefix]
        command += ["--slurm-logdir", str(self.call.place / "jobs")]
        for name, value in yaml.safe_load(PROFILE.read_text(encoding="utf-8")).items():
            command.append(f"--{name}" if value is True else f"--{name}={value}")
        if self.call.account is None:
            # 2.8.0 of the plugin has this option and does not heed it yet: it asks the accounting,
            # and goes on without an account where there is none
            command.append("--slurm-no-account")
        return command

    def _environment(self) -> dict[str, str]:
        scripts = str(Path(__file__).resolve().parents[1])
        found = os.pathsep.join((scripts, str(self.tools)))
        return controller.environment() | {"PYTHONPATH": found}


def _signal_group(process: subprocess.Popen, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
