"""What a job does on its node: `run.sh` in a checkout of its own, and every record brought home."""

import fcntl
import hashlib
import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from slurm import call as calls
from slurm import node, tree
from slurm.settings import Node, Settings

RECORD = "data/runs/cluster-n1/debian-12/usage-phases-smoke/internal/native/native-none/1"

# Stands in for run.sh: says how it was called, and leaves the records and the code that a test
# wants.
RUN = """\
echo "$@" > called; env > environment
if [ -e at-once ]; then kill -TERM $$; fi
if [ -e wait ]; then trap 'echo "diskbench: interrupted" >&2; kill $!; exit 130' TERM; sleep 3600 & touch waiting; wait; fi
mkdir -p {folder}
[ ! -e results ] || cp results/* {folder}/
echo 'diskbench: {said}' >&2
exit {code}
"""


def signed(number: int) -> str:
    """A record with its checksum, made as the design says: sorted keys, no spaces."""
    record = {"number": number}
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return json.dumps(record | {"sha256": hashlib.sha256(canonical.encode()).hexdigest()})


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "workflow").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


@pytest.fixture
def disk(tmp_path):
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


@pytest.fixture
def work(project, disk, tmp_path, monkeypatch):
    """Runs the job of n1, whose study says and ends so; gives its outcome."""
    monkeypatch.setenv(node.HERE, "n1")
    nodes = {"n1": Node("n1", "cluster-n1", str(disk))}
    before = {number: node.signal.getsignal(number) for number in (2, 15)}

    def work(said="done", code=0, words=(), results=()):
        script = RUN.format(folder=RECORD, said=said, code=code)
        (project / "workflow/run.sh").write_text(script, encoding="utf-8")
        (project / "results").mkdir(exist_ok=True)
        for name, content in results:
            (project / "results" / name).write_text(content, encoding="utf-8")
        # plan: what a target other than records does not, is count cells
        call = calls.made(
            project, Settings(nodes, None, None, 9), nodes, target="plan", words=list(words)
        )
        tree.pack(project, call.archive)
        calls.write(call, tmp_path / "call.json")
        arguments = ["--call", str(tmp_path / "call.json"), "--node", "n1", "--log", "unused"]
        ended = node.main(arguments)
        outcome = calls.outcome(call, "n1")
        assert outcome.code == ended
        return outcome

    yield work
    for number, handler in before.items():
        node.signal.signal(number, handler)


def test_the_study_is_called_as_a_person_on_the_node_would(work, disk):
    work(words=["scale=tenth", "retry=[failed]"])
    called = (disk / "cluster-n1/called").read_text(encoding="utf-8")
    assert called == "plan --config host=cluster-n1 scale=tenth retry=[failed]\n"


def test_nothing_of_slurm_reaches_the_study_and_its_lock_is_on_the_node(work, disk, monkeypatch):
    for name in ("SLURM_JOB_ID", "SNAKEMAKE_PROFILE", "PYTHONPATH", "DISKBENCH_EXIT_FILE"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("TMPDIR", "/shared/by/all")
    work()
    told = (disk / "cluster-n1/environment").read_text(encoding="utf-8").splitlines()
    assert not any(line.endswith("=theirs") for line in told)
    assert not any(line.startswith("SLURM") for line in told)
    assert f"TMPDIR={disk}/cluster-n1/.diskbench/tmp" in told


def test_the_records_are_brought_home_and_counted(work, project, disk):
    outcome = work(results=[("fresh.json", signed(1)), ("emptied.json", signed(2))])
    assert (outcome.code, outcome.brought) == (0, 2)
    assert (project / RECORD / "fresh.json").read_text(encoding="utf-8") == signed(1)
    assert not (disk / "cluster-n1" / RECORD).exists()


def test_records_are_brought_home_from_a_study_that_failed_and_its_word_is_passed_on(work, project):
    outcome = work("the disk is full", 3, results=[("fresh.json", signed(1))])
    assert (outcome.code, outcome.line, outcome.brought) == (3, "the disk is full", 1)
    assert (project / RECORD / "fresh.json").is_file()


def test_what_an_earlier_job_could_not_bring_is_brought_first(work, project, disk):
    work()
    left = disk / "cluster-n1" / RECORD / "fresh.json"
    left.parent.mkdir(parents=True)
    left.write_text(signed(7), encoding="utf-8")
    assert work().brought == 1
    assert (project / RECORD / "fresh.json").read_text(encoding="utf-8") == signed(7)


def test_a_record_that_cannot_be_brought_home_ends_with_its_code_and_stays(work, project, disk):
    (project / RECORD).mkdir(parents=True)
    (project / RECORD / "fresh.json").write_text(signed(1), encoding="utf-8")
    outcome = work(results=[("fresh.json", signed(2))])
    assert outcome.code == 6
    assert "another record of this cell is at home" in outcome.line
    assert "\n" not in outcome.line
    assert (disk / "cluster-n1" / RECORD / "fresh.json").read_text(encoding="utf-8") == signed(2)
    assert (project / RECORD / "fresh.json").read_text(encoding="utf-8") == signed(1)


def test_a_job_on_another_node_than_its_own_measures_nothing(work, disk, monkeypatch):
    monkeypatch.setenv(node.HERE, "n2")
    outcome = work()
    assert outcome.code == 1
    assert outcome.line == "Slurm put this job on n2, not on n1"
    assert list(disk.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(work, disk):
    disk.rmdir()
    outcome = work()
    assert outcome.code == 4
    assert outcome.line.startswith(f"its folder {disk} is not there or cannot be written: make it")


def test_another_job_in_the_same_folder_is_not_disturbed(work, disk):
    with (disk / "cluster-n1.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        outcome = work()
    assert outcome.code == 5
    assert not (disk / "cluster-n1/called").exists()


def test_a_study_that_is_ended_before_it_began_was_interrupted(work, project):
    (project / "at-once").touch()
    outcome = work()
    assert (outcome.code, outcome.line) == (130, "its study said nothing")


def test_a_request_to_end_reaches_the_study_and_its_records_still_come_home(work, project, disk):
    (project / "wait").touch()
    left = disk / "cluster-n1" / RECORD / "fresh.json"

    def ask_to_end():
        last = time.monotonic() + 600
        while not (disk / "cluster-n1/waiting").exists() and time.monotonic() < last:
            time.sleep(0.01)
        # as a study leaves one that is finished, before it is told to end
        left.parent.mkdir(parents=True)
        left.write_text(signed(4), encoding="utf-8")
        os.kill(os.getpid(), node.signal.SIGTERM)

    asking = threading.Thread(target=ask_to_end)
    asking.start()
    outcome = work()
    asking.join()
    assert (outcome.code, outcome.line, outcome.brought) == (130, "interrupted", 1)
    assert Path(project / RECORD / "fresh.json").is_file()
