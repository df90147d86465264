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
        self.checksum = self.released.with_name(f"{self.released.name}.sha256")
        self.manifest = self.project / "core" / "Cargo.toml"
        self.manifest.parent.mkdir()
        self.manifest.write_text("[workspace]\n")
        (self.project / ".gitignore").write_text("/.venv\n/.diskbench\n")
        self.commit = commit(self.project)
        self.has_made_venv()
        self.release(f"0.1.0+{self.commit}")

    def release(self, version: str, code: int = 0) -> None:
        """A program as a download leaves it: it may not be executed yet."""
        self.released.write_text(f"#!/bin/sh\necho diskbench {version}\nexit {code}\n")
        self.released.chmod(0o644)
        digest = hashlib.sha256(self.released.read_bytes()).hexdigest()
        self.checksum.write_text(f"{digest}  {self.released.name}\n")

    def set_up(self) -> subprocess.CompletedProcess:
        # no clone around the folder of the tests is asked instead
        above = str(self.project.parent)
        return super().set_up(
            "$DISKBENCH_CORE", DISKBENCH_CORE=str(self.released), GIT_CEILING_DIRECTORIES=above
        )

    def refusal(self) -> str:
        line = super().refusal()
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


REFUSED = {
    "no file": (
        lambda machine: machine.released.unlink(),
        "DISKBENCH_CORE is {0.released}, which is no file: download",
    ),
    "no checksum": (
        lambda machine: machine.checksum.unlink(),
        "{0.released}.sha256 is missing: download it from the release",
    ),
    "another commit": (
        lambda machine: machine.release(f"0.1.0+{NEVER}"),
        f"is of commit {NEVER}, this folder of {{0.commit}}: git checkout {NEVER}, or",
    ),
    "no commit": (
        lambda machine: machine.release("0.1.0"),
        "is no released core, as it names no commit",
    ),
    "another machine": (
        lambda machine: machine.release("", code=126),
        "does not run on this machine: download the one for its system",
    ),
    "a changed core": (
        lambda machine: machine.manifest.write_text("[workspace]\n# mine\n"),
        "core/ differs from its commit",
    ),
    "no git": (
        lambda machine: shutil.rmtree(machine.project / ".git"),
        "the commit of this folder is unknown, so {0.released} may be of another one: clone the "
        "project with git",
    ),
}


@pytest.mark.parametrize(("change", "told"), REFUSED.values(), ids=REFUSED)
def test_a_program_that_does_not_fit_is_refused_with_what_to_do(machine, change, told):
    change(machine)
    assert told.format(machine) in machine.refusal()


@pytest.mark.parametrize(
    "change",
    [
        lambda machine: machine.released.write_text("#!/bin/sh\ntouch started\n"),
        lambda machine: machine.checksum.write_text("0" * 64),
        lambda machine: machine.checksum.write_text(""),
    ],
    ids=["program", "checksum", "nothing in it"],
)
def test_a_program_that_does_not_fit_its_checksum_is_refused_and_not_started(machine, change):
    change(machine)
    line = machine.refusal()
    assert "does not fit its checksum" in line
    assert line.endswith("download both again")
    assert not (machine.project / "started").exists()


def test_a_program_of_an_earlier_commit_is_taken_until_the_core_changes(machine):
    (machine.project / "data").mkdir()
    (machine.project / "data" / "record.json").write_text("{}")
    commit(machine.project)
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    shutil.rmtree(machine.project / ".diskbench")
    machine.manifest.write_text("[workspace]\nmembers = []\n")
    changed = commit(machine.project)
    line = machine.refusal()
    assert f"is of commit {machine.commit}, this folder of {changed}: git checkout" in line


def test_a_program_is_never_written_over_a_refused_one_that_has_run(machine):
    # Apple, "Updating Mac software": the system keeps the signature of a file that ran, and kills what is written there
    machine.release(f"0.1.0+{NEVER}")
    machine.refusal()
    (refused,) = (machine.project / ".diskbench" / "tools" / "core").iterdir()
    (machine.project / "kept").hardlink_to(refused)
    before = refused.read_text()
    machine.release(f"0.1.0+{machine.commit}")
    assert machine.set_up().returncode == 0
    assert (machine.project / "kept").read_text() == before


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
