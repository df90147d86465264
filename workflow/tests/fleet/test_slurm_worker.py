"""The job that offers a node of a Slurm cluster: what it makes of its folder before the worker begins."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from proofs.support.repository import commit, git

SCRIPT = Path(__file__).resolve().parents[2] / "config" / "slurm-worker.sh"
HOST = "cluster-n1"
CALLED = "echo $PWD; echo $TMPDIR; echo $*\n"


@pytest.fixture
def coordinator(tmp_path):
    """A clone on the coordinator with a worker that only prints its arguments."""
    folder = tmp_path / "coordinator"
    for name, content in {
        ".gitignore": "/.venv\n/.diskbench/\n/core/target\n",
        "workflow/run.sh": CALLED,
        "workflow/rules/old.smk": "",
        "core/Cargo.toml": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    commit(folder)
    for name in (
        f".diskbench/fleet/certificates/{HOST}.certificate",
        ".diskbench/fleet/certificates/cluster-n2.certificate",
        ".diskbench/tools/fleet/made-from",
        ".venv/made-from",
        "core/target/release/diskbench",
        f"data/runs/{HOST}/measured.json",
        "data/runs/cluster-n2/measured.json",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("the coordinator's", encoding="utf-8")
    return folder


@pytest.fixture
def job(coordinator, tmp_path):
    """Run it as Slurm does, from a copy; gives the folder on the node, and what the worker said."""
    copy = shutil.copy(SCRIPT, tmp_path / "slurm_script")

    def run():
        done = subprocess.run(
            ["bash", copy, HOST, tmp_path / "scratch"],
            cwd=coordinator,
            env=os.environ | {"SLURM_SUBMIT_DIR": str(coordinator), "TMPDIR": "/shared"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return tmp_path / "scratch" / HOST, done.stdout.splitlines()

    return run


def test_a_worker_of_one_study_is_called_in_a_folder_of_its_host(job):
    node, said = job()
    assert said == [str(node), str(node / ".diskbench/tmp"), "fleet worker --once"]
    assert (node / ".diskbench/tmp").is_dir()


def test_it_is_at_the_coordinator_s_commit_with_the_coordinator_s_environment_and_core(
    coordinator, job
):
    node, _ = job()
    assert git(node, "rev-parse", "HEAD") == git(coordinator, "rev-parse", "HEAD")
    assert git(node, "status", "--porcelain", "--", "workflow", "core") == ""
    assert (node / ".venv").resolve() == coordinator / ".venv"
    assert (node / ".diskbench/tools/fleet").resolve() == coordinator / ".diskbench/tools/fleet"
    assert not (node / ".conda").exists()
    core = "core/target/release/diskbench"
    assert not (node / "core/target").is_symlink()
    assert (node / core).stat().st_mtime == (coordinator / core).stat().st_mtime


def test_it_has_its_own_pass_and_no_other_key(job):
    node, _ = job()
    found = [path for path in (node / ".diskbench/fleet").rglob("*") if path.is_file()]
    assert found == [node / ".diskbench/fleet/host.certificate"]
    assert found[0].stat().st_mode & 0o777 == 0o600


def test_it_has_the_records_of_its_host_and_keeps_those_it_made(coordinator, job):
    node, _ = job()
    runs = node / "data/runs"
    assert [path.name for path in runs.iterdir()] == [HOST]
    (runs / HOST / "measured.json").write_text("the node's", encoding="utf-8")
    (runs / HOST / "newer.json").write_text("the node's", encoding="utf-8")
    commit(coordinator)  # which has the records, too
    job()
    assert (runs / HOST / "measured.json").read_text(encoding="utf-8") == "the node's"
    assert (runs / HOST / "newer.json").exists()


def test_the_next_job_updates_changed_files_and_deletes_removed_ones(coordinator, job):
    node, _ = job()
    (coordinator / "workflow/rules/old.smk").unlink()
    (coordinator / "workflow/rules/new.smk").touch()
    (coordinator / "workflow/run.sh").write_text("echo changed\n", encoding="utf-8")
    commit(coordinator)
    assert job() == (node, ["changed"])
    assert [path.name for path in (node / "workflow/rules").iterdir()] == ["new.smk"]
    assert (node / "core/target/release/diskbench").exists()


def test_a_host_without_a_pass_ends_the_job_with_its_path(coordinator, job):
    (coordinator / f".diskbench/fleet/certificates/{HOST}.certificate").unlink()
    with pytest.raises(AssertionError, match=rf"certificates/{HOST}\.certificate"):
        job()
