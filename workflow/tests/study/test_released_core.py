"""Where there is no Rust, set-up takes a released core: whole, of the same core/, and for this machine; any other is refused."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bare_machine import BareMachine

from proofs.support.repository import commit
from study.core import build

NEVER = "1234567890" * 4


@pytest.fixture
def machine(tmp_path):
    """A clone with packages, on a machine without Rust."""
    return Machine(tmp_path)


class Machine(BareMachine):
    def __init__(self, folder: Path):
        super().__init__(folder, ("git", "cmp", "mv", "sha256sum"))
        self.released = folder / "Downloads" / "diskbench-for-this-machine"
        self.released.parent.mkdir()
        (self.project / "core").mkdir()
        (self.project / "core" / "Cargo.toml").write_text("[workspace]\n")
        (self.project / ".gitignore").write_text("/.venv\n/.diskbench\n")
        self.commit = commit(self.project)
        self.has_made_venv()
        self.release(f"0.1.0+{self.commit}")

    def release(self, version: str, code: int = 0) -> None:
        """A program as a download leaves it: it may not be executed yet."""
        self.released.write_text(f"#!/bin/sh\necho diskbench {version}\nexit {code}\n")
        self.released.chmod(0o644)
        self.sign()

    def sign(self) -> None:
        digest = hashlib.sha256(self.released.read_bytes()).hexdigest()
        checksum = self.released.with_name(self.released.name + ".sha256")
        checksum.write_text(f"{digest}  {self.released.name}\n")

    def set_up(self, **environment: str) -> subprocess.CompletedProcess:
        return super().set_up(
            "$DISKBENCH_CORE", **{"DISKBENCH_CORE": str(self.released)} | environment
        )

    def refusal(self, **environment: str) -> str:
        line = super().refusal(**environment)
        assert not (self.project / ".diskbench" / "tools" / "core" / "diskbench").exists()
        return line


def test_a_fitting_program_is_taken_without_rust_and_without_a_word(machine):
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    taken = Path(done.stdout.strip())
    assert taken == machine.project / ".diskbench" / "tools" / "core" / "diskbench"
    assert taken.read_bytes() == machine.released.read_bytes()
    assert os.access(taken, os.X_OK)
    # else Snakemake would take it for a new core in each call
    before = taken.stat().st_mtime_ns
    assert machine.set_up().returncode == 0
    assert taken.stat().st_mtime_ns == before


def test_what_is_no_file_is_refused(machine):
    line = machine.refusal(DISKBENCH_CORE="/nowhere/diskbench")
    assert "DISKBENCH_CORE is /nowhere/diskbench, which is no file: download" in line


def test_a_program_without_its_checksum_is_refused(machine):
    machine.released.with_name(machine.released.name + ".sha256").unlink()
    assert (
        f"{machine.released}.sha256 is missing: download it from the release" in machine.refusal()
    )


@pytest.mark.parametrize("change", ["program", "checksum", "nothing in it"])
def test_a_program_that_does_not_fit_its_checksum_is_refused_and_not_started(machine, change):
    checksum = machine.released.with_name(machine.released.name + ".sha256")
    if change == "program":
        with machine.released.open("a") as file:
            file.write("touch started\n")
    else:
        checksum.write_text("0" * 64 if change == "checksum" else "")
    line = machine.refusal()
    assert "does not fit its checksum" in line
    assert line.endswith("download both again")
    assert not (machine.project / "started").exists()


def test_a_program_of_another_commit_is_refused_with_the_command_that_mends_it(machine):
    machine.release(f"0.1.0+{NEVER}")
    line = machine.refusal()
    assert (
        f"is of commit {NEVER}, this folder of {machine.commit}: git checkout {NEVER}, or" in line
    )


def test_a_program_of_an_earlier_commit_is_taken_until_the_core_changes(machine):
    (machine.project / "data").mkdir()
    (machine.project / "data" / "record.json").write_text("{}")
    commit(machine.project)
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    shutil.rmtree(machine.project / ".diskbench")
    (machine.project / "core" / "Cargo.toml").write_text("[workspace]\nmembers = []\n")
    changed = commit(machine.project)
    line = machine.refusal()
    assert f"is of commit {machine.commit}, this folder of {changed}: git checkout" in line


@pytest.mark.parametrize("version", ["0.1.0", ""])
def test_a_program_that_names_no_commit_is_refused(machine, version):
    machine.release(version)
    assert "is no released core, as it names no commit" in machine.refusal()


def test_a_program_for_another_machine_is_refused(machine):
    machine.release("", code=126)
    assert "does not run on this machine: download the one for its system" in machine.refusal()


def test_a_folder_whose_core_was_changed_is_refused(machine):
    (machine.project / "core" / "Cargo.toml").write_text("[workspace]\n# mine\n")
    assert "core/ differs from its commit" in machine.refusal()


def test_a_folder_without_git_is_refused(machine):
    shutil.rmtree(machine.project / ".git")
    line = machine.refusal(GIT_CEILING_DIRECTORIES=str(machine.project.parent))
    assert "the commit of this folder is unknown" in line
    assert "clone the project with git" in line


def test_the_build_takes_it_and_leaves_the_other_name_of_cargos_file_alone(tmp_path, monkeypatch):
    released = tmp_path / "released"
    released.write_text("released")
    binary = tmp_path / "target" / "release" / "diskbench"
    other = tmp_path / "target" / "release" / "deps" / "diskbench-1"
    other.parent.mkdir(parents=True)
    other.write_text("compiled")
    binary.hardlink_to(other)
    monkeypatch.setenv("DISKBENCH_CORE", str(released))
    monkeypatch.setenv("PATH", "")
    build(Path("core/Cargo.toml"), binary)
    assert binary.read_text() == "released"
    assert other.read_text() == "compiled"
