"""Hosts by release: how much is measured of what is expected, a heat map for each system."""

from html import escape

import pandas as pd

from lib import links, show, tables, words
from lib.fleet import standing
from lib.tables import Markup

MOST_RELEASES = 6  # columns; what is older is counted in one more
NEWEST = "\u25cf"  # marks the newest release of a host
NONE = Markup('<span class="missing">\u2013</span>')
ROWS = """
select *
from host_cell
where host = '{host}' and release = '{release}'
order by state, protocol, scale, storage, driver, format, encryption, repeat, phase"""


def shown(rows: pd.DataFrame) -> show.Shown | None:
    """A table for each system, that of most hosts first."""
    order = rows.groupby("system")["host"].nunique().sort_values(ascending=False, kind="stable")
    parts = [_table(str(system), rows[rows["system"] == system]) for system in order.index]
    return show.together(*parts) if parts else None


def _table(system: str, rows: pd.DataFrame) -> show.Shown:
    places = set(zip(rows["place"], rows["version"], strict=True))
    versions = [version for _, version in sorted(places, reverse=True)]
    columns, older = versions[:MOST_RELEASES], versions[MOST_RELEASES:]
    several = rows.groupby(["host", "version"])["release"].nunique().max() > 1
    lines = []
    for (slug, stand_in), of_host in rows.groupby(["host", "stands_in"]):
        line: dict[str, object] = {
            "host": tables.link(
                standing.host(slug, stand_in), f"{links.to('hosts.html')}#host-{slug}"
            )
        }
        for version in columns:
            line[version] = _cell(of_host[of_host["version"] == version], several)
        if older:
            earlier = of_host[of_host["version"].isin(older)]["release"].nunique()
            line["older"] = words.count(earlier, "release") if earlier else NONE
        lines.append(line)
    heads = {version: words.release(f"{system}-{version}") for version in columns}
    if system in words.SYSTEMS:
        heads = {version: f"{words.SYSTEMS[system]} {version}" for version in columns}
    more = {"older": "Older"} if older else {}
    return tables.table(
        lines,
        {"host": "Host"} | heads | more,
        f"Cells measured, of those with a record; {NEWEST} newest release of that host: of all "
        "that is expected. The stronger the colour, the larger the share",
        numbers=[*heads, *more],
        name=f"fleet-{system}",
        classes="wide coverage",
        source=f"""
            select host, release, newest, state, count(*) as cells
            from host_cell
            where release like '{system}-%'
            group by all
            order by all
        """,
    )


def _cell(rows: pd.DataFrame, several: bool) -> Markup:
    """What is known of a host under one version: a line for each of its builds, newest first."""
    said = []
    for release, part in rows.groupby("release", sort=False):
        counts = part["state"].value_counts().to_dict()
        newest = bool(part["newest"].iloc[0])
        measured = counts.get("measured", 0)
        figures = f"{measured} of {len(part)}" if newest or measured < len(part) else f"{measured}"
        address = links.rows(ROWS.format(host=part["host"].iloc[0], release=release))
        text = f"{NEWEST} {figures}" if newest else figures
        build = str(release).split("-", 2)[-1] if several else ""
        text = f"<strong>{text}</strong>" if newest else text
        small = ", ".join(filter(None, [escape(build), standing.told(counts)]))
        said.append(
            tables.with_small(
                Markup(
                    f'<a href="{escape(address, quote=True)}" style="--measured: '
                    f'{100 * measured // len(part)}%">{text}</a>'
                ),
                Markup(small),
            )
        )
    return Markup("".join(said)) if said else NONE
