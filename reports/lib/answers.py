"""The start page's first sentences: which format is fastest, by the newest complete release.

Only measured figures recommend a format: those that an article prints have no interval.
"""

import pandas as pd

from lib import articles, links, rules, show, words
from lib.basis import Basis, left_out, not_judged, runs_of, ssd


def lead(base: Basis) -> show.Shown:
    """A sentence on encrypted images, one on unencrypted images, and what has no verdict yet."""
    sentences = [_encrypted(base), _not_encrypted(base), _left_out(base), _not_judged(base)]
    said = words.joined(sentences, " ")
    # explained where a reader of the site meets it first
    return show.text(said.replace("RAW", "RAW (read-write, UDRW)", 1))


def _encrypted(base: Basis) -> str:
    ranked = base.coded
    chosen = equals(ranked)
    best, behind = ranked.iloc[0], ranked.drop(chosen.index)
    which = "it" if len(chosen) == 1 else words.short(best["format"])
    interval = words.interval(best["write_low"], best["write_high"])
    interval = f" (95 % interval across runs: {interval})" if interval else ""
    than = ""
    if len(behind):
        other = behind.iloc[0]
        than = f"; {words.short(other['format'])}, the next fastest, writes {_said(other, 'write')}"
    speeds = f"writes {_said(best, 'write')} GB/s{interval} and reads {_said(best, 'read')}{than}"
    if not base.measured:
        about = articles.about(base.first["article"])
        return (
            f"**Encrypted, {_names(chosen, article=True)} {_was(chosen)} fastest** "
            f"({about['author']}, {about['published_on']:%B %Y}; {base.where}, AES-256; "
            f"one test, no interval): {which} {speeds}."
        )
    return (
        f"**Encrypted on macOS {base.first['macos']}: use {_names(chosen, 'or', article=True)}.** "
        f"{words.capital(which)} {speeds} (AES-256; {base.where}, measured, {runs_of(ranked)})."
    )


def _not_encrypted(base: Basis) -> str:
    ranked = base.plain
    first = ranked.iloc[0]
    least = (1 - rules.tolerance("start page", "fast enough")) * first["write_gbps"]
    enough = _at_most(ranked) >= least
    fast, slow = ranked[enough], ranked[~enough]
    last = fast.iloc[-1]
    # "any" and "all": of the formats compared, which do not include sparse images (UDSP)
    if not base.measured:
        fastest = "fastest" if len(slow) else "all fast"
        advice = f"{_names(fast)} {_was(fast)} {fastest}"
    else:
        advice = f"use {_names(fast, 'or')}" if len(slow) else f"use any of {_names(fast)}"
    spread = (
        f"they write {_said(last, 'write')} ({words.short(last['format'])}) to "
        f"{_said(first, 'write')} GB/s ({words.short(first['format'])})"
        if len(fast) > 1
        else f"{words.short(first['format'])} writes {_said(first, 'write')} GB/s"
    )
    return f"**Not encrypted, {advice}**: {spread}.{_beyond_ssd(base, fast)}"


def _beyond_ssd(base: Basis, fast: pd.DataFrame) -> str:
    """A caveat if a recommended image is faster than its SSD."""
    own = ssd(base)
    if own is None or fast["write_gbps"].max() <= own["gbps"]:
        return ""
    printed = words.gbps(own["gbps"]) if base.measured else own["as_printed"]
    return (
        f" The SSD itself writes {printed}: where an image is faster, "
        "part of its data may still have been in memory."
    )


def _left_out(base: Basis) -> str:
    """A note on images that are not compared, as their speed depends on the statistic."""
    images = _images(left_out(base))
    return f"Left out, as their speed depends on the statistic: {images}." if images else ""


def _images(rows: pd.DataFrame) -> str:
    """`ASIF, AES-256` for each of these rows."""
    return "; ".join(
        f"{words.short(row['format'])}, {words.encryption(row['encryption'])}"
        for row in rows.to_dict("records")
    )


def _not_judged(base: Basis) -> str:
    """A note that a newer release has no recommendation, and why."""
    newer = not_judged(base)
    if newer is None:
        return ""
    rows = newer.rows
    depend = _images(rows[rows["depends"].astype(bool)])
    needs = f"that needs {words.count(rules.runs(), 'run')} of each image"
    why = [
        "" if rows["enough_runs"].all() else needs,
        f"speeds that depend on the statistic: {depend}" if depend else "",
    ]
    return (
        f"For {newer.where}, there are [figures]({links.rows(rows)}) of {runs_of(rows)}, "
        f"but no verdict: {words.joined(why, '; ')}."
    )


def equals(ranked: pd.DataFrame) -> pd.DataFrame:
    """The rows about as fast as the first, and those whose interval overlaps the first's."""
    first = ranked.iloc[0]
    least = (1 - rules.tolerance("start page", "about equal")) * first["write_gbps"]
    low = first["write_low"]
    return ranked[_at_most(ranked) >= (least if words.missing(low) else min(least, low))]


def _at_most(rows: pd.DataFrame) -> pd.Series:
    """The upper end of each interval, or the speed if there is none; GB/s."""
    return rows["write_high"].fillna(rows["write_gbps"]).astype(float)


def _names(rows: pd.DataFrame, word: str = "and", article: bool = False) -> str:
    names = words.listed([words.short(form) for form in rows["format"]], word)
    return f"a {names}" if article and names.startswith("sparse") else names


def _was(rows: pd.DataFrame) -> str:
    return "was" if len(rows) == 1 else "were"


def _said(row: pd.Series | dict, op: str) -> str:
    """A speed as the article prints it, or as measured."""
    printed = row.get(f"{op}_as_printed")
    return words.gbps(row[f"{op}_gbps"]) if words.missing(printed) else str(printed)
