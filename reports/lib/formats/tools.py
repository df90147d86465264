"""The tools of macOS: what those of each release can do, and which were found."""

from lib import show, tables, words
from lib.database import query

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


def of_releases() -> show.Shown:
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


def found() -> show.Shown:
    """The programs that serve images, as found on each machine."""
    machines = query(
        """
        select
            host, tools, list(release order by release) as releases
        from host
        where not stand_in
        group by host, tools
        order by host, min(release)
        """
    )
    if machines.empty:
        return show.text("No machine has been looked at yet.")
    lines = [
        {
            "machine": words.host(row["host"]),
            "releases": words.listed([words.release(release) for release in row["releases"]]),
            "tools": "none: no program of macOS serves images there"
            if words.missing(row["tools"])
            else row["tools"],
        }
        for row in machines.to_dict("records")
    ]
    return tables.table(
        lines,
        {"machine": "Machine", "releases": "Releases", "tools": "Tools and their versions"},
        "The tools that were found on each machine",
        name="tools",
        classes="wide",
        source=machines,
    )
