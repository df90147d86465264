"""What macOS and diskbench can do with each format.

Sources: the tools' manual pages on macOS 13 to 27 (hdiutil(1), diskutil(8)); the articles, for Disk
Utility; and public programs that call these tools.
"""

from dataclasses import dataclass

READ_ONLY = "no: read-only"
NO_SPACE = "no: fixed size"


@dataclass(frozen=True)
class Facts:
    """What tools can do with a format, in a few words each, with commands in backticks."""

    made: str = "no tool of macOS 13 or later"
    written: str = READ_ONLY
    space: str = NO_SPACE
    encrypted: str = "when created"
    apple: str = "no: nothing can be written to it"
    portable: str = "reads, checks and converts it; never writes it"


OLD = Facts(
    written="no",
    space="no",
    encrypted="no",
    apple="no: macOS does not make it",
    portable="no",
)


def _packed(code: str, more: str) -> Facts:
    return Facts(made=f"`hdiutil convert -format {code}`{more}", space="no: fixed size, compressed")


FROM = "; `diskutil image create from` (macOS 26)"
FACTS = {
    "UDRW": Facts(
        made="Disk Utility; `hdiutil create -type UDIF`; `diskutil image create blank --format "
        "RAW` (macOS 14)",
        written="yes",
        space="on APFS takes only the space in use: from macOS 12 on after the second mount, from "
        "macOS 26 on at once; frees space automatically",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="creates, reads and writes it; there is nothing to check",
    ),
    "UDRO": Facts(made=f"`hdiutil convert -format UDRO`{FROM}"),
    "UDCO": _packed("UDCO", ""),
    "UDZO": _packed("UDZO", f"{FROM}"),
    "ULFO": _packed("ULFO", f"{FROM}"),
    "ULMO": _packed("ULMO", f"{FROM}"),
    "UDTO": Facts(
        made="Disk Utility; `hdiutil convert -format UDTO`",
        portable="reads it as a raw image (not tested yet); there is nothing to check",
    ),
    "UDSP": Facts(
        made="`hdiutil create -type SPARSE`; no longer Disk Utility, never `diskutil image`",
        written="yes",
        space="grows by bands of 1 MiB; `hdiutil compact` frees space",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="creates, reads, writes, checks and compacts it",
    ),
    "UDSB": Facts(
        made="Disk Utility; `hdiutil create -type SPARSEBUNDLE`; `diskutil image create blank "
        "--format UDSB` (macOS 14)",
        written="yes",
        space="grows by bands of 8 MiB, one file each; frees most space when files are deleted, "
        "`hdiutil compact` a little more",
        encrypted="AES-128, AES-256",
        apple="measures it",
        portable="creates, reads, writes, checks and compacts it",
    ),
    "UFBI": Facts(
        made="`hdiutil convert -format UFBI`",
        portable="not tested yet; its MD5 checksum is not compared",
    ),
    "ASIF": Facts(
        made="Disk Utility and `diskutil image create blank --format ASIF` (macOS 26); macOS 15 "
        "only opens it",
        written="yes",
        space="grows by chunks of 1 MiB and frees most space automatically; `diskutil image create "
        "from` makes a smaller copy",
        encrypted="AES-256",
        apple="measures it, from macOS 26 on",
        portable="creates, reads, writes, checks and compacts it; an encrypted one has a layout of "
        "diskbench\u2019s own, which no other program is known to open",
    ),
    "DC42": OLD,
    "DART": OLD,
    "Rdxx": OLD,
    "NDIF": OLD,
    "IDME": Facts(
        made="not a format: a flag on another image, which macOS now ignores",
        written="no",
        space="no",
        encrypted="no",
        apple="no",
        portable="no",
    ),
    "UDBZ": _packed("UDBZ", ", deprecated"),
}
