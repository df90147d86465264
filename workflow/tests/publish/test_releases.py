"""The page of releases: order, distinctions and changes, with the database's numbers."""

import re

import pandas as pd
import pytest
from every_kind import MINI, NEWEST
from rendered import Tables, charts, linked, points, rows, text

from lib.database import query
from lib.releases import answer, by_host, changes, drawn, published

EARLIER = "macos-26.4-25E246"


def test_releases_are_in_numeric_order_and_a_beta_before_its_release(published_only, asked):
    asked(published_only)
    order = drawn.labels(by_host.every())
    wanted = ["12.4", "15.0.1", "15.5", "26 beta", "26.0", "26.3.1 (a)", "26.4"]
    assert [release for release in order if release in wanted] == wanted


def test_every_point_of_a_chart_is_a_figure_of_the_database(site):
    drawn_on_page = charts(site.text("releases.html"))
    known = set(rows(site, "select origin, op, round(gbps, 6) from known_speed"))
    assert drawn_on_page
    for name, spec in drawn_on_page.items():
        marks = points(spec)
        op = name.rpartition("-")[2]
        assert marks, name
        assert all((row["origin"], op, round(row["gbps"], 6)) in known for row in marks), name
        assert {row["basis"] for row in marks} <= {"published", "measured"}
        assert spec["description"]


# basis, encryption, macOS, GB/s: not in the order of the releases
PUBLISHED = [("published", "none", "26.0", 1.0), ("published", "none", "15.5", 10.0)]
# and the release and speed before, with the verdict
LINE = ["basis", "encryption", "macos", "gbps", "earlier", "earlier_gbps", "change"]
MEASURED = [
    ("measured", "AES-256", "26.4", 1.5, "26.0", 1.4, "faster"),
    ("measured", "none", "26.4", 2.0, "26.0", 4.0, "slower"),
    ("measured", "none", "26.0", 4.0, "15.5", 80.0, "not comparable"),
    ("measured", "none", "15.5", 80.0, None, None, None),
]


def step(verdict: str) -> list[tuple]:
    """One measured step with this verdict."""
    return [(*MEASURED[1][:-1], verdict)]


def test_the_measured_lines_of_a_chart_are_of_one_protocol_and_scale(made_up, asked):
    asked(made_up)
    rows = drawn.chosen(by_host.every())
    measured = rows[rows["basis"] == "measured"]
    of_chart = measured.groupby(["host", "storage", "format"])
    assert (of_chart[["protocol", "scale"]].nunique() == 1).all(axis=None)
    # encrypted sparse images were measured by three protocols, plain ones not by the first
    sparse = measured[(measured["format"] == "UDSP") & (measured["storage"] == "internal")]
    assert {"none", "AES-256"} <= set(sparse["encryption"])


@pytest.mark.parametrize(
    ("lines", "kind", "title"),
    [
        # 4.0 to 2.0 is a larger step than 1.4 to 1.5; that from 80 has no verdict
        (
            PUBLISHED + MEASURED,
            "exact",
            "not encrypted, slower from 26.0 to 26.4, 4.00 to 2.00 GB/s",
        ),
        (PUBLISHED + MEASURED[2:], "exact", "not encrypted, 10 to 1 GB/s from 15.5 to 26.0"),
        (
            [("published", "none", release, 7.66) for release in ("26.0", "26.4")],
            "exact",
            "no change (published)",
        ),
        (
            [("published", "none", "26.0", 1.4), ("published", "none", "26.4", 1.5)],
            "exact",
            "changes of at most 7 % (published)",
        ),
        (MEASURED[2:], "exact", "no verdict on a change"),
        (PUBLISHED, "range", "no verdict on a change"),
        (step("no change shown"), "exact", "no change of more than 10 % shown (measured)"),
        (
            step("not beyond the disk"),
            "exact",
            "no change of more than 10 % shown beyond the SSD itself (measured)",
        ),
        (step("too few runs"), "exact", "no verdict on a change"),
        (step("not judged"), "exact", "no verdict on a change"),
    ],
)
def test_the_title_of_a_chart_is_the_largest_change_with_a_verdict_else_a_published_step(
    lines, kind, title, published_only, asked
):
    asked(published_only)
    rows = pd.DataFrame([dict(zip(LINE, line, strict=False)) for line in lines], columns=LINE)
    rows = rows.assign(kind=kind, piece=0, later_gbps=rows["gbps"])
    assert drawn._finding(rows, ["15.5", "26.0", "26.4"]).replace("\u00a0", " ") == title


def test_a_line_connects_figures_that_may_be_compared_and_no_others(made_up, changed, asked):
    reason = "change = 'not comparable', why_not_comparable = ['other-epoch']"
    asked(changed(made_up, f"update release_change set {reason} where later_release = '{NEWEST}'"))
    page = text(by_host.shown(by_host.every()))
    apart = (
        "Figures that may not be compared have no line between them: 26.4 and 27.0 (another epoch)."
    )
    assert apart in page
    drawn_on_page = charts(page)
    assert not [spec for spec in drawn_on_page.values() if "27.0" in spec["title"]]
    releases = {}
    for one in points(drawn_on_page[f"chart-{MINI}-internal-udrw-write"]):
        if one["basis"] == "measured":
            releases.setdefault(one["line"], set()).add(one["macos"])
    assert sorted(map(sorted, releases.values())) == [
        ["26.3.1", "26.4"], ["26.3.1", "26.4"], ["27.0"], ["27.0"],
    ]  # fmt: skip


def test_no_line_connects_published_figures_that_are_perhaps_of_another_encryption(
    published_only, asked
):
    asked(published_only)
    drawn_on_page = charts(text(by_host.shown(by_host.every())))
    # 26.0 may have encrypted the volume; 26.3.1 (a) and 26.4 the image
    for form in ("udrw", "asif"):
        spec = drawn_on_page[f"chart-mac-mini-m4-pro-internal-{form}-write"]
        lines = {one["macos"]: one["line"] for one in points(spec) if one["encryption"] != "none"}
        assert lines["26.3.1 (a)"] == lines["26.4"] != lines["26.0"]
        assert "26.0" not in spec["title"]


def test_a_speed_that_depends_on_the_statistic_is_a_caveat_and_in_no_line(made_up, asked):
    asked(made_up)
    rows = by_host.every()
    depends = rows[rows["statistics_differ"].notna() & (rows["macos"] == "27.0")]
    assert set(depends["note"]) >= {
        "not encrypted, read: depends on the statistic",
        "AES-256, write: depends on the statistic",
    }
    assert depends[depends["before"].notna()]["apart"].all()


def test_no_chart_goes_across_two_drivers_and_no_line_across_two_bases(site):
    drivers = dict(rows(site, "select cell, driver from cell"))
    for spec in charts(site.text("releases.html")).values():
        marks = points(spec)
        assert len({drivers.get(one["origin"]) == "portable" for one in marks}) == 1
        assert all(one["line"].startswith(one["basis"]) for one in marks)


def test_charts_have_names_and_the_caveat_for_26_0(published_site):
    page = published_site.text("releases.html")
    found = re.findall(r"<figure.*?</figure>", page, re.S)
    raw = next(figure for figure in found if "mac-mini-m4-pro-internal-udrw" in figure)
    assert "APFS Encrypted" in raw
    assert "\u2020 known only second-hand" in raw
    # names of a chart without an image, and of a Mac without a model
    assert 'aria-label="the SSD itself, writing: ' in page
    assert ">m1-mac<" not in page
    assert ">a Mac with M1 (model not stated)<" in page


def test_with_one_release_measured_it_is_said_what_comes_next(made_up, changed, asked):
    asked(changed(made_up, "delete from repeated_speed where release not like 'macos-27%'"))
    told = text(answer.shown(changes.pairs().iloc[:0], published.pairs()))
    assert told.startswith(
        "**No image measured under two releases yet (Mac mini M4 Pro, macOS 27.0 (26A5300))**"
    )
    assert "the same command measures the new one" in told


def test_with_nothing_measured_the_articles_speak(published_only, asked):
    asked(published_only)
    told = text(answer.shown(changes.pairs(), published.pairs()))
    assert (
        "from macOS 26.0 to 26.3.1 (a), 2 fell (RAW AES-256 write 4.3 to 1.58 GB/s and ASIF AES-256 "
        "write 3.9 to 1.72 GB/s; perhaps not the same encryption)"
    ) in told
    # of images: the SSD itself is none, and its 7.66 GB/s are perhaps one measurement
    assert "from macOS 26.3.1 (a) to 26.4, 4 differ by at most 3 %" in told


def test_the_first_sentence_counts_as_the_database_does(made_up, asked):
    asked(made_up)
    counts = (
        query(
            """
        select change, count(*) as speeds from release_change
        where later_release like 'macos-27%' and earlier_release like 'macos-26.4%' and consecutive
            and driver <> 'portable' and scale <> 'smoke'
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
        if change in ("faster", "slower", "no change shown", "not beyond the disk")
    )
    assert counts["too few runs"] > 0
    assert f"too few runs: {counts['too few runs']}" in told
    assert f"{counts['faster']} of {judged} measured speeds became faster" in told
    assert f"{counts['no change shown']} show no change of more than 10 %" in told
    assert f"not comparable: {counts['not comparable']}" in told


def test_cells_that_changed_stand_there_and_the_others_are_one_click_away(made_up, asked):
    asked(made_up)
    page = text(changes.shown(changes.pairs()))
    assert page.index("From macOS 26.4 to 27.0") < page.index("From macOS 26.3.1 to 26.4")
    tables = Tables(page).tables
    moved = [row for row in tables["table-changed-1"][1:] if len(set(row)) > 1]
    assert moved
    assert all("faster" in " ".join(row) or "slower" in " ".join(row) for row in moved)
    # the rows of every speed are behind the link, those that changed first
    for _, pair in changes.pairs().groupby(["earlier_release", "later_release"], sort=False):
        earlier, later = pair["earlier_release"].iloc[0], pair["later_release"].iloc[0]
        named = f"earlier_release = '{earlier}' and later_release = '{later}'"
        [behind] = {sql for sql in linked(page) if named in sql}
        found = query(behind)["change"].isin(["slower", "faster"])
        assert len(found) == len(pair)
        assert list(found) == sorted(found, reverse=True)


def test_links_to_rows_have_rows(published_only, asked):
    asked(published_only)
    for shown in (by_host.shown(by_host.every()), published.shown(published.pairs(), "all")):
        statements = linked(text(shown))
        assert statements
        assert all(len(query(sql)) for sql in statements)
