"""The Macs that the strip of every page counts, and the resource use of processes."""

from pathlib import Path

import pandas as pd
import pytest
from rendered import text

from lib import processes, status
from lib.article import drawn
from proofs.support import macs

MAC = "mac-mini-m4-pro"
RELEASE = "macos-26.4-25E246"


def measured(**hosts) -> list[dict]:
    """New images of these hosts, each with facts of its own."""
    record = next(
        one
        for one in macs.made([MAC], [RELEASE])
        if one["cell"]["driver"] == "apple" and one["cell"]["phase"] == "fresh"
    )
    return [
        record
        | {
            "cell": record["cell"] | {"host": host.replace("_", "-")},
            "host": record["host"] | facts,
        }
        for host, facts in hosts.items()
    ]


REAL = {"model": "Mac16,11"}
GUEST = REAL | {"virtual_machine": True}


@pytest.fixture(scope="module")
def counted(built) -> Path:
    """A Mac, a guest and a made-up Mac."""
    return built("counted", measured(mac_mini_m4_pro=REAL, guest=GUEST, made_up_mac={}))


def test_neither_a_guest_nor_a_made_up_mac_is_counted(counted, asked):
    asked(counted)
    assert "Measured on Macs: 1 (macOS 26.4)" in text(status.strip())
    assert "come from 1 Mac." in status.macs()
    assert status.no_mac() == ""


def test_where_a_guest_alone_was_measured_no_mac_was(counted, changed, asked):
    asked(changed(counted, "delete from host where host <> 'guest'"))
    assert "Measured on Macs: none" in text(status.strip())
    assert status.macs().startswith("**No real Mac has been measured yet.**")
    assert status.no_mac().startswith("No Mac has been measured yet")


def test_what_a_process_used_that_ended_unseen_is_not_known(made_up, changed, asked):
    asked(changed(made_up, "update process_use set ended = 1, cpu_ns = 0 where permitted"))
    shown = text(processes.answer(processes.use()))
    assert "ended before it was counted" in shown
    assert "while writing" not in shown


def test_each_verdict_counts_in_how_many_figures_are_reproduced():
    verdicts = [
        "reproduced", "reproduced", "faster", "slower", "inconclusive", "depends on the statistic",
        "another release", "not comparable",
    ]  # fmt: skip
    rows = pd.DataFrame({"verdict": verdicts}).assign(op="write", vouched_by="own")
    assert drawn.agreeing(rows, "write") == "; 2 of 6 reproduced here"
