"""Downloads contain the pages' database, and are reproducible."""

import base64
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from lib import database, downloads, engine, project
from proofs.support.repository import commit


@pytest.fixture
def reports(tmp_path) -> Path:
    """As much of the reports as makes the downloads."""
    shutil.copytree(
        engine.REPORTS / "lib",
        tmp_path / "reports" / "lib",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copy(project.ROOT / "CITATION.cff", tmp_path)
    return tmp_path / "reports"


def make(reports: Path, database: Path, path: str = "") -> subprocess.CompletedProcess:
    """As both renderers do: in the project's folder."""
    return subprocess.run(
        [sys.executable, "lib/downloads.py"],
        cwd=reports,
        env={"DISKBENCH_DATABASE": str(database), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def files(reports: Path) -> dict[str, bytes]:
    folder = reports / "downloads"
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


def found_in(reports: Path, kind: str, name: str) -> Path:
    return reports / "downloads" / kind / f"{name}.{kind}"


def test_every_table_is_there_in_every_form(site, made_up, monkeypatch):
    reports = site.folder.parent
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
        names = connection.execute("select table_name from duckdb_tables()").fetchall()
        assert len(names) > 30
        for (name,) in names:
            parquet, comma = (found_in(reports, kind, name) for kind in ("parquet", "csv"))
            [(different,)] = connection.execute(
                f"""select count(*) from (
                    (from '{parquet}' except all from "{name}")
                    union all (from "{name}" except all from '{parquet}'))"""
            ).fetchall()
            assert different == 0, name
            head = connection.execute(f'from "{name}" limit 0').description
            with comma.open(encoding="utf-8") as opened:
                assert opened.readline() == ",".join(column[0] for column in head) + "\n"


def test_the_same_database_gives_the_same_bytes_and_is_not_written_again(reports, made_up, site):
    assert make(reports, made_up).returncode == 0
    assert files(reports) == files(site.folder.parent)
    made_at = (reports / "downloads").stat().st_mtime_ns
    make(reports, made_up)
    assert (reports / "downloads").stat().st_mtime_ns == made_at


# How a value of each type is written in CSV (https://specs.frictionlessdata.io/table-schema)
WRITTEN = {
    "integer": r"-?\d+",
    "number": r"-?\d+(\.\d+)?(e[+-]?\d+)?|-?inf|nan",
    "boolean": "true|false",
    "date": r"\d{4}-\d\d-\d\d",
    "datetime": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
    "string": r"(?s).*",
}


def test_the_package_describes_every_file_as_it_is(site):
    folder = site.folder.parent / "downloads"
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    described = {one["path"]: one for one in package["resources"]}
    made = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.*")}
    files_of = {path: file for path, file in made.items() if path.startswith(("csv/", "parquet/"))}
    assert set(described) == set(files_of)
    for path, file in files_of.items():
        one = described[path]
        assert re.fullmatch(r"[a-z0-9._-]+", one["name"])
        assert one["bytes"] == file.stat().st_size
        assert one["description"]
        if file.suffix == ".parquet":
            # as a table, or with a schema, `frictionless validate` calls the package invalid
            assert one["type"] == "file"
            assert "schema" not in one
            continue
        fields = one["schema"]["fields"]
        assert all(field["description"] for field in fields)
        with file.open(encoding="utf-8", newline="") as opened:
            names, *lines = csv.reader(opened)
        assert [field["name"] for field in fields] == names
        for field, values in zip(fields, zip(*lines, strict=True), strict=False):
            written = re.compile(WRITTEN[field["type"]])
            assert not [one for one in values if one and not written.fullmatch(one)], field


def package(reports: Path) -> dict:
    return json.loads((reports / "downloads" / "datapackage.json").read_text(encoding="utf-8"))


def test_the_package_tells_its_state_of_the_data_from_others(reports, made_up, published_only):
    assert make(reports, made_up).returncode == 0
    found = package(reports)
    assert found["version"] == "0.1.0"
    created = datetime.fromisoformat(found["created"])
    assert created.timestamp() == int(made_up.stat().st_mtime)
    assert found["commit"] == ""
    with duckdb.connect(str(made_up), read_only=True) as connection:
        [counted] = connection.execute(
            "select count(*), sha256(string_agg(cell || ' ' || sha256 || chr(10), '' order by cell)) from cell"
        ).fetchall()
    assert counted[0] > 100
    assert tuple(found["records"].values()) == counted
    assert make(reports, published_only).returncode == 0
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert package(reports)["records"] == {"count": 0, "sha256": nothing}


def test_the_same_database_of_another_commit_is_described_anew_and_not_written_again(
    reports, published_only
):
    scripts = reports.parent / "workflow" / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(project.ROOT / "workflow" / "scripts" / "places.py", scripts)
    (reports.parent / ".gitignore").write_text("/reports/downloads\n__pycache__\n")
    first = commit(reports.parent)
    assert make(reports, published_only, os.environ["PATH"]).returncode == 0
    assert package(reports)["commit"] == first
    made = (reports / "downloads" / "downloads.json").stat().st_mtime_ns
    (reports.parent / "data.csv").touch()
    second = commit(reports.parent)
    assert make(reports, published_only, os.environ["PATH"]).returncode == 0
    assert package(reports)["commit"] == second != first
    assert (reports / "downloads" / "downloads.json").stat().st_mtime_ns == made


def test_another_database_replaces_them(reports, published_only):
    (reports / "downloads").mkdir()
    (reports / "downloads" / "downloads.json").write_text('{"made_from": "another"}')
    (reports / "downloads" / "gone.csv").touch()
    make(reports, published_only)
    assert not (reports / "downloads" / "gone.csv").exists()
    assert files(reports)["diskbench.duckdb"] == published_only.read_bytes()


def test_tables_too_big_for_csv_have_none(reports, made_up, monkeypatch):
    monkeypatch.setattr(downloads, "TARGET", reports / "downloads")
    monkeypatch.setattr(downloads, "CSV_BYTES", 100_000)
    monkeypatch.setenv("DISKBENCH_DATABASE", str(made_up))
    downloads.make()
    assert not found_in(reports, "csv", "sample").exists()
    assert found_in(reports, "parquet", "sample").is_file()
    # nor one whose Parquet is small enough, and its CSV is not
    sizes = [file.stat().st_size for file in found_in(reports, "csv", "cell").parent.iterdir()]
    assert 50_000 < max(sizes) <= 100_000


def test_without_a_database_they_and_a_page_end_with_one_sentence(reports, tmp_path, asked):
    said = (
        "NoDatabaseError: there is no database at data/none.duckdb yet; run: bash workflow/run.sh"
    )
    done = make(reports, tmp_path / "none.duckdb")
    assert (done.returncode, done.stderr) == (1, f"{said}\n")
    asked(tmp_path / "none.duckdb")
    with pytest.raises(database.NoDatabaseError) as error:
        database.query("select 1")
    assert error.value._render_traceback_() == [said]


def test_pages_load_no_extension_of_duckdb_which_could_use_the_network(published_only, asked):
    asked(published_only)
    settings = "select value from duckdb_settings() where name like 'auto%_known_extensions'"
    assert database.connect().execute(settings).fetchall() == [("false",), ("false",)]
