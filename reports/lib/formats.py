"""The formats of disk images: what macOS and diskbench can do with each, and what was measured.

What an article says of a format is in `published_format`; what a machine did with it in `cell`.
What the tools can do is told here, from their manual pages on macOS 13 to 27 (hdiutil(1),
diskutil(8)), from the articles where they name Disk Utility, and from what public programs
that call them rely on.
"""

from dataclasses import dataclass

import pandas as pd

from lib import links, show, tables, words
from lib.database import query

HDIUTIL = "`hdiutil`"
READ_ONLY = "no: read-only"
NO_SPACE = "no: made at its size"
MEASURED = ("UDRW", "UDSP", "UDSB", "ASIF")


@dataclass(frozen=True)
class Facts:
    """What can be done with a format: each a few words, with commands in backticks."""

    made: str = "no tool of macOS 13 or later"
    written: str = READ_ONLY
    space: str = NO_SPACE
    encrypted: str = "when it is made"
    apple: str = "no: nothing can be written to it"
    portable: str = "refused: `hdiutil convert` first"


OLD = Facts(
    written="no",
    space="no",
    encrypted="no",
    apple="no: macOS does not make it",
    portable="no",
)


def _packed(code: str, more: str) -> Facts:
    return Facts(
        made=f"`hdiutil convert -format {code}`{more}", space="no: smaller than its content"
    )


FROM = "; `diskutil image create from` (macOS 26)"
FACTS = {
    "UDRW": Facts(
        made="Disk Utility; `hdiutil create -type UDIF`; `diskutil image create blank --format "
        "RAW` (macOS 14)",
        written="yes",
        space="on APFS only what is used, from macOS 12 on and its second mounting; gives back by "
        "itself",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="makes, reads, writes it; nothing in it to check",
    ),
    "UDRO": Facts(made=f"`hdiutil convert -format UDRO`{FROM}"),
    "UDCO": _packed("UDCO", ""),
    "UDZO": _packed("UDZO", f"{FROM}"),
    "ULFO": _packed("ULFO", f"{FROM}"),
    "ULMO": _packed("ULMO", f"{FROM}"),
    "UDTO": Facts(made="Disk Utility; `hdiutil convert -format UDTO`"),
    "UDSP": Facts(
        made="`hdiutil create -type SPARSE`; no longer Disk Utility, never `diskutil image`",
        written="yes",
        space="grows by bands of 1 MiB; `hdiutil compact` gives back",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="makes, reads, writes, checks, compacts it",
    ),
    "UDSB": Facts(
        made="Disk Utility; `hdiutil create -type SPARSEBUNDLE`; `diskutil image create blank "
        "--format UDSB` (macOS 14)",
        written="yes",
        space="grows by bands of 8 MiB, a file each; `hdiutil compact` gives back",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="makes, reads, writes, checks, compacts it",
    ),
    "UFBI": Facts(made="`hdiutil convert -format UFBI`"),
    "ASIF": Facts(
        made="Disk Utility and `diskutil image create blank --format ASIF` (macOS 26); macOS 15 "
        "only opens it",
        written="yes",
        space="grows by chunks of 1 MiB; no tool compacts it, `diskutil image create from` makes a "
        "smaller copy",
        encrypted="AES-256",
        apple="measures it, from macOS 26 on",
        portable="makes, reads, writes, checks, compacts it; encrypted in a layout of our own only",
    ),
    "DC42": OLD,
    "DART": OLD,
    "Rdxx": OLD,
    "NDIF": OLD,
    "IDME": Facts(
        made="no format: a mark on another image, which macOS no longer heeds",
        written="no",
        space="no",
        encrypted="no",
        apple="no",
        portable="no",
    ),
    "UDBZ": _packed("UDBZ", ", deprecated"),
}

# macOS: hdiutil, `diskutil image`, what can be made for writing
RELEASES = (
    ("13", "everything", "`attach` only", "UDRW, UDSP, UDSB"),
    ("14", "everything", "RAW and UDSB; volumes are APFS", "UDRW, UDSP, UDSB"),
    ("15", "everything", "RAW and UDSB; opens ASIF", "UDRW, UDSP, UDSB"),
    ("26", "everything but ASIF", "RAW, UDSB, ASIF; `--fs`, `chpass`", "UDRW, UDSP, UDSB, ASIF"),
    (
        "27",
        "works, and warns that it is deprecated",
        "most of what `hdiutil` does; not UDSP, not `compact`, not `verify`",
        "UDRW, UDSP, UDSB, ASIF",
    ),
)


def listed(article: str) -> pd.DataFrame:
    """The formats that an article lists, in its order."""
    return query(
        "select * from published_format where article = $article order by table_order",
        article=article,
    )


def facts(code: str) -> Facts:
    """What can be done with a format."""
    return FACTS[code]


def since(row: dict) -> str:
    """Since when there is a format, as far as the article says it."""
    if not words.missing(row["since"]):
        return row["since"]
    if not words.missing(row["sparse_since"]):
        return f"not stated; sparse from {row['sparse_since']}"
    return "not stated"


def reference(article: str) -> show.Shown:
    """The article's list, row by row, with what the tools can do with each format."""
    found = listed(article)
    lines = [
        {
            "supported": _supported(row),
            "format": _anchored(row["format"]),
            "what": tables.with_small(f"\u201c{row['description']}\u201d", _doubt(row)),
            "since": since(row),
            "made": tables.code(facts(row["format"]).made),
            "written": facts(row["format"]).written,
            "space": tables.code(facts(row["format"]).space),
            "encrypted": facts(row["format"]).encrypted,
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "what": "The article says",
            "since": "Since",
            "made": "Made with",
            "written": "Written to",
            "space": "Grows and shrinks",
            "encrypted": "Encrypted",
        },
        "The formats that the article lists, in its order, and what macOS can do with each",
        name="formats",
        classes="wide",
        heading="supported",
        source=found,
    )


def _supported(row: dict) -> str:
    return "Supported" if row["supported"] else "Unsupported"


def _anchored(code: str) -> tables.Markup:
    return tables.Markup(f'<span id="format-{code}">{tables.markup(code)}</span>')


def _doubt(row: dict) -> str:
    return "" if words.missing(row["note"]) else row["note"]


def ours(article: str) -> show.Shown:
    """The same rows: whether diskbench measures, makes and checks them, and what was measured."""
    found = listed(article)
    states = state().groupby("format")
    lines = [
        {
            "supported": _supported(row),
            "format": row["format"],
            "apple": tables.code(facts(row["format"]).apple),
            "portable": tables.code(facts(row["format"]).portable),
            "state": _state(
                row["format"],
                states.get_group(row["format"]) if row["format"] in states.groups else None,
            ),
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "apple": "On a Mac (driver apple)",
            "portable": "Anywhere (driver portable, diskbench image)",
            "state": "Measured here",
        },
        "What diskbench can do with each format, and what was measured",
        name="ours",
        classes="wide",
        heading="supported",
        source=state(),
    )


def state() -> pd.DataFrame:
    """How the cells of each format went: one row for each host, release, driver and encryption.

    What a stand-in did is no state of a format.
    """
    return query(
        """
        select
            cell.format, cell.host, cell.release, cell.driver, cell.encryption,
            count(*) filter (where status = 'measured') as measured,
            count(*) filter (where status = 'skipped') as skipped,
            count(*) filter (where status = 'failed') as failed,
            string_agg(distinct cell.reason, '; ' order by cell.reason) as reason
        from cell
        where cell.format not in ('native', 'VM') and not cell.stand_in
        group by cell.format, cell.host, cell.release, cell.driver, cell.encryption
        order by cell.format, cell.host, cell.release, cell.driver, cell.encryption
        """
    )


def _state(code: str, cells: pd.DataFrame | None) -> tables.Markup:
    """One format in a sentence."""
    if cells is None:
        if code not in MEASURED:
            return tables.markup("nothing to measure")
        command = "bash workflow/run.sh --config study=encryption-2026"
        if code == "UDSP":
            command = "bash workflow/run.sh --config study=performance-2024"
        return tables.Markup(
            f'<span class="missing">not measured yet</span><small><code>{command}</code></small>'
        )
    parts = [
        f"{int(cells[kind].sum())} {kind}"
        for kind in ("measured", "skipped", "failed")
        if cells[kind].sum()
    ]
    by = ", ".join(sorted(set(cells["driver"])))
    hosts = words.count(cells["host"].nunique(), "host")
    return tables.with_small(f"{', '.join(parts)} cells", f"{hosts}, driver {by}")


def states() -> show.Shown:
    """Every format on every host and release, with the reasons of what was not measured."""
    found = state()
    if found.empty:
        return show.text(
            "**Nothing has been measured yet**, so there is no state to tell. "
            "`bash workflow/run.sh` measures every format that this machine can make."
        )
    keys = ["format", "host", "release", "driver"]
    lines = []
    for (code, host, release, driver), part in found.groupby(keys, sort=False):
        done = part[part["measured"] > 0]
        missing = part[part["skipped"] + part["failed"] > 0]
        lines.append(
            {
                "format": words.name(words.FORMATS, code),
                "machine": words.machine(host, release),
                "driver": driver,
                "measured": int(part["measured"].sum()) or "",
                "encryptions": ", ".join(
                    words.name(words.ENCRYPTIONS, one) for one in done["encryption"]
                ),
                "missing": _missing(missing),
            }
        )
    table = tables.table(
        lines,
        {
            "machine": "On",
            "driver": "Driver",
            "measured": "Cells measured",
            "encryptions": "Encryption",
            "missing": "Not measured, and why",
        },
        "Each format on each machine and release",
        numbers=["measured"],
        name="states",
        classes="wide",
        heading="format",
        source=found,
    )
    if len(lines) <= 12:
        return table
    return show.folded(f"Each format on each machine and release: {len(lines)} lines", table)


def _missing(rows: pd.DataFrame) -> tables.Markup:
    if rows.empty:
        return tables.markup("")
    counts = [
        f"{int(rows[kind].sum())} {kind}" for kind in ("skipped", "failed") if rows[kind].sum()
    ]
    reasons = "; ".join(sorted(set(rows["reason"].dropna())))
    return tables.with_small(", ".join(counts), reasons)


def found_tools() -> show.Shown:
    """The programs that serve images, as found on each machine."""
    found = query(
        """
        select
            host, tools, list(release order by release) as releases
        from host
        where not stand_in
        group by host, tools
        order by host, min(release)
        """
    )
    if found.empty:
        return show.text("No machine has been looked at yet.")
    lines = [
        {
            "machine": words.host(row["host"]),
            "releases": words.listed([words.release(release) for release in row["releases"]]),
            "tools": "none: no program of macOS serves images there"
            if words.missing(row["tools"])
            else row["tools"],
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {"machine": "Machine", "releases": "Releases", "tools": "Tools and their versions"},
        "The tools that were found on each machine",
        name="tools",
        classes="wide",
        source=found,
    )


def releases() -> show.Shown:
    """What each release of macOS can make, and with what."""
    keys = ("macos", "hdiutil", "diskutil", "made")
    lines = [
        {key: tables.code(text) for key, text in zip(keys, row, strict=True)} for row in RELEASES
    ]
    return tables.table(
        lines,
        {
            "macos": "macOS",
            "hdiutil": "hdiutil",
            "diskutil": "diskutil image",
            "made": "Can make, for writing",
        },
        "What the tools of each release can do, by their manuals",
        name="releases",
        classes="wide",
    )


def speeds() -> show.Shown:
    """The fastest published figures of each format, and the fastest measured ones beside them."""
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
        select format, op, max(theil_sen_gbps) as gbps, arg_max(host, theil_sen_gbps) as host,
            arg_max(release, theil_sen_gbps) as release
        from measured_speed
        where comparable and driver = 'apple' and theil_sen_gbps is not null
            and format in ('UDRW', 'UDSP', 'UDSB', 'ASIF')
        group by format, op
        """
    )
    lines = []
    for code in MEASURED:
        line = {"format": words.name(words.FORMATS, code)}
        for op in ("write", "read"):
            line[f"{op} published"] = _fastest(published, code, op)
            line[f"{op} measured"] = _fastest_measured(measured, code, op)
        lines.append(line)
    return tables.table(
        lines,
        {
            "format": "Format",
            "write published": "Published write",
            "read published": "Published read",
            "write measured": "Measured write",
            "read measured": "Measured read",
        },
        "The fastest figures of each format, GB/s, of any Mac, release and encryption",
        name="fastest",
        classes="wide",
        source=published,
    )


def _one(rows: pd.DataFrame, code: str, op: str) -> dict | None:
    found = rows[(rows["format"] == code) & (rows["op"] == op)].to_dict("records")
    return found[0] if found else None


def _fastest(rows: pd.DataFrame, code: str, op: str) -> tables.Markup:
    row = _one(rows, code, op)
    if row is None:
        return tables.with_small("", "not stated")
    where = [words.host(row["host"]), f"macOS {row['macos']}"]
    known = ", ".join(part for part in where if "unstated" not in part)
    number = tables.link(words.gbps(row["gbps"]), links.to(f"articles/{row['article']}.html"))
    return tables.with_small(number, known)


def _fastest_measured(rows: pd.DataFrame, code: str, op: str) -> tables.Markup:
    row = _one(rows, code, op)
    if row is None:
        return tables.absent("on a Mac, to be compared")
    return tables.with_small(words.gbps(row["gbps"]), words.machine(row["host"], row["release"]))


# `hdiutil convert` makes all of the list but these
ELSEWHERE = {"ASIF": "`diskutil image create from --format ASIF` (macOS 26)"}


def conversions(article: str) -> show.Shown:
    """The formats that the article lists, as aims of a conversion."""
    found = listed(article)
    lines = [
        {
            "format": row["format"],
            "what": f"\u201c{row['description']}\u201d",
            "tool": tables.code(
                ELSEWHERE.get(row["format"], f"`hdiutil convert -format {row['format']}`")
            ),
            "written": facts(row["format"]).written,
            "ours": tables.code(f"`image convert --to {row['format']}`")
            if row["format"] in MEASURED
            else "no",
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "what": "The article says",
            "tool": "macOS",
            "written": "Can be written to",
            "ours": "diskbench",
        },
        "The formats that the article lists, in its order, as aims of a conversion",
        name="conversions",
        classes="wide",
        source=found,
    )


def reprint(article: str) -> tuple[str, str]:
    """The article and the name of the table that this one reprints."""
    row = _reprint(article)
    other, _, name = row["same_as"].partition("/")
    return other, name


def reprinted(article: str) -> show.Shown:
    """Which table of another article this one reprints, with a link to it."""
    row = _reprint(article)
    other, name = reprint(article)
    title = query("select title from article where article = $article", article=other)
    return show.text(
        f"The article has one table of speeds, the picture `{row['table_name']}`: "
        f"\u201c{show.plain(row['quote'])}\u201d It is the table `{name}` of "
        f"[{title['title'].iloc[0]}]({other}.qmd), with what was measured beside it. "
        f"Doubt: {show.plain(row['note'])}."
    )


def _reprint(article: str) -> pd.Series:
    return query(
        "select * from published_table where article = $article and same_as is not null",
        article=article,
    ).iloc[0]
