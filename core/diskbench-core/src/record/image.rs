//! What the image is: as the cell requested it, and as it was read back from the image itself.
//!
//! Both sides have the same facts. Null on the requested side: the cell does not say. Null on the effective side: this
//! driver cannot find it out here. Only what both sides state can differ.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Driver, Encryption};

/// Unit of a sector, in bytes, unless a cell says otherwise: `hdiutil create -sectors` counts in it.
const SECTOR_BYTES: u64 = 512;

/// Lengths that differ by less than this many bytes count as equal. Drivers make whole pages of what a cell requests:
/// our own round down to 4096 bytes, `diskutil` rounds ASIF up to as many.
const LENGTH_UNIT_BYTES: u64 = 4096;

/// What studies call the disk of the machine itself (workflow/scripts/study/studies.py).
pub(crate) const OWN_DISK: &str = "internal";

/// The file system of our own images: a table of files.
pub(crate) const OWN_FILE_SYSTEM: &str = "diskbench";

/// The file system of the images that macOS makes here, as `diskutil info` names it.
const APFS: &str = "apfs";

/// The cipher of encrypted images.
pub(crate) const AES: &str = "AES";

/// What an image is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageFacts {
    /// Whether the files lie on a disk image at all.
    pub on_image: Option<bool>,
    /// Format, such as `UDSB`; null without an image.
    pub format: Option<String>,
    /// Whether the image is encrypted; without an image, whether `FileVault` encrypts the disk.
    pub encrypted: Option<bool>,
    /// Cipher of the image, such as `AES`.
    pub cipher: Option<String>,
    /// Bits of the cipher's key.
    pub key_bits: Option<u64>,
    /// Bytes of a band, or of a chunk of ASIF.
    pub band_bytes: Option<u64>,
    /// Bytes of a sector of the image's disk.
    pub sector_bytes: Option<u64>,
    /// Length of the image's disk, in bytes.
    pub nominal_bytes: Option<u64>,
    /// File system of the files: `apfs`, `ext4`, or `diskbench` for the table of files in our own images.
    pub file_system: Option<String>,
}

/// What was requested, and what the image is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageIdentity {
    /// What the cell requests; null where it does not say.
    pub requested: ImageFacts,
    /// What was read back from the image before the first file; null where that cannot be found out.
    pub effective: ImageFacts,
}

impl ImageFacts {
    /// What a cell requests. Each driver makes one file system, but for a folder, which has that of its disk.
    pub(crate) fn requested(cell: &Cell) -> Self {
        let file_system = match cell.driver {
            Driver::Native => None,
            Driver::Portable => Some(OWN_FILE_SYSTEM.to_owned()),
            Driver::Apple => Some(APFS.to_owned()),
        };
        let Some(format) = cell.format.image() else {
            return Self {
                on_image: Some(false),
                // A study's `host` is the encryption of this storage. Another disk has its own (`host.storage`).
                encrypted: (cell.storage == OWN_DISK)
                    .then_some(cell.encryption == Encryption::FileVault),
                file_system,
                ..Self::default()
            };
        };
        let has_blocks = format.row().large_block_bytes.is_some();
        let key_bits = cell.encryption.key_size().map(|size| size.bits().into());
        Self {
            on_image: Some(true),
            format: Some(format.to_string()),
            encrypted: Some(key_bits.is_some()),
            cipher: key_bits.map(|_| AES.to_owned()),
            key_bits,
            band_bytes: cell.band_bytes,
            // macOS chooses it itself unless it is given.
            sector_bytes: if cell.driver == Driver::Apple && has_blocks {
                cell.block_bytes
            } else {
                Some(cell.block_bytes.unwrap_or(SECTOR_BYTES))
            },
            nominal_bytes: Some(cell.nominal_bytes),
            file_system,
        }
    }

    /// These facts, and where one is unknown that of the other source.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            on_image: self.on_image.or(other.on_image),
            format: self.format.or(other.format),
            encrypted: self.encrypted.or(other.encrypted),
            cipher: self.cipher.or(other.cipher),
            key_bits: self.key_bits.or(other.key_bits),
            band_bytes: self.band_bytes.or(other.band_bytes),
            sector_bytes: self.sector_bytes.or(other.sector_bytes),
            nominal_bytes: self.nominal_bytes.or(other.nominal_bytes),
            file_system: self.file_system.or(other.file_system),
        }
    }

    /// Each fact that both state and that is not the same in `found`, such as `key bits 128 instead of 256`.
    pub(crate) fn differences(&self, found: &Self) -> Option<String> {
        let length = (self.nominal_bytes, found.nominal_bytes);
        let same_length = matches!(length, (Some(a), Some(b)) if a.abs_diff(b) < LENGTH_UNIT_BYTES);
        let length = if same_length { (None, None) } else { length };
        let all = [
            differs("on an image", self.on_image.as_ref(), found.on_image.as_ref()),
            differs("format", self.format.as_ref(), found.format.as_ref()),
            differs("encrypted", self.encrypted.as_ref(), found.encrypted.as_ref()),
            differs("cipher", self.cipher.as_ref(), found.cipher.as_ref()),
            differs("key bits", self.key_bits.as_ref(), found.key_bits.as_ref()),
            differs("band bytes", self.band_bytes.as_ref(), found.band_bytes.as_ref()),
            differs("sector bytes", self.sector_bytes.as_ref(), found.sector_bytes.as_ref()),
            differs("nominal bytes", length.0.as_ref(), length.1.as_ref()),
            differs("file system", self.file_system.as_ref(), found.file_system.as_ref()),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

fn differs<T: Display + PartialEq>(
    name: &str,
    expected: Option<&T>,
    found: Option<&T>,
) -> Option<String> {
    let (expected, found) = expected.zip(found)?;
    (expected != found).then(|| format!("{name} {found} instead of {expected}"))
}

impl ImageIdentity {
    /// Where the image is not what was requested.
    pub(crate) fn differences(&self) -> Option<String> {
        self.requested.differences(&self.effective)
    }
}

#[cfg(test)]
mod tests {
    use super::{ImageFacts, ImageIdentity};
    use crate::cell::{Cell, Driver, Encryption, Format};
    use crate::testing::cell;

    /// What an encrypted bundle of 1 GB with bands of 4 MiB requests, written out by hand.
    fn bundle() -> ImageFacts {
        ImageFacts {
            on_image: Some(true),
            format: Some("UDSB".into()),
            encrypted: Some(true),
            cipher: Some("AES".into()),
            key_bits: Some(256),
            band_bytes: Some(4_194_304),
            sector_bytes: Some(512),
            nominal_bytes: Some(1_000_000_000),
            file_system: Some("apfs".into()),
        }
    }

    #[test]
    fn a_cell_requests_what_it_says_and_nothing_that_it_does_not() {
        let cell = Cell {
            driver: Driver::Apple,
            format: Format::Udsb,
            encryption: Encryption::Aes256,
            band_bytes: Some(4_194_304),
            nominal_bytes: 1_000_000_000,
            ..cell()
        };
        assert_eq!(ImageFacts::requested(&cell), bundle());
        let smaller = Cell { encryption: Encryption::Aes128, band_bytes: None, ..cell.clone() };
        let expected = ImageFacts { key_bits: Some(128), band_bytes: None, ..bundle() };
        assert_eq!(ImageFacts::requested(&smaller), expected);
        let plain = Cell { encryption: Encryption::None, ..cell.clone() };
        let expected =
            ImageFacts { encrypted: Some(false), cipher: None, key_bits: None, ..bundle() };
        assert_eq!(ImageFacts::requested(&plain), expected);
        for (encryption, encrypted) in [(Encryption::None, false), (Encryption::FileVault, true)] {
            let driver = Driver::Native;
            let native = Cell { driver, format: Format::Native, encryption, ..cell.clone() };
            let expected = ImageFacts {
                on_image: Some(false),
                encrypted: Some(encrypted),
                ..ImageFacts::default()
            };
            assert_eq!(ImageFacts::requested(&native), expected);
            let elsewhere = Cell { storage: "usb4".into(), ..native };
            let expected = ImageFacts { encrypted: None, ..expected };
            assert_eq!(ImageFacts::requested(&elsewhere), expected);
        }
        let ours = Cell { driver: Driver::Portable, ..cell };
        let expected = ImageFacts { file_system: Some("diskbench".into()), ..bundle() };
        assert_eq!(ImageFacts::requested(&ours), expected);
        let asif = Cell { format: Format::Asif, ..ours };
        let of_macos = Cell { driver: Driver::Apple, ..asif.clone() };
        for (cell, blocks, expected) in [
            (&asif, None, Some(512)),
            (&asif, Some(4096), Some(4096)),
            (&of_macos, None, None),
            (&of_macos, Some(4096), Some(4096)),
        ] {
            let cell = Cell { block_bytes: blocks, ..cell.clone() };
            assert_eq!(ImageFacts::requested(&cell).sector_bytes, expected);
        }
    }

    #[test]
    fn each_fact_that_differs_is_named_with_both_values() {
        let text = |text: &str| Some(text.to_owned());
        let found = |found: ImageFacts| bundle().differences(&found);
        for (other, line) in [
            (ImageFacts { on_image: Some(false), ..bundle() }, "on an image false instead of true"),
            (ImageFacts { format: text("UDSP"), ..bundle() }, "format UDSP instead of UDSB"),
            (ImageFacts { encrypted: Some(false), ..bundle() }, "encrypted false instead of true"),
            (ImageFacts { cipher: text("3DES"), ..bundle() }, "cipher 3DES instead of AES"),
            (ImageFacts { key_bits: Some(128), ..bundle() }, "key bits 128 instead of 256"),
            (
                ImageFacts { band_bytes: Some(8_388_608), ..bundle() },
                "band bytes 8388608 instead of 4194304",
            ),
            (
                ImageFacts { sector_bytes: Some(4096), ..bundle() },
                "sector bytes 4096 instead of 512",
            ),
            (
                ImageFacts { nominal_bytes: Some(2_000_000_000), ..bundle() },
                "nominal bytes 2000000000 instead of 1000000000",
            ),
            (
                ImageFacts { file_system: text("hfs"), ..bundle() },
                "file system hfs instead of apfs",
            ),
        ] {
            assert_eq!(found(other).as_deref(), Some(line));
        }
        let two = ImageFacts { format: text("ASIF"), key_bits: Some(128), ..bundle() };
        assert_eq!(
            found(two).as_deref(),
            Some("format ASIF instead of UDSB, key bits 128 instead of 256")
        );
    }

    #[test]
    fn what_is_unknown_neither_differs_nor_is_taken_for_equal() {
        let identity = ImageIdentity { requested: bundle(), effective: ImageFacts::default() };
        assert_eq!(identity.differences(), None);
        let text = serde_json::to_value(&identity).unwrap();
        assert_eq!(text["effective"]["key_bits"], serde_json::Value::Null);
        assert_eq!(text["requested"]["key_bits"], 256);
    }

    #[test]
    fn a_length_in_whole_pages_is_the_one_requested_and_a_page_more_or_less_is_not() {
        let of = |nominal_bytes| ImageFacts { nominal_bytes: Some(nominal_bytes), ..bundle() };
        // 1,000,000,000 = 244,140 pages of 4096 bytes and 2,560 bytes.
        for same in [1_000_000_000, 999_997_440, 1_000_001_536] {
            assert_eq!(bundle().differences(&of(same)), None, "{same}");
        }
        for other in [1_000_000_000 - 4096, 1_000_000_000 + 4096] {
            assert!(bundle().differences(&of(other)).is_some(), "{other}");
        }
    }

    #[test]
    fn a_second_source_adds_what_the_first_does_not_know() {
        let first = ImageFacts { format: Some("UDSB".into()), ..ImageFacts::default() };
        assert_eq!(first.clone().or(bundle()), bundle());
        let other = ImageFacts { format: Some("UDSP".into()), ..bundle() };
        assert_eq!(first.or(other), bundle());
        assert_eq!(ImageFacts::default().or(ImageFacts::default()), ImageFacts::default());
    }
}
