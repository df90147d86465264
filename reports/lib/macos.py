"""Statements about macOS that the driver relies on, and the results of probes."""

import pandas as pd

from lib import show, tables, words
from lib.database import query

# by the first release of a statement; the worst verdict of any build counts
BY_RELEASE = """
    with release as (select distinct since_macos as macos from macos_statement),
    seen as (
        select
            cast(split_part(macos, '.', 1) as integer) as macos,
            statement,
            case
                when bool_or(verdict = 'contradicted') then 'contradicted'
                when bool_or(verdict = 'confirmed') then 'confirmed'
                else 'unknown'
            end as verdict
        from macos_verdict
        group by all
    )

    select
        release.macos,
        count(*) as statements,
        count(*) filter (seen.verdict = 'confirmed') as confirmed,
        count(*) filter (seen.verdict = 'contradicted') as contradicted,
        count(*) filter (coalesce(seen.verdict, 'unknown') = 'unknown') as unknown,
        count(*) filter (macos_statement.probe is not null) as probed
    from release
    inner join macos_statement
        on release.macos between since_macos and coalesce(until_macos, release.macos)
    left join seen on seen.macos = release.macos and seen.statement = macos_statement.statement
    group by release.macos
    order by release.macos
"""

STATEMENTS = """
    select
        macos_statement.*,
        coalesce(string_agg(
            verdict || ' under ' || macos || ' (' || build || '): ' || detail,
            '; ' order by macos, build
        ), 'unknown') as found
    from macos_statement
    left join macos_verdict using (statement)
    group by all
    order by since_macos, statement
"""


def answer() -> show.Shown:
    """The page's first sentence."""
    counted = query("select count(*) as n, count(probe) as probed from macos_statement").iloc[0]
    seen = query("select verdict, count(distinct statement) as n from macos_verdict group by all")
    builds = query("select distinct build from macos_verdict")
    if builds.empty:
        return show.text(
            f"**Nothing has been confirmed yet: all {counted['n']} statements are unknown**, "
            "because no Mac has been probed. A probe takes a few minutes and tests "
            f"{counted['probed']} of them."
        )
    of = dict(zip(seen["verdict"], seen["n"], strict=True))
    return show.text(
        f"Of {counted['n']} statements **{of.get('confirmed', 0)} confirmed, "
        f"{of.get('contradicted', 0)} contradicted**; the others are unknown. Builds of macOS that "
        f"were probed: {len(builds)}."
    )


def by_release() -> show.Shown:
    """Numbers of statements by release and verdict."""
    return tables.table(
        query(BY_RELEASE),
        [
            tables.text("macOS", "macos"),
            tables.number("Statements", "statements"),
            tables.number("Confirmed", "confirmed"),
            tables.number("Contradicted", "contradicted"),
            tables.number("Unknown", "unknown"),
            tables.number("Have a probe", "probed"),
        ],
        "Statements about each release of macOS",
        name="macos-releases",
    )


def statements() -> show.Shown:
    """Every statement with its source and results, folded."""
    found = query(STATEMENTS)
    table = tables.table(
        found,
        [
            tables.text("macOS", _releases),
            tables.sentence("Statement", "says"),
            tables.text("Found", "found", show.plain),
            tables.text("Source", "source"),
            tables.text(
                "Probe",
                lambda one: words.value(one["probe"], f"none: {one['why_no_probe']}"),
            ),
        ],
        "What diskbench assumes about macOS",
        name="macos-statements",
        classes="wide",
    )
    return show.folded(f"All {len(found)} statements, with their sources and probes", table)


def _releases(one: dict) -> str:
    since, until = one["since_macos"], one["until_macos"]
    if pd.isna(until):
        return f"from {since}"
    return f"{since}" if since == until else f"{since} to {int(until)}"
