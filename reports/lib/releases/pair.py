"""Two consecutive releases in words: names, and how many speeds changed."""

import pandas as pd

from lib import rules, words

JUDGED = ("slower", "faster", "no change shown", "not beyond the disk")
# the other verdicts, and what is said of their number
WITHOUT = {
    "not comparable": "cannot be compared",
    "not judged": "are not judged",
    "too few runs": "have too few runs",
}


def with_verdicts(changed: pd.DataFrame) -> list[pd.DataFrame]:
    """The pairs of releases of which a speed has a verdict; if there are none, the first pair."""
    pairs = [rows for _, rows in changed.groupby(["earlier_release", "later_release"], sort=False)]
    return [rows for rows in pairs if rows["change"].isin(JUDGED).any()] or pairs[:1]


def heading(rows: pd.DataFrame) -> str:
    """`From macOS 26.3.1 to 26.4`."""
    earlier, later = _named(rows)
    return f"From {earlier} to {later}"


def summary(rows: pd.DataFrame) -> str:
    """`Between macOS 26.3.1 and 26.4, of 40 speeds 3 became slower and none faster; ...`."""
    judged = rows[rows["change"].isin(JUDGED)]
    pair = f"Between {' and '.join(_named(rows))}"
    several = rows["host"].nunique()
    hosts = words.host(rows["host"].iloc[0]) if several == 1 else f"{several} machines"
    hosts = words.measured_by(hosts, rows["vouched_by"])
    few = int((rows["change"] == "too few runs").sum())
    if judged.empty and few:
        return (
            f"{pair}, {words.count(few, 'speed has', 'speeds have')} too few runs for a verdict, "
            f"which needs {rules.fewest_runs()} under each release ({hosts})."
        )
    if judged.empty:
        return f"{pair}, none of {words.count(len(rows), 'pair')} has a verdict ({hosts})."
    slower, faster = ((judged["change"] == change).sum() for change in ("slower", "faster"))
    counted = {said: int((rows["change"] == change).sum()) for change, said in WITHOUT.items()}
    more = "".join(f"; {count} more {said}" for said, count in counted.items() if count)
    of = words.count(len(judged), "measured speed")
    said = (
        f"of {of} {slower or 'none'} became slower and {faster or 'none'} faster"
        if slower + faster
        else f"of {of} none became slower or faster"
    )
    if together := int((judged["change"] == "not beyond the disk").sum()):
        said += words.on(judged["later_release"].iloc[0], " beyond the SSD itself")
        said += f"; {together} may have changed with the whole machine"
    if rest := len(judged) - slower - faster - together:
        least = words.percent(rules.tolerance("release_change", "least change"))
        said += f"; for {rest} no change of more than {least} is shown"
    return f"{pair}, {said} ({hosts}{more})."


def _named(rows: pd.DataFrame) -> tuple[str, str]:
    """`macOS 26.3.1` and `26.4`, with the build if several bear that name."""
    first = rows.iloc[0]
    earlier, later = (
        _named_build(first, which) if first[f"{which}_of_several"] else first[f"{which}_macos"]
        for which in ("earlier", "later")
    )
    return f"macOS {earlier}", later


def _named_build(row: pd.Series, which: str) -> str:
    _, _, *build = row[f"{which}_release"].split("-")
    return " ".join([row[f"{which}_macos"], *(f"({one})" for one in build)])
