"""What was measured, by host and release, on the page of hosts."""

import pandas as pd
import pytest
from every_kind import FAILURE
from rendered import Tables, linked, tables, text

from lib import coverage, database


@pytest.fixture
def rows(made_up, asked):
    """The hosts and releases of the made-up records, some of which failed or were skipped."""
    asked(made_up)
    return coverage.releases()


def lines(shown, name: str) -> list[dict[str, str]]:
    head, *body = Tables(text(shown)).tables[f"table-{name}"]
    return [dict(zip(head, line, strict=True)) for line in body]


def test_hosts_are_listed_by_release(site):
    shown = tables(site, "hosts.html")
    found = {line["Host"]: line for line in shown["coverage-macos"].to_dict("records")}
    assert list(found["Mac mini M4 Pro"].items()) == [
        ("Host", "Mac mini M4 Pro"),
        ("macOS 27.0", "48 1 failed"),
        ("macOS 26.4", "46"),
        ("macOS 26.3.1", "46"),
        ("macOS 15.6", "\u2013"),
    ]
    assert list(found["Mac Studio M1 Max"].values())[3:] == ["\u2013", "47 8 skipped"]
    assert found["stand-in-mac-mini-m4-pro (stand-in, no Mac)"]["macOS 27.0"] == "2"
    [linux] = shown["coverage-debian"].to_dict("records")
    assert linux == {"Host": "linux-box", "Debian 12": "19"}


def test_a_number_leads_to_its_cells_those_that_failed_with_their_reason_first(rows):
    mini = "host = 'mac-mini-m4-pro' and release = 'macos-27.0"
    [sql] = [sql for sql in linked(text(coverage.matrix(rows))) if mini in sql]
    cells = database.query(sql)
    assert list(cells["status"]) == ["failed"] + 48 * ["measured"]
    assert cells["reason"].iloc[0] == FAILURE


def test_releases_are_in_numeric_order_and_builds_of_one_have_a_line_each(rows):
    one = rows[rows["host"] == "linux-box"]
    before = one.assign(release="debian-9-6.1", version="9", place=[(9,)] * len(one))
    many = pd.concat([before, one, one.assign(release="debian-12-6.0")])
    [line] = lines(coverage.matrix(many), "coverage-debian")
    assert list(line) == ["Host", "Debian 12", "Debian 9"]
    assert line["Debian 12"] == "19 6.119 6.0"
