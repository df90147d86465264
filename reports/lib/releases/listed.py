"""The published figures of hosts in a table, each as printed."""

import pandas as pd

from lib import show, tables, words
from lib.charts.parts import ORDER
from lib.releases.figures import FIGURES

ENCRYPTED = ["none", "AES-128", "AES-256", "FileVault", "APFS", "unstated"]


def table(parts: list[tuple[str, pd.DataFrame]], name: str) -> show.Shown:
    """Every published figure of each host, the newest release first."""
    lines = []
    for host, rows in parts:
        rows = rows.assign(
            form=rows["format"].map(ORDER.index), coded=rows["encryption"].map(ENCRYPTED.index)
        )
        rows = rows.sort_values(
            ["place", "form", "coded", "storage", "op"], ascending=[False, *[True] * 3, False]
        )
        lines += [
            {
                "host": f"{words.host(host)}, macOS {row['version']}",
                "image": tables.with_small(
                    words.image(row["format"], row["encryption"], "apple"),
                    ", ".join(filter(None, [_storage(row), words.told(row["condition"], "")])),
                ),
                "op": row["op"],
                "speed": printed(row),
                "origin": row["origin"],
                "note": tables.with_small(
                    "second-hand" if row["second_hand"] else "", words.told(row["note"], "")
                ),
            }
            for row in rows.to_dict("records")
        ]
    columns = {
        "image": "Image",
        "op": "Direction",
        "speed": "GB/s",
        "origin": "Source",
        "note": "Doubts",
    }
    hosts = ", ".join(f"'{host}'" for host, _ in parts)
    return tables.table(
        lines,
        columns,
        "Published speeds, the newest release first",
        numbers=["speed"],
        heading="host",
        name=name,
        classes="wide",
        source=f"select * from (\n{FIGURES.strip()}\n)\n"
        f"where basis = 'published' and host in ({hosts})",
    )


def _storage(row: dict) -> str:
    return "" if row["storage"] == "unstated" else words.name(words.STORAGES, row["storage"])


def printed(row: dict) -> str:
    """A speed with its bound or range."""
    prefix = words.bound(row["kind"], "")
    if row["kind"] == "range" and not words.missing(row["gbps_to"]):
        return f"{row['gbps']:g} to {row['gbps_to']:g}"
    speed = f"{row['gbps']:g}"
    # 6.10 is not 6.1: as many digits as are printed, where the unit is that of the column
    same = not words.missing(row["printed"]) and float(row["gbps"]) == _number(row["printed"])
    return f"{prefix}{row['printed'] if same else speed}"


def _number(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:
        return None
