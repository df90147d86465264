"""A fleet on the nodes of a Slurm cluster that is started on this machine.

Usage: bash workflow/prove.sh slurm [--save]
  --save   keeps the figures in data/proofs/slurm.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

It needs Linux, root and Debian's packages slurm-wlm and munge. Two jobs of
workflow/config/slurm-worker.sh offer two nodes to a coordinator on the login node, which measures
them and makes the site. Then a job is ended by hand while it measures, and another one resumes it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import places
from console import ExitCode, StudyError
from proofs.slurm.cluster import ADDRESS, ALONE, PROGRAMS, Cluster
from proofs.support import core, goals, proof
from proofs.support.fleet_here import Machine, make_of_fleet, write_fleet
from proofs.support.project import Project
from proofs.support.proof import Figure
from proofs.support.repository import commit
from proofs.support.waiting import wait_until
from record import RUNS

NODES = ("n1", "n2")
HOSTS = {name: f"cluster-{name}" for name in NODES}
JOB = "workflow/config/slurm-worker.sh"

# A small study: three phases natively, three of one image.
CONFIG = (
    "study=encryption-2026",
    "scale=smoke",
    "protocols=[usage-phases]",
    "matrix=[{driver: native, formats: [native], encryptions: [host]}, "
    "{driver: portable, formats: [UDSB], encryptions: [none]}]",
)
CELLS = 6  # of each node


def main(words: list[str]) -> int:
    """Print a line for each check; 1 if one failed."""
    parser = proof.arguments("slurm")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.inside:
        asked.command = proof.typed(parser.prog, ["--save"])
        return TwoNodes(asked.inside).run(asked)
    _require()
    with tempfile.TemporaryDirectory(
        prefix="diskbench-slurm-", ignore_cleanup_errors=True
    ) as folder:
        base = Path(folder)
        # munge refuses folders that others may write to, and slurmd runs tasks of any user
        base.chmod(0o755)
        _prepare(base)
        command = [*ALONE, sys.executable, "-m", "proofs", "slurm", "--inside", str(base)]
        return subprocess.run(command + ["--save"] * asked.save, check=False).returncode


def _require() -> None:
    os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    if os.geteuid() or not all(map(shutil.which, PROGRAMS)):
        raise StudyError(
            ExitCode.BAD_INPUT,
            "no Slurm cluster can be started here: it needs Linux, root, and Debian's packages "
            "slurm-wlm and munge",
        )


def _prepare(base: Path) -> None:
    """The coordinator's clone, with its core compiled."""
    project = make_of_fleet(base / "coordinator", "index.qmd", "hosts.qmd")
    write_fleet(project, ADDRESS, {host: {} for host in HOSTS.values()})
    commit(project.folder)
    core.build()


class TwoNodes:
    """The proof, inside `ALONE`; `base` was made by `_prepare`."""

    def __init__(self, base: Path):
        self.base = base
        self.project = Project(base / "coordinator")
        self.coordinator = Machine("coordinator", self.project, (), ADDRESS)
        self.cluster = Cluster(base, list(NODES))
        self.amiss: list[str] = []
        self.looked_at = 0

    def run(self, asked: argparse.Namespace) -> int:
        """All of it; the exit code."""
        started = self.cluster.start()
        print(f"Slurm with {len(NODES)} nodes is up after {started:.1f} s", flush=True)
        self.coordinator.run("certificate").check_returncode()
        first_s = self._measures_two_nodes()
        self._goes_on_after_a_job_that_was_ended()
        records = len(self.coordinator.records())
        figures = [
            Figure("nodes, each offered by a job of its own", len(NODES), "nodes"),
            Figure("records filed on the coordinator, of both nodes", records, "records"),
            Figure("checks", self.looked_at),
            proof.counted("of them not as they should be", len(self.amiss), "", goals.NONE),
            Figure("until the cluster was up", started, "s"),
            Figure(f"a call that measures {2 * CELLS} cells, with its site", first_s, "s"),
        ]
        proof.show(asked, "slurm", "A fleet of two nodes of a Slurm cluster", figures)
        return ExitCode.UNEXPECTED if self.amiss else ExitCode.DONE

    def _measures_two_nodes(self) -> float:
        jobs = {name: self._submit(name) for name in NODES}
        begun = time.monotonic()
        done = self.coordinator.run("run", "--config", *CONFIG)
        seconds = time.monotonic() - begun
        self._so("both nodes are measured, and the site is made", done.returncode == 0, done)
        home = self.coordinator.records()
        self._so(
            "the records of both hosts are on the coordinator", self._counts() == [CELLS] * 2, home
        )
        self._so(
            "each as it is on its node's disk",
            home == {name: found for node in NODES for name, found in self._of(node).items()},
            home.keys(),
        )
        verified = subprocess.run(
            [self.project.folder / places.CORE, "verify", RUNS],
            cwd=self.project.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        self._so("all of them are verified", verified.returncode == 0, verified)
        told = self.project.query(
            "select host, count(*), count(distinct cell) from cell group by 1"
        )
        self._so(
            "the database has every cell of both hosts once",
            sorted(told) == [(host, CELLS, CELLS) for host in sorted(HOSTS.values())],
            told,
        )
        page = self.project.page("hosts.html")
        self._so("the page of hosts shows both", all(host in page for host in HOSTS.values()), "")
        for name, job in jobs.items():
            self._had_its_node_alone(name, job)
        return seconds

    def _had_its_node_alone(self, name: str, job: str) -> None:
        host, disk = HOSTS[name], self.base / f"disk-{name}"
        self._ended(name, job)
        told = self._job(job)
        self._so(
            f"the job of {name} ran there alone",
            (told.get("NodeList"), told.get("OverSubscribe")) == (name, "NO"),
            told,
        )
        found = [one.name for one in disk.iterdir()]
        self._so(f"what {name} did lies on its own disk alone", found == [host], found)
        self._is_left_in_order(name)

    def _is_left_in_order(self, name: str) -> None:
        work = self.base / f"disk-{name}" / HOSTS[name] / ".diskbench" / "work"
        self._so(
            f"no image or test file is left on {name}",
            work.is_dir() and not any(work.iterdir()),
            list(work.glob("*")),
        )

    def _goes_on_after_a_job_that_was_ended(self) -> None:
        before = self.coordinator.records()
        jobs = {name: self._submit(name) for name in NODES}
        coordinator = self.coordinator.start("run", "--no-site", "--config", *CONFIG, "repeats=2")
        runs = self.base / "disk-n2" / HOSTS["n2"] / RUNS
        wait_until(lambda: any(runs.glob("*/*/*/*/*/*/2/*.json")), "a record of n2")
        self._slurm("scancel", jobs["n2"])
        wait_until(lambda: self._job(jobs["n2"])["JobState"] == "CANCELLED", "the job to end")
        self._so(
            "a job is ended by hand while it measures", coordinator.poll() is None, self._said()
        )
        jobs["n2"] = self._submit("n2")
        self._so(
            "the coordinator goes on with another one", coordinator.wait(300) == 0, self._said()
        )
        counts = self._counts()
        self._so("every cell of both hosts is there once", counts == [2 * CELLS] * 2, counts)
        now = self.coordinator.records()
        self._so("what was there is as it was", before.items() <= now.items(), now.keys())
        for name, job in jobs.items():
            self._ended(name, job)
        self._is_left_in_order("n2")

    def _submit(self, name: str) -> str:
        """The number of a job that offers a node, as the script's head says."""
        told = subprocess.run(
            [
                *("sbatch", "--parsable", f"--nodelist={name}", f"--output={self.base}/job-%j.out"),
                *(JOB, HOSTS[name], str(self.base / f"disk-{name}")),
            ],
            cwd=self.project.folder,
            env=self.project.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return told.stdout.strip()

    def _ended(self, name: str, job: str) -> None:
        """Look at how a job ended that was dismissed by the coordinator."""
        with suppress(TimeoutError):
            wait_until(lambda: self._job(job).get("JobState") != "RUNNING", "its end", 30)
        told = self._job(job)
        output = self.base / f"job-{job}.out"
        said = output.read_text(encoding="utf-8") if output.exists() else ""
        self._so(f"the job of {name} ends", told.get("JobState") == "COMPLETED", (told, said))

    def _job(self, number: str) -> dict[str, str]:
        told = self._slurm("scontrol", "show", "job", "--oneliner", number)
        return dict(part.partition("=")[::2] for part in told.split())

    def _said(self) -> str:
        return self.coordinator.said.read_text(encoding="utf-8")

    def _counts(self) -> list[int]:
        """How many records of each host are on the coordinator."""
        names = [name.partition("/")[0] for name in self.coordinator.records()]
        return [names.count(host) for host in HOSTS.values()]

    def _of(self, name: str) -> dict[str, bytes]:
        """The records on a node's disk."""
        return Machine(name, Project(self.base / f"disk-{name}" / HOSTS[name]), (), "").records()

    def _slurm(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def _so(self, what: str, holds: object, otherwise: object) -> None:
        """One check."""
        self.looked_at += 1
        print(f"{'yes' if holds else 'NO '}  {what}", flush=True)
        if not holds:
            self.amiss.append(what)
            said = getattr(otherwise, "stderr", None) or otherwise
            print(f"     {said}", flush=True)
