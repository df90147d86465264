"""Makes `downloads/`: the database for downloading and for the page `query`.

    diskbench.duckdb     a copy of the database that the pages were made from
    parquet/TABLE.parquet
    csv/TABLE.csv        tables that are not too large for CSV
    datapackage.json     a description of all files, for Frictionless tools
    packed/              the compressed database for `query`: as a file, and as scripts for a page
                         that is opened from the disk

Quarto runs this before rendering (`pre-render` in `_quarto.yml`); so does the plain renderer.
The same database of the same commit gives the same bytes; an unchanged one is skipped.
"""

import base64
import gzip
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import duckdb

if __name__ == "__main__":  # Quarto puts the contents of `lib` on the path, not `lib` itself
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from lib import datapackage
from lib.database import NoDatabaseError, database_file

TARGET = Path(__file__).resolve().parent.parent / "downloads"
DATABASE = "diskbench.duckdb"
CSV_BYTES = 10_000_000  # larger tables as Parquet only: spreadsheets cannot handle them
PART = 3_000_000  # base64 characters per script: a multiple of 4, as each is decoded separately


def database() -> dict:
    """Facts for the page `query`: `made_from`, and `parts` and `bytes` of `packed/`."""
    return _state()["packed"] | {"made_from": _state()["made_from"]}


def make() -> None:
    """Write the files if they are missing or the database changed."""
    source = database_file()
    made_from = _digest(source)
    if _state().get("made_from") != made_from:
        _make_anew(source, made_from)
    _describe()


def described() -> dict:
    """The description of the files; empty without them."""
    return _read("datapackage.json")


def _describe() -> None:
    """Write it if it changed: the same database may be that of another commit."""
    with duckdb.connect(str(TARGET / DATABASE), read_only=True) as connection:
        package = datapackage.package(connection, TARGET)
    if package != described():
        _write(TARGET / "datapackage.json", package)


def _make_anew(source: Path, made_from: str) -> None:
    new = TARGET.with_name(f"downloads.{os.getpid()}.tmp")
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir()
        shutil.copyfile(source, new / DATABASE)
        with duckdb.connect(str(new / DATABASE), read_only=True) as connection:
            _tables(connection, new)
        state = {"made_from": made_from, "packed": _pack(source, new / "packed")}
        _write(new / "downloads.json", state)
        shutil.rmtree(TARGET, ignore_errors=True)
        new.rename(TARGET)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _write(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _tables(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Write each table as Parquet and, if small enough, as CSV, in a stable order of rows."""
    (folder / "parquet").mkdir()
    (folder / "csv").mkdir()
    names = connection.execute("select table_name from duckdb_tables() where not internal")
    for (name,) in names.fetchall():
        parquet = folder / "parquet" / f"{name}.parquet"
        csv = folder / "csv" / f"{name}.csv"
        rows = f'(from "{name}" order by {_order(connection, name)})'
        connection.execute(
            f"copy {rows} to '{_quoted(parquet)}' (format parquet, compression zstd)"
        )
        # CSV is larger than Parquet: if that is too large, CSV is not tried
        if parquet.stat().st_size <= CSV_BYTES:
            connection.execute(f"copy {rows} to '{_quoted(csv)}' (format csv, header true)")
            if csv.stat().st_size > CSV_BYTES:
                csv.unlink()


def _order(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """An order of rows that does not depend on which host was loaded last."""
    columns = {column for column, *_ in connection.execute(f'describe "{name}"').fetchall()}
    if {"basis", "host"} <= columns:
        return "basis desc, host nulls first, rowid"
    if "measured_host" in columns:
        op = "op, " if "op" in columns else ""
        return f"article, table_order, {op}measured_host nulls first, rowid"
    if "host" in columns and columns & {"release", "earlier_release"}:
        return "host, rowid"
    return "split_part(cell, '/', 1), rowid" if "cell" in columns else "rowid"


def _pack(source: Path, folder: Path) -> dict:
    """Compress the database for `payload.js`; returns the number of scripts and the bytes."""
    folder.mkdir()
    packed = gzip.compress(source.read_bytes(), 6, mtime=0)
    (folder / "diskbench.bin").write_bytes(packed)
    text = base64.b64encode(packed).decode()
    parts = [text[at : at + PART] for at in range(0, len(text), PART)]
    for number, part in enumerate(parts):
        name = f"diskbench-{number:02}"
        (folder / f"{name}.js").write_text(f'diskbenchPart("{name}","{part}");\n', encoding="ascii")
    return {"parts": len(parts), "bytes": len(packed)}


def _digest(source: Path) -> str:
    """A hash of the database and of the code that makes the files."""
    words = hashlib.sha256(source.read_bytes())
    words.update(Path(__file__).read_bytes())
    words.update(duckdb.__version__.encode())
    return words.hexdigest()[:16]


def _state() -> dict:
    return _read("downloads.json")


def _read(name: str) -> dict:
    try:
        return json.loads((TARGET / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


if __name__ == "__main__":
    try:
        make()
    except NoDatabaseError as error:
        sys.exit(f"NoDatabaseError: {error}")
