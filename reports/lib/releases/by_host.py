"""The charts of each host by release."""

import pandas as pd

from lib import links, reasons, runs, show, words
from lib.database import query
from lib.releases import drawn

[DEPENDS] = reasons.few(["statistics-differ"])
OF_HOST = "select * from known_speed where host = '{}' order by basis, macos, format, op"


def every() -> pd.DataFrame:
    """Every speed with a Mac and a release; `place` orders the releases."""
    rows = query(
        """
        select *, coalesce(release_order(macos), [0]) as numbers
        from known_speed
        order by
            basis desc, origin, host, macos, storage, format, encryption desc, phase, condition,
            op desc, gbps
        """
    )
    bare = rows["storage"] == "unstated"
    rows["note"] = rows["note"].mask(bare, "the storage is not stated; " + rows["note"].fillna(""))
    depends = rows["encryption"].map(words.encryption) + ", " + rows["op"] + ": " + DEPENDS
    rows["note"] = rows["note"].where(rows["statistics_differ"].isna(), depends)
    return rows.assign(
        # figures without a stated storage are shown with the internal one, and marked
        shelf=rows["storage"].mask(bare, "internal"),
        note=rows["note"].str.removesuffix("; "),
        # a beta or update follows the release of its number, by name
        place=list(zip(rows["numbers"], rows["macos"], strict=True)),
    )


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
        words.measured_by(f"{basis} for {words.listed(drawn.labels(part))}", part["vouched_by"])
        for basis in ("published", "measured")
        if not (part := rows[rows["basis"] == basis]).empty
    ]
    return show.text(
        f"### {words.host(host)}\n\nSpeeds {' and '.join(said)}. "
        f"[All of them in SQL]({links.rows(OF_HOST.format(host))})."
    )


def _undrawn(hosts: list[str]) -> show.Shown:
    """Hosts without two releases of anything, each with a link to its figures."""
    names = words.listed(
        [f"[{words.host(host)}]({links.rows(OF_HOST.format(host))})" for host in hosts]
    )
    return show.text(
        f"### One release only\n\n{names}: no format has figures under two releases, "
        f"so there is nothing to compare yet. After an update `{runs.RUN_TO_COMPARE}` "
        "measures the new release."
    )
