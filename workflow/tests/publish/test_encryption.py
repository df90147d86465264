"""The page of what encryption costs: shares of the database, published and measured apart, two drivers never together."""

import json

import pytest
import rendered
from rendered import Tables, charts

from proofs.support import macs as many_macs


@pytest.fixture(params=["published_only", "made_up", "macs"])
def shown(request, monkeypatch):
    """What the page is made of, over each of the three databases."""
    return loaded(request.getfixturevalue(request.param), monkeypatch)


def loaded(database, monkeypatch):
    from lib import encryption
    from lib.database import connect

    monkeypatch.setenv("DISKBENCH_DATABASE", str(database))
    connect.cache_clear()
    return encryption


@pytest.fixture(autouse=True)
def closed():
    """No test leaves its database to the next one."""
    from lib.database import connect

    yield
    connect.cache_clear()


def text(shown) -> str:
    return shown.bundle["text/markdown"] if shown else ""


def points(page: str) -> list[dict]:
    drawn = [row for spec in charts(page).values() for row in rendered.points(spec)]
    return [row for row in drawn if "ratio" in row]


def test_the_first_sentence_says_what_a_format_keeps(published_only, monkeypatch):
    encryption = loaded(published_only, monkeypatch)
    answer = text(encryption.answer(encryption.costs()))
    # 5.23 of 7.62 and 5.09 of 6.13 GB/s
    keeps = "a sparse bundle keeps 69\u00a0% of its write speed and 83\u00a0% of its read speed"
    assert f"With AES-256, {keeps}" in answer
    assert "macOS 26.3.1" in answer


def test_measured_figures_speak_before_published_ones(macs, monkeypatch):
    encryption = loaded(macs, monkeypatch)
    answer = text(encryption.answer(encryption.costs()))
    assert 0 < answer.index("measured") < answer.index("published")


def test_charts_hold_ratios_of_the_database(shown):
    costs = shown.costs()
    known = {round(ratio, 9) for ratio in costs["ratio"].dropna()}
    drawn = points(text(shown.chart("chart", shown.of_macos(costs), "caption")))
    assert drawn
    assert {round(row["ratio"], 9) for row in drawn if row["ratio"] is not None} <= known
    assert not [row for row in drawn if "portable" in row["where"]]


def test_the_layer_of_volumes_has_a_table_of_its_own(shown):
    costs = shown.costs()
    images = text(shown.table(shown.of_macos(costs), "images"))
    volumes = text(shown.volumes(costs))
    assert "FileVault" not in images
    assert "APFS Encrypted" not in images
    rows = Tables(volumes).tables["table-encryption-volume"]
    guest = next(row for row in rows if row[0].startswith("virtual machine"))
    assert guest[1] == "53 %"
    # printed in German as 1,8 and 2,2
    assert "1.8, 2.2" in {row[2].replace("\u00a0", " ") for row in rows}


def test_every_pair_stands_in_a_table_once(shown):
    costs = shown.of_macos(shown.costs())
    tables = Tables(text(shown.table(costs, "pairs"))).tables
    lines = [row for rows in tables.values() for row in rows[1:] if len(set(row)) > 1]
    pairs = costs.groupby(
        ["where", "storage", "image", "phase", "protocol", "scale"], dropna=False
    ).ngroups
    assert len(lines) == pairs


def test_only_macs_that_may_be_compared_are_among_the_rows(made_up, monkeypatch):
    encryption = loaded(made_up, monkeypatch)
    rows = encryption.costs()
    measured = rows[rows["basis"] == "measured"]
    assert set(measured["host"]) == {"mac-mini-m4-pro"}
    assert measured["comparable"].all()
    assert set(measured["driver"]) == {"apple"}


# One protocol, gold, three runs


def world(scale="gold", runs=3, **host) -> list[dict]:
    """One Mac: new images by `usage-phases`, in so many runs, and by `remounted`, in one."""
    found = []
    for record in many_macs.made(["mac-mini-m4-pro"], ["macos-27.0-26A5300"]):
        cell = record["cell"]
        if cell["phase"] != "fresh":
            continue
        if cell["protocol"] in ("usage-phases", "remounted") and cell["repeat"] <= runs:
            record["cell"] |= {"scale": scale}
            record["host"] |= host
            found.append(record)
    return found


def titles(page: str) -> list[str]:
    return [" ".join(json.dumps(spec["title"]).split()) for spec in charts(page).values()]


def drawn(encryption) -> str:
    return text(encryption.chart("chart", encryption.of_macos(encryption.costs()), "caption"))


def test_the_first_sentence_is_of_one_protocol_and_says_its_runs(built, monkeypatch):
    encryption = loaded(built("two-protocols", world()), monkeypatch)
    measured = text(encryption.answer(encryption.costs())).split("\n\n")[0]
    # 0.7 and 0.45 of the speed are what the made-up records keep
    assert "With AES-256, a sparse bundle keeps 70\u00a0%" in measured
    assert "45\u00a0%" in measured
    # a sparse image was measured both ways by `remounted` alone, in one run
    assert "sparse image" not in measured
    assert "macOS 27.0 (26A5300): measured, usage phases, 3 runs of 160 files)" in measured


def test_a_chart_has_one_protocol_of_a_machine(built, monkeypatch):
    encryption = loaded(built("two-protocols-drawn", world()), monkeypatch)
    page = drawn(encryption)
    measured = [row for row in points(page) if row["basis"] == "measured"]
    assert {row["form"] for row in measured} == {"sparse bundle (UDSB)", "RAW (UDRW)", "ASIF"}
    assert {row["n"] for row in measured} == {"3 runs of 160 files"}
    for title in titles(page):
        assert "macOS 27.0" in title
        assert "others 6" not in title  # per cent, of a sparse image by `remounted`
    # what the chart leaves out is in the table that is folded
    assert "remounted" in text(encryption.table(encryption.costs(), "pairs"))
