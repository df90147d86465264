"""The reference pages: what they tell of formats, repair, methods and data is so."""

import re
import subprocess
import sys

import duckdb
import pytest
from conftest import REPORTS, ROOT
from rendered import rows, tables


def fenced(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language that are shown and not run."""
    text = (REPORTS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```\{{\.{language}\}}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_dictionary_has_every_column_with_its_type_and_comment(site):
    shown = tables(site, "data.html")
    columns = rows(
        site,
        """
        select table_name, column_name, data_type, comment
        from duckdb_columns() where not internal order by table_name, column_index
        """,
    )
    told = [
        (name.removeprefix("columns-"), *row)
        for name, frame in sorted(shown.items())
        if name.startswith("columns-")
        for row in frame.itertuples(index=False, name=None)
    ]
    assert [row[:3] for row in told] == [row[:3] for row in columns]
    for row, column in zip(told, columns, strict=True):
        assert row[3] == " ".join(column[3].split())


def test_every_table_has_an_anchor_and_a_line_among_the_downloads(site):
    text = (site.folder / "data.html").read_text(encoding="utf-8")
    names = [row[0] for row in rows(site, "select table_name from duckdb_tables()")]
    downloads = tables(site, "data.html")["downloads"]
    for name in names:
        assert f'id="table-{name}"' in text
        count = rows(site, f'select count(*) from "{name}"')[0][0]
        assert f"{count:,}" in list(downloads[downloads["Table"] == name]["Rows"])


def test_the_sql_of_the_data_page_runs_as_it_stands(published_only):
    with duckdb.connect(str(published_only), read_only=True) as connection:
        for block in fenced("data.qmd", "sql"):
            for statement in filter(str.strip, block.split(";")):
                assert connection.sql(statement).fetchall()


@pytest.mark.parametrize("database", ["published_only", "made_up"])
def test_the_python_of_the_data_page_runs_as_it_stands(database, request, tmp_path):
    file = request.getfixturevalue(database)
    (tmp_path / "diskbench.duckdb").symlink_to(file)
    (code,) = fenced("data.qmd", "python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "theil_sen_gbps" in done.stdout


def test_downloads_are_offered_with_their_size(tmp_path, monkeypatch):
    from lib import downloads

    monkeypatch.setattr(downloads, "FOLDER", tmp_path)
    assert downloads.link("csv/cell.csv") == '<span class="missing">no file</span>'
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "cell.csv").write_bytes(bytes(12_345))
    assert 'href="downloads/csv/cell.csv"' in downloads.link("csv/cell.csv")
    assert "12.3 kB" in downloads.link("csv/cell.csv")


def test_bibtex_carries_version_and_addresses():
    from lib import cite

    told = cite.citation()
    assert f"version = {{{told['version']}}}" in cite.software()
    assert (ROOT / "CITATION.cff").is_file()
