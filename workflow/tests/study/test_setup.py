"""Set-up takes the environment that is there, falls back with a word, and names what is missing."""

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
TOOLS = ("bash", "cat", "cksum", "tr", "mkdir", "rm", "awk", "tail", "cc", "ps")


@pytest.fixture
def machine(tmp_path):
    """An empty machine: a project folder, and a PATH with only basic tools and what a test adds."""
    return Machine(tmp_path)


class Machine:
    def __init__(self, folder: Path):
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.project / "workflow").mkdir(parents=True)
        for name in ("workflow/setup.sh", "workflow/requirements.txt", "environment.yml"):
            shutil.copy(PROJECT / name, self.project / name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def has(self, tool: str, script: str = "exit 0") -> None:
        (self.bin / tool).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / tool).chmod(0o755)

    def has_made_venv(self) -> None:
        lock = (self.project / "workflow" / "requirements.txt").read_bytes()
        checksum = subprocess.run(["cksum"], input=lock, capture_output=True, check=True).stdout
        (self.project / ".venv" / "bin").mkdir(parents=True)
        (self.project / ".venv" / "made-from").write_bytes(checksum.replace(b" ", b""))

    def set_up(self, **environment: str) -> subprocess.CompletedProcess:
        """Source setup.sh and print the first folder of PATH."""
        return subprocess.run(
            ["bash", "-c", "set -euo pipefail; source workflow/setup.sh; echo ${PATH%%:*}"],
            cwd=self.project,
            env={"PATH": str(self.bin), "HOME": str(self.project.parent)} | environment,
            capture_output=True,
            text=True,
        )


def test_an_activated_environment_of_that_name_is_used_as_it_is(machine):
    machine.has("cargo")
    machine.has("conda", "exit 1")
    done = machine.set_up(CONDA_PREFIX="/somewhere", CONDA_DEFAULT_ENV="diskbench")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(machine.bin)


def test_a_made_virtual_environment_is_used_without_a_word(machine):
    machine.has("cargo")
    machine.has_made_venv()
    done = machine.set_up(CONDA_PREFIX="/base", CONDA_DEFAULT_ENV="base")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(machine.project / ".venv" / "bin")


def test_with_conda_at_hand_the_environment_is_made_inside_the_project_once(machine):
    machine.has("cargo")
    machine.has("conda", 'echo "$@" >> calls; mkdir -p .conda/bin')
    for _ in range(2):
        done = machine.set_up()
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == str(machine.project / ".conda" / "bin")
    calls = (machine.project / "calls").read_text().splitlines()
    assert calls == ["env create --prefix .conda --file environment.yml"]


def test_where_conda_fails_it_is_said_once_and_the_virtual_environment_serves(machine):
    machine.has("cargo")
    machine.has("conda", "echo no such package; exit 1")
    machine.has_made_venv()
    first, second = machine.set_up(), machine.set_up()
    assert "conda could not make it" in first.stderr
    assert "going on with a virtual environment" in first.stderr
    assert (second.returncode, second.stderr) == (0, "")
    assert "no such package" in (machine.project / ".diskbench/logs/conda.log").read_text()
    assert second.stdout.strip() == str(machine.project / ".venv" / "bin")


@pytest.mark.parametrize("python", ["exit 127", "exit 1"])
def test_a_missing_or_unfit_python_is_named_with_how_to_get_one(machine, python):
    machine.has("cargo")
    machine.has("python3", python)
    done = machine.set_up()
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "Python 3.11, 3.12 or 3.13 is missing" in line
    assert "install" in line
    assert not (machine.project / ".venv").exists()


def test_a_missing_cargo_is_named_before_anything_is_installed(machine):
    machine.has("python3")
    done = machine.set_up()
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "cargo (Rust 1.89 or later) is missing" in line
    assert not (machine.project / ".venv").exists()


def test_everything_that_is_missing_is_named_in_one_line(machine):
    (machine.bin / "cc").unlink()
    done = machine.set_up()
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    for tool in ("Python 3.11, 3.12 or 3.13", "cargo (Rust 1.89 or later)", "a linker (cc)"):
        assert f"{tool} is missing" in line


def test_nothing_to_set_up_starts_no_python(machine):
    # starting one costs more than everything else that set-up does then
    machine.has("cargo")
    machine.has("python3", "touch started")
    machine.has_made_venv()
    assert machine.set_up().returncode == 0
    assert not (machine.project / "started").exists()


def test_programs_that_stand_in_for_those_of_macos_come_first(machine):
    machine.has("cargo")
    machine.has_made_venv()
    (machine.project / "stand-in").mkdir()
    done = machine.set_up(DISKBENCH_STAND_IN="stand-in")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(machine.project / "stand-in")


def test_a_stand_in_that_is_no_folder_is_refused(machine):
    machine.has("cargo")
    machine.has_made_venv()
    done = machine.set_up(DISKBENCH_STAND_IN="/no/such/folder")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "DISKBENCH_STAND_IN is /no/such/folder" in line


@pytest.mark.parametrize("maker", ["conda", "python3"])
def test_a_second_call_while_the_environment_is_made_is_refused_and_touches_nothing(machine, maker):
    machine.has("cargo")
    machine.has(maker)
    lock = machine.project / ".diskbench" / "setup.lock"
    lock.parent.mkdir()
    with running("bash", "-c", "sleep 60; :", "workflow/run.sh") as holder:
        lock.write_text(str(holder))
        done = machine.set_up()
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert "makes the environment of this folder: wait for it, then call again" in line
    assert not (machine.project / ".conda").exists()
    assert not (machine.project / ".venv").exists()
    assert lock.exists()


@contextmanager
def running(*command):
    """The number of a process that runs meanwhile."""
    with subprocess.Popen(command) as process:
        yield process.pid
        process.kill()


def test_another_program_that_has_the_number_of_a_killed_call_is_no_obstacle(machine):
    machine.has("cargo")
    machine.has("conda", "mkdir -p .conda/bin")
    lock = machine.project / ".diskbench" / "setup.lock"
    lock.parent.mkdir()
    with running("sleep", "60") as another:
        lock.write_text(str(another))
        done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert not lock.exists()


def test_a_call_that_was_killed_while_it_made_the_environment_is_no_obstacle(machine):
    machine.has("cargo")
    machine.has("conda", "mkdir -p .conda/bin")
    lock = machine.project / ".diskbench" / "setup.lock"
    lock.parent.mkdir()
    killed = subprocess.Popen(["true"])
    killed.wait()
    lock.write_text(str(killed.pid))
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert not lock.exists()
