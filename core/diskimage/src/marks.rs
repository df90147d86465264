//! Detects formats by the first bytes of a file: by their signature, or by a header with a damaged signature.
//!
//! A file without a signature is a raw disk. An image with a damaged signature must not be taken for one: the rest of
//! its header identifies it, and no disk begins like it.

use system::memory::in_memory;

use crate::bytes::part_mut;
use crate::crypt;
use crate::error::Result;
use crate::format::ImageFormat;
use crate::row::File;
use crate::store::Store;

/// Examined bytes: all of the fields below.
const HEADER: usize = 0x48;

/// The first bytes of a file; zeros behind the end of a shorter one.
pub(crate) struct Start([u8; HEADER]);

/// What lies at known places of an encrypted image's header, but for zeros: the signature, version 2, 16 bytes of an
/// initial vector, mode 5, AES, 91 and 160 for HMAC-SHA1 and its bits.
const ENCRYPTED: [(usize, u8); 15] = [
    (0, b'e'),
    (1, b'n'),
    (2, b'c'),
    (3, b'r'),
    (4, b'c'),
    (5, b'd'),
    (6, b's'),
    (7, b'a'),
    (0x0b, 2),
    (0x0f, 16),
    (0x13, 5),
    (0x14, 0x80),
    (0x17, 1),
    (0x1f, 91),
    (0x23, 160),
];

/// So many of them are no accident: one in 2^40 files of noise has them, and no disk in its boot code.
const NO_ACCIDENT: usize = 5;

impl Start {
    /// Reads them.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn of(store: &mut dyn Store) -> Result<Self> {
        let mut start = [0; HEADER];
        let length = in_memory(store.len_bytes()).min(HEADER);
        store.read_at(part_mut(&mut start, ..length), 0)?;
        Ok(Self(start))
    }

    /// The format that the signature is of, and its functions.
    pub(crate) fn format(&self) -> Option<(ImageFormat, File)> {
        let format = ImageFormat::of_mark(&self.0)?;
        Some((format, format.marked()?))
    }

    /// The format of such a header with another signature.
    pub(crate) fn nearly(&self) -> Option<&'static str> {
        const ENCRYPTED_IMAGE: &str = "an encrypted image";
        let marked: Vec<File> =
            ImageFormat::ALL.into_iter().filter_map(ImageFormat::marked).collect();
        let by_mark = marked.iter().find(|file| self.has_all_but_one_of(file.mark));
        let by_header = || marked.iter().find(|file| (file.is_like)(&self.0));
        by_mark
            .map(|file| file.name)
            .or_else(|| self.has_all_but_one_of(crypt::MAGIC).then_some(ENCRYPTED_IMAGE))
            .or_else(|| by_header().map(|file| file.name))
            .or_else(|| self.is_like_encrypted().then_some(ENCRYPTED_IMAGE))
    }

    fn has_all_but_one_of(&self, mark: &[u8]) -> bool {
        let same = self.0.iter().zip(mark).filter(|(found, byte)| found == byte).count();
        same + 1 == mark.len()
    }

    fn is_like_encrypted(&self) -> bool {
        let same = ENCRYPTED.iter().filter(|(place, byte)| self.0.get(*place) == Some(byte));
        same.count() >= NO_ACCIDENT
    }
}

#[cfg(test)]
mod tests {
    use super::Start;
    use crate::testing::memory::MemoryStore;

    fn nearly(bytes: &[u8]) -> Option<&'static str> {
        Start::of(&mut MemoryStore::of(bytes)).unwrap().nearly()
    }

    /// The first bytes of images that others made.
    fn sparse_image() -> Vec<u8> {
        let mut bytes = b"sprs\0\0\0\x03\0\0\x08\0\0\0\0\x01\0\x01\x38\x80".to_vec();
        bytes.resize(32, 0);
        bytes.extend([0, 1, 0x38, 0x80]);
        bytes.resize(80, 0);
        bytes
    }

    fn asif() -> Vec<u8> {
        let mut bytes = b"shdw\0\0\0\x01\0\0\x02\0".to_vec();
        bytes.resize(0x30, 0);
        bytes.extend(2_097_152_u64.to_be_bytes());
        bytes.extend(8_796_093_022_208_u64.to_be_bytes());
        bytes.extend([0, 0x10, 0, 0, 2, 0, 0, 0]);
        bytes
    }

    fn encrypted() -> Vec<u8> {
        let mut bytes = b"encrcdsa\0\0\0\x02\0\0\0\x10\0\0\0\x05\x80\0\0\x01".to_vec();
        bytes.extend([0, 0, 1, 0, 0, 0, 0, 91, 0, 0, 0, 160]);
        bytes.resize(80, 7);
        bytes
    }

    #[test]
    fn a_header_is_known_by_what_is_left_of_it() {
        for (good, name) in [
            (sparse_image(), "a UDSP image"),
            (asif(), "an ASIF image"),
            (encrypted(), "an encrypted image"),
        ] {
            // Up to 16 bytes that are zeros or noise, from any byte of the signature on.
            for (end, from, fill) in (4..=16)
                .flat_map(|end| (0..4).flat_map(move |from| [(end, from, 0), (end, from, 0xa7)]))
            {
                let mut bytes = good.clone();
                bytes[from..end].fill(fill);
                assert_eq!(nearly(&bytes), Some(name), "{fill} from {from} to {end}");
            }
        }
    }

    #[test]
    fn a_mark_with_one_wrong_byte_is_enough_whatever_follows() {
        for (mark, name) in [
            (&b"Sprs"[..], "a UDSP image"),
            (b"shdW", "an ASIF image"),
            (b"encrcdsA", "an encrypted image"),
        ] {
            let bytes = [mark, &[0x5a; 80]].concat();
            assert_eq!(nearly(&bytes), Some(name));
        }
    }

    #[test]
    fn no_disk_is_taken_for_a_damaged_image() {
        let mut fat =
            b"\xeb\x3c\x90mkfs.fat\0\x02\x04\x01\0\x02\0\x02\0\0\xf8\x80\0\x3f\0\xff\0".to_vec();
        fat.resize(512, 0);
        let mut boot = b"\xfa\x31\xc0\x8e\xd8\x8e\xc0\x8e\xd0\xbc\0\x7c\xfb\xfc".to_vec();
        boot.resize(512, 0);
        for bytes in [vec![], vec![0; 7], vec![0; 512], vec![0xff; 512], vec![1; 512], fat, boot] {
            assert_eq!(nearly(&bytes), None);
        }
        for start in 0..=255_u8 {
            let bytes: Vec<u8> = (0..100_u8).map(|n| n.wrapping_mul(17) ^ start).collect();
            assert_eq!(nearly(&bytes), None, "{start}");
        }
    }
}
