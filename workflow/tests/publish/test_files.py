"""The page of every file agrees with the database."""

import re

import duckdb
import pandas as pd
import pytest
from rendered import charts as all_charts
from rendered import linked, rows, tables, text

from lib import runs
from lib.files import finding, measured
from lib.files import sections as drawn


def page(site) -> str:
    return site.text("files.html")


def charts(site, kind: str) -> dict[str, dict]:
    return {name: spec for name, spec in all_charts(page(site)).items() if re.search(kind, name)}


def sections(site) -> list[str]:
    return re.findall(r'<section class="files-of-cell".*?</section>', page(site), re.DOTALL)


def points(spec: dict) -> list[dict]:
    return max(spec["datasets"].values(), key=len)


def test_every_point_of_a_chart_is_a_file_of_the_cell_that_its_link_shows(site):
    drawn = charts(site, r"^chart-files-.*-size$")
    assert len(drawn) == len(sections(site))
    for spec, section in zip(drawn.values(), sections(site), strict=True):
        sql = linked(section)[0].replace("&#x27;", "'")
        with duckdb.connect(str(site.database), read_only=True) as connection:
            columns = 'op, "order", size_bytes / 1e6, elapsed_ns / 1e6'
            files = connection.execute(f"select {columns} from ({sql})").fetchall()
        shown = {(one["op"], one["order"]): (one["mb"], one["ms"]) for one in points(spec)}
        assert set(shown) == {(op, order) for op, order, *_ in files}
        for op, order, mb, ms in files:
            assert shown[op, order] == pytest.approx((mb, ms), abs=1e-5)
        # with rings around outliers
        [cell] = set(re.findall(r"cell = '([^']+)'", sql))
        outliers = rows(
            site, f"""select op, "order" from file_outlier where cell = '{cell}' order by all"""
        )
        rings = sorted((one["op"], one["order"]) for one in points(spec) if one["outlier"])
        assert rings == outliers


def test_the_fitted_line_has_the_slope_and_the_start_of_the_database(site):
    for spec in charts(site, r"^chart-files-.*-size$").values():
        curves = [values for values in spec["datasets"].values() if "fit" in values[0]]
        [curve] = curves
        write = [one for one in curve if one["op"] == "write" and one["fit"]]
        low, high = write[-2:]
        slope = (high["mb"] - low["mb"]) / (high["fit"] - low["fit"])
        told = re.search(r"writing ([\d.]+) GB/s", spec["title"])
        assert slope == pytest.approx(float(told[1]), rel=0.02, abs=0.006)


def test_the_sets_of_five_rounds_follow_one_another(made_up, asked):
    asked(made_up)
    cells = runs.cells().query("protocol == 'churn' and status == 'measured'").head(1)
    shown = all_charts(text(drawn.shown(measured.summaries(), cells)))
    [spec] = [spec for name, spec in shown.items() if name.endswith("-order")]
    sets = {one["set"]: one["order"] for one in points(spec) if one["op"] == "write"}
    # of each set its last file
    assert sets == {number: 16 * number for number in range(1, 51)}


def test_the_rows_of_every_cell_are_one_click_away(site):
    behind = [
        sql for sql in linked(page(site)) if "from file_summary" in sql and "where" not in sql
    ]
    found = {cell for sql in behind for (cell,) in rows(site, f"select cell from ({sql})")}
    assert found == {cell for (cell,) in rows(site, "select cell from file_summary")}


def summary(*correlations: float) -> pd.DataFrame:
    """Passes of 1,000 files each, with the correlation of order and rate, all of them significant."""
    return pd.DataFrame(
        [
            {
                "cell": str(at), "files": 1_000, "outliers": 0, "slow_outliers": 0,
                "order_correlation": value, "order_counts": True, "first_file_ratio": None,
                "p95_gbps": 2.0, "p5_gbps": 1.0,
            }
            for at, value in enumerate(correlations)
        ]
    )  # fmt: skip


def test_it_is_said_in_how_many_passes_later_files_are_slower():
    told = "in 3 of 3 passes; in 1 of these, later files are slower."
    shown = text(finding.shown(summary(-0.5, 0.4, 0.3)))
    assert f"The order of the files matters {told}" in shown


def test_an_effect_of_order_that_is_not_shown_is_not_denied():
    # chance alone gives such a correlation of 80 files in one of 500 passes
    fit = {"op": "write", "order_correlation": -0.35, "order_counts": False}
    assert drawn._ordered([fit]) == "Writing, no effect of order shown (\u22120.35)"


def test_the_range_that_an_article_states_is_on_the_page(either_site):
    stated = rows(
        either_site,
        """
        select as_printed, value, value_to from published_figure
        where kind = 'range' and contains(condition, 'single files')
        """,
    )
    assert stated
    # once, in its sentence
    said = either_site.words("files.html").partition("An article of July 2022 says")[2]
    assert said.partition("\u201d.")[0].count("\u201c20 MB/s to 3.1 GB/s") == 1
    for printed, low, high in stated:
        assert printed in page(either_site)
        values = [
            one
            for spec in charts(either_site, "^chart-spread-(apple|published)").values()
            for values in spec["datasets"].values()
            for one in values
            if "quote" in one
        ]
        assert (float(low), float(high)) in {(one["low"], one["high"]) for one in values}


def test_a_cell_is_chosen_from_a_list_with_a_label(site):
    text = page(site)
    assert '<label for="choose-cell">' in text
    options = re.findall(r'<option value="([^"]+)">(.*?)</option>', text)
    assert [value for value, _ in options] == re.findall(
        r'class="files-of-cell" id="([^"]+)"', text
    )
    # one of each machine, the one measured last first: its first new sparse bundle
    assert [name for _, name in options] == [
        "Mac mini M4 Pro, macOS 27.0 (26A5300): sparse bundle (UDSB), new, repeat 1 (driver apple, gold)",
        "stand-in-mac-mini-m4-pro, macOS 27.0 (26A5) (stand-in, no Mac): sparse bundle (UDSB) AES-256, "
        "new (driver apple, smoke)",
        "linux-box, Debian 12 (6.1): sparse bundle (UDSB), new (driver portable, smoke)",
        "Mac Studio M1 Max, macOS 15.6 (24G84): sparse bundle (UDSB), new, repeat 1 (driver apple, gold)",
    ]


def test_the_first_files_and_the_effect_of_order_are_those_of_each_machine_s_passes(site):
    expected = rows(
        site,
        """
        with newest as (
            select host, arg_max(release, started_utc) as release, max(started_utc) as last
            from cell group by host
        )
        select
            driver, os_version,
            median(first_file_ratio), min(first_file_ratio), max(first_file_ratio),
            count(*) filter (where order_counts), count(*),
            count(*) filter (where order_counts and order_correlation < 0)
        from file_summary inner join cell using (cell) inner join newest using (host, release)
        where first_file_ratio is not null
        group by host, driver, os_version, op
        order by max(last) desc, driver <> 'native', op desc
        """,
    )
    assert {counting for *_, counting, _, _ in expected} == {0, 2}
    found = tables(site, "files.html")["first-files"].to_numpy().tolist()
    assert len(found) * 2 == len(expected)
    for (machine, *cells), *both in zip(found, expected[::2], expected[1::2], strict=True):
        told = []
        for driver, version, middle, low, high, counting, passes, slower in both:
            assert f" {version} (" in machine and machine.endswith(f"(driver {driver})")
            told += [
                f"{middle:.2f}\u00d7 {low:.2f}\u00d7 to {high:.2f}\u00d7",
                f"{counting} of {passes}" + (f" {slower} slower" if counting else ""),
            ]
        assert cells == told
