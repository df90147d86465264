"""If two statistics of a cell differ, every page with one of them says so."""

import re
from collections import Counter

import pandas as pd
import pytest
from rendered import joined, rows

from lib import encryption
from lib.database import query
from lib.examples import EXAMPLES


def test_a_host_lists_each_speed_whose_two_statistics_differ_with_the_reason(site):
    differ = rows(
        site,
        """
        select total_gbps, statistics_differ from measured_speed
        where statistics_differ is not null and release = (
            select release from cell as last where last.host = measured_speed.host
            order by started_utc desc limit 1
        )
        """,
    )
    assert len(differ) > 10
    shown = joined(site, "hosts.html", "differ")
    assert len(shown) == len(differ)
    reasons = Counter(why for _, why in differ)
    assert reasons == {why: int(shown["Cell"].str.endswith(f" {why}").sum()) for why in reasons}
    totals = shown["Bytes / time (GB/s)"].astype(float)
    assert sum(totals) == pytest.approx(sum(total for total, _ in differ), rel=0.01)


def test_what_differs_in_any_run_is_said_of_the_cell(made_up, asked):
    asked(made_up)
    costs = encryption.costs()
    measured = costs[costs["basis"] == "measured"]
    cells = query("select cell, op, series, statistics_differ from measured_speed "
                  "inner join (select cell, series from cell) using (cell)")  # fmt: skip
    for side, word in (("encrypted", "encrypted"), ("plain", "unencrypted")):
        for row in measured.to_dict("records"):
            own = cells[(cells["cell"] == row[f"{side}_cell"]) & (cells["op"] == row["op"])]
            runs_of_it = cells[cells["series"].isin(own["series"]) & (cells["op"] == row["op"])]
            differs = bool(pd.notna(runs_of_it["statistics_differ"]).any())
            assert bool(re.search(rf"\b{word}: ", row["statistics_differ"])) == differs


def test_the_worked_questions_mark_or_leave_out_what_depends_on_the_statistic(site):
    fastest, cost = (
        next(one.sql for one in EXAMPLES if one.name == name).replace("limit 12", "")
        for name in ("fastest-encrypted", "encryption-cost")
    )
    known = rows(
        site,
        "select round(gbps, 6), statistics_differ is not null from comparable_speed "
        "where encryption = 'AES-256'",
    )
    depend = {speed for speed, depends in known if depends}
    listed = rows(
        site,
        f"""
        select round(write_gbps, 6), round(read_gbps, 6), depends_on_statistic from ({fastest})
        where basis = 'measured'
        """,
    )
    assert {depends for *_, depends in listed} == {True, False}
    for write, read, depends in listed:
        assert depends == bool({write, read} & depend)
    compared = rows(
        site,
        f"select round(write_encrypted, 6) from ({cost}) where basis = 'measured'",
    )
    assert compared
    assert not {speed for (speed,) in compared} & depend
