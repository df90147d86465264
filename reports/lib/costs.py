"""What the format itself costs: images of our own against native files of the same run."""

from lib import runs, show, tables, words
from lib.database import query


def table() -> show.Shown:
    """The table `format_cost`: a line for each image and state, write and read side by side."""
    rows = query(
        """
        select cost.*, cell.driver
        from format_cost as cost
        inner join cell using (cell)
        order by
            cost.host, cost.release, cost.storage, cost.protocol <> 'usage-phases', cost.protocol,
            cost.scale,
            list_position(['UDRW', 'UDSP', 'UDSB', 'ASIF'], cost.format), cost.encryption desc,
            list_position(['fresh', 'partly-filled', 'emptied'], cost.phase), cost.repeat
        """
    )
    if rows.empty:
        return show.text("None yet: no image was measured with driver portable.")
    repeated = rows["repeat"].nunique() > 1
    lines = []
    for _, group in rows.groupby("cell", sort=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        row = next(iter(one.values()))
        lines.append(
            {
                "block": (row["host"], row["release"], row["format"], row["encryption"]),
                "where": _where(row),
                "image": words.image(row["format"], row["encryption"], row["driver"]),
                "what": tables.with_small(
                    runs.state_of(row), f"repeat {row['repeat']}" if repeated else ""
                ),
                **{op: _ratio(one.get(op)) for op in ("write", "read")},
                **{f"{op} verdict": _verdict(one.get(op)) for op in ("write", "read")},
            }
        )
    return tables.table(
        lines,
        {
            "image": "Image",
            "what": "State",
            "write": "Write, of native",
            "write verdict": "Verdict, write",
            "read": "Read, of native",
            "read verdict": "Verdict, read",
        },
        "Speed of our own images / native speed of the same run: all bytes / all time, "
        "with 95 % intervals",
        numbers=["write", "read"],
        heading="where",
        merged={"block": ["image"]},
        name="format-cost",
        classes="wide",
    )


def busy() -> show.Shown | None:
    """How many of the ratios something else may have spoilt; nothing when none."""
    rows = query(
        """
        select count(*) filter (where contains(note, 'something else')) as busy, count(*) as ratios
        from format_cost
        where ratio is not null
        """
    ).iloc[0]
    if not rows["busy"]:
        return None
    return show.text(
        f"**Beside {rows['busy']} of the {words.count(rows['ratios'], 'ratio')} something else may "
        "have been running** (see below): such a ratio can say more about that than about the "
        "format."
    )


def _where(row: dict) -> str:
    storage = words.name(words.STORAGES, row["storage"])
    protocol = words.name(words.PROTOCOLS, row["protocol"])
    machine = words.machine(row["host"], row["release"])
    return f"{machine}, on {storage}: {protocol}, scale {row['scale']} (driver portable)"


def _ratio(row: dict | None) -> tables.Markup:
    """The ratio, its interval and the number of files."""
    if row is None:
        return tables.markup("")
    if words.missing(row["ratio"]):
        return tables.Markup('<span class="missing">no ratio</span>')
    low, high = row["ratio_low"], row["ratio_high"]
    known = not words.missing(low) and not words.missing(high)
    span = f"{low:.2f} to {high:.2f}; " if known else ""
    return tables.with_small(
        words.ratio(row["ratio"]), f"{span}{words.count(row['files'], 'file')}"
    )


def _verdict(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.markup("")
    return tables.with_small(tables.verdict(row["outcome"]), row["verdict"].partition(": ")[2])
