"""The workflows of hosted runners, played here: each `run:` block in order, in a copy of the project.

What cannot be had on this machine meets a double that records how it was called: `DOUBLES` names
them. Actions are not ours; what they need of us and leave behind is played by `Runner`.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from proofs.support.project import LONGEST_SECONDS, Project

PROJECT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))

# the condition of a step that runs whatever failed before
WHATEVER_FAILED = "${{ !cancelled() }}"

RECORD = 'echo "${0##*/} $*" >>"$DOUBLE_CALLS"\n'

# program -> what it does beyond recording its call
DOUBLES = {
    # conda-forge is not reached: it brings a Quarto, which renders one page
    "micromamba": 'mkdir -p .conda/bin; cp "${0%/*}/../brought/quarto" .conda/bin/\n',
    # nothing is installed
    "apt-get": "",
    "sudo": "",
    "rustup": "",
    "go": "",
    # no release is made
    "gh": "",
}
# what micromamba brings
QUARTO = """case $1 in
  --version) echo 1.9.37 ;;
  render) mkdir -p "$2/$4"; echo "<title>by a double of Quarto</title>" >"$2/$4/index.html" ;;
esac
"""
# workflow/test.sh would run these very tests
TESTS = "workflow/test.sh"
# a core for any machine: compiling for another takes its linker
CARGO = """while [ $# -gt 0 ]; do
  case $1 in --target) target=$2 ;; esac
  shift
done
mkdir -p "core/target/$target/release"
printf '#!/bin/sh\\necho "diskbench %s"\\n' "$DISKBENCH_VERSION" >"core/target/$target/release/diskbench"
"""


@dataclass(frozen=True)
class Job:
    """A job of a workflow, for one combination of its matrix."""

    workflow: str
    name: str
    matrix: dict[str, str]
    steps: list[dict[str, Any]] = field(compare=False)

    def __str__(self) -> str:
        return "-".join([self.workflow, self.name, *self.matrix.values()])


def documents() -> dict[str, dict[str, Any]]:
    """The workflows by name, as YAML."""
    return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in WORKFLOWS}


def jobs() -> Iterator[Job]:
    """Every job of every workflow, for each combination of its matrix."""
    for workflow, document in documents().items():
        for name, job in document["jobs"].items():
            matrix = dict(job.get("strategy", {}).get("matrix", {}))
            combinations = matrix.pop("include", None)
            if combinations is None:
                combinations = [
                    dict(zip(matrix, one, strict=True)) for one in product(*matrix.values())
                ]
            for combination in combinations:
                yield Job(workflow, name, combination, job["steps"])


def git(project: Project, *words: str) -> str:
    """What git says in a copy."""
    command = ["git", "-c", "user.name=n", "-c", "user.email=m", *words]
    done = subprocess.run(command, cwd=project.folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Runner:
    """A machine that plays jobs in a project's folder, and keeps their artifacts."""

    def __init__(self, project: Project, place: Path, environment: dict[str, str]):
        self.project = project
        self.artifacts = place / "artifacts"
        self.summary = place / "summary.md"
        self._calls = place / "calls"
        self._doubles = place / "doubles"
        self._doubles.mkdir(parents=True)
        self._calls.touch()
        self.summary.touch()
        for name, script in DOUBLES.items():
            if name != "micromamba":  # comes with its action
                self.double(name, script)
        path = f"{self._doubles}:{environment.get('PATH', os.environ['PATH'])}"
        self.environment = environment | {
            "PATH": path,
            "CI": "true",
            "GITHUB_REF_NAME": "v0.1.0",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "DOUBLE_CALLS": str(self._calls),
        }

    def double(self, name: str, script: str) -> None:
        """Have a program replaced by one that records its call."""
        _write_program(self._doubles / name, script)

    def calls(self) -> list[str]:
        """Every call of a double so far, in order."""
        return self._calls.read_text(encoding="utf-8").splitlines()

    def play(self, job: Job, before: tuple[str, ...] = ()) -> None:
        """All steps of a job, after one that failed only those meant for that; AssertionError then."""
        failures = []
        for step in job.steps:
            if failures and step.get("if") != WHATEVER_FAILED:
                continue
            try:
                self._step(step, job, before)
            except AssertionError as failure:
                failures.append(str(failure))
        assert not failures, "\n".join(failures)

    def _step(self, step: dict[str, Any], job: Job, before: tuple[str, ...]) -> None:
        if "run" in step:
            self._run(step, job, before)
            return
        action, _, _ = step["uses"].partition("@")
        given = {name: _known(value, job) for name, value in step.get("with", {}).items()}
        getattr(self, "_" + re.sub(r"\W", "_", action.partition("/")[2]))(given)

    def _run(self, step: dict[str, Any], job: Job, before: tuple[str, ...]) -> None:
        own = {name: _known(value, job) for name, value in step.get("env", {}).items()}
        # as a runner does: docs.github.com, "Workflow syntax", jobs.<job_id>.steps[*].shell
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            [*before, *command],
            cwd=self.project.folder,
            env=self.environment | own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
        said = f"{step['name']}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert done.returncode == 0, said

    # what each action needs of us, and leaves behind

    def _checkout(self, given: dict[str, Any]) -> None:
        assert (self.project.folder / ".git").exists()

    def _setup_python(self, given: dict[str, Any]) -> None:
        assert given["python-version"] == "3.12"

    def _setup_micromamba(self, given: dict[str, Any]) -> None:
        _write_program(self._doubles.parent / "brought" / "quarto", QUARTO)
        self.double("micromamba", DOUBLES["micromamba"])

    def _upload_artifact(self, given: dict[str, Any]) -> None:
        patterns = given["path"].split()
        roots = [root for one in patterns for root in sorted(self.project.folder.glob(one))]
        for pattern in patterns:
            assert any(self.project.folder.glob(pattern)), f"{pattern} is not there"
        # names begin at the first folder that all have in common
        base = Path(os.path.commonpath(roots))
        for file in _files(roots):
            inside = file.relative_to(base)
            if given.get("include-hidden-files") or not _hidden(inside):
                target = self.artifacts / given["name"] / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)

    def _upload_pages_artifact(self, given: dict[str, Any]) -> None:
        site = self.project.folder / given["path"]
        shutil.copytree(site, self.artifacts / "github-pages")

    def _download_artifact(self, given: dict[str, Any]) -> None:
        assert given["merge-multiple"]
        for file in _files([self.artifacts]):
            (self.project.folder / given["path"]).mkdir(exist_ok=True)
            shutil.copyfile(file, self.project.folder / given["path"] / file.name)

    def _attest(self, given: dict[str, Any]) -> None:
        assert any(self.project.folder.glob(given["subject-path"]))

    def _deploy_pages(self, given: dict[str, Any]) -> None:
        assert (self.artifacts / "github-pages" / "index.html").is_file()


def _write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{RECORD}{script}", encoding="utf-8")
    path.chmod(0o755)


def _files(roots: list[Path]) -> Iterator[Path]:
    for root in roots:
        yield from (one for one in [root, *sorted(root.rglob("*"))] if one.is_file())


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _known(value: Any, job: Job) -> Any:
    """A value with what is known of `${{ ... }}` in it."""
    if not isinstance(value, str):
        return value
    known = {f"matrix.{name}": one for name, one in job.matrix.items()} | {"github.token": "token"}
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: known[found[1]], value)
