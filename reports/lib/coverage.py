"""Which Macs and releases the database has: figures of the articles, and cells measured here."""

from html import escape

import pandas as pd

from lib import links, show, tables, words
from lib.database import query
from lib.tables import Markup

PUBLISHED = """
select article, host, macos, format, encryption, phase, read_as_printed, write_as_printed, quote
from published_speed
where host = '{host}' and macos = '{release}' and (read_gbps is not null or write_gbps is not null)
order by article, table_order"""
MEASURED = """
select *
from measured_speed
where host = '{host}' and os_version = '{release}'
order by cell, op"""


def table() -> show.Shown:
    """Hosts by releases: how many figures are published, how many cells measured."""
    rows = query(
        """
        with counted as (
        select
            host, macos as release, 'macos' as os,
            count(read_gbps) + count(write_gbps) as published, 0 as measured
        from published_speed
        group by host, macos
        union all
        select host, coalesce(os_version, 'unstated'), coalesce(lower(os_name), 'macos'),
            0, count(*) filter (where status = 'measured')
        from cell
        group by all
        )
        select *
        from counted
        where published > 0 or measured > 0
        order by os, release_order(release) nulls first, release, host
        """
    )
    counts = rows.groupby(["host", "os", "release"])[["published", "measured"]].sum()
    columns = list(dict.fromkeys(zip(rows["os"], rows["release"], strict=True)))
    hosts = sorted({key[0] for key in counts.index}, key=lambda host: (host == "unstated", host))
    lines = []
    for host in hosts:
        line: dict[str, object] = {"host": "not stated" if host == "unstated" else words.host(host)}
        for column in columns:
            key = (host, *column)
            line[_name(column)] = (
                _cell(host, column[1], counts.loc[key]) if key in counts.index else NONE
            )
        lines.append(line)
    heads = {_name(column): _name(column) for column in columns}
    return tables.table(
        lines,
        {"host": "Host"} | heads,
        f"Speeds that the articles state ({MARK['published']}) and cells measured here "
        f"({MARK['measured']}), by host and release; \u2013 is neither",
        numbers=heads,
        name="coverage",
        classes="wide coverage",
        source=rows,
    )


MARK = {"published": "\u25c7", "measured": "\u25cf"}
NONE = Markup('<span class="missing">\u2013</span>')


def _name(column: tuple[str, str]) -> str:
    os, release = column
    if release == "unstated":
        return "not stated"
    return release if os == "macos" else f"{os} {release}"


def _cell(host: str, release: str, counts: pd.Series) -> Markup:
    said = []
    for kind, sql in (("published", PUBLISHED), ("measured", MEASURED)):
        if counts[kind]:
            address = escape(links.rows(sql.format(host=host, release=release)), quote=True)
            label = f"{MARK[kind]} {counts[kind]}"
            said.append(f'<a href="{address}" aria-label="{label}: {kind}">{label}</a>')
    return Markup("".join(said))
