//! The keys, wrapped: AES key, HMAC key and the signature `CKIE`, padded (PKCS7) and encrypted with CBC under the key
//! that the passphrase gives.
//!
//! Apple's tools wrapped with 3DES until about 2020 and with AES-192 since; both are read, AES-192 is written. The
//! initial vector has 8 bytes; AES takes it followed by zeros.

use aes::Aes192;
use aes::cipher::array::Array;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use des::TdesEde3;
use zeroize::Zeroizing;

use crate::crypt::KeySize;
use crate::crypt::kdf::WRAPPING_KEY;
use crate::error::{Result, damaged, internal};
use crate::random;

/// Length of the HMAC key in bytes.
pub(crate) const HMAC_KEY: usize = 20;

/// What follows the keys; a wrong passphrase does not give it.
const MARK: &[u8] = b"CKIE\0";

/// What the keys are wrapped with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// AES with a key of 192 bits.
    Aes192,
    /// 3DES with three keys.
    TripleDes,
}

impl Wrap {
    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Aes192 => "AES-192",
            Self::TripleDes => "3DES",
        }
    }
}

/// The keys of a container; wiped when dropped.
pub(crate) struct Keys {
    /// 16 or 32 bytes.
    pub aes: Zeroizing<Vec<u8>>,
    /// What makes initial vectors.
    pub hmac: Zeroizing<Vec<u8>>,
}

impl Keys {
    /// New random keys.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub(crate) fn random(size: KeySize) -> Result<Self> {
        let mut aes = Zeroizing::new(vec![0; size.bytes()]);
        let mut hmac = Zeroizing::new(vec![0; HMAC_KEY]);
        random::fill(&mut aes)?;
        random::fill(&mut hmac)?;
        Ok(Self { aes, hmac })
    }

    /// Wraps them with AES-192.
    ///
    /// # Errors
    /// `Internal` when they cannot be filled up to whole units.
    pub(crate) fn wrapped(&self, key: &[u8; WRAPPING_KEY], vector: &[u8]) -> Result<Vec<u8>> {
        let unit = size_of::<Block<Aes192>>();
        let length = self.aes.len() + self.hmac.len() + MARK.len();
        // As long as it will be: it must not move and leave keys behind.
        let mut plain = Zeroizing::new(Vec::with_capacity(length + unit));
        for part in [&self.aes[..], &self.hmac, MARK] {
            plain.extend_from_slice(part);
        }
        pad(&mut plain, unit)?;
        let cipher = Aes192::new(Array::cast_from_core(key));
        Ok(encrypt(&cipher, vector, &plain))
    }

    /// Unwraps keys; none when the key is a wrong one.
    ///
    /// # Errors
    /// `Damaged` when the key is right but what it unwraps has a wrong length.
    pub(crate) fn unwrapped(
        wrap: Wrap,
        key: &[u8; WRAPPING_KEY],
        vector: &[u8],
        wrapped: &[u8],
        size: KeySize,
    ) -> Result<Option<Self>> {
        let key = Array::cast_from_core(key);
        let plain = match wrap {
            Wrap::Aes192 => decrypt(&Aes192::new(key), vector, wrapped),
            Wrap::TripleDes => decrypt(&TdesEde3::new(key), vector, wrapped),
        };
        let Some(keys) = unpad(&plain).and_then(|plain| plain.strip_suffix(MARK)) else {
            return Ok(None);
        };
        match keys.split_at_checked(size.bytes()) {
            Some((aes, hmac)) if hmac.len() == HMAC_KEY => Ok(Some(Self {
                aes: Zeroizing::new(aes.to_vec()),
                hmac: Zeroizing::new(hmac.to_vec()),
            })),
            _ => Err(damaged(format!(
                "the header contains keys of {} bytes together, not {} and {HMAC_KEY}",
                keys.len(),
                size.bytes()
            ))),
        }
    }
}

/// PKCS7: so many bytes as are missing, each of them that number.
fn pad(plain: &mut Vec<u8>, unit: usize) -> Result<()> {
    let missing = unit - plain.len() % unit;
    plain.extend(std::iter::repeat_n(u8::try_from(missing).map_err(internal)?, missing));
    Ok(())
}

fn unpad(plain: &[u8]) -> Option<&[u8]> {
    let last = *plain.last()?;
    let (kept, padding) = plain.split_at_checked(plain.len().checked_sub(usize::from(last))?)?;
    // A last byte of 0 leaves no padding at all, which is none.
    (!padding.is_empty() && padding.iter().all(|byte| *byte == last)).then_some(kept)
}

/// CBC over whole units, unit by unit.
fn encrypt<Cipher: BlockCipherEncrypt>(cipher: &Cipher, vector: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut chain = extended::<Cipher>(vector);
    let mut wrapped = Vec::with_capacity(plain.len());
    for unit in Block::<Cipher>::slice_as_chunks(plain).0 {
        xor(&mut chain, unit);
        cipher.encrypt_block(&mut chain);
        wrapped.extend_from_slice(&chain);
    }
    wrapped
}

/// The other way round; what is left over of the last unit is not looked at.
fn decrypt<Cipher: BlockCipherDecrypt>(
    cipher: &Cipher,
    vector: &[u8],
    wrapped: &[u8],
) -> Zeroizing<Vec<u8>> {
    let mut chain = extended::<Cipher>(vector);
    // As long as it will be: it must not move and leave keys behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(wrapped.len()));
    for unit in Block::<Cipher>::slice_as_chunks(wrapped).0 {
        let start = plain.len();
        plain.extend_from_slice(unit);
        let Some(block) = plain.get_mut(start..).and_then(|rest| {
            let (blocks, _) = Block::<Cipher>::slice_as_chunks_mut(rest);
            blocks.first_mut()
        }) else {
            break;
        };
        cipher.decrypt_block(block);
        xor(block, &chain);
        chain.copy_from_slice(unit);
    }
    plain
}

/// A vector, cut or followed by zeros to the cipher's unit.
fn extended<Cipher: aes::cipher::BlockSizeUser>(vector: &[u8]) -> Block<Cipher> {
    let mut block = Block::<Cipher>::default();
    for (to, from) in block.iter_mut().zip(vector) {
        *to = *from;
    }
    block
}

fn xor(into: &mut [u8], other: &[u8]) {
    for (byte, other) in into.iter_mut().zip(other) {
        *byte ^= other;
    }
}

#[cfg(test)]
mod tests {
    use super::{HMAC_KEY, Keys, Wrap, unpad};
    use crate::crypt::KeySize;
    use crate::crypt::kdf::wrapping_key;
    use crate::crypt::reference::hex;

    /// Keys wrapped by OpenSSL 3.0 (`enc -des-ede3-cbc`, `enc -aes-192-cbc`) under the key that Python's
    /// `hashlib.pbkdf2_hmac` makes of "old passphrase", the salt 1, 2 .. 20, and 1000 rounds; vector a0, a1 .. a7.
    const WRAPPED: [(Wrap, KeySize, u8, &str); 4] = [
        (
            Wrap::TripleDes,
            KeySize::Aes128,
            0x10,
            "bbdf5c532c6451718ad5ed548b73f142ef1aa9ebf48b2e37d3ea10d756972a11\
             5140568537193cb981a24b60f24d077d",
        ),
        (
            Wrap::Aes192,
            KeySize::Aes128,
            0x10,
            "86d3ade872037b041c9407458d7324dd782c7eaf5a71477f7cf8258be09186a6\
             4f7279654d851e4092038619e18821c0",
        ),
        (
            Wrap::TripleDes,
            KeySize::Aes256,
            0x40,
            "3a89cbf1c6c9b31a59eed83702822b6743e4d001c7454c7fb80ab4ce1b373b80\
             2b703cd8dc31a35618f9c81379253ac73b78fedb41e377242bf2cfd0fb637e66",
        ),
        (
            Wrap::Aes192,
            KeySize::Aes256,
            0x40,
            "2b99379c60901276f6554c2ad102c4c9a7714b9e54f57d1694dc2ee915143af7\
             f0e6669934642d392e6bb4d1bd550d710e8096bc6ac33cc2b5b60e31057617fc",
        ),
    ];

    fn salt() -> Vec<u8> {
        (1..21).collect()
    }

    #[test]
    fn keys_that_another_program_wrapped_are_unwrapped() {
        let key = wrapping_key(b"old passphrase", &salt(), 1000);
        let vector: Vec<u8> = (0xa0..0xa8).collect();
        for (wrap, size, first, wrapped) in WRAPPED {
            let keys = Keys::unwrapped(wrap, &key, &vector, &hex(wrapped), size).unwrap().unwrap();
            assert_eq!(*keys.aes, (first..).take(size.bytes()).collect::<Vec<u8>>());
            assert_eq!(*keys.hmac, (0x80..).take(HMAC_KEY).collect::<Vec<u8>>());
            if wrap == Wrap::Aes192 {
                assert_eq!(keys.wrapped(&key, &vector).unwrap(), hex(wrapped));
            }
            let other = wrapping_key(b"another passphrase", &salt(), 1000);
            let none = Keys::unwrapped(wrap, &other, &vector, &hex(wrapped), size).unwrap();
            assert!(none.is_none());
        }
    }

    /// The wrapped keys of an image that Apple's tools made, and its passphrase: the public self-test of a module in a
    /// fork of hashcat (MIT licence, `KERN_TYPE` 90000, "Apple DMG (encrcdsa v3, PBKDF2-HMAC-SHA1 + AES-192 keyblob)",
    /// its hash begins with `$dmg$3*20*20a528df`). It tells the salt, the blob and the rounds, but no vector, which
    /// only the first 16 bytes of the keys depend on. Apple's newer images repeat the AES key as the HMAC key, so these
    /// bytes are known all the same, and with them the vector: it has 8 bytes, and zeros behind them.
    #[test]
    fn keys_that_apple_wrapped_with_aes_192_are_unwrapped() {
        let salt = hex("20a528dfdc3dc653d5da26923cd7b07d03eda76e");
        let blob = hex("17b5d1683f6cd8b076943f1397d96f2d7a966596bd4c816334f444b26c33b6dd\
                        1a2f309a375ed9c3a612b5877c75ea6c2f3053fdb4c2b9a477d6291573fcb7cd");
        let key = wrapping_key(b"po99oo", &salt, 384_615);
        let found = |vector: &[u8]| {
            Keys::unwrapped(Wrap::Aes192, &key, vector, &blob, KeySize::Aes256).unwrap().unwrap()
        };
        let without = found(&[]);
        let vector: Vec<u8> =
            without.aes.iter().zip(without.hmac.iter()).take(16).map(|(a, b)| a ^ b).collect();
        assert_eq!(vector[8..], [0; 8]);
        let keys = found(&vector[..8]);
        assert_eq!(keys.aes[..20], keys.hmac[..]);
        assert_eq!(keys.wrapped(&key, &vector[..8]).unwrap(), blob);
    }

    #[test]
    fn keys_of_another_length_are_damage() {
        let key = wrapping_key(b"old passphrase", &salt(), 1000);
        let vector: Vec<u8> = (0xa0..0xa8).collect();
        for (wrap, size, _, wrapped) in WRAPPED {
            let other = if size == KeySize::Aes128 { KeySize::Aes256 } else { KeySize::Aes128 };
            assert!(Keys::unwrapped(wrap, &key, &vector, &hex(wrapped), other).is_err());
        }
    }

    #[test]
    fn cut_or_missing_wrapped_keys_are_none() {
        let key = wrapping_key(b"old passphrase", &salt(), 1000);
        for (wrap, size, _, wrapped) in WRAPPED {
            let wrapped = hex(wrapped);
            for length in 0..wrapped.len() {
                let found = Keys::unwrapped(wrap, &key, &[], &wrapped[..length], size);
                assert!(found.unwrap().is_none(), "{length}");
            }
        }
    }

    #[test]
    fn only_whole_padding_is_padding() {
        assert_eq!(unpad(&[5, 2, 2]), Some(&[5][..]));
        assert_eq!(unpad(&[1]), Some(&[][..]));
        for bytes in [&[][..], &[0], &[5, 0], &[3, 3], &[1, 2], &[200]] {
            assert_eq!(unpad(bytes), None, "{bytes:?}");
        }
    }
}
