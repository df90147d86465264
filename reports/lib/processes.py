"""Who served the images, and at what cost: the processes behind them."""

import pandas as pd

from lib import runs, show, tables, words
from lib.database import query

NONE = "None yet: no measured image was served by another process, as macOS\u2019s own images are."
OPERATIONS = {"write": "Writing", "read": "Reading"}


def use() -> pd.DataFrame:
    """What each kind of process used over all passes of a cell in one direction."""
    return runs.named(
        query(
            """
            select
                cell.*, used.* exclude (cell)
            from (
                select
                    cell, op, process,
                    max(count) as count,
                    sum(ended) as ended,
                    bool_and(permitted) as permitted,
                    100 * sum(cpu_ns) / nullif(sum(elapsed_ns), 0) as cpu_percent,
                    sum(read_bytes) as read_bytes,
                    sum(written_bytes) as written_bytes,
                    sum(energy_nj) as energy_nj
                from process_use
                group by cell, op, process
            ) as used
            inner join cell using (cell)
            order by
                host, release, driver, protocol <> 'usage-phases', protocol, scale, storage,
                list_position(['UDSB', 'UDRW', 'ASIF', 'UDSP'], format),
                encryption desc, band_bytes nulls first, repeat,
                list_position(['fresh', 'partly-filled', 'emptied'], phase), process
            """
        )
    )


def answer(rows: pd.DataFrame) -> show.Shown | None:
    """For each machine, the span of each process while writing and while reading."""
    parts = [_answer(machine, part) for machine, part in rows.groupby("machine", sort=False)]
    return show.together(*parts) if parts else None


def _answer(machine: str, rows: pd.DataFrame) -> show.Shown:
    told = []
    for process, part in rows.groupby("process"):
        spans = [
            f"{_span(of['cpu_percent'])} while {verb.lower()}"
            for op, verb in OPERATIONS.items()
            if not (of := part[(part["op"] == op) & part["permitted"]]).empty
        ]
        said = words.listed(spans) if spans else "not permitted to inspect"
        told.append(f"{show.code(process)}: {said}")
    return show.text(f"**{machine}**, of one core: {'; '.join(told)}.")


def _span(percents: pd.Series) -> str:
    low, high = (f"{value:.0f}" for value in (percents.min(), percents.max()))
    return f"{low}\u00a0%" if low == high else f"{low} to {high}\u00a0%"


def table(rows: pd.DataFrame, name: str) -> show.Shown:
    """A line for each cell and kind of process, writing and reading side by side."""
    lines = []
    for (cell, process), group in rows.groupby(["cell", "process"], sort=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        row = next(iter(one.values()))
        lines.append(
            {
                "cell": cell,
                "served": row["served"],
                "what": tables.with_small(row["what"], row["scale"]),
                "process": tables.with_small(process, _many(row)),
                **{f"{op} cpu": _cpu(one.get(op)) for op in OPERATIONS},
                **{f"{op} disk": _disk(one.get(op)) for op in OPERATIONS},
            }
        )
    columns = {
        "what": "Cell",
        "process": "Process",
        "write cpu": "Writing: CPU",
        "write disk": "Writing: disk",
        "read cpu": "Reading: CPU",
        "read disk": "Reading: disk",
    }
    return tables.table(
        lines,
        columns,
        "What the processes that serve an image used: 100 % is one core all the time; "
        "what they wrote to disks and read from them",
        numbers=[key for key in columns if " " in key],
        heading="served",
        merged={"cell": ["what"]},
        name=name,
        classes="wide",
    )


def _many(row: dict) -> str:
    told = [f"{row['count']} of them"] if row["count"] > 1 else []
    # what such a one used is not counted
    told += [f"{int(row['ended'])} ended meanwhile: used more"] if row["ended"] else []
    return ", ".join(told)


def _cpu(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.markup("")
    if not row["permitted"]:
        return tables.Markup('<span class="missing">not permitted</span>')
    energy = row["energy_nj"]
    # 1 J = 10^9 nJ
    small = "" if words.missing(energy) else f"{words.significant(float(energy) / 1e9)} J"
    return tables.with_small(f"{float(row['cpu_percent']):.1f}\u00a0%", small)


def _disk(row: dict | None) -> tables.Markup:
    if row is None or not row["permitted"]:
        return tables.markup("")
    return tables.with_small(
        f"{words.size(row['written_bytes'])} written", f"{words.size(row['read_bytes'])} read"
    )
