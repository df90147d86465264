"""The page on macOS: every statement with its results."""

import pytest
from probed import keep
from rendered import Tables, tables, text

from database.build import Folders, build
from lib import macos
from probe.statements import all_of_them

RELEASES = (13, 14, 15, 26, 27)


def rows(shown) -> list[list[str]]:
    """The cells of each line of the only table."""
    [(_, *lines)] = Tables(text(shown)).tables.values()
    return lines


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


def test_without_a_probed_mac_the_page_says_that_all_is_unknown(published_site):
    every = all_of_them().values()
    told = published_site.words("macos.html")
    assert f"all {len(every)} statements are unknown" in told
    assert f"tests {sum(one.probe is not None for one in every)} of them" in told
    expected = []
    for release in RELEASES:
        about = [one for one in every if one.is_about(release)]
        probed = sum(one.probe is not None for one in about)
        expected.append((f"{release}", f"{len(about)}", "0", "0", f"{len(about)}", f"{probed}"))
    shown = tables(published_site, "macos.html")
    assert list(shown["macos-releases"].itertuples(index=False, name=None)) == expected
    lines = shown["macos-statements"].set_index("Statement")
    for one in every:
        assert lines.loc[one.says, "Source"] == one.source
        if one.probe is None:
            assert lines.loc[one.says, "Probe"] == f"none: {one.without}"


def test_what_was_found_is_counted_by_release_and_told_of_each_statement(asked, probed):
    asked(probed)
    told = text(macos.answer())
    assert "**1 confirmed, 1 contradicted**" in told
    assert told.endswith("probed: 1.")
    about = sum(one.is_about(26) for one in all_of_them().values())
    by_release = {line[0]: line for line in rows(macos.by_release())}
    assert by_release["26"][1:5] == [f"{about}", "1", "1", f"{about - 2}"]
    assert by_release["27"][2:4] == ["0", "0"]
    lines = {line[1]: line for line in rows(macos.statements())}
    assert len(lines) == len(all_of_them())
    raw = lines[all_of_them()["udrw-is-raw"].says]
    assert raw[2] == "contradicted under 26.4 (25E241): try 1: seen False"
    assert lines[all_of_them()["no-space"].says][2] == "unknown under 26.4 (25E241): seen None"
    assert lines[all_of_them()["udsp-header"].says][2] == "unknown"
