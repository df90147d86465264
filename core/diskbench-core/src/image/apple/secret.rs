//! The passphrase of a study's image, as each program wants it: on its stdin and nowhere else.

use zeroize::Zeroizing;

use crate::cell::{Cell, Encryption};
use crate::image::passphrase::passphrase_text;

/// A passphrase; it has no control characters, about which the programs would disagree.
pub(super) struct Secret(Zeroizing<String>);

impl Secret {
    /// The passphrase of a cell's image; none where the image is not encrypted.
    pub(super) fn of(cell: &Cell) -> Option<Self> {
        let encrypted = matches!(cell.encryption, Encryption::Aes128 | Encryption::Aes256);
        encrypted.then(|| Self(Zeroizing::new(passphrase_text(cell))))
    }

    /// For `hdiutil -stdinpass`, which takes everything up to the end, a line end included.
    pub(super) fn for_hdiutil(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.0.as_bytes().to_vec())
    }

    /// For `diskutil image --stdinpassphrase`, which takes a line.
    pub(super) fn for_diskutil(&self) -> Zeroizing<Vec<u8>> {
        // Room for the line end from the start: growing would leave a copy behind.
        let mut line = Zeroizing::new(Vec::with_capacity(self.0.len() + 1));
        line.extend_from_slice(self.0.as_bytes());
        line.push(b'\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;
    use crate::cell::{Cell, Encryption};
    use crate::testing::cell;

    #[test]
    fn hdiutil_gets_no_line_end_and_diskutil_gets_one() {
        let secret = Secret::of(&Cell { encryption: Encryption::Aes256, ..cell() }).unwrap();
        let (all, line) = (secret.for_hdiutil(), secret.for_diskutil());
        assert_eq!(all.len(), 64);
        assert!(all.iter().all(u8::is_ascii_hexdigit));
        assert_eq!(line.strip_suffix(b"\n"), Some(all.as_slice()));
    }

    #[test]
    fn what_the_image_does_not_encrypt_has_no_passphrase() {
        for encryption in [Encryption::None, Encryption::FileVault, Encryption::Apfs] {
            assert!(Secret::of(&Cell { encryption, ..cell() }).is_none());
        }
    }
}
