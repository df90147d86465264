"""Remaining processes of a killed study are found by their environment, and ended before another starts."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from console import EXIT_FILE_VARIABLE, StudyError
from study import survivors

WAIT = "import time; print('ready', flush=True); time.sleep(600)"
# whoever runs the tests may ignore an interrupt, and what they start inherits that
SLEEP = f"import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); {WAIT}"
DEAF = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {WAIT}"
DEAFER = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {DEAF}"
# what is told to stop may start something that puts its things away
TIDY = f"""
import os, signal, subprocess, sys
def tidy(*_):
    subprocess.Popen([sys.executable, "-c", "{WAIT}"], process_group=0, stdout=subprocess.DEVNULL)
    os._exit(0)
signal.signal(signal.SIGINT, tidy)
{WAIT}
"""
# An interrupt is not heeded, however long one waits; what ends by SIGTERM may take its time.
SHORT = {signal.SIGINT: 0.5, signal.SIGTERM: 600.0}


@pytest.fixture
def start():
    """Start a Python program in a group of its own, marked with this exit file, and wait for it."""
    started = []

    def begin(program, exit_file):
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env=os.environ | {EXIT_FILE_VARIABLE: str(exit_file)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        started.append(process)
        process.stdout.readline()
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def test_what_is_at_work_is_ended_and_nobody_else(start, tmp_path):
    ours = start(SLEEP, tmp_path / "exit-code")
    theirs = start(SLEEP, tmp_path / "other" / "exit-code")
    assert [found.pid for found in survivors.at_work(tmp_path / "exit-code")] == [ours.pid]
    survivors.end(tmp_path / "exit-code")
    assert ours.wait(timeout=600) == -signal.SIGINT
    assert theirs.poll() is None


def test_what_does_not_heed_an_interrupt_is_asked_to_end(start, tmp_path, monkeypatch):
    monkeypatch.setattr(survivors, "PATIENCE", SHORT)
    # as under nohup, or in the background of a shell
    deaf = start(DEAF, tmp_path / "exit-code")
    survivors.end(tmp_path / "exit-code")
    assert deaf.wait(timeout=600) == -signal.SIGTERM


def test_what_does_not_end_at_all_is_named_and_nothing_else_begins(start, tmp_path, monkeypatch):
    monkeypatch.setattr(survivors, "PATIENCE", {signal.SIGINT: 0.2, signal.SIGTERM: 0.2})
    deafer = start(DEAFER, tmp_path / "exit-code")
    with pytest.raises(StudyError, match=f"kill -9 {deafer.pid}") as refusal:
        survivors.end(tmp_path / "exit-code")
    assert refusal.value.code == 5
    assert deafer.poll() is None


def test_what_it_starts_while_it_ends_is_waited_for_and_ended_too(start, tmp_path, monkeypatch):
    monkeypatch.setattr(survivors, "PATIENCE", SHORT)
    start(TIDY, tmp_path / "exit-code")
    try:
        survivors.end(tmp_path / "exit-code")
        assert survivors.at_work(tmp_path / "exit-code") == []
    finally:
        for process in survivors.at_work(tmp_path / "exit-code"):
            process.kill()


def test_the_group_of_the_study_that_is_called_is_never_told_to_stop():
    assert survivors._groups([psutil.Process()]) == set()


def test_what_was_started_while_the_processes_were_listed_is_found(start, tmp_path, monkeypatch):
    ours = start(SLEEP, tmp_path / "exit-code")
    listed = psutil.process_iter
    lists = [[], [psutil.Process(ours.pid)]]
    monkeypatch.setattr(psutil, "process_iter", lambda: lists.pop(0) if lists else listed())
    assert [found.pid for found in survivors.at_work(tmp_path / "exit-code")] == [ours.pid]
