"""The start page's section: what the newest release changed for new images."""

import pandas as pd

from lib import links, show, words
from lib.basis import Basis
from lib.releases import changes, pair, published


def shown(base: Basis) -> show.Shown:
    """Each image under the newest release and the one before: measured, else published."""
    return _measured(base) if base.measured else _published()


def _measured(base: Basis) -> show.Shown:
    changed = changes.pairs()
    changed = changed[changed["later_release"] == base.first["release"]]
    alike = {
        "host": base.first["host"],
        "storage": "internal",
        "protocol": "usage-phases",
        "scale": "gold",
        "phase": "fresh",
    }
    rows = changed[(changed[list(alike)] == alike).all(axis=1) & changed["band_bytes"].isna()]
    elsewhere = show.text(_elsewhere(changed[changed["host"] != base.first["host"]]))
    if rows.empty:
        host = words.host(base.first["host"])
        none = f"None of these images was measured on {host} under another release."
        return show.together(show.text(none), elsewhere)
    # an image may lack the release before: its own last one is older, and another comparison
    rows = pair.with_verdicts(rows)[0]
    return show.together(show.text(pair.summary(rows)), elsewhere, changes.table(rows, "changed"))


def _elsewhere(changed: pd.DataFrame) -> str:
    """How many other machines the same release changed."""
    moved = changed[changed["change"].isin(["slower", "faster"])]
    if moved.empty:
        return ""
    machines = words.count(moved["host"].nunique(), "other machine")
    slower, faster = ((moved["change"] == change).sum() for change in ("slower", "faster"))
    said = words.measured_by(
        f"On {machines} under the same release, {words.count(slower, 'speed')} became slower and "
        f"{faster} faster",
        moved["vouched_by"],
    )
    return f"{said}: [Releases]({links.to('releases.html')}) has them."


def _published() -> show.Shown:
    rows = published.pairs()
    rows = rows[~rows["format"].isin(["native", "VM"]) & (rows["phase"] == "fresh")]
    releases = ["earlier_macos", "later_macos"]
    rows = rows[(rows[releases] == rows[releases].iloc[0]).all(axis=1)]
    said = published.summary(rows, "speeds of new images")
    there = f"[Releases]({links.to('releases.html')}) has these figures and their caveats."
    return show.text(f"{said} {there}")
