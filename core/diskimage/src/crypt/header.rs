//! The header of a container, `encrcdsa` version 2: cipher, length, and wrapped keys.
//!
//! All numbers are big-endian. The layout was found by others in images that Apple's tools made:
//!
//! | at | what | here |
//! | --- | --- | --- |
//! | 0x00 | `encrcdsa` | |
//! | 0x08 | version | 2 |
//! | 0x0c | length of an initial vector | 16 |
//! | 0x10, 0x14, 0x18 | mode, cipher, bits of its key | CBC (5), AES, 128 or 256 |
//! | 0x1c, 0x20 | the way initial vectors are made, bits of its key | HMAC-SHA1 (91), 160 |
//! | 0x24 | UUID | random |
//! | 0x34 | block size | 512; 4096 is read |
//! | 0x38, 0x40 | length and offset of the payload | 0 in a bundle's token; 122,368 |
//! | 0x48 | number of protectors | 1 |
//! | 0x4c | for each: type, offset, size | passphrase (1), 0x60, 616 |
//!
//! A protector for a passphrase holds the count of PBKDF2 (0x08), the salt (length 0x0c, bytes 0x10), the initial
//! vector (0x30, 0x34), how the keys are wrapped (0x54 bits, 0x58 cipher, 0x5c padding, 0x60 mode) and the wrapped keys
//! (0x64, 0x68).

use system::memory::in_memory;

use crate::crypt::wrap::Wrap;
use crate::crypt::{BLOCK, Facts, KeySize, OLD_BLOCK, kdf};
use crate::error::{self, ImageError, Result, damaged, internal};
use crate::store::Store;

/// The first bytes of a container of version 2.
pub const MAGIC: &[u8; 8] = b"encrcdsa";

/// The last bytes of a container of version 1.
pub(crate) const OLD_MAGIC: &[u8; 8] = b"cdsaencr";

/// Length of the header in bytes: the payload begins behind it.
pub const HEADER: usize = 0x1_de00;

/// Offset of the payload's length.
pub(crate) const PAYLOAD_BYTES_AT: usize = 0x38;

/// The longest payload in bytes: a block's number has 32 bits, so later blocks would share their initial vectors with
/// earlier ones. What Apple's tools do beyond is not known.
pub(crate) const MOST_BYTES: u64 = (BLOCK as u64) << 32;

/// Length of the salt and of the initial vector that are written, in bytes: as Apple's tools do.
pub(crate) const SALT: usize = 20;
/// See [`SALT`].
pub(crate) const WRAP_VECTOR: usize = 8;

const VERSION: u32 = 2;
const VECTOR_BYTES: u32 = 16;
const CBC: u32 = 5;
const AES: u32 = 0x8000_0001;
const TRIPLE_DES: u32 = 17;
const HMAC_SHA1: u32 = 91;
const HMAC_BITS: u32 = 160;
const PBKDF2: u32 = 103;
const WRAPPING_BITS: u32 = 192;
const PKCS7: u32 = 7;
const CBC_PADDED: u32 = 6;

/// Types of protectors.
const PASSPHRASE: u32 = 1;
/// See [`PASSPHRASE`].
const CERTIFICATE: u32 = 2;

/// Where the list of protectors begins, and the length of an entry in bytes.
const PROTECTORS_AT: usize = 0x4c;
/// See [`PROTECTORS_AT`].
const ENTRY: usize = 20;

/// The most protectors that are believed. Images have one or two.
const MOST_PROTECTORS: u32 = 64;

/// Length of a protector for a passphrase in bytes.
pub(crate) const PROTECTOR: usize = 616;

/// Bytes read of a protector, whatever its stated length.
const MOST_OF_A_PROTECTOR: usize = 4096;

/// Room for the salt and for the initial vector in a protector, in bytes.
const FIELD: usize = 32;

/// The fields of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// Size of the key.
    pub size: KeySize,
    /// Unit of encryption in bytes.
    pub block_bytes: usize,
    /// Identifier of the image.
    pub uuid: [u8; 16],
    /// Length of the payload in bytes.
    pub payload_bytes: u64,
    /// Where the payload begins, in bytes.
    pub payload_at: u64,
    /// Who can open it. At least one.
    pub protectors: Vec<Protector>,
}

/// The keys, wrapped for a passphrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Protector {
    /// Rounds of PBKDF2.
    pub iterations: u32,
    /// Salt of PBKDF2, up to 32 bytes.
    pub salt: Vec<u8>,
    /// Initial vector of the wrapping, up to 32 bytes.
    pub vector: Vec<u8>,
    /// What they are wrapped with.
    pub wrap: Wrap,
    /// The wrapped keys.
    pub wrapped: Vec<u8>,
}

impl Header {
    /// The bytes of a new header. Only the first protector is written.
    ///
    /// # Errors
    /// `Internal` for a size of blocks that has no place there.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        for number in [VERSION, VECTOR_BYTES, CBC, AES, self.size.bits(), HMAC_SHA1, HMAC_BITS] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.uuid);
        bytes.extend_from_slice(&u32::try_from(self.block_bytes).map_err(internal)?.to_be_bytes());
        bytes.extend_from_slice(&self.payload_bytes.to_be_bytes());
        bytes.extend_from_slice(&self.payload_at.to_be_bytes());
        bytes.extend_from_slice(&1_u32.to_be_bytes());
        bytes.extend_from_slice(&PASSPHRASE.to_be_bytes());
        bytes.extend_from_slice(&((PROTECTORS_AT + ENTRY) as u64).to_be_bytes());
        bytes.extend_from_slice(&(PROTECTOR as u64).to_be_bytes());
        if let Some(first) = self.protectors.first() {
            bytes.extend_from_slice(&first.bytes());
        }
        bytes.resize(HEADER, 0);
        Ok(bytes)
    }

    /// The header at the start of a store, and its bytes.
    ///
    /// # Errors
    /// `Damaged` or `Unsupported`; otherwise any error of the system.
    pub(crate) fn load(store: &mut dyn Store) -> Result<(Vec<u8>, Self)> {
        let mut bytes = vec![0; in_memory(store.len_bytes()).min(HEADER)];
        store.read_at(&mut bytes, 0)?;
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(version_1());
        }
        let header = Self::parse(&bytes)?;
        Ok((bytes, header))
    }

    /// What it says of the image, opened by one of its protectors.
    pub(crate) fn facts(&self, protector: &Protector) -> Facts {
        Facts {
            cipher: self.size,
            iterations: protector.iterations,
            key_wrap: protector.wrap.name(),
            block_bytes: self.block_bytes,
        }
    }

    /// Reads a header.
    ///
    /// # Errors
    /// `Damaged` when it makes no sense; `Unsupported` when it is valid but cannot be opened here.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            if bytes.ends_with(OLD_MAGIC) {
                return Err(version_1());
            }
            return Err(damaged("an encrypted image begins with encrcdsa, but this does not"));
        }
        expect(bytes, 0x08, "the version", VERSION)?;
        let block_bytes = match number(bytes, 0x34)? {
            512 => BLOCK,
            4096 => OLD_BLOCK,
            other => {
                return Err(unsupported(format!("the block size is {other}, not 512 or 4096")));
            }
        };
        expect(bytes, 0x0c, "the length of an initial vector", VECTOR_BYTES)?;
        expect(bytes, 0x10, "the mode of the cipher", CBC)?;
        expect(bytes, 0x14, "the cipher", AES)?;
        expect(bytes, 0x1c, "the way initial vectors are made", HMAC_SHA1)?;
        expect(bytes, 0x20, "the size of the key for initial vectors", HMAC_BITS)?;
        let size = match number(bytes, 0x18)? {
            128 => KeySize::Aes128,
            256 => KeySize::Aes256,
            bits => return Err(unsupported(format!("the key has {bits} bits, not 128 or 256"))),
        };
        let payload_bytes = long(bytes, PAYLOAD_BYTES_AT)?;
        if payload_bytes > MOST_BYTES {
            return Err(unsupported(format!(
                "the header states {payload_bytes} bytes, and at most {MOST_BYTES} are known to work"
            )));
        }
        Ok(Self {
            size,
            block_bytes,
            uuid: *field_at(bytes, 0x24)?,
            payload_bytes,
            payload_at: long(bytes, 0x40)?,
            protectors: protectors(bytes)?,
        })
    }
}

/// The unencrypted fields of a header.
///
/// # Errors
/// `Damaged` when it makes no sense; `Unsupported` when it is valid but cannot be opened here.
pub(crate) fn public_facts(bytes: &[u8]) -> Result<Facts> {
    let header = Header::parse(bytes)?;
    header.protectors.first().map(|first| header.facts(first)).ok_or_else(too_short)
}

/// An entry of the list of protectors.
pub(crate) struct Entry {
    kind: u32,
    /// Offset of the protector's position in the header.
    pub place_at: usize,
    /// Its position and length in bytes, not yet checked to be inside the header.
    pub start: u64,
    /// See `start`.
    pub length: u64,
}

impl Entry {
    /// Whether the protector is for a passphrase.
    pub(crate) const fn is_for_passphrase(&self) -> bool {
        self.kind == PASSPHRASE
    }
}

/// The list of protectors. Those for a passphrase are in the order of [`Header::protectors`].
///
/// # Errors
/// `Damaged` when it makes no sense.
pub(crate) fn entries(bytes: &[u8]) -> Result<Vec<Entry>> {
    let count = number(bytes, 0x48)?;
    if count == 0 || count > MOST_PROTECTORS {
        return Err(damaged(format!(
            "the header states {count} protectors, not 1 to {MOST_PROTECTORS}"
        )));
    }
    (PROTECTORS_AT..)
        .step_by(ENTRY)
        .take(in_memory(count.into()))
        .map(|at| {
            Ok(Entry {
                kind: number(bytes, at)?,
                place_at: at + 4,
                start: long(bytes, at + 4)?,
                length: long(bytes, at + 12)?,
            })
        })
        .collect()
}

/// The protectors that are for a passphrase.
fn protectors(bytes: &[u8]) -> Result<Vec<Protector>> {
    let mut protectors = Vec::new();
    let mut certificate = false;
    for entry in entries(bytes)? {
        if entry.is_for_passphrase() {
            let length = in_memory(entry.length).min(MOST_OF_A_PROTECTOR);
            let range = bytes.get(in_memory(entry.start)..).and_then(|rest| rest.get(..length));
            protectors.push(Protector::parse(range.ok_or_else(too_short)?)?);
        }
        certificate |= entry.kind == CERTIFICATE;
    }
    let rounds = protectors.iter().map(|protector| u64::from(protector.iterations)).sum::<u64>();
    if protectors.is_empty() {
        let whom = if certificate { "a certificate" } else { "a keychain" };
        return Err(unsupported(format!("it opens with {whom} only, not with a passphrase")));
    }
    if rounds > u64::from(kdf::BELIEVED) {
        return Err(damaged(format!(
            "the header requires {rounds} rounds of PBKDF2, but at most {} are accepted",
            kdf::BELIEVED
        )));
    }
    Ok(protectors)
}

impl Protector {
    /// Its bytes, [`PROTECTOR`] of them.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(PROTECTOR);
        for number in [PBKDF2, 0, self.iterations] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        for part in [&self.salt, &self.vector] {
            bytes.extend_from_slice(&length_of(part).to_be_bytes());
            bytes.extend_from_slice(part);
            bytes.resize(bytes.len() + FIELD.saturating_sub(part.len()), 0);
        }
        let cipher = match self.wrap {
            Wrap::Aes192 => AES,
            Wrap::TripleDes => TRIPLE_DES,
        };
        for number in [WRAPPING_BITS, cipher, PKCS7, CBC_PADDED, length_of(&self.wrapped)] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&self.wrapped);
        bytes.resize(PROTECTOR, 0);
        bytes
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        expect(bytes, 0x00, "the key derivation", PBKDF2)?;
        expect(bytes, 0x54, "the size of the wrapping key", WRAPPING_BITS)?;
        expect(bytes, 0x5c, "the padding of the wrapped keys", PKCS7)?;
        expect(bytes, 0x60, "the mode of the wrapping", CBC_PADDED)?;
        let wrap = match number(bytes, 0x58)? {
            AES => Wrap::Aes192,
            TRIPLE_DES => Wrap::TripleDes,
            other => return Err(unsupported(format!("the keys are wrapped by cipher {other}"))),
        };
        let iterations = number(bytes, 0x08)?;
        if iterations == 0 {
            return Err(damaged("the header requires 0 rounds of PBKDF2"));
        }
        let part = |length_at, at: usize, most: usize| -> Result<Vec<u8>> {
            let length = in_memory(number(bytes, length_at)?.into());
            if length > most {
                return Err(damaged(format!(
                    "a field of the header has {length} bytes, but at most {most} fit"
                )));
            }
            let found = bytes.get(at..).and_then(|rest| rest.get(..length));
            Ok(found.ok_or_else(too_short)?.to_vec())
        };
        Ok(Self {
            iterations,
            salt: part(0x0c, 0x10, FIELD)?,
            vector: part(0x30, 0x34, FIELD)?,
            wrap,
            wrapped: part(0x64, 0x68, PROTECTOR - 0x68)?,
        })
    }
}

fn length_of(part: &[u8]) -> u32 {
    u32::try_from(part.len()).unwrap_or(u32::MAX)
}

/// Makes sure that a field has the only value that is known.
fn expect(bytes: &[u8], at: usize, what: &str, expected: u32) -> Result<()> {
    match number(bytes, at)? {
        found if found == expected => Ok(()),
        found => Err(unsupported(format!("{what} is {found}, and only {expected} is known"))),
    }
}

fn number(bytes: &[u8], at: usize) -> Result<u32> {
    Ok(u32::from_be_bytes(*field_at(bytes, at)?))
}

fn long(bytes: &[u8], at: usize) -> Result<u64> {
    Ok(u64::from_be_bytes(*field_at(bytes, at)?))
}

fn field_at<const LENGTH: usize>(bytes: &[u8], at: usize) -> Result<&[u8; LENGTH]> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(too_short)
}

fn too_short() -> ImageError {
    damaged("the header of the encrypted image is cut short")
}

/// The error for an image of version 1.
pub(crate) fn version_1() -> ImageError {
    unsupported(
        "it is of version 1 (cdsaencr), which is obsolete; convert it on a Mac first \
         (hdiutil convert -format UDRW)",
    )
}

fn unsupported(what: impl std::fmt::Display) -> ImageError {
    error::unsupported(format!("this encrypted image cannot be opened here: {what}"))
}

#[cfg(test)]
mod tests;
