"""What is known of each host, release by release: its charts, then its published figures."""

import pandas as pd

from lib import runs, show, words
from lib.releases import drawn, figures, listed


def shown(rows: pd.DataFrame) -> show.Shown:
    """For each host its charts, most releases first, and every figure of it in a folded table."""
    order = rows.groupby("host")["place"].agg(["max", "nunique"])
    hosts = sorted(order.index, key=lambda host: (-order["nunique"][host], host))
    parts, left = [], []
    for host in hosts:
        part = rows[rows["host"] == host]
        panels = list(drawn.panels(host, part))
        if panels:
            parts.append(show.together(_host_text(host, part), *panels, _listed(host, part)))
        else:
            left.append((host, part))
    if left:
        parts.append(_undrawn(left))
    return show.together(*parts) if parts else show.text("None yet.")


def _host_text(host: str, rows: pd.DataFrame) -> show.Shown:
    said = [
        words.measured_by(f"{basis} under {words.listed(figures.labels(part))}", part["vouched_by"])
        for basis in ("published", "measured")
        if not (part := rows[rows["basis"] == basis]).empty
    ]
    return show.text(f"### {words.host(host)}\n\nSpeeds {' and '.join(said)}.")


def _listed(host: str, rows: pd.DataFrame) -> show.Shown:
    """Every figure of a host, drawn or not, folded away."""
    rows = rows[(rows["basis"] == "published")]
    if rows.empty:
        return show.text("")
    title = f"Every published figure of {words.host(host)}, by release"
    return show.folded(title, listed.table([(host, rows)], f"figures-{host}"))


def _undrawn(left: list[tuple[str, pd.DataFrame]]) -> show.Shown:
    """Hosts without two releases of anything: their figures in one table."""
    names = words.listed([words.host(host) for host, _ in left])
    published = [(host, rows[rows["basis"] == "published"]) for host, rows in left]
    published = [(host, rows) for host, rows in published if not rows.empty]
    text = show.text(
        f"### One release only\n\n{names}: no kind of image has figures under two releases, "
        f"so there is nothing to compare yet. After an update `{runs.RUN}` measures the new one."
    )
    if not published:
        return text
    return show.together(
        text, show.folded("Their published figures", listed.table(published, "figures-others"))
    )
