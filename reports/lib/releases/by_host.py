"""The charts of each host by release."""

import pandas as pd

from lib import links, runs, show, words
from lib.releases import drawn, figures

EVERY = "select * from known_speed where host = '{}' order by basis, macos, format, op"


def shown(rows: pd.DataFrame) -> show.Shown:
    """The charts of each host, most releases first, with a link to every figure."""
    order = rows.groupby("host")["place"].agg(["max", "nunique"])
    hosts = sorted(order.index, key=lambda host: (-order["nunique"][host], host))
    parts, left = [], []
    for host in hosts:
        part = rows[rows["host"] == host]
        panels = list(drawn.panels(host, part))
        if panels:
            parts.append(show.together(_host_text(host, part), *panels))
        else:
            left.append(host)
    parts.append(_undrawn(left) if left else None)
    return show.together(*parts) or show.text("None yet.")


def _host_text(host: str, rows: pd.DataFrame) -> show.Shown:
    said = [
        words.measured_by(f"{basis} for {words.listed(figures.labels(part))}", part["vouched_by"])
        for basis in ("published", "measured")
        if not (part := rows[rows["basis"] == basis]).empty
    ]
    return show.text(
        f"### {words.host(host)}\n\nSpeeds {' and '.join(said)}. "
        f"[All of them in SQL]({links.rows(EVERY.format(host))})."
    )


def _undrawn(hosts: list[str]) -> show.Shown:
    """Hosts without two releases of anything, each with a link to its figures."""
    names = words.listed(
        [f"[{words.host(host)}]({links.rows(EVERY.format(host))})" for host in hosts]
    )
    return show.text(
        f"### One release only\n\n{names}: no format has figures under two releases, "
        f"so there is nothing to compare yet. After an update `{runs.RUN_TO_COMPARE}` "
        "measures the new release."
    )
