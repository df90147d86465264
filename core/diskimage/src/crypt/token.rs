//! The keys of an image, and how one comes by them: made new, or unwrapped with the passphrase.

use std::fmt;
use std::path::Path;

use system::memory::in_memory;

use crate::crypt::blocks::BlockCipher;
use crate::crypt::header::{HEADER, Header, Protector, SALT, WRAP_VECTOR};
use crate::crypt::wrap::{Keys, Wrap};
use crate::crypt::{BLOCK, Facts, NewKey, OLD_BLOCK, Passphrase, kdf, shared};
use crate::error::{ImageError, Kind, Result, damaged, internal, invalid};
use crate::pieces::bytes_of;
use crate::random;
use crate::small::read_small;

/// The keys of an image, and the header that holds them wrapped. A bundle keeps the header in its file `token`.
pub struct Token {
    facts: Facts,
    header: Vec<u8>,
    cipher: BlockCipher,
}

impl Token {
    /// Public facts about it.
    pub(crate) fn facts(&self) -> Facts {
        self.facts.clone()
    }

    /// Unit of encryption in bytes.
    pub(crate) const fn block_bytes(&self) -> usize {
        self.cipher.block_bytes()
    }

    /// The bytes of the file `token`.
    pub(crate) fn header(&self) -> &[u8] {
        &self.header
    }

    /// Encrypts whole blocks in place, on several threads when they are many; `first_block` is the number of the first.
    /// Only 32 bits of a number count: a disk must not be longer than 2 TiB.
    pub fn encrypt(&self, blocks: &mut [u8], first_block: u64) {
        shared::encrypt(&self.cipher, blocks, first_block);
    }

    /// Decrypts whole blocks in place, on several threads when they are many. A block of zeros stays as it is.
    pub fn decrypt(&self, blocks: &mut [u8], first_block: u64) {
        shared::decrypt(&self.cipher, blocks, first_block);
    }

    /// Encrypts whole blocks into a room of at least their length; gives the ciphertext.
    pub(crate) fn encrypt_into<'room>(
        &self,
        plain: &[u8],
        room: &'room mut [u8],
        first_block: u64,
    ) -> &'room [u8] {
        shared::encrypt_into(&self.cipher, plain, room, first_block)
    }

    /// Reads plain bytes from an offset of a row of blocks on; `first_block` is the number of the row's first. `read`
    /// fills whole blocks with ciphertext from an offset of the row on.
    ///
    /// # Errors
    /// Those of `read`.
    pub(crate) fn read(
        &self,
        first_block: u64,
        buffer: &mut [u8],
        offset: u64,
        mut read: impl FnMut(&mut [u8], u64) -> Result<()>,
    ) -> Result<()> {
        let unit = self.block_bytes() as u64;
        let (mut rest, mut at) = (buffer, offset);
        for length in cut(unit, offset, rest.len()) {
            let (bytes, behind) = rest.split_at_mut(length);
            let (length, number) = (length as u64, first_block + at / unit);
            if length.is_multiple_of(unit) {
                read(bytes, at)?;
                self.decrypt(bytes, number);
            } else {
                let mut block = vec![0; self.block_bytes()];
                read(&mut block, at / unit * unit)?;
                self.decrypt(&mut block, number);
                bytes.copy_from_slice(bytes_of(&block, at % unit, length));
            }
            (rest, at) = (behind, at + length);
        }
        Ok(())
    }

    /// Unwraps the keys of a header.
    ///
    /// # Errors
    /// `PassphraseNeeded` or `WrongPassphrase`; `Damaged` when the wrapped keys make no sense.
    pub(super) fn unlock(
        bytes: Vec<u8>,
        header: &Header,
        passphrase: Option<&Passphrase>,
    ) -> Result<Self> {
        let (number, keys) = keys(header, passphrase)?;
        let protector =
            header.protectors.get(number).ok_or_else(|| internal("no such protector"))?;
        Self::of(bytes, header, protector, &keys)
    }

    fn of(bytes: Vec<u8>, header: &Header, protector: &Protector, keys: &Keys) -> Result<Self> {
        let cipher = BlockCipher::new(&keys.aes, &keys.hmac)
            .ok_or_else(|| damaged("the keys have a wrong length"))?;
        Ok(Self {
            facts: header.facts(protector),
            header: bytes,
            cipher: cipher.of_blocks(header.block_bytes),
        })
    }
}

/// The lengths of the parts of a range: a part of a block, whole blocks, a part of a block. Only whole blocks, or none,
/// are a multiple of a block.
pub(super) fn cut(unit: u64, offset: u64, length: usize) -> [usize; 3] {
    let head = in_memory(offset.next_multiple_of(unit) - offset).min(length);
    let tail = (length - head) % in_memory(unit);
    [head, length - head - tail, tail]
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Token").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The keys of a header, and the number of the protector that the passphrase opened.
///
/// # Errors
/// As [`Token::unlock`].
pub(super) fn keys(header: &Header, passphrase: Option<&Passphrase>) -> Result<(usize, Keys)> {
    let Some(passphrase) = passphrase else {
        return Err(ImageError::new(
            Kind::PassphraseNeeded,
            "the image is encrypted: give its passphrase",
        ));
    };
    for (number, protector) in header.protectors.iter().enumerate() {
        let key = kdf::wrapping_key(passphrase.bytes(), &protector.salt, protector.iterations);
        let keys = Keys::unwrapped(
            protector.wrap,
            &key,
            &protector.vector,
            &protector.wrapped,
            header.size,
        )?;
        if let Some(keys) = keys {
            return Ok((number, keys));
        }
    }
    Err(ImageError::new(
        Kind::WrongPassphrase,
        "the passphrase does not open this image: try another one",
    ))
}

/// Wraps keys for a passphrase, with the usual count of rounds unless another is given.
///
/// # Errors
/// `Invalid` for a count that would not be believed when the image is opened; or when the system gives no random
/// numbers.
pub(super) fn protector(
    keys: &Keys,
    passphrase: &Passphrase,
    iterations: Option<u32>,
) -> Result<Protector> {
    let iterations = iterations.unwrap_or(kdf::ROUNDS);
    if iterations == 0 || iterations > kdf::BELIEVED {
        return Err(invalid(format!(
            "{iterations} rounds of PBKDF2: choose 1 to {}",
            kdf::BELIEVED
        )));
    }
    let salt = random::bytes::<SALT>()?;
    let vector = random::bytes::<WRAP_VECTOR>()?;
    let wrapping_key = kdf::wrapping_key(passphrase.bytes(), &salt, iterations);
    Ok(Protector {
        iterations,
        wrapped: keys.wrapped(&wrapping_key, &vector)?,
        salt: salt.to_vec(),
        vector: vector.to_vec(),
        wrap: Wrap::Aes192,
    })
}

/// Makes the keys of a new bundle.
///
/// # Errors
/// `Invalid` for a count of rounds that would not be believed when the image is opened; or when the system gives
/// no random numbers.
pub fn token(key: &NewKey) -> Result<Token> {
    let keys = Keys::random(key.size)?;
    let header = Header {
        size: key.size,
        block_bytes: BLOCK,
        uuid: random::uuid()?,
        payload_bytes: 0,
        payload_at: HEADER as u64,
        protectors: vec![protector(&keys, &key.passphrase, key.iterations)?],
    };
    let protector = header.protectors.first().ok_or_else(|| internal("a new header has no key"))?;
    Token::of(header.bytes()?, &header, protector, &keys)
}

/// Reads a bundle's file `token`; none when it is empty or missing, as in an unencrypted bundle.
///
/// # Errors
/// As [`super::Container::open`].
pub fn open_token(path: &Path, passphrase: Option<&Passphrase>) -> Result<Option<Token>> {
    let longest = HEADER.next_multiple_of(OLD_BLOCK);
    let bytes = match read_small(path, longest as u64) {
        Ok(bytes) if bytes.is_empty() => return Ok(None),
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error),
    };
    let header = Header::parse(&bytes)?;
    let expected = HEADER.next_multiple_of(header.block_bytes);
    if bytes.len() != expected {
        return Err(damaged(format!(
            "the token of a bundle has {expected} bytes, but this one has {}",
            bytes.len()
        )));
    }
    Token::unlock(bytes, &header, passphrase).map(Some)
}

#[cfg(test)]
mod tests {
    use super::{open_token, token};
    use crate::crypt::{BLOCK, KeySize, NewKey, Passphrase};
    use crate::error::Kind;
    use crate::testing::{content, key};
    use std::fs;

    fn passphrase(words: &str) -> Passphrase {
        Passphrase::new(words.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_token_opens_with_its_passphrase_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for (size, bits) in [(KeySize::Aes128, 128), (KeySize::Aes256, 256)] {
            let key = key(size, "right");
            let made = token(&key).unwrap();
            assert_eq!(made.facts().cipher.bits(), bits);
            assert_eq!(Some(made.facts().iterations), key.iterations);
            assert_eq!(made.facts().key_wrap, "AES-192");
            fs::write(&path, made.header()).unwrap();

            let opened = open_token(&path, Some(&key.passphrase)).unwrap().unwrap();
            assert_eq!(opened.header(), made.header());
            assert_eq!(opened.facts(), made.facts());
            let plain = content(3, 3 * BLOCK as u64);
            let mut bytes = plain.clone();
            made.encrypt(&mut bytes, 1000);
            opened.decrypt(&mut bytes, 1000);
            assert_eq!(bytes, plain);

            let wrong = open_token(&path, Some(&passphrase("wrong"))).unwrap_err();
            assert_eq!(wrong.kind(), Kind::WrongPassphrase);
            assert_eq!(
                wrong.to_string(),
                "the passphrase does not open this image: try another one"
            );
            let missing = open_token(&path, None).unwrap_err();
            assert_eq!(missing.kind(), Kind::PassphraseNeeded);
            assert_eq!(missing.to_string(), "the image is encrypted: give its passphrase");
        }
    }

    #[test]
    fn every_token_has_keys_of_its_own() {
        let key = key(KeySize::Aes128, "right");
        let encrypted = || {
            let mut bytes = vec![1; BLOCK];
            token(&key).unwrap().encrypt(&mut bytes, 0);
            bytes
        };
        assert_ne!(encrypted(), encrypted());
    }

    #[test]
    fn a_plain_bundle_has_an_empty_token_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(open_token(&path, None).unwrap().is_none());
        fs::write(&path, b"").unwrap();
        assert!(open_token(&path, None).unwrap().is_none());
        fs::write(&path, b"x").unwrap();
        assert_eq!(open_token(&path, None).unwrap_err().kind(), Kind::Damaged);
    }

    #[test]
    fn neither_passphrase_nor_keys_are_shown() {
        let key = key(KeySize::Aes128, "secret");
        assert_eq!(
            format!("{key:?}"),
            "NewKey { size: Aes128, passphrase: Passphrase(..), iterations: Some(1) }"
        );
        assert_eq!(
            format!("{:?}", token(&key).unwrap()),
            "Token { facts: Facts { cipher: Aes128, iterations: 1, key_wrap: \"AES-192\", block_bytes: 512 }, .. }"
        );
    }

    #[test]
    fn a_count_that_would_not_be_believed_is_refused() {
        for iterations in [0, 20_000_001] {
            let key = NewKey { iterations: Some(iterations), ..key(KeySize::Aes128, "right") };
            assert_eq!(token(&key).unwrap_err().kind(), Kind::Invalid);
        }
    }
}
