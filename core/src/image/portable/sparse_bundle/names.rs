//! What the names in the folder of bands tell.
//!
//! macOS writes a band's number in lower-case hexadecimal, as short as can be. Other programs write `0000000A`, and
//! systems leave files of their own beside the bands. What is neither may hold a part of the disk under another name: a
//! conflicting copy, a file that is still being copied, or one that lies in the cloud alone.

/// What an entry is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// The file of this band.
    Band(u64),
    /// Left by a system or a program: no part of the disk.
    Left,
    /// Neither, so it may be a part of the disk.
    Unknown,
}

/// What else systems leave in a folder. Names that begin with a dot or an at sign are looked at below.
const LEFT: [&str; 5] = ["Icon\r", "Thumbs.db", "desktop.ini", "lost+found", "#recycle"];

/// What an entry is called tells what it is.
pub fn of(name: &str) -> Name {
    if is_hexadecimal(name) {
        // More than 64 bits lie beyond the end of any disk.
        return Name::Band(u64::from_str_radix(name, 16).unwrap_or(u64::MAX));
    }
    let left = LEFT.contains(&name) || name.starts_with('@') || is_hidden(name);
    if left { Name::Left } else { Name::Unknown }
}

/// A hidden file is a system's own (`.DS_Store`, `._a`, `.Trash-1000`), unless it bears a band's number: rsync names a file
/// `.a.x7Q2pK` until all of it is there, and iCloud one that is not on this disk `.a.icloud`.
fn is_hidden(name: &str) -> bool {
    name.strip_prefix('.').is_some_and(|rest| !rest.split('.').next().is_some_and(is_hexadecimal))
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
            ".",
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
            "\u{ff11}",
            "bands",
            "1 ",
            "1~",
        ] {
            assert_eq!(of(name), Name::Unknown, "{name}");
        }
    }
}
