"""A session to a host that a test plays: what the coordinator asks, in which order, and what it makes of the
answers."""

import asyncio
import dataclasses
from types import MappingProxyType

import pytest
from sent_records import record, sent

from console import ExitCode
from fleet import connection, filing, tasks, version
from fleet.config import Coordinator, Fleet
from fleet.filing import Archive
from fleet.progress import Board, State
from fleet.session import GoneError, Session, TaskError

HERE = version.Version("abc", {"Snakefile": "1"})
WORDS = ["host=mac-a"]
ONE, TWO = sent(record()), sent(record(phase="emptied"))


class PlayedHost:
    """Answers what the coordinator asks; `measures` are the records that each study leaves."""

    def __init__(self, measures=(), there=(), planned=(ONE.cell, TWO.cell)):
        self.measures = list(measures)
        self.there = {one.cell: one.content for one in there}
        self.planned = list(planned)
        self.due_again = set()  # cells with a record that does not count
        self.version = HERE
        self.is_the_worker_s = True
        self.machine = "mac-a"
        self.once = False
        self.unreadable = {}
        self.at_once = None  # records that fit into an answer
        self.asked = []
        self.gone_at = None
        self.fails_at = None
        self.code = None
        self.told = ""

    async def ask(self, task, *arguments):
        """What Dask would carry there."""
        self.asked.append(task.__name__)
        if task.__name__ == self.gone_at:
            self.gone_at = None
            raise GoneError
        if task.__name__ == self.fails_at:
            raise TaskError("FileNotFoundError: .diskbench/plan.json")
        return getattr(self, task.__name__)(*arguments)

    def introduce(self):
        return {
            "version": dataclasses.asdict(self.version),
            "is_the_worker_s": self.is_the_worker_s,
            "machine": self.machine,
            "once": self.once,
        }

    def dismiss(self, code):
        self.code = code

    def tell(self, line):
        self.told = line

    def plan(self, words, to_measure):
        assert words == WORDS
        self.may_interrupt = to_measure
        due = [one for one in self.planned if one not in self.there or one in self.due_again]
        return {
            "code": 0,
            "line": "",
            "cells": self.planned,
            "due": due,
            "seconds": 2,
            "written_bytes": {"internal": 1},
        }

    def measure(self, words):
        answer = self.measures.pop(0)
        code, line, *left = answer
        self.there |= {one.cell: one.content for one in left}
        return {"code": code, "line": line}

    def collect(self, have, passed_over):
        missing = {
            cell: content
            for cell, content in self.there.items()
            if have.get(cell) != tasks.sum_of(content) and cell not in passed_over
        }
        records = dict([*missing.items()][: self.at_once])
        left = len(missing) - len(records)
        return {"records": records, "left": left, "unreadable": self.unreadable}


class PlayedRun:
    """A run of `mac-a` and of others, which lets every host measure at once, or none."""

    stopping = False
    words = MappingProxyType({"mac-a": WORDS})
    here = HERE
    fleet = Fleet(Coordinator("127.0.0.1", 1), dict.fromkeys(("mac", "mac-a", "mac-b")))

    def __init__(self, measures=True):
        self.measures = measures
        self.sending = asyncio.Semaphore(1)
        self.only_plan = not measures

    async def planned(self, host):
        return self.measures

    async def file(self, batch):
        return self.archive.file(batch)


class AnyStore:
    """Has a certificate of every host."""

    def security_for(self, slug):
        return slug


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a session with a host; returns its state on the board."""
    monkeypatch.setattr(filing, "CORE", None)
    monkeypatch.setattr(connection, "attempt", lambda *_: "127.0.0.1")
    archive = Archive(tmp_path / "runs")

    def session(host, run=None):
        run = run or PlayedRun()
        run.board, run.archive, run.store = Board(["mac-a"]), archive, AnyStore()
        one = Session(run, "mac-a")
        asyncio.run(one.go("tls://127.0.0.1:1", host.ask))
        return run.board.hosts["mac-a"]

    session.archive = archive
    return session


def filed(call):
    """The cells that are on the coordinator."""
    return set(call.archive.sums("mac-a"))


def test_a_host_introduces_itself_plans_measures_and_hands_in_what_it_has(call):
    host = PlayedHost(measures=[(0, "", ONE, TWO)])
    progress = call(host)
    assert host.asked == ["introduce", "plan", "collect", "measure", "collect"]
    assert host.may_interrupt
    assert progress.state == State.FINISHED
    assert progress.filed == 2
    assert filed(call) == {ONE.cell, TWO.cell}


def test_a_call_for_the_plan_alone_files_and_sets_aside_nothing(call):
    older = sent(record())
    call.archive.file([older])
    newer = sent(record(minute=5))
    host = PlayedHost(there=[newer])
    host.once = True
    progress = call(host, PlayedRun(measures=False))
    assert host.asked == ["introduce", "plan"]
    assert (progress.state, progress.due, progress.filed) == (State.PLANNED, 1, 0)
    assert not host.may_interrupt
    found = [path for path in call.archive.runs.rglob("*") if path.is_file()]
    assert found == [call.archive.runs / f"{older.cell}.json"]
    assert found[0].read_bytes() == older.content


def test_what_a_host_measured_before_is_taken_in_by_as_many_answers_as_it_needs(call):
    host = PlayedHost(there=[ONE, TWO])
    host.at_once = 1
    progress = call(host)
    assert (progress.state, progress.filed) == (State.FINISHED, 2)
    assert host.asked == ["introduce", "plan", "collect", "collect"]
    assert filed(call) == {ONE.cell, TWO.cell}


def test_records_are_asked_for_and_filed_in_the_turn_of_their_host(call):
    run, host, turns = PlayedRun(), PlayedHost(there=[ONE], planned=[ONE.cell]), []
    collect, file = host.collect, run.file

    def in_turn(work):
        turns.append((work.__name__, run.sending.locked()))
        return work

    host.collect = lambda *given: in_turn(collect)(*given)
    run.file = lambda batch: in_turn(file)(batch)
    call(host, run)
    assert turns == [("collect", True), ("file", True)]
    assert not run.sending.locked()


def test_a_host_of_another_commit_is_refused_and_notified_before_planning(call):
    host = PlayedHost()
    host.version = version.Version("def", {"Snakefile": "1"})
    progress = call(host)
    assert host.asked == ["introduce", "tell"]
    assert progress.state == State.REFUSED
    assert progress.line.startswith("it has commit def and the coordinator abc")
    assert progress.line in host.told


@pytest.mark.parametrize("once", [False, True])
def test_a_worker_of_before_its_files_changed_is_to_be_called_again(call, once):
    host = PlayedHost()
    host.once, host.is_the_worker_s = once, False
    assert call(host).line.endswith("start the worker again")
    assert host.code == (ExitCode.CELL_FAILED if once else None)


# a second machine of a model is no surprise
@pytest.mark.parametrize(("machine", "told"), [("mac-b", True), ("mac", False)])
def test_a_machine_with_the_model_of_another_host_is_reported(call, capsys, machine, told):
    host = PlayedHost(measures=[(0, "", ONE, TWO)])
    host.machine = machine
    assert call(host).state == State.FINISHED
    said = f"it is a {machine}, and fleet.yaml lists another host"
    assert (f"mac-a: {said}" in capsys.readouterr().err) is (said in host.told) is told


def test_a_host_with_another_certificate_gets_no_task(call, monkeypatch):
    def refuse(address, port, security, role):
        assert (address, port, security) == ("127.0.0.1", 1, "mac-a")
        raise connection.RefusedError("its certificate is not known here")

    monkeypatch.setattr(connection, "attempt", refuse)
    host = PlayedHost()
    progress = call(host)
    assert host.asked == []
    assert progress.state == State.REFUSED
    assert progress.line.startswith("who answers at tls://127.0.0.1:1 is not mac-a: its cert")


def test_a_host_that_cannot_be_reached_is_gone_with_what_may_help(call, monkeypatch):
    def attempt(*_):
        raise connection.AwayError("No route to host", "allow it")

    monkeypatch.setattr(connection, "attempt", attempt)
    with pytest.raises(GoneError, match="allow it"):
        call(PlayedHost())


@pytest.mark.parametrize(
    ("code", "state", "line"),
    [
        (ExitCode.DONE, State.FINISHED, "1 records filed"),
        (ExitCode.CELL_FAILED, State.FINISHED, "1 records filed"),
        (ExitCode.RESTART_NEEDED, State.STOPPED, "so it says"),
        (ExitCode.BUSY, State.STOPPED, "so it says"),
        (-9, State.STOPPED, "so it says"),
    ],
)
def test_how_a_study_ends_decides_what_becomes_of_its_host(call, code, state, line):
    progress = call(PlayedHost(measures=[(code, "so it says", ONE)]))
    assert (progress.state, progress.line) == (state, line)
    assert filed(call) == {ONE.cell}


def test_a_cell_that_is_due_is_measured_again_although_every_cell_has_a_record(call):
    """Such as a failed one to retry, or one with other parameters."""
    call.archive.file([ONE, TWO])
    newer = sent(record(phase="emptied", minute=5))
    host = PlayedHost(measures=[(0, "", newer)], there=[ONE, TWO])
    host.due_again = {TWO.cell}
    progress = call(host)
    assert host.asked == ["introduce", "plan", "collect", "measure", "collect"]
    assert (progress.state, progress.due, progress.filed) == (State.FINISHED, 1, 1)


def test_a_host_that_disconnects_while_measuring_keeps_its_records(call):
    host = PlayedHost(measures=[(0, "", TWO)], there=[ONE])
    host.gone_at = "measure"
    with pytest.raises(GoneError):
        call(host)
    assert filed(call) == {ONE.cell}
    assert call(host).state == State.FINISHED
    assert filed(call) == {ONE.cell, TWO.cell}


@pytest.mark.parametrize(
    ("task", "kept", "code"),
    [
        # nothing is known of its worker then
        ("introduce", set(), None),
        ("plan", set(), ExitCode.CELL_FAILED),
        ("measure", {ONE.cell}, ExitCode.CELL_FAILED),
    ],
)
def test_a_host_whose_task_fails_is_stopped_with_the_reason_and_keeps_its_records(
    call, task, kept, code
):
    host = PlayedHost(there=[ONE])
    host.once, host.fails_at = True, task
    progress = call(host)
    assert progress.state == State.STOPPED
    assert progress.line.startswith("FileNotFoundError: .diskbench/plan.json: ")
    assert ".diskbench/logs/fleet.log on mac-a" in progress.line
    assert (filed(call), host.code) == (kept, code)


@pytest.mark.parametrize("ended", ["fails_at", "gone_at"])
def test_a_worker_whose_dismissal_fails_has_finished_all_the_same(call, ended):
    host = PlayedHost(there=[ONE, TWO])
    host.once = True
    setattr(host, ended, "dismiss")
    assert call(host).state == State.FINISHED


def test_a_record_that_is_damaged_at_its_host_is_refused_and_named(call):
    damaged = dataclasses.replace(ONE, content=b"{")
    host = PlayedHost(there=[damaged, TWO])
    host.at_once = 1
    progress = call(host)
    # not asked for again
    assert host.asked == ["introduce", "plan", "collect", "collect"]
    assert progress.filed == 1
    assert list(progress.refused) == [ONE.cell]
    assert progress.refused[ONE.cell].startswith("not valid JSON")
    assert filed(call) == {TWO.cell}


def test_what_a_host_cannot_read_of_its_own_is_refused_once_and_named(call):
    host = PlayedHost(measures=[(0, "", TWO)])
    host.unreadable = {ONE.cell: "it is not a regular file but a FIFO"}
    progress = call(host)
    assert progress.filed == 1
    assert progress.refused == {ONE.cell: "it is not a regular file but a FIFO"}


def test_a_refused_record_whose_cell_is_measured_again_is_no_longer_refused(call):
    """Such as that of another cell, which the host's plan does not count."""
    damaged = dataclasses.replace(ONE, content=TWO.content)
    host = PlayedHost(measures=[(0, "", ONE)], there=[damaged, TWO])
    host.due_again = {ONE.cell}
    progress = call(host)
    assert host.asked == ["introduce", "plan", "collect", "measure", "collect"]
    assert (progress.state, progress.refused) == (State.FINISHED, {})
    assert filed(call) == {ONE.cell, TWO.cell}


def test_when_the_coordinator_is_interrupted_nothing_more_is_begun(call):
    run = PlayedRun()
    run.stopping = True
    host = PlayedHost(there=[ONE])
    progress = call(host, run)
    assert progress.state == State.STOPPED
    assert "measure" not in host.asked
    assert filed(call) == {ONE.cell}


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        ((0, "", ONE, TWO), ExitCode.DONE),
        ((ExitCode.NO_SPACE, "the disk is full", ONE), ExitCode.CELL_FAILED),
    ],
)
def test_a_worker_of_one_study_is_dismissed_when_its_records_are_filed(call, ended, code):
    host = PlayedHost(measures=[ended])
    host.once = True
    progress = call(host)
    assert host.asked == ["introduce", "plan", "collect", "measure", "collect", "dismiss"]
    assert host.code == code
    assert progress.filed == len(ended) - 2
