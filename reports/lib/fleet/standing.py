"""How many cells of each host are in which state, and that in a few sentences."""

import pandas as pd

from lib import runs, show, words
from lib.database import query

# as host_cell.state has them; the first needs nothing more
STATES = ("measured", "out of date", "missing", "failed", "skipped")
DUE = ("out of date", "missing")
MOST_NAMES = 5  # of hosts in a sentence

CELLS = """
select
    host_cell.*,
    host.release_number,
    host.stand_in as stands_in,
    split_part(host_cell.release, '-', 1) as system,
    split_part(host_cell.release, '-', 2) as version,
    coalesce(release_order(host_cell.release), [0]) as place
from host_cell
inner join host using (host, release)
order by
    host_cell.host, host.release_number desc,
    protocol <> 'usage-phases', protocol, scale, storage, driver,
    list_position(['native', 'UDSB', 'UDRW', 'ASIF', 'UDSP', 'VM'], format),
    list_position(['none', 'AES-128', 'AES-256'], encryption), band_bytes nulls first, repeat,
    list_position(['fresh', 'partly-filled', 'emptied'], phase)
"""


def cells() -> pd.DataFrame:
    """Every row of `host_cell`, by host, the newest release first."""
    return query(CELLS)


def host(slug: object, stand_in: bool) -> str:
    """A host by its name; one that only stands in for a Mac says it."""
    return words.host(slug) + (f" ({words.STAND_IN})" if stand_in else "")


def told(counts: dict[str, int]) -> str:
    """The states that need something, with their numbers; nothing where all is measured."""
    return words.listed(
        [f"{counts[state]} {state}" for state in STATES[1:] if counts.get(state, 0)]
    )


def named(hosts: list[str]) -> str:
    """The names of hosts, not too many."""
    shown = hosts[:MOST_NAMES]
    more = len(hosts) - len(shown)
    return words.listed([*shown, words.count(more, "other")] if more else shown)


def summary(rows: pd.DataFrame) -> show.Shown:
    """How much of what is expected is measured, on how many hosts."""
    if rows.empty:
        return show.text(
            "No machine has been measured yet, so nothing can be missing or out of date. "
            f"`{runs.RUN}` measures this one."
        )
    now = rows[rows["newest"]]
    counts = now["state"].value_counts().to_dict()
    whole = now.groupby("host")["state"].agg(lambda states: not set(states) & {*DUE, "failed"})
    rest = told(counts)
    sentences = [
        f"**{counts.get('measured', 0):,} of {words.count(len(now), 'expected cell')} measured** "
        f"under the newest release of {words.count(len(whole), 'host')}"
        f"{f': {rest}' if rest else ''}.",
        _complete(int(whole.sum()), len(whole)),
        *_behind(now),
        "[What is expected](#what-is-expected) explains how cells are counted.",
    ]
    return show.text(" ".join(sentences))


def _complete(whole: int, hosts: int) -> str:
    if whole == hosts:
        return "Nothing is due."
    return f"{words.count(hosts - whole, 'host is', 'hosts are')} not complete."


def _behind(now: pd.DataFrame) -> list[str]:
    """For each system, the hosts without a record of the newest version that another has one of."""
    sentences = []
    for system, rows in now[~now["stands_in"]].groupby("system"):
        hosts = rows.drop_duplicates("host")
        place, last = max(zip(hosts["place"], hosts["version"], strict=True))
        names = [host(row.host, row.stands_in) for row in hosts.itertuples() if row.place < place]
        if system not in words.SYSTEMS or not names:
            continue
        sentences.append(
            f"{words.SYSTEMS[system]} {last} is measured, but not on {named(names)}: no record "
            f"tells whether {'it was' if len(names) == 1 else 'they were'} updated."
        )
    return sentences
