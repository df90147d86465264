"""The charts of a host: a line for each encryption over the releases, with findings."""

import itertools
import math

import pandas as pd

from lib import reasons, rules, runs, show, words
from lib.charts import releases as charts
from lib.charts.parts import end
from lib.releases.pair import JUDGED


def panels(host: str, rows: pd.DataFrame):
    """A pair of charts for each format and storage with more than one release."""
    rows = chosen(rows)
    if rows.empty:
        return
    groups = dict(list(rows.groupby(["shelf", "format"], sort=False)))
    comparable = {key: part for key, part in groups.items() if _comparable(part)}
    axis = labels(pd.concat(comparable.values())) if comparable else []
    for key in sorted(comparable, key=lambda key: (key[0], list(words.FORMATS).index(key[1]))):
        yield _panel(host, key, comparable[key], axis)


def chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """The drawn figures: new images of one workload; measured ones of one protocol."""
    usual = rows["phase"].isin(["fresh", "unstated"])
    usual &= ~rows["scale"].isin(["tenth"]) & ~rows["tool"].isin(["Blackmagic"])
    rows = rows[usual]
    measured = rows[rows["basis"] == "measured"]
    # the key of a chart
    image = ["host", "storage", "format"]
    way = ["protocol", "scale"]
    ways = measured.groupby([*image, *way], as_index=False)[["macos", "encryption"]].nunique()
    preferred = {name: place for place, name in enumerate(words.PROTOCOLS)}
    ways["preference"] = ways["protocol"].map(preferred).fillna(len(preferred))
    ways = ways.sort_values(["macos", "encryption", "preference"], ascending=[False, False, True])
    best = ways.drop_duplicates(image)[[*image, *way]]
    measured = measured.merge(best, on=[*image, *way])
    return pd.concat([rows[rows["basis"] == "published"], measured], ignore_index=True)


def labels(rows: pd.DataFrame) -> list[str]:
    """Releases in numeric order; a beta before its release."""
    return list(dict.fromkeys(rows.sort_values("place")["macos"]))


def _comparable(rows: pd.DataFrame) -> bool:
    """Whether there are figures of one direction under two releases or more."""
    return bool((rows.groupby("op")["macos"].nunique() > 1).any())


def _panel(host: str, key: tuple[str, str], rows: pd.DataFrame, axis: list[str]) -> show.Shown:
    storage, form = key
    name = words.form(form)
    top = 1.1 * max(end(rows), float(rows["gbps_to"].max()) if rows["gbps_to"].any() else 0.0)
    pair = []
    for op, verb, part in runs.directions(rows):
        title = f"{words.short(form)}, {verb}: {_finding(part, axis)}"
        description = (
            f"Lines: {op} speed of {name} on {words.host(host)} by macOS and encryption; "
            "hollow: published, filled: measured"
        )
        drawing = charts.by_release(part, axis, title, description, top)
        pair.append((f"chart-{host}-{storage}-{form}-{op}".lower(), drawing))
    sql = (
        f"select * from known_speed\nwhere host = '{host}' and format = '{form}' "
        f"and storage in ('{storage}', 'unstated')\norder by basis, op, encryption, macos"
    )
    return show.row(*pair, caption=_caption(storage, rows), rows=sql)


def _finding(rows: pd.DataFrame, axis: list[str]) -> str:
    """The verdicts on measured lines; if there is none, the largest step of a published one."""
    judged = rows[rows["change"].isin(JUDGED)]
    moved = judged[judged["change"].isin(["slower", "faster"])]
    if not moved.empty:
        largest = (moved["later_gbps"] / moved["earlier_gbps"]).map(math.log).abs().idxmax()
        row = moved.loc[largest]
        # of the runs that the verdict is of: a figure that is drawn may have others, too
        before, after = words.gbps(row["earlier_gbps"]), words.gbps(row["later_gbps"])
        return (
            f"{words.encryption(row['encryption'])}, {row['change']} from {row['earlier']} "
            f"to {row['macos']}, {before} to {after} GB/s"
        )
    if not judged.empty:
        disk = (judged["change"] == "not beyond the disk").any()
        least = words.percent(rules.tolerance("release_change", "least change"))
        beyond = "beyond the SSD itself " if disk else ""
        return f"no change of more than {least} shown {beyond}(measured)"
    return _published(rows, axis)


def _published(rows: pd.DataFrame, axis: list[str]) -> str:
    """The largest step of one published line between two releases that are joined by it."""
    exact = rows[~rows["kind"].isin(["range", "below", "above"])]
    steps = []
    for (coded, _), line in exact[exact["basis"] == "published"].groupby(["encryption", "piece"]):
        line = line.drop_duplicates("macos").sort_values(
            "macos", key=lambda versions: versions.map(axis.index)
        )
        steps += [
            (abs(math.log(two["gbps"] / one["gbps"])), coded, one, two)
            for one, two in itertools.pairwise(line.to_dict("records"))
        ]
    if not steps:
        return "no verdict on a change"
    size, coded, one, two = max(steps, key=lambda step: step[0])
    if size == 0:
        return "no change (published)"
    if math.exp(size) < 1 + rules.notable():
        return f"changes of at most {words.percent(math.exp(size) - 1)} (published)"
    return (
        f"{words.encryption(coded)}, {one['gbps']:g} to {two['gbps']:g} GB/s "
        f"from {one['macos']} to {two['macos']}"
    )


def _caption(storage: str, rows: pd.DataFrame) -> str:
    """Where, what the marks mean, and every doubt about a figure that is drawn."""
    parts = [f"On {words.storage(storage)}, new images."]
    measured = rows[rows["basis"] == "measured"]
    if not measured.empty:
        first = measured.iloc[0]
        protocol = words.protocol(first["protocol"])
        parts.append(f"Measured: {protocol}, scale {first['scale']}. {runs.counted(measured)}")
        parts.append(_apart(measured))
    if rows["second_hand"].any():
        parts.append("\u2020 known only second-hand.")
    doubts: dict[str, dict[str, None]] = {}
    for row in rows.dropna(subset=["note"]).sort_values("place").to_dict("records"):
        # a caveat of two figures is shown once
        doubts.setdefault(row["macos"], {}).update(dict.fromkeys(row["note"].split("; ")))
    parts += [f"Caveats for {version}: {'; '.join(notes)}." for version, notes in doubts.items()]
    return words.joined(parts, " ")


def _apart(measured: pd.DataFrame) -> str:
    """Between which releases a line is broken, and why."""
    broken = measured[measured["apart"]].sort_values("place", kind="stable")
    pairs = [
        f"{earlier} and {later}{_why(rows['why_not_comparable'])}"
        for (earlier, later), rows in broken.groupby(["before", "macos"], sort=False)
    ]
    return (
        f"Figures that may not be compared have no line between them: {'; '.join(pairs)}."
        if pairs
        else ""
    )


def _why(codes: pd.Series) -> str:
    """Why two releases are not compared; nothing where they have no runs in common."""
    found = {code for some in codes.dropna() for code in some}
    return f" ({', '.join(reasons.few(found))})" if found else ""
