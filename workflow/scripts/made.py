"""Markers of finished steps: `python -m made records|database|site --call CALL` writes one.

The product of a step is not the output of its Snakemake rule, because Snakemake deletes outputs
before a step and after a failure, or keeps copies that block it after a killed study. The rule's
output is a marker, which stores a hash of the product at the end of the step, and the call.

A product that has changed since (deleted, truncated, replaced) is made again: `call_of` is a
parameter of the rule, and Snakemake runs rules with a changed parameter.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import durable
import places
import voucher
from console import log_to, run
from record import RUNS, paths
from record_files import state

FOLDER = Path(".diskbench/made")

# the product of the default target: the lines about every cell
SUMMARY = FOLDER / "summary.txt"

# the marker of a measured cell: MEASURED / <the cell's id>
MEASURED = FOLDER / "measured"


@dataclass(frozen=True)
class Product:
    """The product of a step: `name` in messages, its marker, its files and folders."""

    name: str
    marker: Path
    places: tuple[Path, ...]


# written last by the build of the database; without it everything is rebuilt
NOTE = places.DATABASE.with_name(f"{places.DATABASE.name}.made-from.json")

RECORDS = Product("data/runs", FOLDER / "records", (RUNS,))
DATABASE = Product(
    str(places.DATABASE),
    FOLDER / "database",
    (places.DATABASE, NOTE, Path("data/parquet")),
)
SITE = Product("reports/_site", FOLDER / "site", (Path("reports/_site"),))
PRODUCTS = {"records": RECORDS, "database": DATABASE, "site": SITE}


def word(product: Product) -> str:
    """A hash of names, sizes and times of the current product's files."""
    words = hashlib.sha256()
    for file in _files(product):
        words.update(f"{file} {state(file)}\n".encode("utf-8", "surrogateescape"))
    return words.hexdigest()[:16]


def _files(product: Product) -> Iterator[Path]:
    for place in product.places:
        if place == RUNS:
            yield from paths(place)
            # an update of a clone may bring the label alone of records that were here before
            yield from sorted(place.glob(f"*/*/{voucher.FILE}"))
        elif place.is_dir():
            files = (path for path in place.rglob("*") if not path.is_dir())
            # the Finder writes one into each folder that it shows
            yield from sorted(path for path in files if path.name != ".DS_Store")
        else:
            yield place


def is_as_noted(product: Product) -> bool:
    """Whether the product is unchanged since the end of its step."""
    return _noted(product).get("word") == word(product)


def call_of(product: Product, this_call: str) -> str:
    """The call that made the product if that is unchanged, else this call."""
    noted = _noted(product)
    call = noted.get("call")
    return call if isinstance(call, str) and noted.get("word") == word(product) else this_call


def write(product: Product, call: str) -> None:
    """Write the marker of the current product."""
    durable.write(product.marker, json.dumps({"call": call, "word": word(product)}))


def _noted(product: Product) -> dict:
    try:
        # written before the clock was set back: to Snakemake, newer than all that came since
        if product.marker.stat().st_mtime > time.time():
            return {}
        noted = json.loads(product.marker.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def main() -> None:
    """Write the marker of one product."""
    parser = argparse.ArgumentParser(prog="python -m made", description=main.__doc__)
    parser.add_argument("product", choices=PRODUCTS)
    parser.add_argument("--call", required=True, help="the call of the workflow that made it")
    parser.add_argument("--log", type=Path, help="file for the details")
    asked = parser.parse_args()
    log_to(asked.log)
    write(PRODUCTS[asked.product], asked.call)


if __name__ == "__main__":
    run(main)
