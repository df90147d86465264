"""The page of space: published and measured sizes, portable images separately."""

import re

import made_up
import pandas as pd
import pytest
import rendered
from rendered import linked, rows, tables, text, words

from lib import rounds
from lib.database import query
from lib.space import bands, beside, compaction, measured, on_macs, published


def page(site) -> str:
    return site.text("space.html")


def points(site, name: str) -> list[dict]:
    return rendered.points(rendered.charts(page(site))[name])


def test_every_published_size_stands_in_its_order_as_printed(site):
    shown = tables(site, "space.html")["published-sizes"]
    shown = shown[shown["Image"] != shown["State"]]
    stated = rows(
        site,
        """
        select distinct as_printed || ' ' || unit, published_on, table_order
        from article_size_table inner join article using (article)
        order by published_on desc, table_order
        """,
    )
    assert shown["Published"].tolist() == [text for text, *_ in stated]


def test_the_chart_has_a_diamond_for_each_published_size_on_disk(site):
    drawn = {
        (one["what"], round(one["mb"], 3))
        for one in points(site, "chart-sizes")
        if one["basis"] == "published"
    }
    stated = rows(
        site,
        """
        select distinct published_bytes / 1e6 from article_size_table where quantity = 'on-disk'
        """,
    )
    assert {mb for _, mb in drawn} == {round(mb, 3) for (mb,) in stated}


def test_charts_of_sizes_in_two_units_state_the_unit_of_each_row(site):
    drawn = rendered.charts(site.text("articles/bands-2024.html"))
    for name, unit in (("chart-sizes-full", "GB"), ("chart-sizes-empty", "MB")):
        assert {one["unit"] for one in rendered.points(drawn[name])} == {unit}


def test_the_title_of_the_chart_has_the_least_and_the_most_of_an_emptied_image(published_site):
    title = rendered.charts(page(published_site))["chart-sizes"]["title"]
    assert title.replace("\u00a0", " ") == "An emptied image keeps 621 MB to 3.99 GB (published)"


def test_sizes_of_another_mac_or_protocol_do_not_stand_beside_an_article(made_up, asked):
    asked(made_up)
    rows = published.sizes()
    shown = rows[rows["shown"]].groupby("article")["measured_host"].agg(set)
    # each article measured that Mac; the other one ran its protocol as well
    assert shown["encryption-2026"] == {"mac-mini-m4-pro"}
    assert shown["bands-2024"] == {"mac-studio-m1-max"}


@pytest.mark.parametrize(
    ("values", "unit", "told"),
    [
        ([3.21, 1.05, 2.0], "GB", "1.05 to 3.21 GB"),
        ([1443, 382, 382], "bands", "382 to 1,443 bands"),
    ],
)
def test_what_macs_measured_of_a_size_is_from_the_least_to_the_most(values, unit, told):
    places = {"measured_host": ["a", "a", "b"], "measured_release": ["1", "2", "1"]}
    shown = beside._span(pd.DataFrame({"measured_value": values} | places), unit)
    assert words(str(shown)) == f"{told} 2 Macs, 3 combinations of Mac and release"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (1_000_000, "Compaction freed nothing."),
        (999_900, "Compaction freed nothing."),
        (997_000, "Compaction freed 0.3 % of what an emptied image keeps."),
        (400_000, "Compaction freed 60 % of what an emptied image keeps."),
        (1_220_000, "Compaction freed nothing; 1 of 1 image used more space afterwards."),
    ],
)
def test_what_little_compaction_frees_is_neither_nothing_nor_0_per_cent(after, told):
    shown = text(compaction.shown(pd.DataFrame([compacted("UDSB", after)])))
    assert shown.startswith(told)
    assert "macOS compacts only sparse bundles and sparse images." in shown


def test_an_image_that_macos_does_not_compact_is_not_counted():
    shown = compaction.shown(pd.DataFrame([compacted("ASIF", 997_000)]))
    assert text(shown) == "No image was compacted yet."


def compacted(image_format, after) -> dict:
    return {
        "state": "compacted", "state_before": "emptied-again", "bytes_before": 1_000_000,
        "allocated_bytes": after, "driver": "apple", "vouched_by": "own", "host": "h", "release": "r",
        "started_utc": pd.Timestamp("2026-11-01"), "served": "s", "what": "w", "scale": "gold",
        "bands": 1, "bands_before": 2, "protocol": "churn", "format": image_format,
    }  # fmt: skip


def test_the_rows_behind_the_bands_have_the_published_ones(published_only, asked):
    asked(published_only)
    [sql] = linked(text(bands.shown(measured.sizes())))
    assert (12_408, 104_080_000_000) in {
        (row["bands"], row["bytes"]) for row in query(sql).to_dict("records")
    }


def test_bands_are_those_of_articles_and_of_the_mac_that_was_measured_last_with_their_share(site):
    shown = tables(site, "space.html")["bands"]
    # 104.08 GB in 12,408 bands, 1.12 GB in 135
    assert "12,408" in set(shown["Bands"])
    each = {text.split(" of ")[0] for text in shown["On disk for each band"]}
    assert {"8.39 MB", "8.3 MB"} <= each
    titles = shown.index[shown["Bands"].str.startswith("Measured: ")]
    last = rows(
        site,
        """
        with bundles as (
            select * from comparable_size
            where format = 'UDSB' and bands > 0 and driver = 'apple' and repeat = 1
        )
        select bands, allocated_bytes / bands / 1e6 from bundles
        where (host, release) = (select arg_max((host, release), started_utc) from bundles)
        """,
    )
    [title] = titles
    ours = shown.loc[title + 1 :]
    told = [float(text.split()[0]) for text in ours["On disk for each band"]]
    assert sorted(ours["Bands"]) == sorted(f"{bands:,}" for bands, _ in last)
    assert sorted(told) == pytest.approx(sorted(each for _, each in last), abs=0.051)


def test_a_chart_of_states_is_titled_with_the_most_when_full_and_the_sizes_of_the_last(site):
    titles = {
        name: spec["title"].replace("\u00a0", " ")
        for name, spec in rendered.charts(page(site)).items()
        if name.startswith("chart-states-")
    }
    assert titles
    for name, title in titles.items():
        drawn = [(one["state"], one["mb"] / 1000) for one in points(site, name)]
        most = max(gb for state, gb in drawn if state != "new")
        last = [gb for state, gb in drawn if state == "compacted"]
        ends = f"{min(last):.3g} GB to {max(last):.3g} GB compacted"
        assert title == f"Up to {most:.3g} GB when full, {ends} (apple)"


def test_images_of_our_own_stand_on_the_page_of_this_machine_alone(site):
    mark = re.compile(r'id="(?:chart|table)-[\w-]*portable[\w-]*"')
    assert not mark.search(page(site))
    assert mark.search(site.text("this-machine.html"))


def test_the_first_sentence_counts_as_compared_only_what_has_a_verdict(either_site):
    first = re.search(r"Allocated size of a 100 GB image, .*?</p>", page(either_site), re.S)[0]
    judged = rows(
        either_site,
        """
        select count(*) from comparable_article_size
        where measured_value is not null and verdict in ('reproduced', 'larger', 'smaller')
        """,
    )[0][0]
    said = re.search(r", of ([\d,]+) figures? ", first)
    assert (int(said[1].replace(",", "")) if said else 0) == judged
    assert "another release" not in first
    nothing = either_site.name == "published_only"
    assert ("No Mac has been measured yet" in first) == nothing


def bundle(repeat, filled, epoch=3, **cell) -> dict:
    """A run of a sparse bundle on a Mac, which is so large when it was filled."""
    usual = {"host": "mac-mini-m4-pro", "release": "macos-26.4-25E246", "driver": "apple"}
    parts = {
        "harness": {"epoch": epoch},
        "host": {"virtual_machine": False},
        "warnings": [],
        "started_utc": f"2026-11-20T18:{repeat:02d}:00Z",
    }
    image = {"format": "UDSB", "encryption": "none", "protocol": "churn", "repeat": repeat}
    record = made_up.record(None, parts, **(usual | image | cell))
    record["image"] = made_up.image(record)
    record = made_up.rounds(record, filled / 1e9, filled / 2e9)
    states = [("new", 1e9), ("churned", filled), ("emptied", 2e9)]
    return made_up.sized(record, *((state, int(size), 100, None) for state, size in states))


def test_sizes_and_rounds_are_those_of_the_first_measured_run_of_the_newest_epoch(built, asked):
    full = made_up.without_figures(bundle(1, 3e9), "failed", "the disk was full")
    asked(built("first-runs", [full, bundle(2, 4e9, epoch=2), bundle(3, 5e9), bundle(4, 6e9)]))
    rows = measured.sizes()
    assert rows[rows["state"] == "churned"]["allocated_bytes"].tolist() == [5e9]
    assert rounds.rounds()["total_gbps"].tolist() == pytest.approx([5, 2.5])
    page = text(on_macs.shown(rows))
    of_chart = [sql for sql in linked(page) if "qualify" in sql]
    assert len(of_chart) == 4
    for sql in of_chart:
        assert set(query(sql)["cell"].str.split("/").str[-2]) == {"3"}


def test_sizes_of_our_own_images_are_of_measured_runs(built, asked):
    ours = {"host": "made-up-linux", "release": "debian-12-6.1.147", "driver": "portable"}
    failed = bundle(1, 4e9, **ours) | {"status": "failed", "reason": "the disk was full"}
    asked(built("first-of-ours", [failed, bundle(2, 5e9, **ours)]))
    rows = measured.sizes(measured.OF_OURS)
    assert set(rows["repeat"]) == {2}
