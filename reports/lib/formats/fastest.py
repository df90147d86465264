"""The fastest published and measured figures of each format."""

from lib import links, reasons, show, tables, words
from lib.database import query
from lib.formats.facts import MEASURED


def shown() -> show.Shown:
    """A table of the fastest published and measured figures of each format."""
    published = query(
        """
        with figures as (
            select article, host, macos, format, 'write' as op, write_gbps as gbps
            from published_speed
            union all
            select article, host, macos, format, 'read' as op, read_gbps as gbps
            from published_speed
        )

        select format, op, max(gbps) as gbps, arg_max(article, gbps) as article,
            arg_max(host, gbps) as host, arg_max(macos, gbps) as macos
        from figures
        where gbps is not null and format in ('UDRW', 'UDSP', 'UDSB', 'ASIF')
        group by format, op
        order by format, op
        """
    )
    measured = query(
        """
        select format, op, max(gbps) as gbps, arg_max(host, gbps) as host,
            arg_max(release, gbps) as release, arg_max(vouched_by, gbps) as vouched_by,
            arg_max_null(statistics_differ, gbps) as statistics_differ
        from comparable_speed
        where driver = 'apple' and format in ('UDRW', 'UDSP', 'UDSB', 'ASIF')
        group by format, op
        """
    )
    columns = [tables.text("Format", lambda code: words.form(code))]
    for basis, rows, say in (
        ("Published", published, _published),
        ("Measured", measured, _measured),
    ):
        found = {(row["format"], row["op"]): row for row in rows.to_dict("records")}
        columns += [
            tables.number(
                f"{basis} {op}",
                lambda code, op=op, found=found, say=say: say(found.get((code, op))),
            )
            for op in words.VERBS
            if found
        ]
    return tables.table(
        MEASURED,
        columns,
        "The fastest figure of each format (GB/s), whatever the Mac, macOS and encryption",
        name="fastest",
        classes="wide",
        source=published,
    )


def _published(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.with_small("", "not stated")
    number = tables.link(words.gbps(row["gbps"]), links.to(f"articles/{row['article']}.html"))
    return tables.with_small(number, words.mac(row["host"], row["macos"]))


def _measured(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    where = words.machine(row["host"], row["release"], by=[row["vouched_by"]])
    small = words.joined([where, reasons.depends(row["statistics_differ"])], "; ")
    return tables.with_small(words.gbps(row["gbps"]), small)
