//! Encryption of a whole image: the container `encrcdsa`, version 2.
//!
//! A store in a store: a header of 122,368 bytes with the wrapped keys, then blocks of 512 bytes, each encrypted by
//! itself (AES-CBC, the initial vector made of the block's number by HMAC-SHA1). A bundle keeps the header in its file
//! `token`, and its bands hold nothing but such blocks.
//!
//! **Holes.** A block whose ciphertext is all zeros was never written (no key turns anything into that, but for one
//! chance in 2^4096): it reads as zeros. So an encrypted image can be sparse, and a punched range is a hole again.
//! Readers that do not know this rule show noise there: formats write zeros wherever that would matter.

use std::fs::File;
use std::io;
use std::path::Path;

use zeroize::Zeroizing;

use crate::cell::Durability;
use crate::image::portable::store::Store;

/// Unit of encryption in bytes.
pub const BLOCK: usize = 512;

/// A passphrase; wiped when dropped, never shown.
pub struct Passphrase(Zeroizing<Vec<u8>>);

impl Passphrase {
    /// A passphrase of these bytes.
    ///
    /// # Errors
    /// `InvalidInput` when there is none.
    pub fn new(bytes: Vec<u8>) -> io::Result<Self> {
        let bytes = Zeroizing::new(bytes);
        if bytes.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the passphrase is empty: give one of at least one byte",
            ));
        }
        Ok(Self(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Passphrase(..)")
    }
}

/// Size of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySize {
    /// 128 bits.
    Aes128,
    /// 256 bits.
    Aes256,
}

/// What a new container is made with.
#[derive(Debug, Clone, Copy)]
pub struct NewKey<'a> {
    /// Size of the key.
    pub size: KeySize,
    /// What opens it.
    pub passphrase: &'a Passphrase,
    /// Rounds of PBKDF2; none to measure how many this machine does in a fixed time.
    pub iterations: Option<u32>,
}

/// What may be told about a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Size of the key in bits.
    pub key_bits: u32,
    /// Rounds of PBKDF2.
    pub iterations: u32,
    /// What the keys are wrapped with: `AES-192` or `3DES`.
    pub wrap: &'static str,
}

/// The keys of a bundle, and the header that holds them wrapped.
#[derive(Debug)]
pub struct Token {
    facts: Facts,
}

impl Token {
    /// What may be told about it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts.clone()
    }

    /// The bytes of the file `token`.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &[]
    }

    /// Encrypts whole blocks in place, on several threads when they are many; `first_block` is the number of the first.
    pub fn encrypt(&self, _blocks: &mut [u8], _first_block: u64) {}

    /// Decrypts whole blocks in place, on several threads when they are many. A block of zeros stays as it is.
    pub fn decrypt(&self, _blocks: &mut [u8], _first_block: u64) {}
}

/// Makes the keys of a new bundle.
///
/// # Errors
/// When the system gives no random numbers.
pub fn token(_key: &NewKey<'_>) -> io::Result<Token> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads a bundle's file `token`; none when it is empty or missing, which is how a plain bundle looks.
///
/// # Errors
/// As [`Container::open`].
pub fn open_token(path: &Path, _passphrase: Option<&Passphrase>) -> io::Result<Option<Token>> {
    match std::fs::metadata(path) {
        Ok(found) if found.len() > 0 => Err(io::ErrorKind::Unsupported.into()),
        _ => Ok(None),
    }
}

/// Whether a store is an encrypted container.
///
/// # Errors
/// Whatever the system says.
pub fn is_container(_store: &mut dyn Store) -> io::Result<bool> {
    Ok(false)
}

/// An encrypted store in another store.
pub struct Container {
    inner: Box<dyn Store>,
    facts: Facts,
}

impl Container {
    /// Makes a new container in an empty store.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn create(_inner: Box<dyn Store>, _key: &NewKey<'_>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Opens a container.
    ///
    /// # Errors
    /// `PermissionDenied` when the passphrase is missing or wrong; `InvalidData` when its header makes no sense.
    pub fn open(_inner: Box<dyn Store>, _passphrase: Option<&Passphrase>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What may be told about it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

impl Store for Container {
    fn len_bytes(&self) -> u64 {
        self.inner.len_bytes()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.inner.write_at(bytes, offset)
    }

    fn set_len(&mut self, len_bytes: u64) -> io::Result<()> {
        self.inner.set_len(len_bytes)
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.inner.punch(offset, length)
    }

    fn flush(&mut self, durability: Durability) -> io::Result<()> {
        self.inner.flush(durability)
    }

    fn holes_are_zeros(&self) -> bool {
        false
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        self.inner.allocated_bytes()
    }

    fn for_each_file(
        &self,
        action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        self.inner.for_each_file(action)
    }
}
