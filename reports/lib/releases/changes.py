"""Measured changes: a table for each pair of releases."""

import pandas as pd

from lib import links, order, reasons, runs, show, tables, words
from lib.database import query
from lib.releases import pair

# what the verdicts mean; their rule is on the page of methods
VERDICTS = (
    "Each cell is compared with the release before; if that gives no verdict, also with the last "
    "one that does. A change that may be that of the whole Mac is *not beyond the disk*. The SSD "
    "itself, and images without comparable runs of it in the same nights, are *not judged*. “No "
    "change shown” does not mean that nothing changed. [Methods]({rules}) has the rule."
)
# the comparisons on this page
COMPARED = "consecutive and driver <> 'portable' and scale <> 'smoke'"
# builds of one version in their order
CHANGES = f"""
with build as (
    select
        release, min(macos) as macos, build_order(min(os_build)) as place,
        count(*) over (partition by min(macos)) > 1 as of_several
    from host
    group by release
)

select
    release_change.*,
    earlier.macos as earlier_macos, earlier.of_several as earlier_of_several,
    later.macos as later_macos, later.of_several as later_of_several
from release_change
inner join build as earlier on earlier.release = earlier_release
inner join build as later on later.release = later_release
where {COMPARED}
    and (host, later_release) in (select (host, release) from comparable_speed)
order by
    release_order(later_release) desc nulls last, later.place desc, later_release,
    -- for a release, betas count as older than every release
    later.macos like '% beta' or earlier.macos not like '% beta' desc,
    release_order(earlier_release) desc nulls last, earlier.place desc, earlier_release,
    host, storage, driver,
    {order.by("format", "encryption", "protocol")}, protocol, {order.by("scale")},
    band_bytes nulls first, {order.by("phase")}, op desc
"""


def pairs() -> pd.DataFrame:
    """Every cell of a release and of those before it that it is compared with, newest first."""
    return query(CHANGES)


def shown(changed: pd.DataFrame) -> show.Shown | None:
    """What each pair of releases changed, the newest first; other speeds are behind a link."""
    by_pair = changed.groupby(["earlier_release", "later_release"], sort=False)
    rules = links.to("methods.html#rules-of-verdicts")
    parts = [show.text(VERDICTS.format(rules=rules))]
    for number, (_, rows) in enumerate(by_pair, start=1):
        link = f"[All rows, in SQL]({links.rows(_rows(rows))})"
        counted = words.capital(pair.counted(rows))
        parts.append(show.text(f"### {pair.heading(rows)}\n\n{counted} {link}."))
        keys = ["earlier_cell", "later_cell"]
        moved = rows[rows["change"].isin(["slower", "faster"])][keys].drop_duplicates()
        which = rows.reset_index().merge(moved, on=keys)["index"]
        first = rows.loc[which].sort_values(
            "change", key=lambda change: change != "slower", kind="stable"
        )
        if len(first):
            parts.append(table(first, f"changed-{number}"))
    return show.together(*parts)


def table(rows: pd.DataFrame, name: str) -> show.Shown:
    """A line for each image of a pair of releases: both speeds and the change in each direction."""
    lines = tables.by_direction(rows, "earlier_cell", "later_cell")
    columns = [
        tables.sentence(
            "Cell",
            lambda row: tables.with_small(
                words.image_of(row | {"release": row["later_release"]}), runs.state_and_runs(row)
            ),
        )
    ]
    for op in words.VERBS:
        name_of = words.capital(op)
        columns += [
            tables.number(f"{name_of} before, after (GB/s)", op, _speeds),
            tables.text(name_of, op, _change),
        ]
    return tables.table(
        sorted(lines, key=_where),  # stable: machines together, slower ones first
        columns,
        f"{pair.heading(rows)}: speed later / earlier, the same in proportion to "
        f"{words.on(rows['later_release'].iloc[0], 'the SSD itself')}, each with its 95 % "
        "interval, and the corrected p",
        heading=_where,
        name=name,
        classes="wide",
        source=_rows(rows),
        command=runs.RUN_TO_COMPARE,
    )


def _rows(rows: pd.DataFrame) -> str:
    """The SQL for all rows of a pair of releases, changed ones first."""
    earlier, later = rows["earlier_release"].iloc[0], rows["later_release"].iloc[0]
    return (
        f"select * from release_change where earlier_release = '{earlier}' "
        f"and later_release = '{later}' and {COMPARED} "
        "order by change not in ('slower', 'faster'), host, later_cell, op desc"
    )


def _where(row: dict) -> str:
    storage = words.storage(row["storage"])
    ours = " (driver portable)" if row["driver"] == "portable" else ""
    said = f"{words.host(row['host'])}, on {storage}{ours}"
    return words.measured_by(said, [row["vouched_by"]])


def _speeds(row: dict) -> tables.Markup:
    return tables.keep(f"{words.gbps(row['earlier_gbps'])}, {words.gbps(row['later_gbps'])}")


def _change(row: dict) -> tables.Markup:
    """The verdict, the ratio with its interval, the corrected p; or why there is none."""
    if row["change"] == "not comparable":
        return tables.with_small(
            tables.verdict("not comparable"), "; ".join(reasons.few(row["why_not_comparable"]))
        )
    figures = [_with_interval(row, "ratio")]
    if not words.missing(row["p_adjusted"]):
        figures += [f"to the disk {_with_interval(row, 'ratio_to_disk')}", _p(row["p_adjusted"])]
    return tables.with_small(tables.verdict(row["change"]), "; ".join(figures))


def _with_interval(row: dict, ratio: str) -> str:
    span = words.ratios(row[f"{ratio}_low"], row[f"{ratio}_high"])
    return words.ratio(row[ratio]) + (f" ({span})" if span else "")


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
