"""Changes in the newest release: measured if comparable, else published."""

import re

import pandas as pd

from lib import reasons, rules, show, tables, words
from lib.basis import Basis
from lib.database import query

CHANGED = ("faster", "slower")
# what has no verdict, and how it is introduced
WITHOUT = {
    "too few runs": "Too few runs for a verdict",
    "not judged": "Not judged, as the disk itself or without comparable native files beside it",
    "not comparable": "Not comparable",
}


def table(base: Basis) -> show.Shown:
    """Each image under the newest release and the one before it."""
    return _measured(base) if base.measured else _published()


def _measured(base: Basis) -> show.Shown:
    rows = query(
        """
        select
            host, format, encryption, op, earlier_release, later_release, earlier_gbps, later_gbps,
            ratio, ratio_low, ratio_high, p_adjusted, change, comparable,
            why_not_comparable, vouched_by
        from release_change
        inner join (select host, release as earlier_release, release_number from host)
            using (host, earlier_release)
        where host = $host and later_release = $release and consecutive
            and storage = 'internal' and protocol = 'usage-phases' and scale = 'gold'
            and phase = 'fresh' and band_bytes is null
            and driver in ('apple', 'native')
        -- an image may lack the release before: its own last one is older, and another comparison
        qualify release_number = max(release_number) over ()
        order by encryption <> 'AES-256', format, op desc
        """,
        host=base.first["host"],
        release=base.first["release"],
    )
    if rows.empty:
        text = f"{words.host(base.first['host'])} was measured under one release only."
        return show.text(text)
    before = rows["earlier_release"].iloc[0]
    shown = tables.table(
        rows,
        [
            tables.sentence("New image", _image),
            tables.text("Direction", "op"),
            tables.number(f"{words.release(before)}, GB/s", "earlier_gbps", words.gbps),
            tables.number(
                f"{words.release(base.first['release'])}, GB/s", "later_gbps", words.gbps
            ),
            tables.number(
                "Ratio, 95 % interval",
                lambda row: tables.with_small(
                    words.ratio(row["ratio"]), words.ratios(row["ratio_low"], row["ratio_high"])
                ),
            ),
            tables.text(
                "Change",
                lambda row: tables.with_small(
                    tables.verdict(row["change"]),
                    "; ".join(reasons.few(row["why_not_comparable"])),
                ),
            ),
        ],
        words.measured_by(
            "The same images under the newest release and the one before it, measured",
            rows["vouched_by"],
        ),
        name="changed",
    )
    return show.together(show.text(_summary(rows)), shown)


def _summary(rows: pd.DataFrame) -> str:
    """How many of the compared speeds changed, and which cannot be compared."""
    found = dict(list(rows.groupby("change", sort=False)))
    without = [(said, found.pop(kind, None)) for kind, said in WITHOUT.items()]
    judged = sum(len(part) for part in found.values())
    before, now = (words.release(rows[f"{at}_release"].iloc[0]) for at in ("earlier", "later"))
    host = words.measured_by(words.host(rows["host"].iloc[0]), rows["vouched_by"])
    start = f"From {before} to {now} on {host}"
    if judged:
        least = words.percent(rules.tolerance("release_change", "least change"))
        changed = [f"{len(found[kind])} became {kind}" for kind in CHANGED if kind in found]
        rest = judged - sum(len(found.get(kind, [])) for kind in CHANGED)
        said = f"**{words.listed(changed)}**" if changed else "**none became faster or slower**"
        said += f"; for {rest} no change of more than {least} is shown" if rest else ""
        said += " beyond that of the disk itself" if "not beyond the disk" in found else ""
        sentences = [f"{start}: of {words.count(judged, 'speed')} compared, {said}."]
    else:
        sentences = [f"{start}, no speed has a verdict."]
    sentences += [f"{said}: {_named(part)}." for said, part in without if part is not None]
    return " ".join(sentences)


def _named(rows: pd.DataFrame) -> str:
    """`ASIF AES-256 (write, read)` for each image of these rows."""
    directions: dict[str, list[str]] = {}
    for row in rows.to_dict("records"):
        directions.setdefault(_image(row), []).append(row["op"])
    return "; ".join(f"{image} ({', '.join(ops)})" for image, ops in directions.items())


def _published() -> show.Shown:
    rows = query(
        """
        with pair as (
            select distinct
                host, format, encryption, op, earlier_macos, later_macos, earlier_gbps, later_gbps,
                earlier_as_printed, later_as_printed, ratio, doubts
            from release_published
            where format not in ('native', 'VM') and phase = 'fresh'
        )
        select *
        from pair
        where (earlier_macos, later_macos) in (
            select (earlier_macos, later_macos) from pair
            order by release_order(later_macos) desc, release_order(earlier_macos) desc
            limit 1
        )
        order by format, op desc
        """
    )
    if rows.empty:
        return show.text("The articles state no figure of the same image under two releases.")
    before, now = (rows[column].iloc[0] for column in ("earlier_macos", "later_macos"))
    host = words.host(rows["host"].iloc[0])
    spread = (rows["ratio"] - 1).abs().max()
    images = words.listed(list(dict.fromkeys(_image(row) for row in rows.to_dict("records"))))
    most = f"{100 * spread:.1f}\u00a0%"
    least = rules.notable()
    by = (
        f"up to {most}"
        if spread >= least
        else f"at most {most}, less than the {words.percent(least)} that counts here"
    )
    doubts = words.joined(dict.fromkeys(rows["doubts"]), "; ")
    sentences = [
        f"The newest figures of the articles are of macOS {now}: {images}, on {host}.",
        f"They differ from those of {before} by {by}.",
        "A printed figure has no interval, so there is no test of the difference.",
        show.plain(f"{_caveat(doubts)}.") if doubts else "",
    ]
    shown = tables.table(
        rows,
        [
            tables.sentence("New image", _image),
            tables.text("Direction", "op"),
            tables.number(f"macOS {before} (GB/s)", "earlier_as_printed"),
            tables.number(f"macOS {now} (GB/s)", "later_as_printed"),
            tables.number("Ratio", "ratio", words.ratio),
        ],
        "The same images under two releases, as published",
        name="changed",
        classes="wide",
    )
    return show.together(show.text(words.joined(sentences, " ")), shown)


def _caveat(doubts: str) -> str:
    """`Caveat for 26.4: ...` if the text begins with a release, else `Caveat: ...`."""
    begins = re.match(r"\d[^:;]*: ", doubts)
    return f"Caveat for {doubts}" if begins else f"Caveat: {doubts}"


def _image(row: dict) -> str:
    kind = words.form(row["format"])
    return kind if row["encryption"] == "none" else f"{kind} {row['encryption']}"
