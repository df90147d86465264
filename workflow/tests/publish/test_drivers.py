"""Images of macOS, images of our own and native files: never in one chart, and each told what it is."""

import json
import re

import pandas as pd
from rendered import joined, rows, tables

from lib import costs, words

CHART = re.compile(
    r'<div class="chart" id="([^"]+)"[^>]*aria-label="([^"]*)">'
    r'<script type="application/json">(.*?)</script>',
    re.DOTALL,
)
MARK = "(own layout)"


def charts(site, page: str) -> dict[str, tuple[str, dict]]:
    """The charts of a page by name: what readers are told, and the specification."""
    text = (site.folder / page).read_text(encoding="utf-8")
    return {name: (label, json.loads(spec)) for name, label, spec in CHART.findall(text)}


def points(spec: dict) -> list[dict]:
    [values] = spec["datasets"].values()
    return values


def speeds(site, driver: str) -> set[float]:
    figures = rows(
        site,
        f"select gbps from repeated_speed where driver = '{driver}' and gbps > 0",
    )
    return {figure for (figure,) in figures}


def test_each_chart_of_speeds_has_the_figures_of_one_driver_and_names_it(site):
    drivers = {driver for (driver,) in rows(site, "select distinct driver from cell")}
    for page in ("index.html", "hosts.html"):
        seen = set()
        for name, (label, spec) in charts(site, page).items():
            if not name.startswith("chart-measured"):
                continue
            [driver] = re.findall(r"driver (\w+)", label)
            seen.add(driver)
            assert f"-{driver}-" in name
            assert spec["title"].endswith(f"({driver})")
            assert {point["speed"] for point in points(spec)} <= speeds(site, driver), name
        assert seen == drivers if page == "hosts.html" else seen <= drivers


def test_the_page_of_hosts_draws_every_speed_over_its_runs_of_newest_releases(site):
    drawn = [
        point["speed"]
        for name, (_, spec) in charts(site, "hosts.html").items()
        if name.startswith("chart-measured")
        for point in points(spec)
    ]
    expected = rows(
        site,
        """
        select gbps from repeated_speed
        where statistic = 'theil_sen' and gbps is not null and (host, release) in (
            select (host, arg_max(release, started_utc)) from cell group by host
        )
        """,
    )
    assert sorted(drawn) == sorted(speed for (speed,) in expected)


def test_charts_of_files_have_one_driver_each(site):
    for name, (label, _) in charts(site, "files.html").items():
        if name.startswith("chart-files"):
            [driver] = re.findall(r"driver (\w+)", label)
            assert f"-{driver}-" in name
            assert ("no image" in label) == (driver == "native")


def test_a_site_without_measurements_has_no_table_of_cells_costs_or_compaction(rendered_site):
    site = rendered_site("published_only")
    hosts, space = (tables(site, page) for page in ("hosts.html", "space.html"))
    assert joined(site, "hosts.html", "cells") is None
    assert not [name for name in hosts if name.startswith("format-cost")]
    assert not [name for name in space if name.startswith(("states-", "compaction-"))]
    text = (site.folder / "hosts.html").read_text(encoding="utf-8")
    assert "None yet: no image was measured with driver portable." in text
    assert MARK not in text


def test_each_heading_of_the_table_of_cells_names_one_driver(measured_site):
    shown = joined(measured_site, "hosts.html", "cells")
    headings = shown[shown["Status"] == shown["Cell"]]["Cell"].tolist()
    expected = rows(
        measured_site,
        "select distinct release, driver from cell where driver is not null order by all",
    )
    assert len(headings) == len(set(headings)) == len(expected)
    for slug, driver in expected:
        _, version, build = slug.split("-", 2)
        release = f" {version} ({build})"
        assert [h for h in headings if release in h and f"(driver {driver})" in h], headings


def test_what_the_format_costs_stands_on_the_page_of_hosts(measured_site):
    stated = rows(
        measured_site,
        """
        select cell, op, ratio, ratio_low, ratio_high, verdict, reasons, runs, files from format_cost
        order by cell, op
        """,
    )
    named = tables(measured_site, "hosts.html")
    shown = pd.concat(table for name, table in named.items() if name.startswith("format-cost"))
    shown = shown[shown["State"] != shown["Image"]]  # without the lines that name a run
    assert len(shown) == len({cell for cell, *_ in stated})
    expected = {"write": [], "read": []}
    for _, op, ratio, low, high, verdict, codes, runs, files in stated:
        span = "" if low is None else f"{low:.2f} to {high:.2f}; "
        figure = "no ratio" if ratio is None else f"{ratio:.2f}\u00d7 {span}{files} files"
        few = [words.REASONS[code]["few"] for code in words.REASONS if code in (codes or [])]
        if verdict == "too few runs":
            few = [f"{'one run' if runs == 1 else f'{runs} runs'}, no verdict from fewer than 3"]
        expected[op].append((figure, f"{verdict} {'; '.join(few)}".strip()))
    for op, name in (("write", "Write"), ("read", "Read")):
        found = zip(shown[f"{name}, of native"], shown[f"Verdict, {op}"], strict=True)
        assert sorted(found) == sorted(expected[op])


def test_the_cost_of_a_format_is_told_in_a_sentence_before_its_table(site):
    span = """
        select min(ratio), max(ratio) from format_cost
        where verdict not in ('not comparable', 'not compared') and op = 'write' and encryption {} 'none'
    """
    text = (site.folder / "hosts.html").read_text(encoding="utf-8")
    text = text.partition('id="table-format-cost"')[0]
    for kind, sign in (("images without encryption", "="), ("encrypted ones", "<>")):
        [(low, high)] = rows(site, span.format(sign))
        told = low is not None and f"{kind} write at {low:.2f}\u00d7 to {high:.2f}\u00d7"
        assert (told in text) if told else (kind not in text)
    judged = rows(site, "select verdict, count(*) from format_cost group by all")
    assert all(f"{count} {verdict}" in text for verdict, count in judged)


def test_a_machine_without_native_cells_is_told_why_nothing_is_compared():
    why = "not compared: no native cell"
    row = {"host": "x", "release": "y", "scale": "gold", "encryption": "none", "ratio": None}
    row |= {"stand_in": False}
    row |= {"verdict": "not compared", "reasons": ("no-native",)}
    told = costs.answer(pd.DataFrame([row | {"op": "write"}, row | {"op": "read"}]))
    assert told.bundle["text/markdown"] == (
        f"**x, y, scale gold**: no ratio can be judged ({why}). Verdicts on 2 ratios: 2 not compared."
    )


def test_reads_that_may_have_come_from_memory_are_hollow_and_in_no_title(site):
    warm = rows(
        site,
        """
        select gbps from repeated_speed
        where statistic = 'theil_sen' and gbps > 0
            and list_contains(why_not_comparable, 'read-from-memory')
        """,
    )
    drawn = [
        point
        for name, (_, spec) in charts(site, "hosts.html").items()
        if name.startswith("chart-measured")
        for point in points(spec)
    ]
    assert {point["speed"] for point in drawn if point["memory"]} == {speed for (speed,) in warm}
    page = (site.folder / "hosts.html").read_text(encoding="utf-8")
    assert ("Hollow: these reads may have come from memory." in page) == bool(warm)
    for name, (_, spec) in charts(site, "hosts.html").items():
        if name.startswith("chart-measured"):
            told = [point["speed"] for point in points(spec) if not point["memory"]]
            assert f"{max(told):.2f} GB/s" in spec["title"]


def test_a_measured_figure_beside_a_published_one_names_our_driver_and_our_layout(measured_site):
    shown = tables(measured_site, "articles/encryption-2026.html")
    shown = pd.concat(
        [table for name, table in shown.items() if name.startswith("figures-three-tests")]
    )
    [(ours,)] = rows(
        measured_site,
        """
        select count(distinct (table_order, measured_release)) from article_table
        where article = 'encryption-2026' and table_name = 'three-tests'
            and measured_driver = 'portable'
        """,
    )
    where = shown[shown["Measured on"] != shown["Image"]]
    assert where["Measured on"].str.contains("driver portable").sum() == ours > 0
    marked = where[where["Measured on"].str.contains("own layout")]
    assert set(marked["Image"].str.split(" ").str[0]) == {"AES-256"}


def test_what_we_added_to_the_protocol_of_the_article_is_said_to_be_ours(site):
    article = (site.folder / "articles" / "encryption-2026.html").read_text(encoding="utf-8")
    assert "What follows the last read is ours" in article
    page = (site.folder / "space.html").read_text(encoding="utf-8")
    if "table-states-portable-1" in page:
        assert "“emptied at the end” and “compacted”: ours, after the article\u2019s steps" in page
        assert "In usage phases it is ours, after the article\u2019s steps" in page


def test_long_tables_are_folded_away_and_what_stands_in_them_is_told_outside(site):
    page = (site.folder / "hosts.html").read_text(encoding="utf-8")
    folds = re.findall(r"<details.*?<summary>(.*?)</summary>(.*?)</details>", page, re.DOTALL)
    inside = {
        name: title for title, text in folds for name in re.findall(r'id="table-([\w.-]+)"', text)
    }
    hosts = rows(site, "select host, status, count(*) from cell group by all")
    every = {host for host, *_ in hosts}
    kinds = ("cells", "days", "conditions", "ceiling")
    assert set(inside) >= {f"{kind}-{host}" for kind in kinds for host in every}
    assert ("format-cost-further" in inside) == bool(hosts)
    # what is outside is the head of the page, the cost of formats, and what was refused
    outside = set(tables(site, "hosts.html")) - set(inside)
    assert outside <= {"hosts", "format-cost", "refused"}
    for host, status, count in hosts:
        assert f"{count} {status}" in inside[f"cells-{host}"]


def test_an_encrypted_asif_image_of_our_own_is_marked_wherever_it_stands(measured_site):
    page = (measured_site.folder / "hosts.html").read_text(encoding="utf-8")
    assert "how Apple lays out an encrypted ASIF image is not publicly known" in page
    for name, (label, spec) in charts(measured_site, "hosts.html").items():
        for point in points(spec):
            cell = point.get("image") or point.get("what") or ""
            if cell.startswith("ASIF AES"):
                assert (MARK in cell) == ("driver portable" in label), name
    named = tables(measured_site, "hosts.html")
    assert any(MARK in text for text in named["format-cost"]["Image"])
    given = tables(measured_site, "space.html")["compaction-portable"]
    assert any(MARK in text for text in given["Cell"])
    # macOS's own are not ours
    served = ""
    for line in joined(measured_site, "hosts.html", "cells").to_dict("records"):
        served = line["Cell"] if line["Cell"] == line["Status"] else served
        if line["Cell"].startswith("ASIF AES"):
            assert (MARK in line["Cell"]) == ("driver portable" in served)


def test_it_is_said_what_images_of_our_own_are(site):
    (ours,) = rows(site, "select count(*) from cell where driver = 'portable'")[0]
    page = (site.folder / "hosts.html").read_text(encoding="utf-8")
    assert ("our own reading and writing of the formats, without macOS" in page) == bool(ours)


def test_what_compaction_gave_back_is_the_size_before_less_the_size_after(measured_site):
    shown = tables(measured_site, "space.html")["compaction-portable"]
    shown = shown[shown["Before"] != shown["Cell"]]
    # those of churn are others
    shown = shown[shown["State before"] == "emptied at the end"]
    # made up: 20 MB before, 8 MB after where there are bands (3 of 8 MiB, then 1), else nothing given back
    for line in shown.to_dict("records"):
        if "UDSB" in line["Cell"]:
            assert (line["Before"], line["After"]) == ("20 MB", "8 MB")
            assert (line["Given back"], line["Bands or chunks"]) == ("12 MB 60 %", "3 to 1")
        else:
            assert (line["Given back"], line["Bands or chunks"]) == ("nothing", "no bands")
    assert len(shown) == 8


def test_sizes_by_state_stand_in_the_order_of_the_protocol(measured_site):
    shown = tables(measured_site, "space.html")["states-portable-1"]
    assert shown.columns.tolist() == [
        "Image",
        "New",
        "Filled",
        "Partly emptied",
        "Filled a second time",
        "Emptied",
        "Filled a third time",
        "Emptied at the end",
        "Compacted",
    ]
    bundle = shown[shown["Image"] == "sparse bundle (UDSB)"].iloc[0].tolist()[1:]
    assert bundle[:3] == ["5 MB 1 band", "300 MB 38 bands", "70 MB 9 bands"]
    assert bundle[-1] == "8 MB 1 band"


def test_sizes_of_our_own_images_are_not_compared_with_those_that_an_article_states(measured_site):
    found = tables(measured_site, "articles/encryption-2026.html")
    verdicts = [
        verdict
        for name, shown in found.items()
        if name.startswith("sizes-") and "Measured on" in shown
        for verdict in shown[shown["Measured on"].str.contains("linux")]["Verdict"]
    ]
    assert verdicts
    assert all(verdict.startswith("not comparable") for verdict in verdicts)
