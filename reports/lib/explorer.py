"""The explorer of the start page: every published or measured speed of a chosen Mac.

Its first state is a table, which works without a script; then `assets/explorer/explorer.js`.
"""

import pandas as pd

from lib import links, order, reasons, show, tables, words
from lib.basis import ALIKE, Basis
from lib.database import query
from lib.releases import verdicts

# What may stand side by side: published first-hand, and measured alike on a Mac. In the order of
# releases.
ROWS = f"""
select
    basis as origin, article, host, macos, storage, format, encryption,
    if(phase = 'unstated', 'fresh', phase) as phase, op, gbps,
    gbps_low as low, coalesce(gbps_to, gbps_high) as high, kind,
    as_printed, unit_as_printed, condition, runs, made_up, statistics_differ, vouched_by
from known_speed
where format <> 'unstated' and not second_hand
    and (article is not null or (origin, op) in (select (cell, op) from {ALIKE}))
order by
    host, release_order(macos) desc, macos,
    basis desc, storage, format <> 'native', {order.by("format", "encryption")}, table_order,
    {order.by("phase")}, op desc, article, gbps
"""
CHANGES = f"""
select host, storage, format, encryption, phase, op, change, ratio, earlier, later
from {verdicts.EVERY}
where comparable and protocol = 'usage-phases' and scale = 'gold'
order by all
"""
COLUMNS = ("origin", "article", "host", "macos", "storage", "format", "encryption", "phase", "op")
# the columns of which a row of the page has the index of its word
LISTED = (*COLUMNS, "mark")


def shown(base: Basis) -> show.Shown:
    """The choices, bars and table; initially, writing to the images of `base`."""
    rows = query(ROWS)
    marks = [reasons.depends(why) for why in rows["statistics_differ"]]
    rows = rows.assign(image=_images(rows), mark=marks)
    first = _first(rows, base)
    return show.together(
        show.html('<div id="explorer" class="explorer">'),
        _table(first),
        show.html(
            f'<script type="application/json">{show.in_script(_data(rows, base))}</script></div>\n'
            f'<link rel="stylesheet" href="{links.to("assets/explorer/explorer.css")}">\n'
            f'<script src="{links.to("assets/explorer/explorer.js")}" defer></script>'
        ),
    )


def _first(rows: pd.DataFrame, base: Basis) -> pd.DataFrame:
    origin = "measured" if base.measured else "published"
    where = {
        "host": base.first["host"],
        "macos": base.first["macos"],
        "origin": origin,
        "storage": "internal",
    }
    first = rows[(rows[list(where)] == pd.Series(where)).all(axis=1)]
    return first[(first["op"] == "write") & (first["phase"] == "fresh")]


def _table(rows: pd.DataFrame) -> show.Shown:
    """The first state: each image with its share of the speed of the Mac's SSD."""
    ssd = rows[rows["format"] == "native"]["gbps"].max()
    return tables.table(
        rows,
        [
            tables.sentence("Image", "image"),
            tables.number("Write (GB/s)", lambda row: tables.with_small(text(row), row["mark"])),
            tables.number(
                "Share of the SSD\u2019s speed",
                lambda row: words.percent(row["gbps"] / ssd) if ssd > 0 else "",
            ),
        ],
        f"Writing to new images, {words.mac(*rows[['host', 'macos']].iloc[0])}, "
        + words.measured_by(rows["origin"].iloc[0], rows["vouched_by"]),
        name="explorer",
    )


def _images(rows: pd.DataFrame) -> list[str]:
    """The name of each image, with the article's condition only if it distinguishes two."""
    alike = rows.duplicated([name for name in COLUMNS if name != "article"], keep=False)
    return [
        _image(row, with_condition=bool(also))
        for row, also in zip(rows.to_dict("records"), alike, strict=True)
    ]


def _image(row: dict, with_condition: bool) -> str:
    name = words.short(row["format"])
    if row["format"] != "native" and row["encryption"] != "none":
        name += f", {words.encryption(row['encryption'])}"
    return (
        f"{name} ({row['condition']})"
        if with_condition and not words.missing(row["condition"])
        else name
    )


def text(row: dict) -> str:
    """The figure in GB/s, as printed or as measured."""
    if words.missing(row["as_printed"]):
        return words.gbps(row["gbps"])
    in_gb = row["unit_as_printed"] == "GB/s"
    printed = str(row["as_printed"]) if in_gb else words.significant(row["gbps"])
    return f"{words.bound(row['kind'], '')}{printed}"


def _data(rows: pd.DataFrame, base: Basis) -> dict:
    """The rows as numbers: indexes of words, speeds, texts."""
    lists = {name: list(dict.fromkeys(rows[name].fillna(""))) for name in LISTED}
    places = {name: {word: at for at, word in enumerate(known)} for name, known in lists.items()}
    packed = [
        [
            *(places[name]["" if words.missing(row[name]) else row[name]] for name in LISTED),
            round(row["gbps"], 4),
            None if words.missing(row["low"]) else round(row["low"], 4),
            None if words.missing(row["high"]) else round(row["high"], 4),
            text(row),
            row["image"],
            None if words.missing(row["runs"]) else int(row["runs"]),
        ]
        for row in rows.to_dict("records")
    ]
    return {
        "lists": lists,
        "rows": packed,
        "names": {
            **{kind: {slug: say(slug) for slug in lists[kind]} for kind, say in _NAMES.items()},
            "article": dict(query("select article, title from article").itertuples(index=False)),
        },
        "changes": [list(row) for row in _changes().itertuples(index=False)],
        "first": {"m": base.first["host"], "a": base.first["macos"]},
        "synthetic": bool(rows["made_up"].any()),
        "vouched": {
            f"{host} {macos}": by
            for (host, macos), part in rows.groupby(["host", "macos"])
            if (by := words.vouched(part["vouched_by"]))
        },
    }


def _changes() -> pd.DataFrame:
    rows = query(CHANGES)
    return rows.assign(ratio=rows["ratio"].astype(float).round(3))


# a storage as an entry of a list, where it is cut when it is long
_NAMES = {
    "host": words.host,
    "storage": lambda slug: words.storage(slug).removeprefix("the ").removeprefix("a "),
    "format": words.form,
    "encryption": words.encryption,
    "phase": words.phase,
}
