//! Checksums, of which CRC-32 is the one that macOS makes of these images.

use crate::bytes::u32_at;

/// The kind of a CRC-32, as hdiutil writes it.
const CRC32: u32 = 2;

/// Bytes of a checksum: its kind, its length in bits, and the first of the 32 words that it may have.
const SIZE: usize = 12;

/// A checksum that a file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    /// There is none, or one of a kind that is not looked at.
    Unchecked,
    /// A CRC-32.
    Crc32(u32),
}

impl Sum {
    /// As it stands in the file.
    pub(crate) fn decode(bytes: &[u8; SIZE]) -> Self {
        match (u32_at(bytes, 0), u32_at(bytes, 4)) {
            (CRC32, 32) => Self::Crc32(u32_at(bytes, 8)),
            _ => Self::Unchecked,
        }
    }
}
