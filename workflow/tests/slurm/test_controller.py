"""Slurm is asked through its own programs, which a test can stand in for."""

import os

import pytest

from console import ExitCode, StudyError
from slurm import controller
from slurm.controller import Job


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Makes programs that are the only ones on PATH, but for the shell's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")

    def make(**scripts):
        for name, script in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        return folder

    return make


def refused(call, *arguments):
    with pytest.raises(StudyError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.line
    return caught.value


def test_where_slurm_is_not_installed_one_line_says_what_to_do(programs, monkeypatch):
    monkeypatch.setenv("PATH", str(programs()))
    error = refused(controller.require)
    assert error.code == ExitCode.BAD_INPUT
    assert error.line.startswith(
        "Slurm is not here (sbatch, scancel, scontrol, sinfo, squeue, srun"
    )


def test_a_controller_that_does_not_answer_is_said_in_its_own_words(programs, monkeypatch):
    monkeypatch.delenv("SLURM_CONF", raising=False)
    programs(sinfo="echo 'sinfo: error: Unable to contact slurm controller' >&2; exit 1")
    error = refused(controller.states, ["n1"])
    assert error.code == ExitCode.UNEXPECTED
    assert "(sinfo: error: Unable to contact slurm controller)" in error.line
    assert "SLURM_CONF" not in error.line


def test_slurm_variables_reach_no_program_and_the_message_tells_so(programs, monkeypatch):
    monkeypatch.setenv("SLURM_CONF", "/elsewhere/slurm.conf")
    programs(sinfo='echo "conf is ${SLURM_CONF:-not given}" >&2; exit 1')
    line = refused(controller.states, ["n1"]).line
    assert "conf is not given" in line
    assert "put slurm.conf at its default place" in line
    assert os.environ["SLURM_CONF"] == "/elsewhere/slurm.conf"


def test_the_states_of_nodes_are_read_once_for_each_of_their_partitions(programs):
    programs(sinfo="printf 'n1|idle|none\\nn1|idle|none\\nn2|drained|disk | broken\\n'")
    assert controller.states(["n1", "n2", "n3"]) == {
        "n1": ("IDLE", ""),
        "n2": ("DRAINED", "disk | broken"),
    }


@pytest.mark.parametrize(
    "state", ["DOWN", "DOWN*", "IDLE*", "DRAINING", "DRAINED", "FAIL", "$DOWN"]
)
def test_no_job_begins_on_a_node_that_is_down(state):
    assert controller.is_down(state)


@pytest.mark.parametrize("state", ["IDLE", "MIXED", "ALLOCATED", "COMPLETING", "IDLE~", "PLANNED"])
def test_a_node_that_works_sleeps_or_is_busy_is_not_down(state):
    assert not controller.is_down(state)


def test_only_the_jobs_of_this_call_are_seen(programs):
    programs(
        squeue="printf '7|diskbench-aa_1|n1|PENDING|Resources\\n8|other|n1|RUNNING|None\\n"
        "9|diskbench-bb_1|n2|RUNNING|None\\n'"
    )
    assert controller.jobs("diskbench-aa") == [Job("7", "n1", "PENDING", "Resources")]


@pytest.mark.parametrize(
    ("state", "active"),
    [("PENDING", True), ("RUNNING", True), ("COMPLETING", True), ("CANCELLED", False)]
    + [(state, False) for state in ("COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "FORGOTTEN")],
)
def test_a_job_is_over_when_slurm_says_so(state, active):
    assert Job("7", "n1", state, "").active is active


def test_nothing_is_cancelled_when_there_is_no_job(programs, tmp_path):
    programs(scancel=f'echo "$@" >> {tmp_path}/cancelled')
    controller.cancel([])
    controller.cancel(["7", "8"])
    assert (tmp_path / "cancelled").read_text(encoding="utf-8") == "7 8\n"
