"""The programs run for images: how many, how slow, which were repeated or forced."""

import pandas as pd

from lib import show, words
from lib.database import query

# options that detach or unmount despite open files
FORCED = r"(^| )-?force( |$)"


def runs() -> pd.DataFrame:
    """The programs run on each machine, by verb."""
    return query(
        f"""
        with calls as (
            select
                command.*, host, release, stand_in,
                "end" = 'exited' and code = 0 as good,
                regexp_matches(coalesce(arguments, ''), '{FORCED}') as forced,
                -- the same was run again in the same step
                count(*) over (
                    partition by cell, step_order, program, verb order by command."order"
                    rows between 1 following and unbounded following
                ) > 0 as repeated
            from command
            inner join cell using (cell)
        )

        select
            host, release, stand_in, program, verb,
            count(*) as calls,
            count(*) filter (where not good and repeated) as retried,
            count(*) filter (where forced) as forced,
            count(*) filter (where "end" = 'timed-out') as timed_out,
            max(elapsed_ns) as slowest_ns
        from calls
        group by all
        order by host, release, stand_in, program, verb nulls first
        """
    )


def answer(rows: pd.DataFrame) -> show.Shown | None:
    """A sentence for each machine: number of programs, the slowest, repeated ones."""
    keys = ["host", "release", "stand_in"]
    parts = [_answer(words.machine(*key), part) for key, part in rows.groupby(keys, sort=False)]
    return show.together(*parts)


def _answer(machine: str, rows: pd.DataFrame) -> show.Shown:
    slowest = rows.loc[rows["slowest_ns"].idxmax()]
    call = words.joined([slowest["program"], slowest["verb"]], " ")
    counts = {
        "retried": (rows["retried"].sum(), "was retried", "were retried"),
        "forced": (rows["forced"].sum(), "was forced", "were forced"),
        "timed_out": (rows["timed_out"].sum(), "did not end in time", "did not end in time"),
    }
    troubles = [f"{n} {one if n == 1 else many}" for n, one, many in counts.values() if n]
    return show.text(
        f"**{machine}**: {words.count(rows['calls'].sum(), 'program')} run; the slowest, "
        f"{show.code(call)}, took {words.seconds(slowest['slowest_ns'])}. "
        + (f"{words.listed(troubles)}." if troubles else "None had to be retried or forced.")
    )
