"""Which Macs the strip of every page counts, and what the processes beside them used."""

import shutil

import duckdb
import pandas as pd
import pytest

from lib import processes, status
from lib.article import drawn
from lib.database import connect
from proofs.support import macs

MAC = "mac-mini-m4-pro"
RELEASE = "macos-26.4-25E246"


@pytest.fixture
def asked(monkeypatch):
    """Pages answer from this database."""

    def use(database):
        monkeypatch.setenv("DISKBENCH_DATABASE", str(database))
        connect.cache_clear()

    yield use
    connect.cache_clear()


def real(record: dict, **host) -> dict:
    """The same, as a Mac that is not made up would have it."""
    return record | {"host": record["host"] | {"model": "Mac16,11"} | host}


@pytest.fixture(scope="module")
def cells():
    return [
        one
        for one in macs.made([MAC], [RELEASE])
        if (one["cell"]["protocol"], one["cell"]["phase"]) == ("usage-phases", "fresh")
    ]


@pytest.mark.parametrize("also", [None, "guest", "made-up-mac"])
def test_neither_a_guest_nor_a_made_up_mac_is_counted(built, asked, cells, also):
    records = [real(one) for one in cells]
    if also:
        facts = {"virtual_machine": True} if also == "guest" else {}
        records += [real(one | {"cell": one["cell"] | {"host": also}}, **facts) for one in cells]
    asked(built("counted", records))
    assert "Measured on Macs: 1 (macOS 26.4)" in status.strip().bundle["text/markdown"]
    assert "come from 1 Mac." in status.macs()
    assert status.no_mac() == ""


def test_where_a_guest_alone_was_measured_no_mac_was(built, asked, cells):
    guests = [real(one, virtual_machine=True) for one in cells]
    asked(built("guest", guests))
    assert "Measured on Macs: none" in status.strip().bundle["text/markdown"]
    assert status.macs().startswith("**No real Mac has been measured yet.**")
    assert status.no_mac().startswith("No Mac has been measured yet")


def test_what_a_process_used_that_ended_unseen_is_not_known(made_up, tmp_path, asked):
    database = tmp_path / "ended.duckdb"
    shutil.copyfile(made_up, database)
    with duckdb.connect(str(database)) as connection:
        connection.execute("update process_use set ended = 1, cpu_ns = 0 where permitted")
    asked(database)
    shown = processes.answer(processes.use()).bundle["text/markdown"]
    assert "ended before it was counted" in shown
    assert "while writing" not in shown


def test_each_verdict_counts_in_how_many_figures_are_reproduced():
    verdicts = [
        "reproduced", "reproduced", "faster", "slower", "inconclusive", "depends on the statistic",
        "another release", "not comparable",
    ]  # fmt: skip
    rows = pd.DataFrame({"verdict": verdicts}).assign(op="write", vouched_by="own")
    assert drawn.agreeing(rows, "write") == "; 2 of 6 reproduced here"
