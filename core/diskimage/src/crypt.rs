//! Encryption of a whole image: the container `encrcdsa`, version 2.
//!
//! A store in a store: a header of 122,368 bytes with the wrapped keys, then blocks of 512 bytes, each encrypted by
//! itself (AES-CBC, the initial vector made of the block's number by HMAC-SHA1). A bundle keeps the header in its file
//! `token`, and its bands hold nothing but such blocks.
//!
//! **Holes.** A block with an all-zero ciphertext was never written (the chance of such a ciphertext is 1 in 2^4096):
//! it reads as zeros. So an encrypted image can be sparse, and a punched range is a hole again. Readers without this
//! rule return noise there; where that matters, formats write encrypted zeros.
//!
//! ```text
//! Container   a store in a store                         container
//! Token       the keys of an image, and their header     token, header
//! rekey       another passphrase for the same keys       rekey
//!   wrap        the keys, wrapped and unwrapped          wrap, kdf
//!   blocks      the cipher of the blocks                 blocks, vector
//!   shared      the blocks on several threads            shared
//! ```
//!
//! **Blocks of 4096 bytes**, as in images of Mac OS X 10.5, are read, not written: a killed process can leave a part of
//! such a block (whole pages of the host's memory), which would lose its old content. Version 1 (`cdsaencr`, with its
//! signature at the end of the file) is named and refused.
//!
//! **Not detectable.** The blocks have no checksums: a block that is damaged, or encrypted with another HMAC key,
//! decrypts to other bytes. Only the lengths, and the signature and padding of the wrapped keys can be checked.

pub mod blocks;
mod container;
mod header;
mod kdf;
#[cfg(test)]
mod reference;
pub(crate) mod rekey;
mod shared;
mod token;
mod vector;
mod wrap;

use serde::Serialize;
use zeroize::Zeroizing;

use crate::error::{Result, invalid, unsupported};

pub use container::{Container, is_container};
pub use header::{HEADER, MAGIC};
pub(crate) use header::{MOST_BYTES, public_facts};
pub use shared::threads;
pub use token::{Token, open_token, token};

/// Unit of encryption in bytes: of all images that are made here, and of Apple's but for the oldest.
pub(crate) const BLOCK: usize = 512;

/// Unit of encryption of older images in bytes.
const OLD_BLOCK: usize = 4096;

/// Checks that a container with blocks of this size may be changed.
///
/// # Errors
/// `Unsupported` when it is read only.
pub(crate) fn may_write(block_bytes: usize) -> Result<()> {
    if block_bytes == BLOCK {
        return Ok(());
    }
    Err(unsupported(format!(
        "it is encrypted in blocks of {block_bytes} bytes, which are read but not written: convert it to a new image \
             first (diskbench image convert)"
    )))
}

/// Makes sure that all blocks of an encrypted disk of this length have numbers of their own.
///
/// # Errors
/// `Invalid` when it is too long.
pub(crate) fn countable(len_bytes: u64) -> Result<()> {
    if len_bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(invalid(format!(
        "an encrypted image cannot have {len_bytes} bytes, since its blocks are counted in 32 bits: \
             use at most {MOST_BYTES}"
    )))
}

/// A passphrase; wiped when dropped, never shown.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// A passphrase of these bytes.
    ///
    /// # Errors
    /// `Invalid` when there is none.
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Zeroizing::new(bytes);
        if bytes.is_empty() {
            return Err(invalid("the passphrase is empty: give one of at least one byte"));
        }
        Ok(Self(bytes))
    }

    /// The secret bytes of the passphrase, never copied to memory that is not wiped.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Passphrase(..)")
    }
}

/// The cipher, by the size of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum KeySize {
    /// 128 bits.
    #[serde(rename = "AES-128")]
    Aes128,
    /// 256 bits.
    #[serde(rename = "AES-256")]
    Aes256,
}

impl KeySize {
    const fn bytes(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::Aes256 => 32,
        }
    }

    /// How many bits it has.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Aes128 => 128,
            Self::Aes256 => 256,
        }
    }
}

/// What a new container is made with.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Size of the key.
    pub size: KeySize,
    /// What opens it.
    pub passphrase: Passphrase,
    /// Rounds of PBKDF2; none for the usual count.
    pub iterations: Option<u32>,
}

/// Public facts about a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// The cipher.
    pub cipher: KeySize,
    /// Rounds of PBKDF2-HMAC-SHA1 that make a key of the passphrase.
    pub iterations: u32,
    /// What the keys are wrapped with: `AES-192` or `3DES`.
    pub key_wrap: &'static str,
    /// Unit of encryption in bytes: 512, or 4096 in older images.
    #[serde(skip)]
    pub block_bytes: usize,
}
