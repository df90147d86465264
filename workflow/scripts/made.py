"""Markers of finished steps: `python -m made records|database|site --call CALL` writes one.

What a step makes is no output of its Snakemake rule. Snakemake deletes outputs before a step and
when it fails, or keeps copies of them that a killed study leaves in its way. The rule's output is a
marker: it notes what the product looked like when the step came to its end, and in which call.

A product that is not as noted any more (deleted, cut, replaced by hand) is made anew: `call_of` is
a parameter of the rule, and Snakemake runs a rule whose parameter changed.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import durable
import places
import stamp
from console import log_to, run
from record import RUNS, paths

FOLDER = Path(".diskbench/made")

# What the default target comes to: the lines about every cell.
SUMMARY = FOLDER / "summary.txt"

# The marker of a cell says that it was measured: MEASURED / <the cell's id>.
MEASURED = FOLDER / "measured"


@dataclass(frozen=True)
class Product:
    """What a step makes: `name` in messages, its marker, and the files and folders it is made of.

    `stamped` is known by its content (stamp.py), the others by name, size and time of change.
    """

    name: str
    marker: Path
    places: tuple[Path, ...]
    stamped: Path | None = None


RECORDS = Product("data/runs", FOLDER / "records", (RUNS,))
DATABASE = Product(
    str(places.DATABASE),
    FOLDER / "database",
    (Path("data/parquet"),),
    stamped=places.DATABASE,
)
SITE = Product("reports/_site", FOLDER / "site", (Path("reports/_site"),))
PRODUCTS = {"records": RECORDS, "database": DATABASE, "site": SITE}

# The last of what the build of the database writes; without it everything is built from nothing.
NOTE = places.DATABASE.with_name(f"{places.DATABASE.name}.made-from.json")


def word(product: Product) -> str:
    """One word for a product as it is now: another one when a file comes, goes or changes."""
    words = hashlib.sha256()
    if product.stamped:
        words.update(f"{stamp.of(product.stamped)} {NOTE.exists()}\n".encode())
    for file in _files(product):
        try:
            status = file.stat()
            told = f"{status.st_size} {status.st_mtime_ns}"
        except OSError:
            told = ""  # what is wrong with it is told where it is read
        words.update(f"{file} {told}\n".encode("utf-8", "surrogateescape"))
    return words.hexdigest()[:16]


def _files(product: Product) -> Iterator[Path]:
    for place in product.places:
        if place == RUNS:
            yield from paths(place)
        else:
            yield from sorted(path for path in place.rglob("*") if not path.is_dir())


def is_as_noted(product: Product) -> bool:
    """Whether the product is as it was when its step came to its end."""
    return _noted(product).get("word") == word(product)


def call_of(product: Product, this_call: str) -> str:
    """The call that made the product, as long as that is as it was made; else this one."""
    noted = _noted(product)
    call = noted.get("call")
    return call if isinstance(call, str) and noted.get("word") == word(product) else this_call


def write(product: Product, call: str) -> None:
    """Note the product as it is now."""
    durable.write(product.marker, json.dumps({"call": call, "word": word(product)}))


def _noted(product: Product) -> dict:
    try:
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
