"""The output of a comparison: in a terminal, or as CSV."""

import csv
import io
import math
import os
import sys
from collections import Counter

import vocabulary
import voucher
from compare.pairs import Comparison, Row
from compare.sides import Side
from console import one_line

COLOURS = {"faster": "\x1b[32m", "slower": "\x1b[31m", "not comparable": "\x1b[2m"}
PLAIN = "\x1b[0m"
MEANINGS = {
    "too few runs": "a verdict needs three repeats on both sides",
    "not beyond the disk": "the disk itself may differ as much",
    "not judged": "the disk itself, or a cell beside which it has no comparable runs on both sides",
}
# characters on each side of the middle; a shorter bar would be useless
LEAST_BAR, MOST_BAR = 5, 20
# the bars end at the largest change, but at least here, so that noise does not fill the screen
LEAST_REACH = math.log(1.25)
GAP = "  "


def is_coloured(stream=sys.stdout) -> bool:
    """Whether to use colours (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def terminal(
    found: Comparison,
    a: Side,
    b: Side,
    width: int,
    coloured: bool = False,
    ascii_only: bool = False,
) -> str:
    """The cells as a table with as many columns as fit into the width."""
    lines = _heads(found, a, b)
    groups: dict[str, list[Row]] = {}
    for row in found.rows:
        groups.setdefault(_group(row), []).append(row)
    for group, rows in groups.items():
        lines += ["", group, *_table(rows, width, coloured, ascii_only)]
    return "\n".join([*lines, "", *_ends(found)])


def comma_separated(found: Comparison) -> str:
    """The rows of `release_change` as CSV, with reason codes separated by spaces."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(found.rows):
        if number == 0:
            writer.writerow(row)
        writer.writerow([" ".join(one) if isinstance(one, list) else one for one in row.values()])
    return text.getvalue()


COLUMNS = ("cell", "A GB/s", "B GB/s", "B / A", "95 % interval", "verdict")


def _heads(found: Comparison, a: Side, b: Side) -> list[str]:
    lines = []
    for name, side, machines, refused in zip(
        "AB", (a, b), found.machines, found.refused, strict=True
    ):
        what = _machine(machines[0]) if len(machines) == 1 else f"{len(machines)} hosts"
        damaged = f"; damaged records left out: {refused}" if refused else ""
        lines.append(one_line(f"{name}  {side.word}: {what}{damaged}"))
    return lines


def cells(number: int) -> str:
    """A number of cells in words."""
    return f"{number} cell{'' if number == 1 else 's'}"


def _machine(row: Row) -> str:
    doubts = {"made_up": "synthetic", "stand_in": "stand-in", "virtual_machine": "virtual machine"}
    said = ", ".join(
        [row["host"], row["release"], *(word for key, word in doubts.items() if row[key])]
    )
    by = "" if row["vouched_by"] == voucher.OWN else f" ({row['vouched_by']})"
    return f"{said}, {row['cells']} records{by}"


def _group(row: Row) -> str:
    parts = ("host", "protocol", "scale", "storage", "driver")
    return one_line(", ".join(str(row[part]) for part in parts))


def _cell(row: Row) -> str:
    what = "blocks" if row["format"] == "ASIF" else "bands"
    bands = f"{what} {row['band_bytes']}" if row["band_bytes"] else None
    parts = (row["format"], row["encryption"], bands, row["phase"], row["op"])
    return " ".join(part for part in parts if part)


def _texts(row: Row) -> list[str]:
    """One text for each of `COLUMNS`."""
    between = ""
    if row["ratio_low"] is not None:
        between = f"{row['ratio_low']:.2f} to {row['ratio_high']:.2f}"
    speeds = [_number(row[f"{side}_gbps"]) for side in ("earlier", "later")]
    return [_cell(row), *speeds, _number(row["ratio"]), between, row["change"]]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _why(row: Row) -> str:
    codes = row["why_not_comparable"] or ()
    return ", ".join(vocabulary.REASONS[code]["few"].format_map(row) for code in codes)


def _table(rows: list[Row], width: int, coloured: bool, ascii_only: bool) -> list[str]:
    table = [list(COLUMNS), *(_texts(row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
    shown = [0, 1, 2, 3, 4, 5]
    # drop columns first that follow from the others
    for dropped in (4, 1, 2):
        if _width(widths, shown) > width:
            shown.remove(dropped)
    bar = min(MOST_BAR, (width - _width(widths, shown) - len(GAP) - 1) // 2)
    reach = max([LEAST_REACH, *(abs(math.log(row["ratio"])) for row in rows if row["ratio"])])
    lines = []
    for number, line in enumerate(table):
        texts = [
            line[column].ljust(widths[column])
            if column in (0, 5)
            else line[column].rjust(widths[column])
            for column in shown
        ]
        if number and bar >= LEAST_BAR:
            # without a ratio, its column has the reason
            drawn = _bar(rows[number - 1], bar, reach, ascii_only)
            texts.append(drawn or _why(rows[number - 1])[: 2 * bar + 1])
        text = GAP.join(texts).rstrip()
        change = rows[number - 1]["change"] if number else None
        if coloured and change in COLOURS:
            text = f"{COLOURS[change]}{text}{PLAIN}"
        lines.append(text)
    return lines


def _width(widths: list[int], shown: list[int]) -> int:
    return sum(widths[column] for column in shown) + len(GAP) * (len(shown) - 1)


def _bar(row: Row, half: int, reach: float, ascii_only: bool) -> str:
    """A bar from 1 in the middle to the ratio, on a logarithmic scale; the interval is lighter."""
    full, light, middle = "#-|" if ascii_only else "█░│"
    places = [" "] * (2 * half + 1)
    if row["ratio"] is None:
        return ""

    def place(ratio: float) -> int:
        share = math.log(ratio) / reach
        return half + round(max(-1.0, min(1.0, share)) * half)

    end = place(row["ratio"])
    for at in range(min(half, end), max(half, end) + 1):
        places[at] = full
    if row["ratio_low"] is not None:
        for at in range(place(row["ratio_low"]), place(row["ratio_high"]) + 1):
            places[at] = light
        places[end] = full
    places[half] = middle
    return "".join(places)


def _ends(found: Comparison) -> list[str]:
    """The last lines: counts of verdicts, reasons of those without, unpaired cells."""
    counted = Counter(row["change"] for row in found.rows)
    lines = [", ".join(f"{number} {change}" for change, number in counted.most_common())]
    codes = Counter(code for row in found.rows for code in row["why_not_comparable"] or ())
    lines += [
        f"not comparable, {number}: {vocabulary.REASONS[code]['words']}"
        for code, number in codes.most_common()
    ]
    lines += [f"{verdict}: {meaning}" for verdict, meaning in MEANINGS.items() if counted[verdict]]
    for name, alone in zip("AB", found.alone, strict=True):
        lines += [f"only in {name}, {cells(number)}: {why}" for why, number in alone.items()]
    if any(row["made_up"] or row["stand_in"] for side in found.machines for row in side):
        lines.append("synthetic and stand-in records are not results")
    return lines
