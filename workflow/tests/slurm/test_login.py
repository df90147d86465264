"""A mistake is refused on the login node, before anything is handed to Slurm."""

import hashlib
from pathlib import Path

import pytest

from console import ExitCode, StudyError
from lock import held
from slurm import call as calls
from slurm import login, plugin, settings
from slurm.call import Outcome
from slurm.settings import Node, Settings
from slurm.watch import Watch

PROJECT = Path(__file__).resolve().parents[3]
NODES = {name: Node(name, f"cluster-{name}", "/scratch") for name in ("n1", "n2")}


@pytest.fixture
def nodes(monkeypatch):
    monkeypatch.chdir(PROJECT)
    known = Settings(NODES, None, None, 60)
    monkeypatch.setattr(settings, "read", lambda: known)

    def nothing_more(*_):
        raise AssertionError("Slurm was asked")

    monkeypatch.setattr(login.controller, "require", nothing_more)
    monkeypatch.setattr(login.subprocess, "run", nothing_more)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("measure", "argument target: invalid choice: 'measure'"),
        ("--nodes", "argument --nodes: expected one argument"),
        ("--nodes n3", "unknown node 'n3'"),
        ("--config", "argument --config: expected at least one argument"),
        ("--config scale", "--config takes KEY=VALUE, and 'scale' is not"),
        ("--config scale=", "--config takes KEY=VALUE, and 'scale=' is not"),
        ("--config host=mine", "--config host= is not for a cluster"),
        ("--config scale=huge", "scale: 'huge' is not known"),
        ("--config scall=gold", "unknown key 'scall' (did you mean 'scale'?)"),
        ("--config study=encryption-2025", "unknown study 'encryption-2025'"),
        ("--config protocols=[none]", "unknown protocol 'none'"),
        ("--config scale=tenth --config repeats=none", "repeats: 'none' is not known"),
        ("plan records", "unrecognized arguments: records"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(nodes, words, line):
    with pytest.raises(StudyError) as caught:
        login.main(words.split())
    assert caught.value.code == ExitCode.BAD_INPUT
    assert line in caught.value.line
    assert "\n" not in caught.value.line


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["site"], ["bash", "workflow/run.sh", "site", "--config", "study=none"]),
        (["database"], ["bash", "workflow/run.sh", "database", "--config", "study=none"]),
    ],
)
def test_database_and_site_alone_measure_nothing_anywhere(nodes, monkeypatch, words, command):
    asked = []

    class Done:
        returncode = 6

    monkeypatch.setattr(login.subprocess, "run", lambda words, **_: asked.append(words) or Done)
    assert login.main(words) == 6
    assert asked == [command]


@pytest.fixture
def call(tmp_path):
    known = Settings(NODES, "main", None, 60)
    return calls.made(tmp_path, known, NODES, target="records", words=["matrix=[{driver: auto}]"])


@pytest.fixture
def watch(call, tmp_path):
    return Watch(call, "diskbench-aa", tmp_path)


def test_a_call_is_the_same_after_it_was_written_down(call, tmp_path):
    calls.write(call, tmp_path / "call.json")
    assert calls.read(tmp_path / "call.json") == call


def ended(call, node, code, line, brought=0):
    calls.put(call.outcome(node), {"code": code, "line": line, "brought": brought})


def test_every_node_gets_a_line_and_the_first_code_counts(call, watch, capsys):
    ended(call, "n1", 0, "6 of 6 cells measured, 0 skipped, 0 failed", 6)
    ended(call, "n2", 3, "the disk is full")
    assert login._tell(call, watch, None) == 3
    first, second = capsys.readouterr().err.splitlines()
    assert first == (
        "diskbench: n1 (cluster-n1): 6 of 6 cells measured, 0 skipped, 0 failed; 6 new records"
    )
    assert second == (
        "diskbench: n2 (cluster-n2): the disk is full; to go on: "
        "bash workflow/slurm.sh --nodes n2 --config 'matrix=[{driver: auto}]'"
    )


def test_failed_cells_are_measured_again_by_the_command_that_is_shown(call, watch, capsys):
    ended(call, "n1", 0, "done")
    ended(call, "n2", 7, "5 of 6 cells measured, 0 skipped, 1 failed", 6)
    assert login._tell(call, watch, "records") == ExitCode.CELL_FAILED
    assert capsys.readouterr().err.endswith(
        "bash workflow/slurm.sh records --nodes n2 --config 'matrix=[{driver: auto}]' 'retry=[failed]'\n"
    )


def test_a_node_that_was_given_up_is_told_with_the_reason(watch):
    watch.give_up("n2", "the node is down (broken)")
    assert watch.ended("n2") == Outcome(1, "not measured: the node is down (broken)")


def test_a_job_that_ended_without_a_word_is_told_as_slurm_has_it(watch):
    watch._jobs["n2"] = login.controller.Job("17", "n2", "TIMEOUT", "")
    ended = watch.ended("n2")
    assert ended.code == ExitCode.UNEXPECTED
    assert ended.line.startswith("its job 17 was ended for its time (minutes in workflow/")


def test_a_job_that_brought_its_records_before_slurm_ended_it_is_told_so(call, watch):
    watch._jobs["n2"] = login.controller.Job("17", "n2", "CANCELLED", "")
    ended(call, "n2", 130, "interrupted", 3)
    line = "its job 17 was cancelled; its finished records are here"
    assert watch.ended("n2") == Outcome(1, line, 3)


def test_a_plugin_that_cannot_be_had_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lock = tmp_path / "lock.txt"
    # a hash that no file has, of a package that is there in any case: nothing is fetched
    lock.write_text("/nowhere/x-1.0-py3-none-any.whl --hash=sha256:" + "0" * 64, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        plugin.installed(tmp_path / "tools", lock)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "could not be installed" in caught.value.line
    assert (tmp_path / plugin.LOG).read_text(encoding="utf-8")


def test_a_plugin_that_is_there_is_not_installed_again(tmp_path, monkeypatch):
    lock = tmp_path / "lock.txt"
    lock.write_text("x==1", encoding="utf-8")
    (tmp_path / "tools").mkdir()
    made_from = hashlib.sha256(b"x==1").hexdigest()
    (tmp_path / "tools" / "made-from").write_text(made_from, encoding="utf-8")
    monkeypatch.setattr(plugin.subprocess, "run", lambda *_, **__: pytest.fail("installed again"))
    assert plugin.installed(tmp_path / "tools", lock) == (tmp_path / "tools").resolve()


def test_a_second_call_in_one_folder_is_refused_before_slurm_is_asked(nodes, monkeypatch, tmp_path):
    monkeypatch.setattr(login.controller, "require", lambda: None)
    monkeypatch.setattr(login, "PLACE", tmp_path)
    with held(tmp_path / "lock", ""), pytest.raises(StudyError) as error:
        login.main(["records"])
    assert error.value.code == ExitCode.BUSY
    assert "another call of slurm.sh" in error.value.line
