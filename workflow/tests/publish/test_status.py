"""The Macs that the strip of every page counts, and the resource use of processes."""

import duckdb
import pandas as pd
import pytest
from every_kind import MINI, STUDIO
from rendered import text

from lib import processes, status
from lib.article import drawn


def measured_on(made_up=(), guests=()) -> str:
    """Which of the Macs are made-up, and which are guests; the others are real ones."""
    sets = [f"list_contains({list(hosts)}::varchar[], host)" for hosts in (made_up, guests)]
    return f"update host set made_up = {sets[0]}, virtual_machine = {sets[1]}"


@pytest.mark.parametrize("kind", ["made_up", "guests"])
def test_neither_a_guest_nor_a_made_up_mac_is_counted(made_up, changed, asked, kind):
    asked(changed(made_up, measured_on(**{kind: [STUDIO]})))
    assert "Measured on Macs: 1 (macOS 26.3.1 to 27.0)" in text(status.strip())
    assert status.no_mac() == ""
    assert status.demonstration() == ""


def test_every_page_says_in_how_many_runs_of_macs_the_machine_was_disturbed(
    made_up, changed, asked
):
    asked(changed(made_up, "update warning set code = 'indexed'"))
    assert "the Mac was" not in text(status.strip())
    one = f"(select min(cell) from cell where host = '{STUDIO}' and comparable)"
    hot = changed(made_up, f"update warning set code = 'hot', cell = {one}")
    asked(hot)
    with duckdb.connect(str(hot), read_only=True) as connection:
        [(runs,)] = connection.execute(
            """
            select count(distinct cell) from measured_speed
            where comparable and release like 'macos-%' and driver <> 'portable'
            """
        ).fetchall()
    assert f"in 1 of {runs} runs the Mac was" in text(status.strip())


def test_where_guests_alone_were_measured_no_mac_was(made_up, changed, asked):
    asked(changed(made_up, measured_on(guests=[MINI, STUDIO])))
    assert "Measured on Macs: none" in text(status.strip())
    assert status.no_mac().startswith("No Mac has been measured yet")
    assert status.demonstration().startswith("**No Mac has been measured yet")


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
