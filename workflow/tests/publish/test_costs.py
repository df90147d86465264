"""The page's charts of the cost of formats."""

import made_up
import pytest
from rendered import charts, points, text

from lib import costs

SHARES = {"UDSB": (0.8, 0.8, 0.8), "UDRW": (1.0, 1.0, 1.0), "ASIF": (0.9, 1.0, 1.11)}


def runs(share: tuple[float, ...], **cell):
    """A run for each share of 5 GB/s, without noise and without any cost of a file."""
    for repeat, part in enumerate(share, start=1):
        yield made_up.record(
            lambda op, order, size, part=part: round(size * 0.2 / part), repeat=repeat, **cell
        )


@pytest.fixture(scope="module")
def database(built):
    """A machine with three runs of each image, and one with two."""
    records = [*runs((1.0,) * 3, driver="native", format="native")]
    for form, share in SHARES.items():
        records += runs(share, driver="portable", format=form)
    records += runs((1.0,) * 2, host="two-runs", driver="native", format="native")
    records += runs((0.5,) * 2, host="two-runs", driver="portable", format="UDSB")
    return built("costs", records)


@pytest.fixture
def drawn(database, asked) -> list[dict]:
    """The chart of each machine."""
    asked(database)
    return list(charts("".join(map(text, costs.forests(costs.judged())))).values())


def test_each_format_is_drawn_at_its_share_with_an_interval_that_holds_its_runs(drawn):
    found = {(row["what"], row["op"]): row["ratio"] for row in points(drawn[0]) if "what" in row}
    assert len(found) == len(SHARES) * 2
    for (what, _), ratio in found.items():
        [share] = [share for form, share in SHARES.items() if form in what]
        assert ratio == pytest.approx(sum(share) / 3, rel=0.01), what
    # those that differ from run to run by a tenth are not
    assert drawn[0]["title"] == "Slower than the disk itself: 2 of 6 ratios"
    rows = [row for row in points(drawn[0]) if "what" in row]
    assert all(row["low"] < 0.95 < 1.05 < row["high"] for row in rows if "ASIF" in row["what"])
    # and in words, for a pointer and a screen reader
    assert all(row["interval"] == f"{row['low']:.2f} to {row['high']:.2f}" for row in rows)
    assert {(row["what"], row["runs"], row["verdict"]) for row in rows} == {
        ("sparse bundle (UDSB), new", 3, "slower"),
        ("RAW (UDRW), new", 3, "costs next to nothing"),
        ("ASIF, new", 3, "no difference shown"),
    }


def test_too_few_runs_are_not_said_to_be_no_slower(drawn):
    assert drawn[1]["title"] == "Too few runs to say what is slower than the disk itself"
    shown = [(row["ratio"], row["interval"]) for row in points(drawn[1]) if "what" in row]
    assert shown == [(pytest.approx(0.5, rel=0.01), "none")] * 2


def test_the_shares_and_verdicts_of_each_machine_are_in_a_sentence(database, asked):
    asked(database)
    said = text(costs.shown(costs.judged()))
    assert (
        "images without encryption write at 0.80\u00d7 to 1.00\u00d7 and read at "
        "0.80\u00d7 to 1.00\u00d7. Verdicts on 6 ratios: "
    ) in said
    assert "Verdicts on 2 ratios: 2 too few runs." in said
    assert "2 runs, no verdict from fewer than 3" in said
