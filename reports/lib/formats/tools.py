"""What the tools of each release of macOS can do."""

from lib import show, tables

# columns: macOS, hdiutil, `diskutil image`, writable formats
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
    return tables.table(
        RELEASES,
        tables.of_places("macOS", "hdiutil", "diskutil image", "Writable images it can make"),
        "What the tools of each release can do, according to their manuals",
        name="releases",
        classes="wide",
    )
