"""The page of the fleet: what was measured, by host and release."""

import re
from pathlib import Path

import made_up as records
import pandas as pd
import pytest
from rendered import Tables, linked, tables, text
from rendered import rows as found_in

from lib import database
from lib import fleet as page

OLD, NEW = "macos-26.4-25E246", "macos-27.0-26A5300"


def fleet():
    """Two Macs of which one was updated, a third with a failure, a stand-in, and one that is no Mac."""
    bundle = {"driver": "apple", "format": "UDSB"}

    def one(host, release, **cell):
        return records.record(host=host, release=release, scale="tenth", **cell)

    for release in (OLD, NEW):
        yield one("mac-mini-m4-pro", release, **bundle)
        yield one("mac-mini-m4-pro", release, driver="apple", format="ASIF")
    for repeat in (1, 2, 3):
        yield one("mac-studio-m1-max", OLD, **bundle, repeat=repeat)
    yield one("mac-studio-m1-max", NEW, **bundle)
    yield records.without_figures(one("macbook-air-m2", OLD, **bundle), "failed", "it was full")
    yield records.without_figures(
        one("macbook-air-m2", OLD, driver="apple", format="UDSP"), "skipped", "not today"
    )
    yield one("macbook-air-m2", OLD, driver="apple", format="ASIF")
    yield one("linux-box", "debian-12-6.1", driver="portable", format="UDSB")
    stand_in = {"parts": {"host": {"stand_in": True}}}
    yield one("stand-in-mac", NEW, **bundle, protocol="churn", **stand_in)


@pytest.fixture(scope="module")
def fleet_database(built) -> Path:
    return built("fleet", [*fleet()])


@pytest.fixture
def rows(fleet_database, asked):
    """The hosts and releases of that fleet."""
    asked(fleet_database)
    return page.releases()


def lines(shown, name: str) -> list[dict[str, str]]:
    head, *body = Tables(text(shown)).tables[f"table-{name}"]
    return [dict(zip(head, line, strict=True)) for line in body]


def test_a_fleet_without_records_has_one_sentence(published_site):
    assert "No machine has been measured yet" in published_site.words("fleet.html")
    assert not [name for name in tables(published_site, "fleet.html") if "fleet" in name]


def test_the_first_sentence_counts_what_is_measured(rows):
    told = text(page.summary(rows))
    assert told.startswith("**11 cells measured** on 5 hosts; 1 failed and 1 skipped. Each repeat ")


def test_hosts_are_listed_by_release(rows):
    found = {line["Host"]: line for line in lines(page.matrix(rows), "fleet-macos")}
    assert list(found["Mac mini M4 Pro"].items()) == [
        ("Host", "Mac mini M4 Pro"),
        ("macOS 27.0", "2"),
        ("macOS 26.4", "2"),
    ]
    assert list(found["Mac Studio M1 Max"].values())[1:] == ["1", "3"]
    assert list(found["MacBook Air M2"].values())[1:] == ["\u2013", "1 1 failed and 1 skipped"]
    assert found["stand-in-mac (stand-in, no Mac)"]["macOS 27.0"] == "1"
    [linux] = lines(page.matrix(rows), "fleet-debian")
    assert linux == {"Host": "linux-box", "Debian 12": "1"}


def test_the_more_is_measured_the_stronger_is_the_colour(rows):
    shown = text(page.matrix(rows[rows["system"] == "macos"]))
    found = re.findall(r"--measured: (\d+)%\">(\d+)</a>", shown)
    assert set(found) == {("100", "3"), ("66", "2"), ("33", "1")}
    nothing = rows.assign(measured=0, failed=1)
    assert '--measured: 0%">0</a>' in text(page.matrix(nothing))


def test_a_number_leads_to_its_cells_those_that_failed_with_their_reason_first(
    rows, fleet_database
):
    [sql] = [
        sql
        for sql in linked(text(page.matrix(rows)))
        if "host = 'macbook-air-m2'" in sql and OLD in sql
    ]
    cells = database.query(sql)
    assert list(zip(cells["status"], cells["reason"].fillna(""), strict=True)) == [
        ("failed", "it was full"),
        ("measured", ""),
        ("skipped", "not today"),
    ]


def test_only_the_newest_releases_have_a_column_and_builds_of_one_have_a_line_each(rows):
    one = rows[rows["host"] == "linux-box"]
    many = [
        one.assign(
            release=f"debian-{number}-6.1", version=str(number), place=[(number,)] * len(one)
        )
        for number in range(1, 13)
    ]
    many.append(many[-1].assign(release="debian-12-6.0"))
    [line] = lines(page.matrix(pd.concat(many)), "fleet-debian")
    assert list(line) == ["Host", *(f"Debian {n}" for n in (12, 11, 10, 9, 8, 7)), "Older"]
    assert line["Older"] == "6 releases"
    assert line["Debian 12"] == "1 6.11 6.0"


def test_the_rendered_page_shows_the_numbers_of_the_database(site):
    expected = found_in(site, "select count(*) from cell where status = 'measured'")
    named = tables(site, "fleet.html")
    shown = [
        int(found[1])
        for name, table in named.items()
        if name.startswith("fleet-")
        for line in table.drop(columns=["Host", "Older"], errors="ignore").to_dict("records")
        for cell in line.values()
        if (found := re.match(r"(\d+)", cell))
    ]
    assert [(sum(shown),)] == expected
