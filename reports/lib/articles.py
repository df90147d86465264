"""What the pages about articles share: their figures beside ours, the doubts about them."""

import pandas as pd

from lib import show, tables, words
from lib.database import query


def about(article: str) -> pd.Series:
    """Title, author, day and address of an article."""
    return query("select * from article where article = $article", article=article).iloc[0]


def workload(article: str) -> str:
    """How much the article wrote and read, in its own figures."""
    told = query(
        """
        select quantity, any_value(as_printed) as printed, any_value(unit) as unit
        from published_size
        where article = $article
            and quantity in ('nominal', 'files', 'files-total') and kind = 'exact'
            and (quantity <> 'nominal' or format = 'UDSB')
        group by quantity
        """,
        article=article,
    ).set_index("quantity")
    parts = {
        "nominal": "{} {} in size",
        "files": "{} {}",
        "files-total": "{} {} written and read",
    }
    known = [(told.loc[key], form) for key, form in parts.items() if key in told.index]
    return ", ".join(form.format(row.printed, row.unit) for row, form in known)


def figures(article: str, own: bool, name: str, caption: str) -> show.Shown:
    """The article's speeds, row by row in its order, with what was measured beside them.

    `own` takes the figures of the article's own method, else those it states or recalls besides.
    """
    rows = query(
        """
        select *
        from article_table
        where article = $article and (protocol <> 'unstated') = $own
        order by table_order, measured_host nulls first, measured_release nulls first
        """,
        article=article,
        own=own,
    )
    keys = ["table_order", "measured_host", "measured_release"]
    usual = tuple(rows.iloc[0][["host", "macos"]])
    lines = []
    for (order, host, _), group in rows.groupby(keys, dropna=False, sort=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        line = next(iter(one.values()))
        lines.append(
            {
                "order": order,
                "format": _capital(words.name(words.FORMATS, line["format"])),
                "image": _image(line, usual, own),
                **{f"{op} published": _published(one.get(op)) for op in ("write", "read")},
                "where": _where(line, host),
                **{f"{op} measured": _measured(one.get(op)) for op in ("write", "read")},
                "verdict": _verdicts(one),
            }
        )
    columns = {
        "image": "Image",
        "write published": "Published write",
        "read published": "Published read",
        "where": "Measured on",
        "write measured": "Measured write",
        "read measured": "Measured read",
        "verdict": "Verdict",
    }
    if rows["measured_host"].isna().all():
        for column in ("where", "write measured", "read measured"):
            del columns[column]
    return tables.table(
        lines,
        columns,
        caption,
        numbers=[column for column in columns if column.startswith(("write", "read"))],
        name=name,
        classes="wide" if len(columns) > 5 else "",
        heading="format" if own else None,
        merged={"order": ["image", "write published", "read published"]},
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _image(row: dict, usual: tuple[str, str], under_heading: bool) -> tables.Markup:
    """The image, how it was measured, and where when that is not where the others were."""
    image = words.name(words.ENCRYPTIONS, row["encryption"])
    if not under_heading:
        image = f"{words.name(words.FORMATS, row['format'])}, {image}"
    parts = [row["condition"]]
    if (row["host"], row["macos"]) != usual:
        known = [words.name(words.HOSTS, row["host"]), f"macOS {row['macos']}"]
        parts += [part for part in known if "unstated" not in part] or ["Mac not stated"]
    return tables.with_small(_capital(image), ", ".join(parts))


def _where(row: dict, host: object) -> tables.Markup:
    if words.missing(host):
        return tables.absent()
    small = tables.markup(row["measured_release"])
    if row["measured_driver"] == "portable":
        own = row["format"] == "ASIF" and row["measured_encryption"] != "none"
        more = f"driver portable{f', {words.OWN_LAYOUT}' if own else ''}"
        small = tables.Markup(f"{small}<br>{more}")
    return tables.keep(tables.with_small(words.name(words.HOSTS, host), small))


def _published(row: dict | None) -> tables.Markup:
    """The figure with just the digits that the article prints, and its unit unless it is GB/s."""
    if row is None:
        return tables.with_small("", "not stated")
    if words.missing(row["published_gbps"]):
        return tables.with_small("", row["reason"])
    text = row["as_printed"]
    if row["unit_as_printed"] != "GB/s":
        text += f"\u00a0{row['unit_as_printed']}"
    prefix = {"about": "about ", "below": "below ", "above": "above "}.get(row["kind"], "")
    return tables.markup(prefix + text)


def _measured(row: dict | None) -> tables.Markup:
    """Our figure, its interval, and the ratio to the published one."""
    if row is None or words.missing(row["measured_host"]):
        return tables.markup("")
    if words.missing(row["measured_gbps"]):
        return tables.absent()
    below = words.interval(row["measured_gbps_low"], row["measured_gbps_high"])
    if row["outcome"] in words.VERDICTS and not words.missing(row["ratio"]):
        below = f"{below}; {words.ratio(row['ratio'])}"
    return tables.with_small(words.gbps(row["measured_gbps"]), below)


def _verdicts(rows: dict[str, dict]) -> tables.Markup:
    """One verdict for both directions where they agree, else one each."""
    rows = {op: rows[op] for op in ("write", "read") if op in rows}
    found = {op: row["outcome"] for op, row in rows.items()}
    reasons = [_reason(row) for row in rows.values()]
    if len(set(found.values())) == 1:
        return tables.with_small(
            tables.verdict(next(iter(found.values()))), next(filter(None, reasons), "")
        )
    lines = (
        tables.with_small(tables.Markup(f"{op}: {tables.verdict(outcome)}"), _reason(rows[op]))
        for op, outcome in found.items()
    )
    return tables.Markup("<br>".join(lines))


def _reason(row: dict) -> str:
    """Why there is no verdict. The command for what is missing stands below the table."""
    explained = row["outcome"] != "not measured yet"
    return words.slugs(row["verdict"].partition(": ")[2]) if explained else ""


def commands(article: str) -> show.Shown | None:
    """How to measure the rows that nobody has measured yet."""
    rows = query(
        """
        select command, count(distinct table_order) as rows
        from article_table
        where article = $article and outcome = 'not measured yet' and command is not null
        group by command
        order by rows desc, command
        """,
        article=article,
    )
    if rows.empty:
        return None
    lines = [
        f"- `{row.command}` measures {words.count(row.rows, 'row')}" for row in rows.itertuples()
    ]
    return show.callout(
        "note",
        "Not measured yet",
        "Typed on such a Mac, for the disk of a virtual machine inside it. Each runs the whole "
        "experiment of the article; what was measured on another disk needs a `storage` entry "
        "for it.\n\n" + "\n".join(lines),
    )


def doubts(article: str) -> show.Shown:
    """The notes on the published rows: what is unclear, implied, or hard to believe."""
    rows = query(
        """
        with notes as (
            select note, concat(format, ', ', encryption) as image, table_order
            from published_speed
            where article = $article and note is not null
            union all
            select note, concat(format, ', size'), 1000 + table_order
            from published_size
            where article = $article and note is not null
        )
        select note, string_agg(distinct image, '; ' order by image) as images, count(*) as rows
        from notes
        group by note
        order by min(table_order)
        """,
        article=article,
    )
    rows["images"] = rows["images"].map(_first)
    return tables.table(
        rows,
        {"note": "Doubt or deduction", "images": "On the figures of", "rows": "Rows"},
        "What to keep in mind about the published figures",
        numbers=["rows"],
        name="doubts",
    )


def _first(images: str) -> str:
    """At most three of a list, in words."""
    parts = [_named(image) for image in images.split("; ")]
    return "; ".join(parts[:3]) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def _named(image: str) -> str:
    form, _, other = image.partition(", ")
    return f"{words.name(words.FORMATS, form)}, {words.name(words.ENCRYPTIONS, other)}"


def sizes(article: str) -> show.Shown:
    """What images take on disk, as published and as measured by the same protocol and scale."""
    rows = query(
        """
        with method as (  -- a size was measured in the tests that gave the same image's speeds
            select distinct article, host, macos, format, encryption, protocol, scale
            from published_speed
            where protocol <> 'unstated' and scale <> 'unstated'
        ),

        published as (
            select size.*, method.protocol, method.scale
            from published_size as size
            left join method using (article, host, macos, format, encryption)
            where size.article = $article and size.quantity = 'on-disk'
        ),

        measured as (
            select
                cell.*, size.state, size.allocated_bytes,
                try_cast(string_split(os_version, '.') as integer[]) as version
            from container_size as size
            inner join cell using (cell)
            -- not of our own images: what is inside those is no APFS
            where cell.status = 'measured' and cell.driver = 'apple' and cell.repeat = 1
                and cell.scale <> 'smoke'
                -- nor of a stand-in, nor of images with other bands than the articles'
                and not cell.stand_in and cell.band_bytes is null
        )

        select
            published.table_order, published.format, published.state,
            published.as_printed, published.unit,
            measured.host as measured_host, measured.release, measured.scale,
            measured.allocated_bytes
        from published
        left join measured
            on measured.format = published.format
            and measured.encryption = published.encryption
            and measured.state = published.state
            and measured.protocol = published.protocol
            and measured.scale = published.scale
            and published.storage in (measured.storage, 'unstated')
        order by
            published.table_order,
            measured.host, measured.version, measured.release
        """,
        article=article,
    )
    lines = [
        {
            "order": row["table_order"],
            "format": _capital(words.name(words.FORMATS, row["format"])),
            "state": words.name(words.STATES, row["state"]),
            "published": f"{row['as_printed']} {row['unit']}",
            "measured": tables.absent()
            if words.missing(row["allocated_bytes"])
            else tables.with_small(
                words.size(row["allocated_bytes"]),
                f"{words.machine(row['measured_host'], row['release'])}, {row['scale']}",
            ),
        }
        for row in rows.to_dict("records")
    ]
    columns = {
        "format": "Image",
        "state": "State",
        "published": "On disk, published",
        "measured": "On disk, measured",
    }
    caption = f"Space that an image takes on disk: {workload(article)}"
    return tables.table(
        lines,
        columns,
        caption,
        numbers=["published", "measured"],
        name="sizes",
        merged={"order": ["format", "state", "published"]},
    )
