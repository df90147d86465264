"""The page of releases: their order, what is told apart, and what changed, with the database's numbers."""

import re

import pytest
from rendered import Tables, charts, linked, points

from lib.releases import answer, by_host, changes, figures, published


@pytest.fixture(scope="module", params=["published_only", "made_up", "macs"])
def shown(request):
    """The modules of the page answer from each of the three databases; gives what they show by host."""
    with pytest.MonkeyPatch.context() as patch:
        loaded(request.getfixturevalue(request.param), patch)
        yield text(by_host.shown(figures.every()))


def loaded(database, monkeypatch):
    from lib.database import connect

    monkeypatch.setenv("DISKBENCH_DATABASE", str(database))
    connect.cache_clear()


@pytest.fixture(autouse=True)
def closed():
    """No test leaves its database to the next one."""
    from lib.database import connect

    yield
    connect.cache_clear()


def text(shown) -> str:
    return shown.bundle["text/markdown"] if shown else ""


def test_releases_stand_in_the_order_of_their_numbers_and_a_beta_before_its_release(
    published_only, monkeypatch
):
    loaded(published_only, monkeypatch)
    order = figures.labels(figures.every())
    wanted = ["12.4", "15.0.1", "15.5", "26 beta", "26.0", "26.3.1 (a)", "26.4"]
    assert [release for release in order if release in wanted] == wanted


def test_every_point_of_a_chart_is_a_figure_of_the_database(shown):
    drawn_on_page = charts(shown)
    known = {
        (row["origin"], row["op"], round(row["gbps"], 6))
        for row in figures.every().to_dict("records")
    }
    assert drawn_on_page
    for name, spec in drawn_on_page.items():
        drawn = points(spec)
        op = name.rpartition("-")[2]
        assert drawn, name
        assert all((row["origin"], op, round(row["gbps"], 6)) in known for row in drawn), name
        assert {row["basis"] for row in drawn} <= {"published", "measured"}
        assert spec["description"]


def test_no_chart_goes_across_two_drivers_and_no_line_across_two_bases(shown):
    from lib.database import query

    drivers = query("select cell, driver from cell").set_index("cell")["driver"]
    for spec in charts(shown).values():
        rows = points(spec)
        ours = {drivers.get(row["origin"]) == "portable" for row in rows}
        assert len(ours) == 1
        assert all(row["line"].startswith(row["basis"]) for row in rows)


def test_the_doubt_about_26_0_stands_beside_the_figure(published_only, monkeypatch):
    loaded(published_only, monkeypatch)
    page = text(by_host.shown(figures.every()))
    found = re.findall(r"<figure.*?</figure>", page, re.S)
    raw = next(figure for figure in found if "mac-mini-m4-pro-internal-udrw" in figure)
    assert "APFS Encrypted" in raw
    assert "\u2020 known only second-hand" in raw


def test_published_speeds_stand_as_printed_and_as_each_direction_is_meant(
    published_only, monkeypatch
):
    loaded(published_only, monkeypatch)
    rows = figures.every()
    rows = rows[(rows["basis"] == "published") & (rows["macos"].isin(["15.0.1", "26.3.1 (a)"]))]
    said = {(row["origin"], row["format"], row["op"]): set() for row in rows.to_dict("records")}
    for row in rows.to_dict("records"):
        said[row["origin"], row["format"], row["op"]].add(f"{row['kind']} {row['as_printed']}")
    # read \u201caround 2.2\u201d, but written at 2.0
    assert {"about 2.2"} < said["performance-2024", "UDSP", "read"]
    assert {"exact 2.0"} < said["performance-2024", "UDSP", "write"]
    assert "exact 6.10" in said["encryption-2026", "UDRW", "read"]
    assert said["bands-2024", "UDRW", "write"] == {"exact 1.0"}


def test_with_one_release_measured_it_is_said_what_comes_next(made_up, monkeypatch):
    loaded(made_up, monkeypatch)
    told = text(answer.shown(changes.pairs().iloc[:0], published.pairs()))
    assert "nothing to compare yet" in told
    assert "`bash workflow/run.sh`" in told


def test_with_nothing_measured_the_articles_speak(published_only, monkeypatch):
    loaded(published_only, monkeypatch)
    told = text(answer.shown(changes.pairs(), published.pairs()))
    assert "No Mac has been measured yet" in told
    assert "from 26.0 to 26.3.1 (a)" in told
    assert "4.3 to 1.58" in told


def test_the_first_sentence_counts_as_the_database_does(macs, monkeypatch):
    from lib.database import query

    loaded(macs, monkeypatch)
    counts = (
        query(
            """
        select change, count(*) as speeds from release_change
        where later_release like 'macos-27%' and earlier_release like 'macos-26.4%' and consecutive
        group by change
        """
        )
        .set_index("change")["speeds"]
        .to_dict()
    )
    told = text(answer.shown(changes.pairs(), published.pairs()))
    judged = sum(
        count
        for change, count in counts.items()
        if change not in ("not comparable", "too few runs")
    )
    assert counts["too few runs"] > 0
    assert f"{counts['too few runs']} more have too few runs" in told
    assert f"{counts['faster']} faster" in told
    assert f"of {judged} measured speeds" in told
    assert f"{counts['no change shown']} no change is shown" in told


def test_cells_that_changed_stand_there_and_the_others_are_one_click_away(macs, monkeypatch):
    loaded(macs, monkeypatch)
    page = text(changes.shown(changes.pairs()))
    assert page.index("From macOS 26.4 to 27.0") < page.index("From macOS 26.3.1 to 26.4")
    tables = Tables(page).tables
    moved = [row for row in tables["table-changed-1"][1:] if len(set(row)) > 1]
    assert moved
    assert all("faster" in " ".join(row) or "slower" in " ".join(row) for row in moved)
    cells = changes.pairs()[["earlier_cell", "later_cell"]].drop_duplicates()
    lines = [
        row
        for name, rows in tables.items()
        if name.startswith("table-changed")
        for row in rows[1:]
        if len(set(row)) > 1
    ]
    left_out = re.findall(r"No change shown: (\d+) cells: \[its rows, in SQL\]", page)
    assert left_out
    assert len(lines) + sum(map(int, left_out)) == len(cells)


def test_links_to_rows_run_as_they_stand(shown):
    from lib.database import connect

    page = shown + text(published.shown(published.pairs()))
    statements = set(linked(page))
    assert statements
    for statement in statements:
        assert connect().execute(statement).fetchall()
