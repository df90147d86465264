//! Classifies the names in the folder of bands.
//!
//! macOS writes a band's number in lower-case hexadecimal without leading zeros. Other programs write `0000000A`, and
//! systems leave their own files beside the bands. Any other file may be a part of the disk under another name: a
//! conflicting copy, a file still being copied, or one that is only in the cloud.

/// What an entry is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// The file of this band.
    Band(u64),
    /// Left by a system or a program: not part of the disk.
    Left,
    /// Neither, so it may be a part of the disk.
    Unknown,
}

/// What systems leave in a folder: macOS, Synology, QNAP, Windows, Linux. Whatever else is hidden may be a band under
/// way: rsync names it `.a.x7Q2pK` until all of it is there, Syncthing `.syncthing.a.tmp`, and iCloud one that is not
/// on this disk `.a.icloud`.
const LEFT: [&str; 20] = [
    ".DS_Store",
    ".localized",
    ".fseventsd",
    ".Spotlight-V100",
    ".Trashes",
    ".TemporaryItems",
    ".DocumentRevisions-V100",
    ".apdisk",
    ".AppleDouble",
    ".AppleDB",
    ".AppleDesktop",
    ".directory",
    "Icon\r",
    "@eaDir",
    "@Recycle",
    "@Recently-Snapshot",
    "Thumbs.db",
    "desktop.ini",
    "lost+found",
    "#recycle",
];

/// How others of them begin: a Mac's second file of each file, bins, and files that were deleted while open over NFS.
const LEFT_BEGIN: [&str; 4] = ["._", ".Trash-", ".nfs", "@__thumb"];

/// The kind of an entry by its name.
pub(crate) fn of(name: &str) -> Name {
    if is_hexadecimal(name) {
        // More than 64 bits lie beyond the end of any disk.
        return Name::Band(u64::from_str_radix(name, 16).unwrap_or(u64::MAX));
    }
    let left = LEFT.contains(&name) || LEFT_BEGIN.iter().any(|begin| name.starts_with(begin));
    if left { Name::Left } else { Name::Unknown }
}

/// What macOS calls a band: its number in hexadecimal, as short as can be.
pub(crate) fn usual(band: u64) -> String {
    format!("{band:x}")
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{Name, of};

    #[test]
    fn a_band_is_a_number_in_any_hexadecimal_spelling() {
        for (name, band) in [
            ("0", 0),
            ("a", 10),
            ("A", 10),
            ("0000000a", 10),
            ("00", 0),
            ("1aF", 0x1af),
            ("ffffffffffffffff", u64::MAX),
            ("fffffffffffffffff", u64::MAX),
            ("00000000000000000000000000000007", 7),
        ] {
            assert_eq!(of(name), Name::Band(band), "{name}");
        }
    }

    #[test]
    fn what_systems_leave_is_no_band_and_nothing_else_is_passed_over() {
        for name in [
            ".DS_Store",
            "._a",
            "._0000000A",
            "@eaDir",
            "@Recycle",
            ".Trash-1000",
            ".fseventsd",
            "Thumbs.db",
            "Icon\r",
            "lost+found",
            ".nfs00000000001a2b",
        ] {
            assert_eq!(of(name), Name::Left, "{name}");
        }
        for name in [
            "",
            "x",
            "0x1",
            "+1",
            "-1",
            "1.tmp",
            "a 2",
            "a (conflicted copy)",
            ".a.icloud",
            ".1.x7Q2pK",
            ".a",
            ".a~",
            ".a (conflict)",
            ".syncthing.a.tmp",
            ".x",
            "@x",
            ".",
            "\u{ff11}",
            "bands",
            "1 ",
            "1~",
        ] {
            assert_eq!(of(name), Name::Unknown, "{name}");
        }
    }
}
