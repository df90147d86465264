"""Leftovers of a crashed machine do not block the next call."""

import json
import logging
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from script import SCRIPTS, called

from console import StudyError
from proofs.support.waiting import wait_until
from study import launch


@pytest.mark.parametrize("content", [b"\0" * 64, b'{"storages": ['])
def test_a_plan_that_was_cut_is_passed_over_and_leaves_the_rest_to_the_next_plan(
    tmp_path, monkeypatch, content
):
    monkeypatch.chdir(tmp_path)
    for path in (launch.PLAN, launch.CORE):
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    assert launch._image_folders() == set()


def test_images_of_a_killed_study_are_removed_also_where_the_next_call_puts_none(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    launch.STATE.mkdir()
    launch.CORE.parent.mkdir(parents=True)
    launch.CORE.write_text(
        '#!/bin/sh\necho "removed image in $3"\necho "diskbench: $3/2 stays attached" >&2\n'
    )
    launch.CORE.chmod(0o700)

    def study_on(folder):
        def study(_):
            plan = {"storages": [{"slug": "internal", "folder": folder}]}
            launch.PLAN.write_text(json.dumps(plan))
            return 7

        return study

    monkeypatch.setattr(launch, "_study", study_on("old"))
    launch.launch([])
    # otherwise the core has reported what it left
    assert capsys.readouterr().err == ""

    launch.RUNNING.touch()
    monkeypatch.setattr(launch, "_study", study_on("new"))
    launch.launch([])
    said = capsys.readouterr().err.splitlines()
    for folder in ("old", "new"):
        assert f"diskbench: removed image in {folder}, which the killed study had left" in said
        assert f"diskbench: {folder}/2 stays attached" in said


def test_a_folder_that_cannot_be_written_is_named_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/runs").mkdir(parents=True)
    monkeypatch.setattr(launch.os, "access", lambda asked, _: asked != "data/runs")
    with pytest.raises(StudyError, match="folder data/runs cannot be written: make") as error:
        launch._refuse_read_only_folders()
    assert error.value.code == 4


def test_a_mac_is_kept_awake_for_the_whole_study_and_not_for_each_cell_alone(tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "caffeinate"
    program.write_text(
        '#!/bin/sh\necho "$*" >"${0%/*}/awake.partial"\nmv "${0%/*}/awake.partial" "${0%/*}/awake"\n'
    )
    program.chmod(0o700)
    monkeypatch.setenv("DISKBENCH_STAND_IN", str(programs))
    monkeypatch.chdir(tmp_path)

    def study(_):
        # it is there before the first cell, and waits for this process
        wait_until((programs / "awake").exists, "it")
        assert (programs / "awake").read_text() == f"-i -s -m -w {os.getpid()}\n"
        return 7

    monkeypatch.setattr(launch, "_study", study)
    assert launch.launch([]) == 7


def test_what_is_typed_during_a_study_is_not_read_by_it(tmp_path, monkeypatch):
    # in the background, a process that reads from the terminal would be stopped
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".diskbench").mkdir()
    program = "import pathlib, sys; pathlib.Path('read').write_text(sys.stdin.read())"
    monkeypatch.setattr(launch, "_command", lambda _: [sys.executable, "-c", program])
    typed, typing = os.pipe()
    os.write(typing, b"typed")
    os.close(typing)
    before = os.dup(0)
    os.dup2(typed, 0)
    try:
        assert launch._study([]) == 0
    finally:
        os.dup2(before, 0)
    assert (tmp_path / "read").read_text() == ""


def test_a_study_that_ended_with_a_full_disk_is_not_taken_for_a_killed_one(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch, "_command", lambda _: [sys.executable, "-c", "raise SystemExit(1)"])
    monkeypatch.setattr(launch.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    for _ in range(2):
        assert launch.launch([]) == 3
        [line] = capsys.readouterr().err.splitlines()
        assert "the disk is full" in line


@pytest.mark.parametrize("error", [ProcessLookupError, PermissionError])
def test_ctrl_c_at_the_moment_that_snakemake_ends_is_no_error(monkeypatch, error):
    def killpg(*_):
        raise error

    monkeypatch.setattr(launch.os, "killpg", killpg)
    launch._interrupt_group(4711)


TRACEBACK = """Traceback (most recent call last):

  File x

FileExistsError: [Errno 17] File exists: '.snakemake/backups/data/parquet'
"""
STEPS = {"event": "run_info"}
SITE_FAILED = {"event": "job_error", "rule_name": "site"}
AFTERWARDS = {"event": "error", "msg": "WorkflowError:\nAt least one job did not complete\n"}


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        (
            [STEPS, {"event": "error", "msg": TRACEBACK}],
            1,
            "a step could not be run (FileExistsError: [Errno 17] File exists: "
            "'.snakemake/backups/data/parquet'): .diskbench/logs/snakemake.log has the details",
        ),
        (
            [STEPS, SITE_FAILED, AFTERWARDS],
            1,
            "a step could not be run (site ended without saying why): "
            ".diskbench/logs/snakemake.log has the details",
        ),
        (
            [{"event": "error", "msg": "MissingRuleException:\nNo rule to produce nosuch (if"}],
            2,
            "there is no target nosuch; there are plan, records, database, site",
        ),
        (
            [{"msg": "Building DAG"}, {"event": "error", "msg": "Ambiguous\n"}],
            2,
            "Snakemake refuses this call: Ambiguous",
        ),
    ],
)
def test_a_failure_of_snakemake_is_reported_with_its_first_logged_error(
    tmp_path, monkeypatch, capsys, said, code, told
):
    monkeypatch.chdir(tmp_path)
    launch.snakemake_logged.ERROR.parent.mkdir(parents=True)
    handler = launch.snakemake_logged.FirstError()
    for record in said:
        handler.handle(logging.makeLogRecord(record))
    assert launch._explain() == code
    assert capsys.readouterr().err == f"diskbench: {told}\n"


def test_ctrl_c_while_snakemake_is_started_ends_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    launch.STATE.mkdir()
    started = []

    def interrupted_start(*words, start=subprocess.Popen, **options):
        started.append(start(*words, **options))
        os.kill(os.getpid(), signal.SIGINT)
        return started[0]

    monkeypatch.setattr(launch, "_command", lambda _: ["sleep", "600"])
    monkeypatch.setattr(launch.subprocess, "Popen", interrupted_start)
    try:
        assert launch._study([]) == 130
        assert started[0].poll() == -signal.SIGINT
    finally:
        started[0].kill()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["records"], "run the same command again to resume"),
        (["--forcerun", "database"], "run the same command again to resume"),
        (["--forcerun", "measure"], "the same command forces all of it again"),
        (["--forceall"], "the same command forces all of it again"),
    ],
)
def test_an_interrupted_call_is_said_to_be_resumed_unless_it_forces_every_cell(words, told):
    assert launch._next(launch.options.parse(words)).startswith(told)


def test_ctrl_c_before_snakemake_heeds_it_is_told_by_the_code_alone(tmp_path):
    package = tmp_path / "snakemake"
    package.mkdir()
    (package / "__init__.py").touch()
    # as if it came while all that Snakemake needs is imported, which takes seconds
    (package / "cli.py").write_text("raise KeyboardInterrupt")
    path = f"{tmp_path}:{SCRIPTS}"
    done = called("-m", "study.snakemake_logged", "plan", cwd=tmp_path, PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (130, "")
