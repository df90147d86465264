"""What changed with the newest release: measured where it can be compared, else as published."""

import pandas as pd

from lib import show, tables, words
from lib.basis import Basis
from lib.database import query
from lib.tables import Markup

EQUAL = 0.1  # printed speeds this close show no change: see lib.answers
VERDICT = {"faster": "good", "slower": "poor"}


def table(base: Basis) -> show.Shown:
    """Each image under the newest release and the one before it."""
    return _measured(base) if base.measured else _published()


def _measured(base: Basis) -> show.Shown:
    rows = query(
        """
        select
            format, encryption, op, earlier_release, later_release, earlier_gbps, later_gbps,
            ratio, ratio_low, ratio_high, p_adjusted, change
        from release_change
        where host = $host and later_release = $release and consecutive
            and storage = 'internal' and protocol = 'usage-phases' and scale = 'gold'
            and phase = 'fresh' and repeat = 1 and band_bytes is null
            and driver in ('apple', 'native')
        order by encryption <> 'AES-256', format, op desc
        """,
        host=base.host,
        release=base.release,
    )
    if rows.empty:
        text = f"{words.host(base.host)} was measured under one release only."
        return show.text(text)
    before = rows["earlier_release"].iloc[0]
    told = rows["change"].value_counts()
    said = [f"{count} {kind}" for kind, count in told.items() if kind in VERDICT]
    rest = int(told.get("no change shown", 0))
    steps = f"{words.release(before)} to {words.release(base.release)}"
    sentence = (
        f"From {steps} on {words.host(base.host)}: of {len(rows)} speeds of new images, "
        f"**{words.listed(said) or 'none faster or slower'}**, and {rest} that show no change "
        "beyond noise."
    )
    lines = [
        {
            "image": _image(row),
            "op": row["op"],
            "earlier": words.gbps(row["earlier_gbps"]),
            "later": words.gbps(row["later_gbps"]),
            "ratio": tables.with_small(
                words.ratio(row["ratio"]), _range(row["ratio_low"], row["ratio_high"])
            ),
            "change": _change(row["change"]),
        }
        for row in rows.to_dict("records")
    ]
    shown = tables.table(
        lines,
        {
            "image": "New image",
            "op": "Direction",
            "earlier": f"{words.release(before)}, GB/s",
            "later": f"{words.release(base.release)}, GB/s",
            "ratio": "Ratio, 95 % interval",
            "change": "Change",
        },
        "The same images under the newest release and the one before it, measured",
        numbers=["earlier", "later", "ratio"],
        name="changed",
        source=rows,
    )
    return show.together(show.text(sentence), shown)


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
            order by
                try_cast(string_split(later_macos, '.') as integer[]) desc,
                try_cast(string_split(earlier_macos, '.') as integer[]) desc
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
    verdict = f"at most {words.percent(spread)}, **no change shown**"
    if spread >= EQUAL:
        verdict = f"up to {words.percent(spread)}"
    doubts = "; ".join(dict.fromkeys(text for text in rows["doubts"] if not words.missing(text)))
    sentences = [
        f"The newest figures of the articles are of macOS {now}: {images}, on {host}.",
        f"They differ from those of {before} by {verdict}.",
        "A printed figure has no interval, so nothing more can be said.",
        show.plain(f"Doubt: {doubts}.") if doubts else "",
    ]
    lines = [
        {
            "image": _image(row),
            "op": row["op"],
            "earlier": row["earlier_as_printed"],
            "later": row["later_as_printed"],
            "ratio": words.ratio(row["ratio"]),
        }
        for row in rows.to_dict("records")
    ]
    shown = tables.table(
        lines,
        {
            "image": "New image",
            "op": "Direction",
            "earlier": f"macOS {before} (GB/s)",
            "later": f"macOS {now} (GB/s)",
            "ratio": "Ratio",
        },
        "The same images under two releases, as published",
        numbers=["earlier", "later", "ratio"],
        name="changed",
        source=rows,
    )
    return show.together(show.text(" ".join(filter(None, sentences))), shown)


def _image(row: dict) -> str:
    kind = words.name(words.FORMATS, row["format"])
    return kind if row["encryption"] == "none" else f"{kind} {row['encryption']}"


def _range(low: object, high: object) -> str:
    return "" if words.missing(low) or pd.isna(high) else f"{low:.2f} to {high:.2f}"


def _change(text: object) -> Markup:
    kind = VERDICT.get(str(text), "open")
    return Markup(f'<span class="verdict verdict-{kind}">{tables.markup(text)}</span>')
