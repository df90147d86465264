"""The fastest published and measured figures of each format."""

from lib import links, reasons, show, tables, words
from lib.database import query
from lib.formats.facts import MEASURED


def shown() -> show.Shown:
    """A table of the fastest published and measured figures of each format."""
    rows = query(
        """
        select *
        from known_speed
        where format in ('UDRW', 'UDSP', 'UDSB', 'ASIF')
            and (article is not null or basis = 'measured')
        qualify row_number() over (
            partition by basis, format, op order by gbps desc, origin, table_order
        ) = 1
        order by basis desc, format, op desc
        """
    )
    found = {(row["basis"], row["op"], row["format"]): row for row in rows.to_dict("records")}
    columns = [tables.text("Format", words.form)]
    columns += [
        tables.number(
            f"{words.capital(basis)} {op}",
            lambda code, basis=basis, op=op: _figure(basis, found.get((basis, op, code))),
        )
        for basis in dict.fromkeys(rows["basis"])
        for op in words.VERBS
    ]
    return tables.table(
        MEASURED,
        columns,
        "The fastest figure of each format (GB/s), whatever the Mac, macOS and encryption",
        name="fastest",
        classes="wide",
        source=rows,
    )


def _figure(basis: str, row: dict | None) -> tables.Markup:
    if row is None:
        return tables.with_small("", "not stated") if basis == "published" else tables.absent()
    number = words.gbps(row["gbps"])
    if basis == "published":
        number = tables.link(number, links.to(f"articles/{row['article']}.html"))
    where = words.measured_by(words.mac(row["host"], row["macos"]), [row["vouched_by"]])
    mark = reasons.depends(row["statistics_differ"])
    return tables.with_small(number, words.joined([where, mark], "; "))
