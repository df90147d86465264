"""The page of what is known about macOS: every statement, and what was found of it."""

import re
from html import unescape

import pytest
from probed import keep

from database.build import Folders, build
from lib import macos
from probe.statements import all_of_them

RELEASES = (13, 14, 15, 26, 27)


@pytest.fixture
def shown(monkeypatch):
    """The page's parts over a database."""
    from lib.database import connect

    def text(database, part) -> str:
        monkeypatch.setenv("DISKBENCH_DATABASE", str(database))
        connect.cache_clear()
        return part().bundle["text/markdown"]

    yield text
    connect.cache_clear()


@pytest.fixture(scope="module")
def probed(tmp_path_factory, request):
    """A database with two reports of one build."""
    root = request.config.rootpath
    home = tmp_path_factory.mktemp("probed")
    (home / "runs").mkdir()
    keep(home / "probes", "25E241", {"hdiutil-creates": [True], "udrw-is-raw": [False]})
    keep(home / "probes", "25E241", {"hdiutil-creates": [True], "no-space": [None]}, "another")
    folders = Folders(
        runs=home / "runs",
        published=root / "data" / "published",
        sql=root / "workflow" / "sql",
        schema=root / "workflow" / "schemas" / "record.schema.json",
        database=home / "diskbench.duckdb",
        parquet=home / "parquet",
        probes=home / "probes",
    )
    build(folders)
    return folders.database


def rows(html: str) -> list[list[str]]:
    """The cells of each line of a table's body."""
    body = html.partition("<tbody>")[2]
    lines = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [
        [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<td.*?>(.*?)</td>", line)]
        for line in lines
    ]


def test_where_no_mac_was_probed_all_is_unknown_and_the_page_says_so(shown, published_only):
    told = shown(published_only, macos.answer)
    with_probe = sum(one.probe is not None for one in all_of_them().values())
    assert f"all {len(all_of_them())} statements are unknown" in told
    assert f"tests {with_probe} of them" in told
    expected = []
    for release in RELEASES:
        about = [one for one in all_of_them().values() if one.is_about(release)]
        count = len(about)
        probed = sum(one.probe is not None for one in about)
        expected.append([f"{release}", f"{count}", "0", "0", f"{count}", f"{probed}"])
    assert rows(shown(published_only, macos.by_release)) == expected


def test_what_was_found_is_counted_by_release_and_told_of_each_statement(shown, probed):
    told = shown(probed, macos.answer)
    assert "**1 confirmed, 1 contradicted**" in told
    assert told.endswith("probed: 1.")
    about = sum(one.is_about(26) for one in all_of_them().values())
    by_release = {line[0]: line for line in rows(shown(probed, macos.by_release))}
    assert by_release["26"][1:5] == [f"{about}", "1", "1", f"{about - 2}"]
    assert by_release["27"][2:4] == ["0", "0"]
    lines = {line[1]: line for line in rows(shown(probed, macos.statements))}
    assert len(lines) == len(all_of_them())
    raw = lines[all_of_them()["udrw-is-raw"].says]
    assert raw[2] == "contradicted under 26.4 (25E241): try 1: seen False"
    assert lines[all_of_them()["no-space"].says][2] == "unknown under 26.4 (25E241): seen None"
    assert lines[all_of_them()["udsp-header"].says][2] == "unknown"


def test_the_page_is_a_page_of_the_site(rendered_site):
    site = rendered_site("published_only")
    html = unescape((site.folder / "macos.html").read_text(encoding="utf-8"))
    assert f"all {len(all_of_them())} statements are unknown" in html
    for one in all_of_them().values():
        assert one.says in html
        assert one.source in html


def test_a_statement_that_no_probe_can_look_at_says_why(shown, published_only):
    lines = {line[1]: line for line in rows(shown(published_only, macos.statements))}
    without = [one for one in all_of_them().values() if one.probe is None]
    assert without
    for one in without:
        assert lines[one.says][4] == f"none: {one.without}"
