"""What there is to download is the database that the pages were made from, twice the same."""

import base64
import csv
import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from lib import downloads, engine


@pytest.fixture
def reports(tmp_path) -> Path:
    """As much of the reports as makes the downloads."""
    shutil.copytree(
        engine.REPORTS / "lib",
        tmp_path / "reports" / "lib",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return tmp_path / "reports"


def make(reports: Path, database: Path) -> subprocess.CompletedProcess:
    """As both renderers do: in the project's folder."""
    return subprocess.run(
        [sys.executable, "lib/downloads.py"],
        cwd=reports,
        env={"DISKBENCH_DATABASE": str(database), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def files(reports: Path) -> dict[str, bytes]:
    folder = reports / "downloads"
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


def test_every_table_is_there_in_every_form(reports, made_up, monkeypatch):
    assert make(reports, made_up).returncode == 0
    found = files(reports)
    assert found["diskbench.duckdb"] == made_up.read_bytes()
    packed = found["packed/diskbench.bin"]
    assert gzip.decompress(packed) == made_up.read_bytes()
    parts = [
        re.fullmatch(rb'diskbenchPart\("[\w-]+","(.*)"\);\n', content)[1]
        for name, content in sorted(found.items())
        if re.fullmatch(r"packed/diskbench-\d\d\.js", name)
    ]
    assert base64.b64decode(b"".join(parts)) == packed
    monkeypatch.setattr(downloads, "TARGET", reports / "downloads")
    assert downloads.database().items() >= {"parts": len(parts), "bytes": len(packed)}.items()
    with duckdb.connect(str(made_up), read_only=True) as connection:
        names = connection.execute("select table_name from duckdb_tables() order by 1").fetchall()
        assert [(table.name,) for table in downloads.tables()] == names
        for table in downloads.tables():
            parquet = reports / table.parquet
            assert table.parquet_bytes == parquet.stat().st_size
            [(different,)] = connection.execute(
                f"""select count(*) from (
                    (from '{parquet}' except all from "{table.name}")
                    union all (from "{table.name}" except all from '{parquet}'))"""
            ).fetchall()
            [(rows,)] = connection.execute(f"select count(*) from '{parquet}'").fetchall()
            assert (different, rows) == (0, table.rows), table.name
            assert table.csv_bytes == (reports / table.csv).stat().st_size
            head = connection.execute(f'from "{table.name}" limit 0').description
            with (reports / table.csv).open(encoding="utf-8") as opened:
                assert opened.readline() == ",".join(column[0] for column in head) + "\n"


def test_the_same_database_gives_the_same_bytes_and_is_not_written_again(reports, made_up):
    make(reports, made_up)
    once, made_at = files(reports), (reports / "downloads").stat().st_mtime_ns
    make(reports, made_up)
    assert (reports / "downloads").stat().st_mtime_ns == made_at
    shutil.rmtree(reports / "downloads")
    make(reports, made_up)
    assert files(reports) == once


# How a value of each type is written in CSV (https://specs.frictionlessdata.io/table-schema)
WRITTEN = {
    "integer": r"-?\d+",
    "number": r"-?\d+(\.\d+)?(e[+-]?\d+)?|-?inf|nan",
    "boolean": "true|false",
    "date": r"\d{4}-\d\d-\d\d",
    "datetime": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
    "string": r"(?s).*",
}


def test_the_package_describes_every_file_as_it_is(reports, made_up):
    make(reports, made_up)
    folder = reports / "downloads"
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    described = {one["path"]: one for one in package["resources"]}
    made = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.*")}
    tables = {path: file for path, file in made.items() if path.startswith(("csv/", "parquet/"))}
    assert set(described) == set(tables)
    for path, file in tables.items():
        one = described[path]
        fields = one["schema"]["fields"]
        assert re.fullmatch(r"[a-z0-9._-]+", one["name"])
        assert one["bytes"] == file.stat().st_size
        assert one["description"]
        assert all(field["description"] for field in fields)
        if one["format"] == "parquet":
            head = duckdb.execute(f"from '{file}' limit 0").description
            assert [field["name"] for field in fields] == [column[0] for column in head]
            continue
        with file.open(encoding="utf-8", newline="") as opened:
            names, *lines = csv.reader(opened)
        assert [field["name"] for field in fields] == names
        for field, values in zip(fields, zip(*lines, strict=True), strict=False):
            written = re.compile(WRITTEN[field["type"]])
            assert not [one for one in values if one and not written.fullmatch(one)], field


def test_another_database_replaces_them(reports, made_up, published_only):
    make(reports, made_up)
    make(reports, published_only)
    assert files(reports)["diskbench.duckdb"] == published_only.read_bytes()


def test_a_table_too_big_for_csv_has_none(reports, made_up, monkeypatch):
    monkeypatch.setattr(downloads, "TARGET", reports / "downloads")
    monkeypatch.setattr(downloads, "CSV_BYTES", 100_000)
    monkeypatch.setenv("DISKBENCH_DATABASE", str(made_up))
    downloads.make()
    sample = next(table for table in downloads.tables() if table.name == "sample")
    assert sample.csv is None
    assert not (reports / "downloads" / "csv" / "sample.csv").exists()
    assert (reports / sample.parquet).is_file()


def test_without_a_database_it_ends_with_one_sentence(reports, tmp_path):
    done = make(reports, tmp_path / "none.duckdb")
    assert done.returncode == 1
    assert done.stderr == (
        "NoDatabaseError: there is no database at data/none.duckdb yet; run: bash workflow/run.sh\n"
    )
