"""The files of a whole run contain no passphrase, and published ones no personal data."""

import gzip
import hashlib
import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import alone
import duckdb
import pytest

from record import variant

pytestmark = pytest.mark.slow

# of the project's folder: what is published, or meant to be given to others
PUBLISHED = ("data/runs", "data/diskbench.duckdb", "data/parquet", "reports/_site")
# what stays on the machine: it may name its folders, see reports/manual/security.qmd
LOCAL = (".diskbench", ".snakemake", "tmp")


def images(project) -> list[dict]:
    """The descriptions of cells with encrypted images."""
    records = (json.loads(path.read_text(encoding="utf-8")) for path in project.records())
    return [record["cell"] for record in records if record["cell"]["encryption"].startswith("AES-")]


def passphrase(cell: dict) -> str:
    """As the core makes it (`passphrase_text` in core/diskbench-core/src/image/passphrase.rs)."""
    places = [cell[key] for key in ("protocol", "scale", "storage", "driver")]
    image = "-".join([*places, variant(cell), str(cell["repeat"])])
    text = f"diskbench image passphrase 1\n{image}\n{cell['seed']}\n"
    return hashlib.sha256(text.encode()).hexdigest()


def files(project, folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        root = project.folder / folder
        yield from [root] if root.is_file() else (p for p in root.rglob("*") if p.is_file())


def texts(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and what is packed in it: a table's values, a database in a script."""
    content = path.read_bytes()
    yield content
    if path.suffix == ".gz":
        yield gzip.decompress(content)
    if path.suffix == ".parquet":
        with duckdb.connect() as connection:
            yield dump(connection, f"read_parquet('{path}')")
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as connection:
            for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall():
                yield dump(connection, f'"{name}"')
            yield dump(connection, "(select * from duckdb_columns())")


def dump(connection: duckdb.DuckDBPyConnection, table: str) -> bytes:
    return "\n".join(
        "\t".join(map(str, row)) for row in connection.execute(f"from {table}").fetchall()
    ).encode()


def told(project, folders: tuple[str, ...], words: set[str]) -> list[tuple[str, str]]:
    """Which file contains which of these words, in any case."""
    wanted = re.compile(b"|".join(re.escape(word.lower().encode()) for word in sorted(words)))
    return [
        (str(path.relative_to(project.folder)), found[0].decode())
        for path in files(project, folders)
        for text in texts(path)
        if (found := wanted.search(text.lower()))
    ]


def secrets(project) -> set[str]:
    cells = images(project)
    assert len(cells) == 6  # three phases of two images
    found = {passphrase(cell) for cell in cells}
    assert len(found) == 2
    return found


def persons(project) -> set[str]:
    """Personal data of the machine: names, home, folders, serial numbers."""
    named = {alone.PERSON, str(project.folder), str(Path.home() / ".cargo")}
    named |= {alone.HOST} if alone.prefix() else {socket.gethostname()}
    for place in ("/etc/machine-id", *Path("/sys/class/dmi/id").glob("*_serial")):
        try:
            number = Path(place).read_text(encoding="utf-8").strip()
        except OSError:
            continue
        named |= {number} if len(number) >= 6 else set()
    for device in Path("/sys/class/block").glob("*/device/serial"):
        number = device.read_text(encoding="utf-8").strip()
        named |= {number} if len(number) >= 6 else set()
    for card in Path("/sys/class/net").glob("*/address"):
        address = card.read_text(encoding="utf-8").strip()
        named |= {address} if address.strip("0:") else set()
    return named


def test_it_is_these_passphrases_that_open_the_images(portable, target, tmp_path):
    """Else the tests here look for what never was."""
    cell = next(one for one in images(portable) if one["phase"] == "fresh")
    cell |= {"sizes_bytes": [4096]}
    (tmp_path / "cell.json").write_text(json.dumps(cell), encoding="utf-8")
    (tmp_path / "work").mkdir()
    run = [target / "diskbench", "run", "--cell", "cell.json", "--folder", "work"]
    done = subprocess.run(
        [*run, "--record", "fresh.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # it waits for its next phase
    (made,) = (tmp_path / "work").rglob("*.sparse*")
    info = [target / "diskbench", "image", "check", made, "--passphrase-stdin"]
    for words, code in ((passphrase(cell), 0), ("another", 2)):
        done = subprocess.run(info, input=words, text=True, capture_output=True, check=False)
        assert done.returncode == code, done.stderr


def test_no_file_of_a_run_contains_a_passphrase(portable):
    assert told(portable, (*PUBLISHED, *LOCAL), secrets(portable)) == []


def test_published_files_contain_no_personal_data(portable):
    assert told(portable, PUBLISHED, persons(portable)) == []


def test_published_files_of_native_cells_contain_no_personal_data(studied):
    assert told(studied, PUBLISHED, persons(studied)) == []


def test_a_leaked_name_would_be_found(tmp_path):
    with duckdb.connect(str(tmp_path / "leaking.duckdb")) as connection:
        # long enough and often enough to be packed
        connection.execute(f"create table t as select '{alone.PERSON} ' || i from range(5000) t(i)")
    (tmp_path / "leaking.html").write_text(f"<p>{alone.PERSON.upper()}</p>", encoding="utf-8")
    leaking = ("leaking.duckdb", "leaking.html")
    assert {
        name for name, _ in told(SimpleNamespace(folder=tmp_path), leaking, {alone.PERSON})
    } == {*leaking}
