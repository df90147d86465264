"""Answers of a worker, whatever is in its folder of records."""

import json
import os

import pytest
from sent_records import record, sent, signed

from fleet import tasks
from record import RUNS

GOOD, OTHER, LINKED, WAITING = (
    sent(record(phase=phase, repeat=repeat))
    for phase, repeat in (("fresh", 1), ("emptied", 1), ("fresh", 2), ("emptied", 2))
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A host with a plan of four cells, and no record yet."""
    monkeypatch.chdir(tmp_path)
    cells = [{"record": f"{RUNS}/{one.cell}.json"} for one in (GOOD, OTHER, LINKED, WAITING)]
    tasks.PLAN.parent.mkdir()
    tasks.PLAN.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    for one in (GOOD, OTHER, LINKED, WAITING):
        (RUNS / one.cell).parent.mkdir(parents=True, exist_ok=True)
    return tmp_path


def put(one, folder=RUNS):
    path = folder / f"{one.cell}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(one.content)
    return path


def test_records_are_answered_that_the_coordinator_has_not(here):
    put(GOOD)
    put(OTHER)
    have = {GOOD.cell: tasks.sum_of(GOOD.content)}
    assert tasks.collect(have, []) == {
        "records": {OTHER.cell: OTHER.content},
        "left": 0,
        "unreadable": {},
    }


def test_an_answer_has_as_many_records_as_fit_and_says_how_many_are_left(here, monkeypatch):
    for one in (GOOD, OTHER, LINKED):
        put(one)
    monkeypatch.setattr(tasks, "ANSWER_BYTES", len(GOOD.content) + len(OTHER.content))
    told = tasks.collect({}, [])
    assert (set(told["records"]), told["left"]) == ({GOOD.cell, OTHER.cell}, 1)
    # one that is longer is an answer of its own
    monkeypatch.setattr(tasks, "ANSWER_BYTES", 1)
    told = tasks.collect({}, [])
    assert (set(told["records"]), told["left"]) == ({GOOD.cell}, 2)


def test_a_failure_to_measure_again_is_sent_after_the_measured_record(here):
    put(GOOD)
    failed = sent(signed(record(minute=9) | {"status": "failed", "reason": "no"}))
    aside = (RUNS / GOOD.cell).with_name("fresh.superseded-01234567.json")
    aside.write_bytes(failed.content)
    have, answers = {}, []
    while (told := tasks.collect(have, []))["records"]:
        answers.append((told["records"], told["left"]))
        have |= {cell: tasks.sum_of(content) for cell, content in told["records"].items()}
    assert answers == [({GOOD.cell: GOOD.content}, 1), ({GOOD.cell: failed.content}, 0)]


def test_what_is_no_file_of_a_record_is_named_and_neither_waited_for_nor_read(here):
    put(GOOD)
    outside = put(LINKED, here / "outside")
    (RUNS / f"{LINKED.cell}.json").symlink_to(outside)
    os.mkfifo(RUNS / f"{WAITING.cell}.json")
    with (RUNS / f"{OTHER.cell}.json").open("wb") as file:
        file.truncate(1 << 40)
    assert tasks.collect({}, []) == {
        "records": {GOOD.cell: GOOD.content},
        "left": 0,
        "unreadable": {
            OTHER.cell: "it is longer than 33554432 bytes",
            LINKED.cell: "it is a link that leads out of the folder of records",
            WAITING.cell: "it is not a regular file but a FIFO",
        },
    }
