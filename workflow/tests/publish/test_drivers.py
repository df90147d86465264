"""Images of macOS, our own images and native files are never in one chart, and are labelled."""

import re

import rendered
from rendered import points, rows, text, words

from lib import this_machine


def charts(site, page: str) -> dict[str, tuple[str, dict]]:
    """The charts of a page by name: what readers are told, and the specification."""
    specs = rendered.charts(site.text(page))
    return {name: (spec["description"], spec) for name, spec in specs.items()}


def speeds(site, driver: str) -> set[float]:
    figures = rows(
        site,
        f"select gbps from repeated_speed where driver = '{driver}' and gbps > 0",
    )
    return {figure for (figure,) in figures}


def test_each_chart_of_speeds_has_the_figures_of_one_driver_and_names_it(site):
    drivers = {
        "hosts.html": "select distinct driver from comparable_speed",
        "this-machine.html": "select distinct driver from cell where scale = 'smoke'",
    }
    for page, sql in drivers.items():
        seen = set()
        for name, (label, spec) in charts(site, page).items():
            if not name.startswith(("chart-measured", "chart-alone")):
                continue
            [driver] = re.findall(r"driver (\w+)", label)
            seen.add(driver)
            assert f"-{driver}-" in name
            assert spec["title"].endswith(f"({driver})")
            assert {point["speed"] for point in points(spec)} <= speeds(site, driver), name
        assert seen == {driver for (driver,) in rows(site, sql)}, page


def test_every_speed_of_newest_releases_is_drawn_once_but_for_reads_from_memory(site):
    drawn = [
        point["speed"]
        for page in ("hosts.html", "this-machine.html")
        for name, (_, spec) in charts(site, page).items()
        if name.startswith(("chart-measured", "chart-alone"))
        for point in points(spec)
    ]
    expected = rows(
        site,
        """
        select gbps from repeated_speed
        where statistic = 'theil_sen' and gbps is not null and (host, release) in (
            select (host, arg_max(release, started_utc)) from cell group by host
        ) and not (
            coalesce(list_contains(why_not_comparable, 'read-from-memory'), false)
            and scale = 'smoke'
        )
        """,
    )
    assert sorted(drawn) == sorted(speed for (speed,) in expected)


def test_charts_of_files_have_one_driver_each(site):
    for name, (label, _) in charts(site, "files.html").items():
        if name.startswith("chart-files"):
            [driver] = re.findall(r"driver (\w+)", label)
            assert f"-{driver}-" in name
            assert bool(re.search("the (SSD|disk) itself", label)) == (driver == "native")


def test_the_page_says_first_whose_runs_these_are_and_that_they_say_nothing_of_a_mac(site):
    page = site.text("this-machine.html")
    first = words(page.split('id="first"')[1].split("</p>")[0])
    assert "<h1>Demonstration runs</h1>" in re.sub(r"<h1 [^>]*>", "<h1>", page)
    assert "A demonstration, measured on" in first
    assert "linux-box, Debian 12 (6.1)" in first
    assert "says nothing about how fast macOS or a Mac is" in first
    assert "(own layout)" in page
    assert "have our own layout: Apple\u2019s is not public" in page


def test_reads_that_may_have_come_from_memory_are_counted_where_there_are_any(
    made_up, published_only, asked
):
    asked(made_up)
    said = text(this_machine.left_out())
    assert said.startswith("2 reads that may have come from memory are not shown")
    assert "(hosts.html)" in said
    asked(published_only)
    assert this_machine.left_out() is None
