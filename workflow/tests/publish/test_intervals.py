"""An interval on a page includes the variation between runs, or is labelled as within one run."""

import re

import pandas as pd
import pytest
from rendered import charts, rows, without_scripts, words

from lib import runs
from lib.charts import parts


def drawn(site, page: str, name: str) -> list[dict]:
    """The measured points of the charts whose name begins like this, each with its axis's end."""
    found = []
    for chart, spec in charts(site.text(page)).items():
        if not chart.startswith(name):
            continue
        for points in spec["datasets"].values():
            found += [
                point | {"op": chart.rpartition("-")[2]}
                for point in points
                if point.get("basis", "measured") == "measured"
            ]
    return found


def between_runs(site) -> dict[tuple[str, float], tuple[float | None, float | None, int]]:
    """Of each headline over its runs: the ends of its interval, and how many they are."""
    of_speed = rows(
        site,
        "select op, gbps, gbps_low, gbps_high, runs from repeated_speed "
        "where statistic = 'theil_sen' and gbps is not null",
    )
    return {(op, round(gbps, 9)): tuple(ends) for op, gbps, *ends in of_speed}


@pytest.mark.parametrize(
    ("page", "name", "speed"),
    [("hosts.html", "chart-measured", "speed"), ("releases.html", "chart-ma", "gbps")],
)
def test_what_is_drawn_around_a_speed_is_its_interval_between_runs(site, page, name, speed):
    # three runs of each new image, one of the others
    known = between_runs(site)
    points = drawn(site, page, name)
    several = 0
    for point in points:
        low, high, count = known[point["op"], round(point[speed], 9)]
        if count < 3:
            assert point["low"] is point["high"] is None
            continue
        several += 1
        assert point["low"] == pytest.approx(low)
        assert point["high"] == pytest.approx(high)
    assert several > 10


def test_every_caption_with_an_interval_says_which(site):
    for page in site.pages:
        shown = without_scripts(site.text(page))
        for caption in re.findall(r"<(?:fig)?caption[^>]*>(.*?)</(?:fig)?caption>", shown, re.S):
            told = words(caption)
            if "95 % interval" in told and "no interval" not in told:
                assert re.search(r"\b(runs?|rounds?)\b|corrected p", told), (page, told)


@pytest.mark.parametrize(
    ("of_runs", "intervals", "told"),
    [
        ([1, 1], [None, None], "One run: no interval, which needs three runs."),
        ([2, 1], [None, None], "Mean of 1 to 2 runs: no interval"),
        ([3, 3], [1.0, 2.0], "Mean of 3 runs, with the 95 % interval across runs."),
        ([1, 3], [None, 2.0], "Mean of 1 to 3 runs, with the 95 % interval across runs (where "),
    ],
)
def test_a_caption_says_of_how_many_runs_speeds_are_the_mean(of_runs, intervals, told, monkeypatch):
    monkeypatch.setattr(runs.rules, "fewest_runs", lambda: "three")
    rows_of = pd.DataFrame({"runs": of_runs, "gbps_low": pd.array(intervals, dtype="Float64")})
    assert runs.counted(rows_of).startswith(told)


def test_an_interval_that_is_very_wide_is_whole_in_the_rows_of_its_chart(monkeypatch):
    monkeypatch.setattr(runs.rules, "fewest_runs", lambda: "three")
    speeds = pd.DataFrame(
        {"gbps": [5.0, 4.0, 3.0], "gbps_low": [0.5, 3.9, None], "gbps_high": [50.0, 4.1, None]}
    )
    # the axis ends at twice the fastest speed, and a twentieth
    assert parts.end(speeds) == pytest.approx(10.5)
    drawn_rows = parts.with_intervals(speeds)
    assert drawn_rows["high"].tolist() == pytest.approx([50.0, 4.1, float("nan")], nan_ok=True)
    assert drawn_rows["low"].tolist() == pytest.approx([0.5, 3.9, float("nan")], nan_ok=True)
    # as in its tooltip
    assert drawn_rows["range"].tolist() == [
        "0.50 to 50.00",
        "3.90 to 4.10",
        "none: fewer than three runs",
    ]
    # where no interval is that wide the axis ends behind them all
    assert parts.end(speeds.iloc[1:]) == pytest.approx(1.05 * 4.1)
