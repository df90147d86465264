"""Measured runs by host and OS release: a heat map for each system."""

from html import escape

import pandas as pd

from lib import links, show, tables, words
from lib.database import query
from lib.tables import Markup

NOT_MEASURED = ("failed", "skipped")
NONE = tables.absent("\u2013")

RELEASES = """
select
    host.host, host.release, host.stand_in,
    split_part(host.release, '-', 1) as system,
    coalesce(host.macos, split_part(host.release, '-', 2)) as version,
    coalesce(release_order(version), [0]) as place,
    count(*) filter (where status = 'measured') as measured,
    count(*) filter (where status = 'failed') as failed,
    count(*) filter (where status = 'skipped') as skipped
from cell
inner join host using (host, release)
group by host.host, host.release, host.stand_in, host.macos, host.release_number
order by host.host, host.release_number desc
"""
CELLS = """
select *
from cell
where host = '{host}' and release = '{release}'
order by status, cell"""


def releases() -> pd.DataFrame:
    """Numbers of runs with a record by host and release; the newest release first."""
    return query(RELEASES)


def matrix(rows: pd.DataFrame) -> show.Shown | None:
    """Hosts by release: a table for each system, the one with the most hosts first."""
    order = rows.groupby("system")["host"].nunique().sort_values(ascending=False, kind="stable")
    parts = [_table(str(system), rows[rows["system"] == system]) for system in order.index]
    return show.together(*parts)


def _table(system: str, rows: pd.DataFrame) -> show.Shown:
    places = set(zip(rows["place"], rows["version"], strict=True))
    versions = [version for _, version in sorted(places, reverse=True)]
    several = rows.groupby(["host", "version"])["release"].nunique().max() > 1
    most = int(rows["measured"].max())
    name = f"{words.SYSTEMS[system]} " if system in words.SYSTEMS else f"{system}-"
    columns = [tables.text("Host", _host)]
    columns += [
        tables.number(
            name + version,
            lambda of, version=version: _cell(of[of["version"] == version], most, several),
        )
        for version in versions
    ]
    return tables.table(
        [of_host for _, of_host in rows.groupby(["host", "stand_in"])],
        columns,
        "Runs measured, by host and release",
        name=f"coverage-{system}",
        classes="wide coverage",
        source=rows,
    )


def _cell(rows: pd.DataFrame, most: int, several: bool) -> Markup:
    """The runs of a host under one version: a line per build, newest first."""
    said = []
    for row in rows.to_dict("records"):
        address = links.rows(CELLS.format(host=row["host"], release=row["release"]))
        build = row["release"].split("-", 2)[-1] if several else ""
        small = words.joined([escape(build), rest(row)])
        said.append(
            tables.with_small(
                Markup(
                    f'<a href="{escape(address, quote=True)}" style="--measured: '
                    f'{100 * row["measured"] // max(most, 1)}%">{row["measured"]}</a>'
                ),
                Markup(small),
            )
        )
    return Markup("".join(said)) if said else NONE


def rest(counts: dict) -> str:
    """How many runs failed and were skipped; nothing where all are measured."""
    return words.listed([f"{counts[how]} {how}" for how in NOT_MEASURED if counts[how]])


def _host(rows: pd.DataFrame) -> Markup:
    """A host by its name, a link to its section; one that only stands in for a Mac says it."""
    slug, stand_in = rows["host"].iloc[0], rows["stand_in"].iloc[0]
    name = words.host(slug) + (f" ({words.STAND_IN})" if stand_in else "")
    return tables.link(name, f"#host-{slug}")
