"""The charts of each host by release."""

import pandas as pd

from lib import links, reasons, runs, show, words
from lib.database import query
from lib.releases import drawn, pair, published, verdicts

[DEPENDS] = reasons.few(["statistics-differ"])
# the figures of a line have these in common
LINE = ["basis", "host", "storage", "format", "encryption", "phase", "protocol", "scale", "op"]
VERDICTS = f"""
select
    'measured' as basis, host, storage, format, encryption, phase, protocol, scale, op,
    earlier, later as macos, change, why_not_comparable, earlier_gbps, later_gbps
from {verdicts.EVERY}
-- for a release, betas count as older than every release
order by later like '% beta' or earlier not like '% beta', earlier_number
"""
OF_HOST = "select * from known_speed where host = '{}' order by basis, macos, format, op"


def every() -> pd.DataFrame:
    """Every speed with a Mac and a release; `place` orders the releases.

    A measured one also has what `_stepped` adds.
    """
    rows = query(
        """
        select
            *, coalesce(release_order(macos), [0]) as numbers
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
    rows = rows.assign(
        # figures without a stated storage are shown with the internal one, and marked
        shelf=rows["storage"].mask(bare, "internal"),
        note=rows["note"].str.removesuffix("; "),
        # updates have the numbers of their release
        place=list(zip(rows["numbers"], rows["macos"], strict=True)),
    )
    return _stepped(rows)


def _stepped(rows: pd.DataFrame) -> pd.DataFrame:
    """Each measured figure with the newest release before it in its line that gives it a verdict.

    `earlier_gbps` and `later_gbps`: the means of the runs that the verdict is of. `apart`: it may
    not be compared with the figure `before` it; `piece` counts such gaps of a line. A published
    figure that is perhaps not comparable with others is a piece of its own.
    """
    rows = rows.sort_values("place", kind="stable")
    rows["before"] = rows.groupby(LINE)["macos"].shift()
    known = query(VERDICTS)
    step = known.drop(columns=["earlier_gbps", "later_gbps"])
    step = step.rename(columns={"earlier": "before", "change": "step"})
    rows = rows.merge(step, how="left", on=[*LINE, "before", "macos"])
    compared = rows["step"].notna() & (rows["step"] != "not comparable")
    rows["apart"] = rows["before"].notna() & (rows["basis"] == "measured") & ~compared
    rows["piece"] = rows.groupby(LINE)["apart"].cumsum()
    alone = rows["note"].fillna("").str.contains(published.NOT_ALIKE)
    rows["piece"] = rows["piece"].mask(alone, -1)

    judged = known[known["change"].isin(pair.JUDGED)].drop_duplicates([*LINE, "macos"], keep="last")
    judged = judged.drop(columns="why_not_comparable")
    return rows.merge(judged, how="left", on=[*LINE, "macos"])


def shown(rows: pd.DataFrame) -> show.Shown | None:
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
    return show.together(*parts)


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
        f"### One release only\n\nNo format has figures under two releases for {names}, "
        f"so there is nothing to compare yet. After an update `{runs.RUN_TO_COMPARE}` "
        "measures the new release."
    )
