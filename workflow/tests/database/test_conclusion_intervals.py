"""Intervals of the figures of a conclusion, and the verdict if one includes the limit."""

import pytest


def figures(made, comparison):
    """Value, ends and repeats of each measured figure of this comparison."""
    made.asked("encryption-2026", 14)
    return made.connection.execute(
        "select value, low, high, repeats from conclusion_figure "
        "where basis = 'measured' and comparison = ? order by value",
        [comparison],
    ).fetchall()


@pytest.mark.parametrize(
    ("cell", "comparison", "unit"),
    [("UDRW/emptied", "size", 1e9), ("UDRW spread", "spread", 1), ("UDRW rounds", "rounds", 1)],
)
def test_the_interval_is_students_between_runs_and_not_the_range_of_the_repeats(
    world, cell, comparison, unit
):
    made = world("bands-2024", noise=0.1)
    made.add({cell: 2.0})
    [(value, low, high, repeats)] = figures(made, comparison)
    # of 1.8, 2.0 and 2.2; Student's t of two degrees is 4.30265
    expected = (1.553400 * unit, 1.993311 * unit, 2.557801 * unit)
    assert (low, value, high) == pytest.approx(expected, rel=1e-5)
    assert repeats == 3


@pytest.mark.parametrize("what", ["spread", "rounds", "relation"])
def test_what_the_files_of_an_incomparable_run_show_is_no_figure(world, what):
    made = world("bands-2024", comparable=False)
    made.add({f"UDRW {what}": 0.5})
    assert figures(made, what) == []


def test_how_the_writes_of_a_run_follow_their_size_does_not_depend_on_its_reads(world):
    made = world("bands-2024")
    made.add({"UDRW relation": 0.5})
    [alone] = figures(made, "relation")
    # reads of the smaller files alone, of sizes and rates between those of the writes
    made.connection.execute(
        "insert into sample by name select * replace ('read' as op, size_bytes + 500000 as size_bytes) "
        'from sample where "order" <= 40'
    )
    assert alone in figures(made, "relation")


@pytest.mark.parametrize(
    ("last", "expected"), [(0.97, "supported"), (0.8, "contradicted"), (1.25, "contradicted")]
)
def test_the_last_round_is_compared_with_the_first_and_not_the_slowest_with_the_fastest(
    world, last, expected
):
    # of five rounds one always is the slowest, by chance
    made = world("bands-2024")
    made.add({"UDSB rounds": last, "UDRW rounds": 0.97})
    made.connection.execute("update round_speed set round = 5 where round = 2")
    for middle, speed in ((2, 0.85), (3, 1.1), (4, 0.9)):
        made.connection.execute(
            "insert into round_speed by name "
            "select cell, op, ? as round, ? as total_gbps from round_speed where round = 1",
            [middle, speed],
        )
    found, detail = made.answer("bands-2024", 5)
    assert found == expected
    assert f"UDSB: {last:.4g}" in detail


def test_a_run_of_an_older_epoch_does_not_count_among_those_of_a_size(world):
    newer = {f"UDSB/emptied-again run {repeat}": {"epoch": 2} for repeat in (2, 3)}
    made = world("encryption-2026", noise=0.0, methods=newer)
    made.add({"UDSB/emptied-again": [1.0, 4.0, 4.0]})
    [(value, _, _, repeats)] = figures(made, "size")
    assert (value, repeats) == (pytest.approx(4e9), 2)
