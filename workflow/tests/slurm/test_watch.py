"""A call ends whatever Snakemake does: when a job's node goes down, is forgotten, or somebody stops it."""

import os
import signal
import sys

import pytest

from slurm import call as calls
from slurm import watch as watching
from slurm.settings import Node, Settings
from slurm.watch import Watch

# squeue as it is asked here: number, name, node, state, reason of the one job.
JOB = "7|diskbench-aa_1|n1|{state}|{reason}"


def write(path, text):
    """In one go, for a program that reads it in this very moment."""
    beside = path.with_suffix(".beside")
    beside.write_text(text, encoding="utf-8")
    if path.exists():
        beside.chmod(path.stat().st_mode)
    beside.replace(path)


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Programs of Slurm that tell what a test writes into files; `scancel` ends the job."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    # what a test has happen at a look is in a file of the look's number
    look = f"echo >>{tmp_path}/looks; n=$(wc -l <{tmp_path}/looks)"
    at_it = f"[ ! -e {tmp_path}/at-$n ] || . {tmp_path}/at-$n"
    scripts = {
        "squeue": f"cd {tmp_path}; {look}; {at_it}; cat job",
        "sinfo": f"cat {tmp_path}/node",
        "scancel": f'echo "$@" > {tmp_path}/cancelled; sed -i "s/|[A-Z]*|[^|]*$/|CANCELLED|None/" {tmp_path}/job',
    }
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    (tmp_path / "node").write_text("n1|idle|none\n", encoding="utf-8")

    def tell(state, reason="None"):
        write(tmp_path / "job", JOB.format(state=state, reason=reason) + "\n")

    tell("RUNNING")
    return tell


@pytest.fixture
def at_look(tmp_path):
    """Have a shell's words happen when the queue is looked at for the so many-th time."""

    def happen(number, words):
        (tmp_path / f"at-{number}").write_text(words, encoding="utf-8")

    return happen


COMPLETED = f"echo '{JOB.format(state='COMPLETED', reason='None')}' >job"


@pytest.fixture
def watch(tmp_path, monkeypatch, slurm):
    """The watch of one node, beside a Snakemake that never ends and heeds no interrupt."""
    monkeypatch.chdir(tmp_path)
    for name, seconds in {"LOOK_EVERY": 0.01, "UNSEEN": 0.05, "UNHEARD": 0.1}.items():
        monkeypatch.setattr(watching, name, seconds)
    monkeypatch.setattr(watching, "CALLING_BACK", 0.05)
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(3600)"
    monkeypatch.setattr(Watch, "_command", lambda *_: [sys.executable, "-c", deaf])
    nodes = {"n1": Node("n1", "cluster-n1", "/scratch")}
    call = calls.made(tmp_path, Settings(nodes, None, None, 9), nodes, target="records", words=[])
    return Watch(call, "diskbench-aa", tmp_path)


def test_a_job_that_waits_for_a_node_that_goes_down_is_called_back(watch, slurm, tmp_path):
    slurm("PENDING", "ReqNodeNotAvail")
    (tmp_path / "node").write_text("n1|drained*|disk broken\n", encoding="utf-8")
    watch.until_all_ended()
    assert (tmp_path / "cancelled").read_text(encoding="utf-8") == "7\n"
    assert watch.ended("n1").line == (
        "not measured: the node went drained* (disk broken) while its job waited"
    )


def test_a_job_that_waits_for_its_turn_is_left_alone(watch, slurm, at_look, tmp_path, capsys):
    slurm("PENDING", "Resources")
    at_look(40, COMPLETED)
    watch.until_all_ended()
    assert not (tmp_path / "cancelled").exists()
    assert capsys.readouterr().err == "diskbench: n1: job 7 waits (Resources)\n"


def test_the_call_ends_when_its_jobs_have_though_snakemake_does_not(watch, slurm, tmp_path):
    calls.put(watch.call.outcome("n1"), {"code": 0, "line": "6 of 6 cells measured"})
    slurm("COMPLETED")
    watch.until_all_ended()
    assert watch.ended("n1").line == "6 of 6 cells measured"
    assert not (tmp_path / "cancelled").exists()


def test_a_job_that_slurm_has_forgotten_is_not_waited_for(watch, at_look):
    at_look(20, ": >job")
    watch.until_all_ended()
    assert watch.ended("n1").code == 1
    assert watch.ended("n1").line.startswith("its job 7 ended, and Slurm does not know how")


def test_an_interrupt_calls_the_jobs_back(watch, at_look, tmp_path):
    at_look(20, f"kill -TERM {os.getpid()}")
    before = signal.getsignal(signal.SIGTERM)
    watch.until_all_ended()
    assert watch.interrupted
    assert (tmp_path / "cancelled").read_text(encoding="utf-8") == "7\n"
    assert watch.ended("n1").line.startswith("its job 7 was cancelled; finished records are kept")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_controller_that_does_not_answer_for_a_while_ends_nothing(watch, at_look, tmp_path):
    for number in range(1, 40):
        at_look(number, "exit 1")
    at_look(60, COMPLETED)
    watch.until_all_ended()
    assert len((tmp_path / "looks").read_text(encoding="utf-8")) >= 60
    assert not (tmp_path / "cancelled").exists()


def test_why_slurm_took_no_job_is_told_in_its_own_words(watch, slurm, tmp_path, monkeypatch):
    (tmp_path / "job").write_text("", encoding="utf-8")
    said = "WorkflowError: SLURM sbatch failed: sbatch: error: invalid partition specified: nosuch"
    (tmp_path / "refused").write_text(f"echo '{said}'; exit 1", encoding="utf-8")
    monkeypatch.setattr(Watch, "_command", lambda *_: ["sh", str(tmp_path / "refused")])
    watch.until_all_ended()
    assert "did not take its job (sbatch: error: invalid partition specified: nosuch;" in (
        watch.ended("n1").line
    )
