"""Cells that write several rounds to one image: does it become slower with use?"""

import pandas as pd

from lib import order, runs, show, tables, words
from lib.charts.speeds import by_round
from lib.database import alike, query


def rounds() -> pd.DataFrame:
    """Write speeds by round of cells with several, in the first measured run of each series."""
    rows = query(
        f"""
        select
            round_speed.*, host, release, protocol, scale, storage, driver, format, encryption,
            band_bytes, repeat, series, harness_epoch, phase, status, stand_in, started_utc
        from round_speed
        inner join cell using (cell)
        where op = 'write' and cell in (select cell from comparable_size)
        qualify max(round) over (partition by cell) > 1 and {runs.FIRST}
        order by host, release, {order.CELLS}, cell, round
        """
    )
    return runs.named(rows).assign(image=list(map(words.image_of, rows.to_dict("records"))))


def shown() -> show.Shown | None:
    """A chart and a table for each host's newest release; earlier tables are folded."""
    rows = rounds()
    if rows.empty:
        return None
    last = rows.groupby("host")["started_utc"].transform("max")
    newest = rows.groupby(["host", "release"])["started_utc"].transform("max") == last
    shown = [_part(number, part) for number, part in enumerate(_split(rows[newest]), start=1)]
    first = len(shown) + 1
    earlier = [_table(number, part) for number, part in enumerate(_split(rows[~newest]), first)]
    return show.together(*shown, show.folded("The same under earlier releases", *earlier))


def _split(rows: pd.DataFrame) -> list[pd.DataFrame]:
    keys = ["served", "protocol", "scale", "storage"]
    return [part for _, part in rows.groupby(keys, sort=False)]


def _part(number: int, rows: pd.DataFrame) -> show.Shown:
    first = rows.iloc[0]
    ends = (words.gbps(end) for end in rows["total_gbps"].agg(["min", "max"]))
    chart = by_round(
        rows,
        f"Writing, round by round: {words.span(*ends)} GB/s ({first['driver']})",
        f"Lines: write speed of each round by image, {first['machine']}, driver {first['driver']}",
    )
    name = f"chart-rounds-{number}-{first['driver']}"
    return show.together(
        show.chart(
            name,
            chart,
            f"{runs.where(first)}. All bytes / all time of each round, in the first measured run.",
            rows=f"""
                select round_speed.*
                from round_speed
                inner join cell using (cell)
                where {alike(first, "host", "release", "protocol")}
                    and op = 'write' and status = 'measured'
                qualify {runs.FIRST}
                order by cell, round
            """,
        ),
        _table(number, rows),
    )


def _table(number: int, rows: pd.DataFrame) -> show.Shown:
    images = {
        image: {row["round"]: row for row in part.to_dict("records")}
        for image, part in rows.groupby("image", sort=False)
    }
    return tables.table(
        images.items(),
        [
            tables.sentence("Image", 0),
            *(
                tables.number(f"Round {n} (GB/s)", 1, lambda of, n=n: _speed(of.get(n)))
                for n in range(1, int(rows["round"].max()) + 1)
            ),
            tables.number("Last / first", 1, _change),
        ],
        "Write speed of every round, in the first measured run: all bytes / all time. "
        + runs.where(rows.iloc[0]),
        name=f"rounds-{number}",
        classes="wide",
    )


def _change(of: dict[int, dict]) -> str:
    return words.ratio(of[max(of)]["total_gbps"] / of[1]["total_gbps"] if 1 in of else None)


def _speed(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    return tables.with_small(words.gbps(row["total_gbps"]), words.count(row["files"], "file"))
