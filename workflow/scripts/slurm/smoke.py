"""A cluster is started here, and slurm.sh measures two nodes of it: as a user would, from end to
end, and where a node is down and a job is ended by hand. What is claimed is looked at."""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from arguments import Parser
from console import ExitCode, StudyError
from proofs.support import proof
from proofs.support.project import PROJECT, Project, make_fresh
from proofs.support.proof import Figure
from record import RUNS
from slurm import plugin
from slurm.cluster import ALONE, PROGRAMS, Cluster

NODES = ("n1", "n2")
HOSTS = {name: f"smoke-{name}" for name in NODES}

# A small study: three phases natively, three of one image.
CONFIG = (
    "study=encryption-2026",
    "protocols=[usage-phases]",
    "matrix=[{driver: native, formats: [native], encryptions: [host]}, "
    "{driver: portable, formats: [UDSB], encryptions: [none]}]",
)
CELLS = 6  # of each node

CORE = "core/target/release/diskbench"
MANIFEST = PROJECT / "core" / "Cargo.toml"


def main(words: list[str]) -> int:
    """A line for each thing that was looked at; 1 when one of them is not so."""
    parser = Parser(prog="bash workflow/slurm.sh smoke", description=__doc__)
    parser.add_argument(
        "--save",
        action=proof.Save,
        default=False,
        help="keep the figures in data/proofs/slurm.json",
    )
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.inside:
        return Smoke(asked.inside).run(asked.save)
    _require()
    plugin.installed()
    with tempfile.TemporaryDirectory(
        prefix="diskbench-slurm-", ignore_cleanup_errors=True
    ) as folder:
        base = Path(folder)
        # munge refuses folders that others may write to, and slurmd runs tasks of any user
        base.chmod(0o755)
        _prepare(base)
        command = [*ALONE, sys.executable, "-m", "slurm", "smoke", "--inside", str(base)]
        return subprocess.run(command + ["--save"] * asked.save, check=False).returncode


def _require() -> None:
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    os.environ["PATH"] = path
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if platform.system() != "Linux" or os.geteuid() != 0:
        why = "it starts a cluster of its own, and so needs Linux and root"
    elif missing:
        why = (
            f"{', '.join(missing)} missing: on Debian, "
            "apt-get install --no-install-recommends slurm-wlm munge"
        )
    else:
        return
    raise StudyError(ExitCode.BAD_INPUT, f"the smoke run of Slurm cannot be made here: {why}")


def _prepare(base: Path) -> None:
    """The login node's clone, and on the disk of each node the crates that are compiled already."""
    project = make_fresh(base / "project")
    project.render_only("index.qmd", "hosts.qmd")
    subprocess.run(["git", "init", "--quiet", str(project.folder)], check=True)
    nodes = [
        {"node": name, "host": host, "folder": str(base / "disk")} for name, host in HOSTS.items()
    ]
    settings = {"nodes": nodes, "partition": None, "account": None, "minutes": 30}
    (project.folder / "workflow" / "config" / "slurm.yaml").write_text(
        yaml.safe_dump(settings), encoding="utf-8"
    )
    shutil.copytree(plugin.FOLDER, project.folder / plugin.FOLDER)
    # once for both, and for this project too
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", MANIFEST],
        check=True,
    )
    compiled = PROJECT / "core" / "target" / "release"
    for name, host in HOSTS.items():
        target = base / f"disk-{name}" / host / "core" / "target" / "release"
        mark = base / f"disk-{name}" / host / ".diskbench" / "carried.json"
        mark.parent.mkdir(parents=True)
        mark.write_text("[]", encoding="utf-8")
        shutil.copytree(compiled, target, symlinks=True)


class Smoke:
    """The run, inside the cluster's namespaces; `base` was made by `_prepare`."""

    def __init__(self, base: Path):
        self.base = base
        self.project = Project(base / "project")
        self.cluster = Cluster(base, list(NODES))
        self.amiss: list[str] = []
        self.looked_at = 0

    def run(self, save: bool) -> int:
        """All of it; the exit code."""
        started = self.cluster.start()
        print(f"Slurm with {len(NODES)} nodes is up after {started:.1f} s", flush=True)
        first_s = self._measures_two_nodes()
        second_s = self._measures_nothing_again()
        self._goes_on_without_a_node_that_is_down()
        self._goes_on_after_a_job_that_was_ended()
        records = len(self.project.records())
        if save:
            figures = [
                Figure("nodes, each measured by a job of its own", len(NODES), "nodes"),
                Figure("records brought home, of both nodes", records, "records"),
                Figure("things looked at", self.looked_at),
                Figure(
                    "of them not as they should be",
                    len(self.amiss),
                    goal="0",
                    reached=not self.amiss,
                ),
                Figure("until the cluster was up", started, "s"),
                Figure(f"a call that measures {2 * CELLS} cells, with its site", first_s, "s"),
                Figure("the same call again, which measures nothing", second_s, "s"),
            ]
            command = "bash workflow/slurm.sh smoke --save"
            path = proof.save("slurm", "Two nodes of a Slurm cluster", command, figures)
            print(f"kept in {path}")
        print(f"{self.looked_at} things looked at, {len(self.amiss)} amiss")
        return ExitCode.UNEXPECTED if self.amiss else ExitCode.DONE

    def _measures_two_nodes(self) -> float:
        done, seconds = self._call()
        self._so("both nodes are measured, and the site is made", done.returncode == 0, done)
        home = self._by_host()
        self._so(
            "the records of both hosts are here, all of them",
            {host: len(records) for host, records in home.items()}
            == dict.fromkeys(HOSTS.values(), CELLS),
            home,
        )
        verified = subprocess.run(
            [self.project.folder / CORE, "verify", RUNS],
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
        self._nodes_had_their_own()
        return seconds

    def _nodes_had_their_own(self) -> None:
        jobs = {}
        for line in self._slurm("scontrol", "show", "job", "--oneliner").splitlines():
            job = dict(part.partition("=")[::2] for part in line.split())
            jobs[job["ReqNodeList"]] = job
        for name, host in HOSTS.items():
            job = jobs.get(name, {})
            self._so(
                f"the job of {name} ran there alone",
                (job.get("NodeList"), job.get("OverSubscribe"), job.get("JobState"))
                == (name, "NO", "COMPLETED"),
                job,
            )
            disk = self.base / f"disk-{name}"
            others = [other for other in HOSTS.values() if (disk / other).exists()]
            self._so(f"what {name} did lies on its own disk alone", others == [host], others)
            left = list((disk / host / RUNS).rglob("*.json"))
            self._so(f"no record is left on {name}", not left, left)
            work = disk / host / ".diskbench" / "work"
            self._so(
                f"no image or test file is left on {name}",
                work.is_dir() and not any(work.iterdir()),
                list(work.glob("*")),
            )

    def _measures_nothing_again(self) -> float:
        before = self._state()
        done, seconds = self._call()
        self._so("a second call ends well", done.returncode == 0, done)
        self._so("it measures nothing, and touches no record", self._state() == before, done)
        self._so("and says so", done.stderr.count("; 0 new records") == len(NODES), done)
        return seconds

    def _goes_on_without_a_node_that_is_down(self) -> None:
        before = self._state()
        self._slurm("scontrol", "update", "nodename=n2", "state=down", "reason=broken")
        done, _ = self._call("records", "repeats=2")
        self._so("with a node that is down, the call ends with 1", done.returncode == 1, done)
        line = "n2 (smoke-n2): not measured: the node is down (broken); to go on: "
        self._so("one line says which, why and how to go on", done.stderr.count(line) == 1, done)
        counts = {host: len(records) for host, records in self._by_host().items()}
        wanted = {"smoke-n1": 2 * CELLS, "smoke-n2": CELLS}
        self._so("the other one is measured", counts == wanted, (counts, done))
        self._so("what was there is as it was", self._has(before), "")
        self._slurm("scontrol", "update", "nodename=n2", "state=resume")

    def _goes_on_after_a_job_that_was_ended(self) -> None:
        before = self._state()
        call = self.project_call("records", "repeats=2")
        process = subprocess.Popen(
            call,
            cwd=self.project.folder,
            env=self.project.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        runs = self.base / "disk-n2" / "smoke-n2" / RUNS
        # a repeat that is new has begun
        last = time.monotonic() + 300
        while process.poll() is None and not any(runs.glob("*/*/*/*/*/*/2/*.json")):
            if time.monotonic() > last:
                break
            time.sleep(0.05)
        running = self._slurm("squeue", "--noheader", "--nodelist=n2", "--format=%i").split()
        self._slurm("scancel", *running)
        said = process.communicate()[1]
        print(f"--- ended with scancel {' '.join(running)}\n{said}", file=sys.stderr)
        self._so(
            "a job that is ended by hand ends the call with an error", process.returncode, said
        )
        self._so(
            "it names the node and the way on", "to go on: bash workflow/slurm.sh" in said, said
        )
        self._so("what was there is as it was", self._has(before), "")
        done, _ = self._call("records", "repeats=2")
        self._so("the next call completes it", done.returncode == 0, done)
        counts = {host: len(records) for host, records in self._by_host().items()}
        self._so(
            "every cell of both hosts is there once",
            counts == dict.fromkeys(HOSTS.values(), 2 * CELLS),
            (counts, said, done),
        )
        self._so("what was there is as it was", self._has(before), "")

    def project_call(self, *words: str) -> list[str]:
        """slurm.sh with a target, if it is one, and more of the config."""
        target = [word for word in words if "=" not in word]
        more = [word for word in words if "=" in word]
        return ["bash", "workflow/slurm.sh", *target, "--config", *CONFIG, *more]

    def _call(self, *words: str) -> tuple[subprocess.CompletedProcess, float]:
        begun = time.monotonic()
        done = subprocess.run(
            self.project_call(*words),
            cwd=self.project.folder,
            env=self.project.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        print(f"--- {' '.join(self.project_call(*words))}\n{done.stderr}", file=sys.stderr)
        return done, time.monotonic() - begun

    def _by_host(self) -> dict[str, list[Path]]:
        home = self.project.folder / RUNS
        found: dict[str, list[Path]] = {}
        for path in self.project.records():
            found.setdefault(path.relative_to(home).parts[0], []).append(path)
        return found

    def _state(self) -> dict[Path, tuple[int, bytes]]:
        return {
            path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.project.records()
        }

    def _has(self, before: dict[Path, tuple[int, bytes]]) -> bool:
        now = self._state()
        return all(now.get(path) == state for path, state in before.items())

    def _slurm(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def _so(self, what: str, holds: object, otherwise: object) -> None:
        """One thing that is looked at."""
        self.looked_at += 1
        print(f"{'yes' if holds else 'NO '}  {what}", flush=True)
        if not holds:
            self.amiss.append(what)
            said = getattr(otherwise, "stderr", None) or otherwise
            print(f"     {said}", flush=True)
