"""A changed product is made again, and no other."""

import os
import time
from pathlib import Path

import pytest

import made
import voucher
from record import RUNS
from study import launch

SIZE_BYTES = 1_000_000


@pytest.fixture
def products(tmp_path, monkeypatch):
    """Records, a database with its Parquet and a site, each as its step noted it in call 1."""
    monkeypatch.chdir(tmp_path)
    for name in ("data/runs/a/fresh.json", "data/parquet/cell.parquet", "reports/_site/index.html"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text(name, encoding="utf-8")
    Path("data/diskbench.duckdb").write_bytes(bytes(range(250)) * (SIZE_BYTES // 250))
    # a clock may be too coarse to tell two writes from each other
    os.utime("data/diskbench.duckdb", (0, 0))
    made.NOTE.write_text("{}", encoding="utf-8")
    for product in made.PRODUCTS.values():
        made.write(product, "call 1")


def overwrite(path, content):
    with Path(path).open("r+b") as file:
        file.write(content)


def test_what_is_as_it_was_left_keeps_the_call_that_made_it(products):
    assert [made.call_of(one, "call 2") for one in made.PRODUCTS.values()] == ["call 1"] * 3


@pytest.mark.parametrize(
    ("product", "spoil"),
    [
        ("database", lambda: os.truncate("data/diskbench.duckdb", SIZE_BYTES // 2)),
        ("database", lambda: overwrite("data/diskbench.duckdb", b"!")),
        ("database", lambda: made.NOTE.unlink()),
        ("database", lambda: os.truncate("data/parquet/cell.parquet", 3)),
        ("database", lambda: os.utime("data/parquet/cell.parquet", (0, 0))),
        ("database", lambda: made.DATABASE.marker.write_bytes(b"\xff\xfe")),
        ("database", lambda: made.DATABASE.marker.write_text("[]")),
        ("site", lambda: os.truncate("reports/_site/index.html", 3)),
        ("site", lambda: Path("reports/_site/other.html").touch()),
        ("records", lambda: Path("data/runs/a/emptied.json").touch()),
        ("records", lambda: Path("data/runs/a/fresh.json").unlink()),
        ("records", lambda: os.utime("data/runs/a/fresh.json", (0, 0))),
        ("records", lambda: os.mkfifo("data/runs/a/fifo.json")),
        ("records", lambda: voucher.write(RUNS, "a-mac", "macos-26.4-25E246", voucher.COMMUNITY)),
        ("records", lambda: Path("data/runs/zero.json").symlink_to("/dev/zero")),
        ("records", lambda: Path(os.fsdecode(b"data/runs/\xff{x}.json")).touch()),
    ],
)
def test_only_missing_truncated_or_replaced_products_are_detected(products, product, spoil):
    spoil()
    changed = {
        name for name, one in made.PRODUCTS.items() if made.call_of(one, "call 2") != "call 1"
    }
    assert changed == {product}
    assert not made.is_as_noted(made.PRODUCTS[product])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda database: os.truncate(database, SIZE_BYTES // 2), True),
        (lambda database: database.write_text("from elsewhere"), True),
        (lambda database: database.unlink(), False),
    ],
)
def test_a_replaced_database_is_reported_and_made_again(products, capsys, spoil, told):
    spoil(Path("data/diskbench.duckdb"))
    launch._see_to_what_was_replaced()
    said = capsys.readouterr().err
    assert ("data/diskbench.duckdb has changed since it was built" in said) == told
    assert not made.DATABASE.marker.exists()
    assert made.SITE.marker.exists()


def test_what_was_made_before_the_clock_was_set_back_is_made_again(products):
    # Snakemake would take it for newer than all records to come
    an_hour_ahead = time.time() + 3600
    for product in made.PRODUCTS.values():
        os.utime(product.marker, (an_hour_ahead, an_hour_ahead))
        assert not made.is_as_noted(product)
        assert made.call_of(product, "call 2") == "call 2"
        made.write(product, "call 2")
        assert made.is_as_noted(product)


def test_what_the_finder_leaves_and_superseded_and_unfinished_records_are_no_changes(products):
    for place in ("data/runs/a", "data/parquet", "reports/_site"):
        Path(place, ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    for name in ("fresh.superseded-01234567.json", ".fresh.json.partial", "notes.txt"):
        (made.RUNS / "a" / name).touch()
    assert all(made.is_as_noted(one) for one in made.PRODUCTS.values())
