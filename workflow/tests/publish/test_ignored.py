"""Where two statistics of one cell differ, every page that shows one of them says so."""

import pandas as pd

from lib import encryption, ignored, runs

SLOW = "some files far slower than others of their size"
ROW = {
    "theil_sen_gbps": 4.86, "theil_sen_gbps_low": 4.63, "theil_sen_gbps_high": 4.99,
    "total_gbps": 0.066, "files": 160, "status": "measured", "statistics_differ": SLOW,
}  # fmt: skip


def test_the_synthetic_series_are_those_of_the_formula():
    told = ignored.told().bundle["text/markdown"]
    # 1 / (0.7 / 5 + 0.3 / 0.02), and (2,000 + 1,000 + 800 + 600) / 5,330
    assert "the slope gives 5 GB/s and bytes / time 0.066 GB/s" in told
    assert "(83\u00a0% of the bytes)" in told
    assert "30\u00a0% of them at 0.02 GB/s and the rest at 5 GB/s" in told


def test_the_table_of_a_host_shows_bytes_by_time_where_they_differ_with_the_reason():
    shown = str(runs._speed(ROW)).replace("\u00a0", " ")
    assert f"4.63 to 4.99; 160 files; bytes / time 0.066: {SLOW}" in shown.replace("\u2013", " to ")
    for alike in (None, float("nan")):
        assert "bytes / time" not in str(runs._speed(ROW | {"statistics_differ": alike}))


def test_the_remarks_on_what_encryption_costs_name_what_differs():
    row = {
        "basis": "measured", "why_not_comparable": (), "statistics_differ": f"encrypted: {SLOW}",
    }  # fmt: skip
    assert str(encryption._remarks({"write": row})).count(SLOW) == 1
    assert "write, encrypted" in str(encryption._remarks({"write": row}))
    assert str(encryption._remarks({"write": row | {"statistics_differ": ""}})) == ""
    spoilt = row | {"why_not_comparable": ("image-unknown",)}
    shown = str(encryption._remarks({"read": spoilt}))
    assert "not comparable" in shown
    assert SLOW in shown


def test_what_differs_in_any_run_is_said_of_the_cell(macs, monkeypatch):
    from lib.database import connect, query

    monkeypatch.setenv("DISKBENCH_DATABASE", str(macs))
    connect.cache_clear()
    rows = encryption.costs()
    measured = rows[rows["basis"] == "measured"]
    cells = query("select cell, op, series, statistics_differ from measured_speed "
                  "inner join (select cell, series from cell) using (cell)")  # fmt: skip
    for side in ("encrypted", "plain"):
        for row in measured.to_dict("records"):
            own = cells[(cells["cell"] == row[f"{side}_cell"]) & (cells["op"] == row["op"])]
            runs_of_it = cells[cells["series"].isin(own["series"]) & (cells["op"] == row["op"])]
            differs = bool(pd.notna(runs_of_it["statistics_differ"]).any())
            assert (f"{side}: " in row["statistics_differ"]) == differs
    connect.cache_clear()
