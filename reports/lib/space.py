"""What images take on disk by state of use, what they leave inside, what compaction gave back."""

import pandas as pd

from lib import articles, runs, show, tables, words
from lib.charts import space as charts
from lib.database import query

BAND = 8 << 20  # bytes of a band of a sparse bundle where the study asks for no other size
OURS = (
    "These images were made, filled and compacted by our own code, without macOS. They show what "
    "the formats "
    "themselves need. What macOS adds (a file system with its own records inside, trimming, its "
    "own way to compact) is "
    "not in them, so no size of theirs stands beside one that an article states. Encrypted ASIF "
    "has a layout of our "
    "own, too."
)


def sizes() -> pd.DataFrame:
    """Every size that was measured in the first repeat, with words that name its cell."""
    return runs.named(
        query(
            """
            select
                size.*, host, release, protocol, scale, storage, driver, format, encryption,
                band_bytes, repeat, phase, stand_in, started_utc, nominal_bytes,
                lag(state) over (partition by cell order by "order") as state_before,
                lag(allocated_bytes) over (partition by cell order by "order") as bytes_before,
                lag(bands) over (partition by cell order by "order") as bands_before
            from container_size as size
            inner join cell using (cell)
            where repeat = 1
            order by
                host, release, list_position(['native', 'apple', 'portable'], driver),
                protocol <> 'usage-phases', protocol, scale, storage,
                list_position(['native', 'UDRW', 'UDSP', 'UDSB', 'ASIF', 'VM'], format),
                encryption desc, band_bytes nulls first,
                list_position(['fresh', 'partly-filled', 'emptied'], phase), "order"
            """
        )
    )


def published() -> pd.DataFrame:
    """What articles say that images take, and what ours took under macOS, a row for each pair."""
    return query(
        """
        select
            size.*, article.title,
            measured_host is not null and measured_driver = 'apple' and measured_value is not null
            and measured_scale <> 'smoke' and not coalesce(cell.stand_in, false)
            and not contains(verdict, 'by another protocol') as shown
        from article_size_table as size
        inner join article using (article)
        left join cell using (cell)
        order by article.published_on desc, table_order, measured_host, measured_release
        """
    )


def finding(rows: pd.DataFrame) -> show.Shown:
    """What the published sizes say of the formats, and how many of them were measured again."""
    said = rows[rows["quantity"] == "on-disk"].drop_duplicates(["article", "table_order"])
    newest = said[said["article"] == said["article"].iloc[0]]
    told = []
    for form, part in newest.groupby("format", sort=False):
        one = {row["state"]: row for row in part.to_dict("records")}
        if {"new", "emptied-again"} <= set(one):
            told.append(
                f"{words.name(words.FORMATS, form)} {_printed(one['new'])} when new and "
                f"{_printed(one['emptied-again'])} when empty at the end"
            )
    month = words.month(articles.about(newest["article"].iloc[0]).published_on)
    judged = rows[rows["shown"]]
    sentences = [f"As published in {month}, an image of 100 GB takes: {'; '.join(told)}."]
    if judged.empty:
        sentences.append("None of it has been measured on a Mac yet.")
    else:
        fair = judged[~judged["outcome"].isin(("not comparable", "could not be measured"))]
        counts = [f"{count} {what}" for what, count in fair["outcome"].value_counts().items()]
        sentences.append(
            f"Measured again, {words.count(len(fair), 'figure')} can be compared: "
            f"{words.listed(counts)}."
            if counts
            else "What was measured cannot be compared with it; the table says why."
        )
    return show.text(" ".join(sentences))


def _mac(host: str, macos: str) -> str:
    return f"{words.host(host)}, macOS {macos}"


def _image_in(form: str, state: str) -> str:
    return f"{words.name(words.FORMATS, form)}, {words.name(words.STATES, state)}"


def _band(row: dict) -> float:
    return BAND if words.missing(row["band_bytes"]) else row["band_bytes"]


def _printed(row: dict) -> str:
    return f"{row['as_printed']} {row['unit']}"


def beside(rows: pd.DataFrame) -> show.Shown:
    """Published and measured sizes in one chart, then every published figure with its verdict."""
    return show.together(_beside_chart(rows), _beside_table(rows))


def _beside_chart(rows: pd.DataFrame) -> show.Shown:
    rows = rows[rows["quantity"] == "on-disk"].assign(
        what=lambda table: [_image_in(row.format, row.state) for row in table.itertuples()]
    )
    rows = rows.sort_values(["format", "state"], kind="stable")
    stated = rows.drop_duplicates(["article", "table_order"])
    stated = stated.assign(
        basis="published",
        mb=stated["published_bytes"].astype(float) / 1e6,
        where=[f"{row.title}: {_mac(row.host, row.macos)}" for row in stated.itertuples()],
        verdict="as published",
    )
    mine = rows[rows["shown"]]
    units = mine["unit"].map({"MB": 1.0, "GB": 1e3, "TB": 1e6})
    mine = mine.assign(
        basis="measured",
        mb=mine["measured_value"] * units,
        where=[words.machine(row.measured_host, row.measured_release) for row in mine.itertuples()],
    )
    mine = mine.drop_duplicates(["what", "mb", "where"])
    both = pd.concat([stated, mine]).dropna(subset=["mb"])
    both = both[both["mb"] > 0].sort_values("what", kind="stable")
    empty = stated[stated["state"].str.startswith("emptied")]["mb"]
    title = (
        f"An emptied image keeps {words.size(empty.min() * 1e6)} to "
        f"{words.size(empty.max() * 1e6)} "
        "(published)"
    )
    return show.chart(
        "chart-sizes",
        charts.beside(
            both, title, "Points: size on disk by image and state, published and measured, in MB"
        ),
        "Hollow diamonds: as an article states it. Circles: measured with macOS\u2019s own "
        "images, one for each host and "
        "release." + ("" if len(mine) else " Nothing measured yet."),
        rows=rows_of("on-disk"),
    )


def rows_of(quantity: str) -> str:
    """The SQL behind one quantity of the table of sizes."""
    return f"""
        select
            article, format, state, as_printed, unit, measured_host, measured_release,
            measured_value, ratio, verdict, cell
        from article_size_table
        where quantity = '{quantity}'
        order by article, table_order, measured_host, measured_release
    """


def _beside_table(rows: pd.DataFrame) -> show.Shown:
    lines = []
    for _, part in rows.groupby(["article", "table_order"], sort=False):
        row, mine = part.iloc[0], part[part["shown"]]
        lines.append(
            {
                "article": f"{row['title']} ({_mac(row['host'], row['macos'])})",
                "image": words.name(words.FORMATS, row["format"]),
                "state": words.name(words.STATES, row["state"]),
                "quantity": QUANTITIES.get(row["quantity"], row["quantity"]),
                "published": tables.keep(_printed(row)),
                "measured": _span(mine, row["unit"]) if len(mine) else tables.absent(),
                "verdict": _verdicts(part, mine),
            }
        )
    commands = rows["command"].dropna().unique()
    return tables.table(
        lines,
        {
            "image": "Image",
            "state": "State",
            "quantity": "What",
            "published": "Published",
            "measured": "Measured",
            "verdict": "Verdict",
        },
        "Sizes, bands and free space that articles state, and what ours took under macOS",
        numbers=["published", "measured"],
        heading="article",
        name="published-sizes",
        classes="wide",
        source="""
            select * from article_size_table
            order by article, table_order, measured_host, measured_release
        """,
        command=" && ".join(commands),
    )


QUANTITIES = {
    "on-disk": "on disk",
    "bands": "bands",
    "free": "free inside",
    "reclaimed": "given back by compaction",
}


def _span(rows: pd.DataFrame, unit: str) -> tables.Markup:
    low, high = rows["measured_value"].min(), rows["measured_value"].max()
    ends = [f"{end:,.0f}" if unit == "bands" else words.significant(end, 3) for end in (low, high)]
    text = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    runs_of = rows.drop_duplicates(["measured_host", "measured_release"])
    hosts = words.count(runs_of["measured_host"].nunique(), "host")
    return tables.with_small(
        f"{text} {unit}",
        f"{hosts}, {words.count(len(runs_of), 'pair', 'pairs')} of host and release",
    )


def _verdicts(rows: pd.DataFrame, mine: pd.DataFrame) -> tables.Markup:
    """The verdicts, each with the number of hosts and releases it holds for."""
    if mine.empty:
        ours = (rows["measured_driver"] == "portable").any()
        only = "only images of our own were measured" if ours else ""
        return tables.with_small(tables.verdict("not measured yet"), only)
    counts = mine["outcome"].value_counts()
    if len(counts) > 1:
        told = [f"{tables.verdict(what)} {count}\u00d7" for what, count in counts.items()]
        return tables.Markup(", ".join(told))
    why = mine["verdict"].str.partition(": ")[2].iloc[0]
    return tables.with_small(tables.verdict(counts.index[0]), words.slugs(why))


def newest_machine(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of the machine that was measured last."""
    if rows.empty:
        return pd.Series(dtype=bool)
    last = rows.loc[rows["started_utc"].idxmax()]
    return (rows["host"] == last["host"]) & (rows["release"] == last["release"])


def states(rows: pd.DataFrame, driver: str) -> show.Shown:
    """What each state took: the machine measured last in charts and tables, the others folded."""
    rows = rows[rows["driver"] == driver]
    if rows.empty:
        return show.text("Not measured yet." if driver == "apple" else "None was measured.")
    newest = newest_machine(rows)
    parts = [_chart(part) for _, part in rows[newest].groupby(GROUP, sort=False) if _several(part)]
    parts.append(by_state(rows[newest], driver))
    if not newest.all():
        others = by_state(rows[~newest], f"{driver}-others")
        parts.append(others and show.folded("The same of the other hosts and releases", others))
    return show.together(*filter(None, parts))


GROUP = ["protocol", "scale", "storage"]


def _several(rows: pd.DataFrame) -> bool:
    return rows["state"].nunique() > 2


def _chart(rows: pd.DataFrame) -> show.Shown:
    first = rows.iloc[0]
    states = _in_order(rows)
    rows = rows.assign(
        image=[
            words.image(row["format"], row["encryption"], row["driver"], row["band_bytes"])
            for row in rows.to_dict("records")
        ],
        place=rows["state"].map(states.index),
        mb=rows["allocated_bytes"] / 1e6,
    ).sort_values(["image", "place"], kind="stable")
    rows = rows[rows["mb"] > 0]
    filled, after = (
        rows[rows["place"] > 0]["mb"].max(),
        rows[rows["place"] == len(states) - 1]["mb"],
    )
    last = words.name(words.STATES, states[-1])
    title = (
        f"Up to {words.size(filled * 1e6)} when full, {_ends(after * 1e6)} {last} "
        f"({first['driver']})"
    )
    rows["state"] = [words.name(words.STATES, state) for state in rows["state"]]
    where = ", ".join([words.name(words.PROTOCOLS, first["protocol"]), f"scale {first['scale']}"])
    order = [words.name(words.STATES, state) for state in states]
    rows = rows.sort_values("place", kind="stable") if order else rows
    return show.chart(
        f"chart-states-{first['driver']}-{first['protocol']}-{first['scale']}-{first['storage']}",
        charts.by_state(
            rows, title, f"Lines: size on disk of each image from state to state, {first['served']}"
        ),
        f"{first['served']}; {where}, on {words.name(words.STORAGES, first['storage'])}.",
        rows=_sizes_of(rows),
    )


def _ends(octets: pd.Series) -> str:
    low, high = words.size(octets.min()), words.size(octets.max())
    return low if low == high else f"{low} to {high}"


def _sizes_of(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    return f"""
        select container_size.*
        from container_size
        inner join cell using (cell)
        where host = '{first["host"]}' and release = '{first["release"]}'
            and driver = '{first["driver"]}' and protocol = '{first["protocol"]}'
            and scale = '{first["scale"]}' and storage = '{first["storage"]}' and repeat = 1
        order by cell, container_size."order"
    """


def _in_order(rows: pd.DataFrame) -> list[str]:
    """Most states come in their order in the image that was looked at most often."""
    images = rows.groupby(["host", "release", "format", "encryption", "band_bytes"], dropna=False)
    longest = images["state"].agg(list)
    return list(dict.fromkeys(state for of in sorted(longest, key=len)[::-1] for state in of))


def by_state(rows: pd.DataFrame, name: str) -> show.Shown | None:
    """Images by lines, the states of their use by columns; a table for each protocol."""
    parts = [part for _, part in rows.groupby(GROUP, sort=False) if part["state"].nunique() > 1]
    shown = [_states(f"{name}-{number}", part) for number, part in enumerate(parts, start=1)]
    return show.together(*shown) if shown else None


def _states(name: str, rows: pd.DataFrame) -> show.Shown:
    first = rows.iloc[0]
    states = _in_order(rows)
    lines = []
    keys = ["served", "format", "encryption", "band_bytes"]
    for (served, form, encryption, band_bytes), part in rows.groupby(
        keys, sort=False, dropna=False
    ):
        of = {row["state"]: row for row in part.to_dict("records")}
        lines.append(
            {
                "served": served,
                "image": words.image(form, encryption, first["driver"], band_bytes),
                **{state: _size(of.get(state)) for state in states},
            }
        )
    protocol = words.name(words.PROTOCOLS, first["protocol"])
    return tables.table(
        lines,
        {
            "image": "Image",
            **{state: _capital(words.name(words.STATES, state)) for state in states},
        },
        f"On disk by state, {protocol}, scale {first['scale']}, "
        f"on {words.name(words.STORAGES, first['storage'])}{_ours(first['protocol'], states)}",
        numbers=states,
        heading="served",
        name=f"states-{name}",
        classes="wide",
        source=f"""
            select container_size.*
            from container_size
            inner join cell using (cell)
            where driver = '{first["driver"]}' and protocol = '{first["protocol"]}'
                and scale = '{first["scale"]}' and storage = '{first["storage"]}' and repeat = 1
            order by cell, container_size."order"
        """,
    )


def _ours(protocol: str, states: list[str]) -> str:
    """Which of the states the article does not have."""
    ours = [state for state in words.OWN_STATES.get(protocol, ()) if state in states]
    names = words.listed([f"\u201c{words.name(words.STATES, state)}\u201d" for state in ours])
    return f" ({names}: ours, after the article\u2019s steps)" if ours else ""


def _size(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    part = "chunk" if row["format"] == "ASIF" else "band"
    told = [] if words.missing(row["bands"]) else [words.count(row["bands"], part)]
    if not words.missing(row["volume_free_bytes"]):
        told.append(f"{words.size(row['volume_free_bytes'])} free inside")
    return tables.with_small(words.size(row["allocated_bytes"]), "; ".join(told))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def compaction(rows: pd.DataFrame, driver: str) -> show.Shown:
    """What compaction gave back: the machine measured last, the others folded."""
    done = rows[(rows["state"] == "compacted") & rows["bytes_before"].notna()]
    done = done[done["driver"] == driver]
    if done.empty:
        return show.text("No image was compacted yet.")
    newest = newest_machine(done)
    given = 1 - done["allocated_bytes"] / done["bytes_before"]
    told = show.text(
        f"Of what an emptied image keeps, compaction gave back {words.percent(given.min())} to "
        f"{words.percent(given.max())}."
        if given.min() >= 0
        else f"Compaction gave back up to {words.percent(given.max())} of what an emptied image "
        "keeps; "
        f"{(given < 0).sum()} of {words.count(len(done), 'image')} took more afterwards."
    )
    shown = given_back(done[newest], f"compaction-{driver}")
    if newest.all():
        return show.together(told, shown)
    others = given_back(done[~newest], f"compaction-{driver}-others")
    return show.together(
        told, shown, show.folded("The same of the other hosts and releases", others)
    )


def given_back(done: pd.DataFrame, name: str) -> show.Shown:
    """What each image that was compacted took before and after."""
    lines = [
        {
            "served": row["served"],
            "what": tables.with_small(row["what"], row["scale"]),
            "state": words.name(words.STATES, row["state_before"]),
            "before": words.size(row["bytes_before"]),
            "after": words.size(row["allocated_bytes"]),
            "given": _given(row["bytes_before"] - row["allocated_bytes"], row["bytes_before"]),
            "bands": "no bands"
            if words.missing(row["bands"])
            else f"{words.told(row['bands_before'])} to {words.told(row['bands'])}",
        }
        for row in done.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "what": "Cell",
            "state": "State before",
            "before": "Before",
            "after": "After",
            "given": "Given back",
            "bands": "Bands or chunks",
        },
        "What compaction gave back to the disk"
        + (
            ". In usage phases it is ours, after the article\u2019s steps"
            if "usage-phases" in set(done["protocol"])
            else ""
        ),
        numbers=["before", "after", "given", "bands"],
        heading="served",
        name=name,
        source="""
            select
                cell, state, allocated_bytes,
                lag(allocated_bytes) over (partition by cell order by "order") as bytes_before,
                bands, lag(bands) over (partition by cell order by "order") as bands_before
            from container_size
            qualify state = 'compacted'
            order by cell
        """,
    )


def _given(given: float, before: float) -> tables.Markup:
    if given < 0:
        return tables.with_small(f"{words.size(-given)} more", "it grew")
    return tables.with_small(
        words.size(given) if given else "nothing", words.percent(given / before) if given else ""
    )


def bands(rows: pd.DataFrame) -> show.Shown:
    """Bands by count and by bytes: what the article states, and the machine measured last."""
    stated = query(
        """
        select
            article.title, host, macos, format, state, bands.value as bands,
            bands.as_printed as bands_as_printed, size.value_bytes, size.as_printed, size.unit
        from published_size as bands
        inner join published_size as size using (article, host, macos, format, state, encryption)
        inner join article using (article)
        where bands.quantity = 'bands' and size.quantity = 'on-disk'
        order by bands.article, bands.table_order
        """
    )
    lines = [
        {
            "where": f"Published: {row.title} ({_mac(row.host, row.macos)})",
            "image": words.name(words.FORMATS, row.format),
            "state": words.name(words.STATES, row.state),
            "bands": row.bands_as_printed,
            "size": f"{row.as_printed} {row.unit}",
            "each": words.size(row.value_bytes / row.bands),
        }
        for row in stated.itertuples()
    ]
    mine = rows[(rows["driver"] == "apple") & (rows["format"] == "UDSB") & (rows["bands"] > 0)]
    mine = mine[newest_machine(mine)] if len(mine) else mine
    lines += [
        {
            "where": f"Measured: {row['served']}",
            "image": tables.with_small(row["what"], row["scale"]),
            "state": words.name(words.STATES, row["state"]),
            "bands": f"{int(row['bands']):,}",
            "size": words.size(row["allocated_bytes"]),
            "each": tables.with_small(
                words.size(row["allocated_bytes"] / row["bands"]),
                f"of {words.mebibytes(_band(row))}",
            ),
        }
        for row in mine.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "image": "Image",
            "state": "State",
            "bands": "Bands",
            "size": "On disk",
            "each": "On disk for each band",
        },
        "Bands of sparse bundles: how many there are, and how full"
        + ("" if len(mine) else "; none measured under macOS yet"),
        numbers=["bands", "size", "each"],
        heading="where",
        name="bands",
        source="""
            select cell, state, bands, allocated_bytes, allocated_bytes / bands as bytes_each
            from container_size
            inner join cell using (cell)
            where format = 'UDSB' and bands > 0
            order by cell, container_size."order"
        """,
    )


def lengths(rows: pd.DataFrame, driver: str) -> show.Shown | None:
    """Nominal size, length and size on disk of the images of the machine measured last."""
    rows = rows[(rows["driver"] == driver) & rows["state"].isin(("new", "filled"))]
    if rows.empty:
        return None
    rows = rows[newest_machine(rows) & (rows["encryption"] == "none")]
    lines = [
        {
            "served": row["served"],
            "what": tables.with_small(row["what"], row["scale"]),
            "state": words.name(words.STATES, row["state"]),
            "nominal": words.size(row["nominal_bytes"]),
            "apparent": words.size(row["apparent_bytes"]),
            "allocated": words.size(row["allocated_bytes"]),
            "inside": "not known"
            if words.missing(row["volume_free_bytes"])
            else words.size(row["volume_free_bytes"]),
        }
        for row in rows.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "what": "Cell",
            "state": "State",
            "nominal": "Nominal",
            "apparent": "Length",
            "allocated": "On disk",
            "inside": "Free inside",
        },
        "Three sizes of one image: what was asked for, how long its file or files seem, and what "
        "they take on disk",
        numbers=["nominal", "apparent", "allocated", "inside"],
        heading="served",
        name=f"lengths-{driver}",
        source=f"""
            select
                cell, state, nominal_bytes, apparent_bytes, allocated_bytes, volume_free_bytes
            from container_size
            inner join cell using (cell)
            where driver = '{driver}' and state in ('new', 'filled')
            order by cell, container_size."order"
        """,
    )


def two_figures() -> show.Shown:
    """States for which the articles give more than one size."""
    rows = query(
        """
        with stated as (
            select
                *,
                -- the end of either article: all files deleted
                replace(state, 'emptied-again', 'emptied') as moment
            from published_size
            where quantity = 'on-disk' and format <> 'any'
        )
        select format, moment, as_printed, unit, host, macos, storage, article.title, stated.note
        from stated
        inner join article using (article)
        qualify min(value_bytes) over (partition by format, moment)
            < max(value_bytes) over (partition by format, moment)
        order by format, moment, value_bytes
        """
    )
    return tables.table(
        [
            {
                "what": _image_in(row.format, row.moment),
                "size": tables.keep(f"{row.as_printed} {row.unit}"),
                "article": tables.with_small(row.title, _mac(row.host, row.macos)),
            }
            for row in rows.itertuples()
        ],
        {"size": "On disk", "article": "Article"},
        "One state, more than one published size",
        numbers=["size"],
        heading="what",
        name="two-figures",
        source=rows,
    )


def doubts() -> show.Shown:
    """Every doubt or deduction about a published amount, with the figures it is about."""
    rows = query(
        """
        select
            article.title, published_size.note,
            string_agg(concat(as_printed, ' ', unit), ', ' order by table_order) as figures
        from published_size
        inner join article using (article)
        where published_size.note is not null
        group by article.title, article.published_on, published_size.note
        order by article.published_on, min(table_order)
        """
    )
    return tables.table(
        rows,
        {"figures": "Published", "note": "Doubt or deduction"},
        "Doubts and deductions about published amounts",
        heading="title",
        name="doubts",
    )
