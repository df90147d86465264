"""Runs that compare with nothing that is published: what they are good for, and their speeds."""

import pandas as pd

from lib import links, reasons, runs, show, speeds, words


def rows() -> pd.DataFrame:
    """Speeds at smoke scale, of other systems, of our own driver and of stand-ins.

    Reads that may have come from memory are no speeds of a disk: `left_out` counts them.
    """
    every = runs.over_runs()[runs.alone]
    return every[~_from_memory(every)]


def left_out() -> show.Shown | None:
    """How many reads the charts leave out; nothing if none."""
    every = runs.over_runs()[runs.alone]
    count = int(_from_memory(every).sum())
    if not count:
        return None
    are = "read that may have come from memory is", "reads that may have come from memory are"
    return show.text(
        f"{words.count(count, *are)} not shown: each run is on the page "
        f"[Hosts and runs]({links.to('hosts.html')})."
    )


def _from_memory(rows: pd.DataFrame) -> pd.Series:
    return reasons.having(rows["why_not_comparable"], "read-from-memory")


def first(rows: pd.DataFrame) -> show.Shown:
    """What these runs are and are good for."""
    if rows.empty:
        return show.text(f"No such run is in the database; `{runs.RUN}` makes one on any machine.")
    machines = words.listed(list(dict.fromkeys(show.plain(one) for one in rows["machine"])))
    return show.text(
        f"**A demonstration, measured on {machines}.** It tests the software, and shows what the "
        "formats cost in our own code. It says nothing about how fast macOS or a Mac is.\n\n"
        + " ".join(_kinds(rows))
    )


def _kinds(rows: pd.DataFrame) -> list[str]:
    """Why these runs are not comparable."""
    kinds = {
        "Scale *smoke* writes far smaller files than the articles.": (
            rows["scale"] == "smoke"
        ).any(),
        "Driver *portable* is our own code for the formats; inside the image is a simple volume of "
        "our own, not APFS.": (rows["driver"] == "portable").any(),
        "Our encrypted ASIF images have our own layout: Apple\u2019s is not public.": (
            (rows["format"] == "ASIF")
            & (rows["encryption"] != "none")
            & (rows["driver"] == "portable")
        ).any(),
        "*Stand-ins* are programs that imitate those of macOS.": rows["stand_in"].any(),
    }
    return [sentence for sentence, holds in kinds.items() if holds]


def charts(every: pd.DataFrame) -> show.Shown | None:
    """Charts for each machine under its newest release; every cell is on the page of hosts."""
    parts = []
    for number, (host, part) in enumerate(every.groupby("host", sort=False), start=1):
        newest = part[part["release"] == part["release"].iloc[0]]
        parts.append(show.text(f"## {show.plain(words.host(host))}"))
        parts.append(speeds.machine_charts(f"chart-alone-{number}", newest))
    return show.together(*parts)
