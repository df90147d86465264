"""The measured cells, their machines and results, for the page of hosts."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from lib import links, order, reasons, rules, show, tables, words
from lib.database import query

RUN = "bash workflow/run.sh"
# the default scale only tests the software
RUN_TO_COMPARE = f"{RUN} --config scale=gold"
# which measured cells are the first run of their series, in the newest epoch; to `qualify`
FIRST = "dense_rank() over (partition by series order by harness_epoch desc, repeat) = 1"
# columns that distinguish cells of one format, encryption and state, and their wording
FURTHER = {
    "phase": words.phase,
    "storage": lambda storage: f"on {words.storage(storage)}",
    "driver": lambda driver: f"driver {driver}",
    "scale": lambda scale: f"scale {scale}",
    "repeat": lambda repeat: f"repeat {repeat}",
}

CELLS = f"""
    with ordered as (
        select
            *,
            max(started_utc) over (partition by host, release) as host_started_utc
        from cell
    )
    select *
    from ordered
    order by host_started_utc desc, host, release, {order.CELLS}
"""


def cells() -> pd.DataFrame:
    """Every cell with its name, the machine measured last first."""
    return named(query(CELLS))


def speeds() -> pd.DataFrame:
    """Both speeds of every cell, in the same order."""
    return _in_order("measured_speed.*, cells.started_utc", "measured_speed")


def over_runs() -> pd.DataFrame:
    """The headline of every cell over its runs (repeats), in the same order."""
    headline = "(from repeated_speed where statistic = 'theil_sen' and gbps is not null)"
    return _in_order("repeated_speed.*", f"{headline} as repeated_speed")


def _in_order(columns: str, table: str) -> pd.DataFrame:
    return named(
        query(
            f"""
            select {columns}
            from {table}
            inner join (select *, row_number() over () as place from ({CELLS})) as cells
                using (cell)
            order by cells.place, op desc
            """
        )
    )


def alone(rows: pd.DataFrame) -> pd.Series:
    """Which rows are never compared with articles: smoke, not macOS, portable, stand-ins."""
    return (
        (rows["scale"] == "smoke")
        | (rows["driver"] == "portable")
        | ~rows["release"].str.startswith("macos-")
        | rows["stand_in"].astype(bool)
    )


def on_macs() -> pd.DataFrame:
    """The headline of every cell measured by macOS on a Mac."""
    return over_runs()[lambda rows: ~alone(rows)]


def counted(rows: pd.DataFrame) -> str:
    """A sentence: of how many runs figures are the mean, and whether there is an interval.

    Rows: with `runs` and the lower end of the interval, which may be null.
    """
    fewest, most = int(rows["runs"].min()), int(rows["runs"].max())
    mean = "One run" if most == 1 else "Mean of "
    if most > 1:
        mean += words.count(most, "run") if fewest == most else f"{fewest} to {most} runs"
    needed = rules.fewest_runs()
    if rows["gbps_low"].isna().all():
        return f"{mean}: no interval, which needs {needed} runs."
    where = f" (where there are {needed})" if rows["gbps_low"].isna().any() else ""
    return f"{mean}, with the 95 % interval across runs{where}."


def named(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of cells with the cell's name (`what`) and its `machine`.

    `served` is the machine and the driver: no series or table of speeds mixes two of them.
    """
    # computed from all cells, so that a name is the same on every page
    names = cell_names(query("select * from cell order by cell"))
    host, release, stand_in = (rows[column] for column in ("host", "release", "stand_in"))
    return rows.assign(
        what=rows["cell"].map(names).astype(str),
        machine=list(map(words.machine, host, release, stand_in)),
        served=list(map(words.driver, host, release, rows["driver"], stand_in)),
    )


def where(row: Mapping[str, object] | pd.Series) -> str:
    """The machine and driver of a named row, its protocol, scale and storage."""
    protocol, storage = words.protocol(row["protocol"]), words.storage(row["storage"])
    return f"{row['served']}; {protocol}, scale {row['scale']}, on {storage}"


def cell_names(cells: pd.DataFrame) -> dict[str, str]:
    """The name of each cell, unique on its host and release.

    Format, encryption and state name most cells; other columns are added only where they differ.
    """
    rows = cells.to_dict("records")
    alike: dict[tuple, list[dict]] = {}
    for row in rows:
        alike.setdefault((row["host"], row["release"], _what(row)), []).append(row)
    names = {}
    for (_, _, what), group in alike.items():
        differs = [key for key in FURTHER if len({row[key] for row in group}) > 1]
        for row in group:
            names[row["cell"]] = ", ".join([what, *(FURTHER[key](row[key]) for key in differs)])
    return names


def _what(row: dict) -> str:
    """Format, encryption and state of a cell in words."""
    return f"{words.image_of(row)}, {state_of(row)}"


def state_of(row: dict) -> str:
    """The state that a cell's image was in, or the protocol; with the phase after its first one."""
    phase = words.phase(row["phase"])
    if row["protocol"] == "usage-phases":
        return phase
    protocol = words.protocol(row["protocol"])
    return protocol if row["phase"] == "fresh" else f"{protocol}, {phase}"


def state_and_runs(row: dict) -> str:
    """The same, with the scale where it is not the largest and the runs where there are several."""
    scale = "" if row["scale"] == "gold" else f"scale {row['scale']}"
    several = not words.missing(row["runs"]) and row["runs"] > 1
    return words.joined([state_of(row), scale, words.count(row["runs"], "run") if several else ""])


def directions(rows: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Each direction that there is, what it is called in a sentence, and its rows."""
    parts = [(op, verb, rows[rows["op"] == op]) for op, verb in words.VERBS.items()]
    return [part for part in parts if len(part[-1])]


def newest(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the machine measured last."""
    return rows[rows["machine"] == rows["machine"].iloc[0]]


def outcome(rows: pd.DataFrame, host: str) -> show.Shown:
    """Results of the runs under the release measured last: counts, a link to each one's figures,
    and, folded, the runs without figures and the reasons.

    Rows: of `speeds()`, those of one host.
    """
    rows = newest(rows)
    cells = rows.drop_duplicates("cell")
    went = [f"{count} {status}" for status, count in cells["status"].value_counts().items()]
    every = f"""
        select
            cell, op, status, reason, comparable, why_not_comparable, files,
            theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high, total_gbps,
            statistics_differ
        from measured_speed
        where host = '{host}'
        order by cell, op desc
    """
    counted = show.text(
        f"Runs: {words.listed(went)}. [Each run in figures]({links.rows(every)})."
        + _not_comparable(rows[rows["status"] == "measured"])
    )
    return show.together(counted, _missing(cells, host), differing(rows, host))


def _missing(cells: pd.DataFrame, host: str) -> show.Shown | None:
    """The runs that were not measured, and why, folded away."""
    missing = cells[cells["status"] != "measured"].to_dict("records")
    shown = tables.table(
        missing,
        [tables.sentence("Run", "what"), tables.text("Status", _status)],
        f"Runs that were not measured, {cells['machine'].iloc[0]}",
        name=f"missing-{host}",
    )
    return show.folded(f"Not measured: {len(missing)}", shown)


def _status(row: dict) -> tables.Markup:
    kind = "poor" if row["status"] == "failed" else "open"
    status = f'<span class="status verdict-{kind}">{tables.markup(row["status"])}</span>'
    return tables.with_small(tables.Markup(status), row["reason"])


def differing(rows: pd.DataFrame, host: str) -> show.Shown | None:
    """The speeds whose bytes / time is not the slope that charts show, and why, folded away.

    Rows: of `speeds()`, those of one host and release.
    """
    differ = rows[rows["statistics_differ"].notna()].to_dict("records")
    shown = tables.table(
        differ,
        [
            tables.sentence(
                "Cell",
                lambda row: tables.with_small(
                    f"{row['what']}, {row['op']}", row["statistics_differ"]
                ),
            ),
            tables.number("Slope (GB/s)", "theil_sen_gbps", words.gbps),
            tables.number("Bytes / time (GB/s)", "total_gbps", words.gbps),
        ],
        "Speeds of single runs whose two statistics differ by more than "
        f"{words.percent(rules.tolerance('measured_speed', 'statistics'))}",
        name=f"differ-{host}",
    )
    return show.folded(f"Bytes / time and the slope differ: {len(differ)}", shown)


def _not_comparable(measured: pd.DataFrame) -> str:
    """How many speeds are not comparable, and why."""
    alone = measured[~measured["comparable"].astype(bool)]
    if alone.empty:
        return ""
    why = Counter(reason for codes in alone["why_not_comparable"] for reason in reasons.few(codes))
    counted = words.listed([f"{reason} ({count})" for reason, count in why.most_common()])
    verb = "is" if len(alone) == 1 else "are"
    return f" {len(alone)} of {len(measured)} speeds {verb} not comparable: {counted}."
