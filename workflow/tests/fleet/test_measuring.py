"""The study of a host: begun once, listened to again, interrupted, waited for. Its command is a
small script here."""

import os
import threading

import pytest

from fleet import measuring, tasks
from lock import held
from proofs.support.waiting import PATIENCE_SECONDS, wait_until

WORDS = ["host=mac-a"]


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A folder with a test's `workflow/run.sh`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measuring, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(measuring, "_current", None)
    plan = ["bash", "workflow/run.sh", "plan", "--config", *WORDS]
    monkeypatch.setattr(measuring, "planning", lambda words: [["true"], plan])
    (tmp_path / "workflow").mkdir()

    def write(body):
        (tmp_path / "workflow" / "run.sh").write_text(
            f'echo "began $*" >>calls.txt\n{body}\n', encoding="utf-8"
        )

    yield write
    measuring.interrupt()


def calls(tmp_path):
    """What the script was called with, a call a line."""
    path = tmp_path / "calls.txt"
    return path.read_text().splitlines() if path.exists() else []


def never():
    """Nobody wants to leave."""
    return False


def test_a_study_runs_the_users_command_and_reports_its_end(script, tmp_path):
    script('echo "[1/1] fresh: measured" >&2; echo "diskbench: out of space" >&2; exit 3')
    heard = []
    ended = measuring.measure(WORDS, heard.append, never)
    assert ended == (3, "out of space")
    assert heard == ["[1/1] fresh: measured", "diskbench: out of space"]
    assert calls(tmp_path) == ["began records --config host=mac-a"]


def test_the_end_of_a_study_is_noticed_at_once(script, monkeypatch):
    monkeypatch.setattr(measuring, "LOOK_SECONDS", 3600)
    script("sleep 0.2; exit 3")
    ended = []
    listening = threading.Thread(
        target=lambda: ended.append(measuring.measure(WORDS, print, never)), daemon=True
    )
    listening.start()
    listening.join(60)
    assert ended == [(3, "")]


def test_after_reconnecting_the_same_study_is_followed(script, tmp_path):
    script('echo "diskbench: one" >&2; while [ ! -e go ]; do sleep 0.01; done')
    heard = []
    assert measuring.measure(WORDS, heard.append, lambda: bool(heard)) is None
    assert measuring.current() == WORDS
    (tmp_path / "go").touch()
    assert measuring.measure(WORDS, heard.append, never) == (0, "one")
    assert len(calls(tmp_path)) == 1
    assert measuring.current() is None


def test_a_finished_study_starts_again_on_request(script, tmp_path):
    script("exit 0")
    for _ in range(2):
        assert measuring.measure(WORDS, print, never) == (0, "")
    assert len(calls(tmp_path)) == 2


def test_a_study_of_other_words_is_interrupted_for_the_new_one(script, tmp_path):
    script(
        'trap "kill \\$!; echo interrupted >>calls.txt; exit 130" INT\n'
        '[ "$3" = host=mac-a ] || exit 0\nsleep 3600 2>/dev/null & echo on >&2; wait'
    )
    heard = []
    measuring.measure(WORDS, heard.append, lambda: bool(heard))
    assert measuring.measure(["host=mac-b"], print, never) == (0, "")
    assert calls(tmp_path) == [
        "began records --config host=mac-a",
        "interrupted",
        "began records --config host=mac-b",
    ]


@pytest.mark.parametrize("to_measure", [True, False])
def test_a_study_of_other_words_is_interrupted_before_one_to_measure_is_planned(
    script, tmp_path, monkeypatch, to_measure
):
    script(
        'trap "kill \\$!; echo interrupted >>calls.txt; exit 130" INT\n'
        '[ "$1" = records ] || exit 2\nsleep 3600 2>/dev/null & echo on >&2; wait'
    )
    for name, callback in (("_hearing", print), ("_leaving", never)):
        monkeypatch.setattr(tasks, name, lambda callback=callback: callback)
    heard = []
    measuring.measure(WORDS, heard.append, lambda: bool(heard))
    assert tasks.plan(["host=mac-b"], to_measure)["code"] == 2
    assert calls(tmp_path)[1:-1] == (["interrupted"] if to_measure else [])
    assert measuring.current() == (None if to_measure else WORDS)


def test_a_study_that_is_interrupted_ends_by_itself(script):
    script('trap "kill \\$!; exit 130" INT; sleep 3600 2>/dev/null & echo on >&2; wait')
    heard = []

    def stop_once_it_runs():
        if heard:
            measuring.interrupt(wait=False)
        return False

    assert measuring.measure(WORDS, heard.append, stop_once_it_runs) == (130, "")


def test_a_study_that_is_killed_says_by_which_signal(script):
    script("kill -9 $$")
    assert measuring.measure(WORDS, print, never) == (-9, "it was ended by signal 9")


@pytest.mark.parametrize("ask", [measuring.measure, measuring.plan])
def test_a_running_study_in_this_folder_is_waited_for(script, tmp_path, ask):
    script("exit 0")
    measuring.LOCK.parent.mkdir(parents=True)
    heard, ended = [], []
    with held(measuring.LOCK, ""):
        waiting = threading.Thread(target=lambda: ended.append(ask(WORDS, heard.append, never)))
        waiting.start()
        wait_until(lambda: heard, "a line")
        assert calls(tmp_path) == []
    waiting.join(PATIENCE_SECONDS)
    assert heard == ["diskbench: another study runs in this folder: waiting for it"]
    assert ended == [(0, "")]


def test_without_a_core_nothing_is_planned_and_code_and_line_are_those_of_the_build(
    script, tmp_path, monkeypatch
):
    script("exit 0")
    said = 'echo compiling >&2; echo "diskbench: the core did not build" >&2; echo see above >&2'
    plan = measuring.planning(WORDS)[-1]
    fails = ["bash", "-c", f"{said}; exit 1"]
    monkeypatch.setattr(measuring, "planning", lambda words: [fails, plan])
    assert measuring.plan(WORDS, print, never) == (1, "the core did not build")
    assert calls(tmp_path) == []


def test_whoever_waits_for_it_may_leave(script, tmp_path):
    script("exit 0")
    measuring.LOCK.parent.mkdir(parents=True)
    with held(measuring.LOCK, ""):
        for ask in (measuring.measure, measuring.plan):
            assert ask(WORDS, print, lambda: True) is None
    assert calls(tmp_path) == []


@pytest.mark.parametrize("ask", [tasks.measure, lambda words: tasks.plan(words, to_measure=True)])
def test_waiting_for_a_running_study_is_ended_when_all_is_stopped(script, monkeypatch, ask):
    script("exit 0")
    heard, ended = [], []
    for name, callback in (("_hearing", heard.append), ("_leaving", never)):
        monkeypatch.setattr(tasks, name, lambda callback=callback: callback)
    measuring.LOCK.parent.mkdir(parents=True)
    with held(measuring.LOCK, ""):
        waiting = threading.Thread(target=lambda: ended.append(ask(WORDS)), daemon=True)
        waiting.start()
        wait_until(lambda: heard, "a line")
        measuring.interrupt(wait=False)
        waiting.join(PATIENCE_SECONDS)
    assert ended == [{"code": 130, "line": "interrupted"}]


def test_the_plan_of_an_earlier_study_is_not_taken_for_that_of_the_running_one(
    script, tmp_path, monkeypatch
):
    plan = tmp_path / tasks.AT_WORK
    plan.parent.mkdir()
    plan.write_text('{"cells": []}')
    os.utime(plan, (1, 1))
    (tmp_path / "new.json").write_text('{"cells": [{"record": "data/runs/new.json", "due": true}]}')
    monkeypatch.setattr(tasks, "CORE", "true")
    for name, callback in (("_hearing", print), ("_leaving", never)):
        monkeypatch.setattr(tasks, name, lambda callback=callback: callback)
    script(
        'trap "kill \\$!; exit 130" INT; while [ ! -e go ]; do sleep 0.01; done\n'
        f"cp new.json {tasks.AT_WORK}; sleep 3600 2>/dev/null & wait"
    )
    measuring.measure(WORDS, print, lambda: calls(tmp_path))
    planned = []
    planning = threading.Thread(target=lambda: planned.append(tasks.plan(WORDS, to_measure=True)))
    planning.start()
    planning.join(0.2)
    assert planned == []
    (tmp_path / "go").touch()
    planning.join(PATIENCE_SECONDS)
    assert planned[0]["due"] == ["new"]


def test_a_plan_that_takes_long_is_ended_when_all_is_stopped(script, tmp_path):
    script('trap "kill \\$!; exit 130" INT; sleep 3600 & touch on; wait')
    ended = []
    planning = threading.Thread(target=lambda: ended.append(measuring.plan(WORDS, print, never)))
    planning.start()
    wait_until((tmp_path / "on").exists, "the plan to begin")
    measuring.interrupt(wait=False)
    planning.join(PATIENCE_SECONDS)
    assert ended == [(130, "")]
