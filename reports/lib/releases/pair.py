"""Two consecutive releases in words: names, and how many speeds changed."""

import pandas as pd

from lib import rules, words

JUDGED = ("slower", "faster", "no change shown", "not beyond the disk")
UNJUDGED = ("not comparable", "not judged", "too few runs")


def with_verdicts(changed: pd.DataFrame) -> list[pd.DataFrame]:
    """The pairs of releases of which a speed has a verdict; if there are none, the first pair."""
    pairs = [rows for _, rows in changed.groupby(["earlier_release", "later_release"], sort=False)]
    return [rows for rows in pairs if rows["change"].isin(JUDGED).any()] or pairs[:1]


def heading(rows: pd.DataFrame) -> str:
    """`From macOS 26.3.1 to 26.4`, with the build if several bear that name."""
    first = rows.iloc[0]
    earlier, later = (
        _named_build(first, which) if first[f"{which}_of_several"] else first[f"{which}_macos"]
        for which in ("earlier", "later")
    )
    return f"From macOS {earlier} to {later}"


def summary(rows: pd.DataFrame) -> str:
    """`From macOS 26.3.1 to 26.4, 3 of 40 measured speeds became slower and 37 show ...`."""
    return f"{heading(rows)}, {counted(rows)}"


def counted(rows: pd.DataFrame) -> str:
    """`3 of 40 measured speeds became slower and 37 show ...`."""
    judged = rows[rows["change"].isin(JUDGED)]
    several = rows["host"].nunique()
    hosts = words.host(rows["host"].iloc[0]) if several == 1 else f"{several} machines"
    hosts = words.measured_by(hosts, rows["vouched_by"])
    few = int((rows["change"] == "too few runs").sum())
    if judged.empty and few:
        return (
            f"{words.count(few, 'speed has', 'speeds have')} too few runs for a verdict, "
            f"which needs {rules.fewest_runs()} under each release ({hosts})."
        )
    if judged.empty:
        return f"none of {words.count(len(rows), 'pair')} has a verdict ({hosts})."
    counts = rows["change"].value_counts()
    more = "".join(f"; {change}: {counts[change]}" for change in UNJUDGED if change in counts)
    unchanged = "shows" if counts.get("no change shown") == 1 else "show"
    least = words.percent(rules.tolerance("release_change", "least change"))
    said = {
        "slower": "became slower",
        "faster": "became faster",
        "not beyond the disk": "may have changed with the whole machine",
        "no change shown": f"{unchanged} no change of more than {least}",
    }
    first, *others = [f"{counts[one]} {{}}{what}" for one, what in said.items() if one in counts]
    of = f"of {words.count(len(judged), 'measured speed')} "
    found = words.listed([first.format(of), *(other.format("") for other in others)])
    return f"{found} ({hosts}{more})."


def _named_build(row: pd.Series, which: str) -> str:
    _, _, *build = row[f"{which}_release"].split("-")
    return " ".join([row[f"{which}_macos"], *(f"({one})" for one in build)])
