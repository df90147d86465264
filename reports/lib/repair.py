"""Tables of the repair guide: layers of an image, answers of macOS's tools.

Sources: the manual pages hdiutil(1), diskutil(8), fsck_apfs(8) and output in public reports.
Nothing of it has been tried on a Mac yet.
"""

from lib import show, tables

LAYERS = (
    (
        "The file itself",
        "cut short by an interrupted copy; unreadable sectors of its disk",
        "a read error; a size that is too small",
        "compare it with another copy",
        "reports UDSP and ASIF images that were cut short; a read error is reported in one line",
    ),
    (
        "The container",
        "header, list of bands, map of chunks, token of an encrypted image, checksum of a "
        "read-only one",
        "\u201cimage not recognized\u201d, \u201ccorrupt image\u201d",
        "`hdiutil imageinfo`; `hdiutil verify` where there are checksums",
        "`image check` checks all of it for UDSB, UDSP and ASIF, and compares the checksums of "
        "UDRO, UDZO and the like",
    ),
    (
        "The keys",
        "the header of an encrypted image",
        "\u201cAuthentication error\u201d with the right passphrase",
        "`hdiutil isencrypted`; nothing repairs it: without its keys an image is lost",
        "`image check` with the passphrase; a wrong passphrase and damaged keys look alike",
    ),
    (
        "The partition map",
        "GUID partition table inside the image",
        "devices are missing from the list of `attach -nomount`",
        "`gpt -r show`, `diskutil repairDisk`",
        "`image info` lists the partitions",
    ),
    (
        "The file system",
        "APFS container and volumes, HFS+, ExFAT, FAT",
        "\u201cno mountable file systems\u201d",
        "`fsck_apfs`, `fsck_hfs`, `fsck_exfat`, First Aid in Disk Utility",
        "`image info` names it",
    ),
    (
        "The files in it",
        "content that was overwritten unnoticed",
        "a document that does not open",
        "nothing: APFS keeps no checksums of files\u2019 content",
        "nothing: no writable image format keeps checksums of its content",
    ),
)

ANSWERS = (
    (
        "attach failed - Resource temporarily unavailable",
        "Not broken: something else has the image open, such as another Mac or a virtual machine",
        "Find it and quit it; wait; then try again",
    ),
    (
        "attach failed - Permission denied; Operation not permitted",
        "Not broken: macOS protects the folder or the file",
        "Look at its permissions; give Terminal Full Disk Access; copy it to another folder",
    ),
    (
        "attach failed - Authentication error",
        "The passphrase is wrong, or the keys in the header are damaged",
        "Type it again; if that fails, try another copy of the image",
    ),
    (
        "attach failed - no mountable file systems",
        "The container could be opened; its partition map or file system is damaged, or macOS "
        "does not support the file system",
        "Attach without mounting; check the partition map and the file system",
    ),
    (
        "attach failed - image not recognized; corrupt image",
        "The container is damaged, or this is not an image",
        "Check the container; then try another copy of the image",
    ),
    (
        "couldn\u2019t eject \u201cdisk4\u201d - Resource busy (exit code 16)",
        "A program still uses the volume, often Spotlight",
        "Wait and try again; `-force` only as the last resort",
    ),
)


# columns: command, UDRW, UDSP, UDSB, ASIF, read-only and compressed
CAN = (
    ("`image info`", "yes", "yes", "yes", "yes", "yes"),
    ("`image check`", "nothing to check", "yes", "yes", "yes", "yes"),
    ("`image convert` from", "yes", "yes", "yes", "yes", "yes"),
    ("`image convert` to", "yes", "yes", "yes", "yes", "no"),
    ("`image compact`", "yes", "yes", "yes", "yes", "refused"),
    (
        "encrypted",
        "yes",
        "yes",
        "yes",
        "yes, but no other program is known to open it",
        "read only",
    ),
    ("repair", "no", "no", "no", "no", "no"),
)


def can() -> show.Shown:
    """What `diskbench image` can do with each format."""
    return tables.table(
        CAN,
        tables.of_places(
            "diskbench", "UDRW", "UDSP", "UDSB", "ASIF", "UDRO, UDZO, ULFO and the like"
        ),
        "What diskbench image can do with each format",
        name="can",
        classes="wide",
    )


def layers() -> show.Shown:
    """What can be broken, from the outside to the inside."""
    return tables.table(
        LAYERS,
        tables.of_places(
            "Layer",
            "What it is, how it breaks",
            "How it shows",
            "macOS",
            "diskbench",
            sentences="What it is, how it breaks",
        ),
        "What can be broken, from the outside to the inside",
        name="layers",
        classes="wide",
    )


def answers() -> show.Shown:
    """The messages of hdiutil and their meaning."""
    return tables.table(
        ANSWERS,
        tables.of_places("hdiutil says", "It means", "Next", sentences="It means"),
        "Messages of hdiutil, in English, and what they mean",
        name="answers",
        classes="wide",
    )
