//! The blocks: each of 512 bytes encrypted by itself, many at a time. (Those of older images have 4096; these are only
//! decrypted.)
//!
//! Block number *n* is encrypted with AES-CBC without padding; its initial vector is the first 16 bytes of
//! HMAC-SHA1(HMAC key, *n* as four big-endian bytes).
//!
//! A processor can encrypt many units of 16 bytes at once, but CBC is a chain: within a block each unit waits for the
//! one before it. So 64 blocks are encrypted in lockstep, the first unit of each, then the second of each, and
//! so on. Decryption has no such chain. `shared.rs` adds threads.

use aes::cipher::array::Array;
use aes::cipher::consts::U16;
use aes::cipher::inout::InOutBuf;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};

use crate::crypt::vector::{VECTOR, Vectors};
use crate::crypt::{BLOCK, OLD_BLOCK};

/// Blocks encrypted in lockstep: as many as the widest vector instructions process at once (64 units of 16 bytes in 16
/// AVX-512 registers). Their 32 KiB just fit into a core's L1 cache.
const LANES: usize = 64;

/// Blocks that are decrypted at once. Their ciphertext is copied, so that it can be decrypted in place.
const DECRYPTED_AT_ONCE: usize = 8;

/// The keys of the blocks, ready for use; wiped when dropped.
pub struct BlockCipher {
    aes: Aes,
    vectors: Vectors,
    /// What is decrypted at a time, in bytes: [`BLOCK`] or [`OLD_BLOCK`].
    block_bytes: usize,
}

enum Aes {
    Bits128(Box<Aes128>),
    Bits256(Box<Aes256>),
}

impl BlockCipher {
    /// A cipher with these keys; none unless the first has 16 or 32 bytes.
    pub fn new(aes_key: &[u8], hmac_key: &[u8]) -> Option<Self> {
        let aes = if aes_key.len() == 16 {
            Aes::Bits128(Box::new(Aes128::new_from_slice(aes_key).ok()?))
        } else {
            Aes::Bits256(Box::new(Aes256::new_from_slice(aes_key).ok()?))
        };
        Some(Self { aes, vectors: Vectors::new(hmac_key)?, block_bytes: BLOCK })
    }

    /// The same for blocks of this size.
    pub(crate) fn of_blocks(self, block_bytes: usize) -> Self {
        Self { block_bytes, ..self }
    }

    /// Unit of encryption in bytes.
    pub(crate) const fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// Encrypts whole blocks in place, on this thread; `first` is the number of the first one, of which 32 bits count.
    pub fn encrypt(&self, bytes: &mut [u8], first: u64) {
        self.encrypt_blocks(bytes.as_chunks_mut::<BLOCK>().0.into(), first);
    }

    /// Encrypts whole blocks into another place, as far as both reach.
    pub(crate) fn encrypt_into(&self, plain: &[u8], room: &mut [u8], first: u64) {
        let (plain, _) = plain.as_chunks::<BLOCK>();
        let (room, _) = room.as_chunks_mut::<BLOCK>();
        let count = plain.len().min(room.len());
        let (plain, room) = (plain.get(..count), room.get_mut(..count));
        if let Some((plain, room)) = plain.zip(room)
            && let Ok(blocks) = InOutBuf::new(plain, room)
        {
            self.encrypt_blocks(blocks, first);
        }
    }

    fn encrypt_blocks(&self, blocks: InOutBuf<'_, '_, [u8; BLOCK]>, first: u64) {
        let (mut rest, mut number) = (blocks, first);
        while !rest.is_empty() {
            let count = rest.len().min(LANES);
            let (group, behind) = rest.split_at(count);
            match &self.aes {
                Aes::Bits128(aes) => encrypt_group(aes.as_ref(), &self.vectors, group, number),
                Aes::Bits256(aes) => encrypt_group(aes.as_ref(), &self.vectors, group, number),
            }
            (rest, number) = (behind, number.wrapping_add(LANES as u64));
        }
    }

    /// Decrypts whole blocks in place, on this thread; `first` is the number of the first one, of which 32 bits count.
    /// A block of zeros is a hole and stays as it is.
    pub fn decrypt(&self, bytes: &mut [u8], first: u64) {
        if self.block_bytes == OLD_BLOCK {
            self.decrypt_blocks::<OLD_BLOCK>(bytes, first);
        } else {
            self.decrypt_blocks::<BLOCK>(bytes, first);
        }
    }

    fn decrypt_blocks<const LENGTH: usize>(&self, bytes: &mut [u8], first: u64) {
        let (blocks, _) = bytes.as_chunks_mut::<LENGTH>();
        let mut number = first;
        for group in blocks.chunks_mut(DECRYPTED_AT_ONCE) {
            match &self.aes {
                Aes::Bits128(aes) => decrypt_group(aes.as_ref(), &self.vectors, group, number),
                Aes::Bits256(aes) => decrypt_group(aes.as_ref(), &self.vectors, group, number),
            }
            number = number.wrapping_add(DECRYPTED_AT_ONCE as u64);
        }
    }
}

/// Encrypts up to [`LANES`] blocks in lockstep.
fn encrypt_group<Cipher: BlockCipherEncrypt<BlockSize = U16>>(
    cipher: &Cipher,
    vectors: &Vectors,
    mut group: InOutBuf<'_, '_, [u8; BLOCK]>,
    first: u64,
) {
    let mut lanes = [[0; VECTOR]; LANES];
    let Some(lanes) = lanes.get_mut(..group.len()) else { return };
    vectors.fill(lanes, first);
    for step in 0..BLOCK / VECTOR {
        for (lane, plain) in lanes.iter_mut().zip(group.get_in()) {
            if let Some(unit) = units(plain).get(step) {
                *lane = xor(lane, unit);
            }
        }
        cipher.encrypt_blocks(Array::cast_slice_from_core_mut(lanes));
        for (lane, block) in lanes.iter().zip(group.get_out()) {
            if let Some(unit) = block.as_chunks_mut::<VECTOR>().0.get_mut(step) {
                *unit = *lane;
            }
        }
    }
}

/// Decrypts up to [`DECRYPTED_AT_ONCE`] blocks.
fn decrypt_group<Cipher: BlockCipherDecrypt<BlockSize = U16>, const LENGTH: usize>(
    cipher: &Cipher,
    vectors: &Vectors,
    group: &mut [[u8; LENGTH]],
    first: u64,
) {
    if group.iter().all(is_hole) {
        return;
    }
    let mut before = [[0; LENGTH]; DECRYPTED_AT_ONCE];
    let Some(before) = before.get_mut(..group.len()) else { return };
    before.copy_from_slice(group);
    let (units_of_group, _) = group.as_flattened_mut().as_chunks_mut::<VECTOR>();
    cipher.decrypt_blocks(Array::cast_slice_from_core_mut(units_of_group));
    let mut all_vectors = [[0; VECTOR]; DECRYPTED_AT_ONCE];
    let Some(all_vectors) = all_vectors.get_mut(..group.len()) else { return };
    vectors.fill(all_vectors, first);
    for ((block, before), vector) in group.iter_mut().zip(before).zip(all_vectors) {
        if is_hole(before) {
            block.fill(0);
            continue;
        }
        let (plain, _) = block.as_chunks_mut::<VECTOR>();
        let chain = std::iter::once(&*vector).chain(units(before));
        for (unit, previous) in plain.iter_mut().zip(chain) {
            *unit = xor(unit, previous);
        }
    }
}

fn units(block: &[u8]) -> &[[u8; VECTOR]] {
    block.as_chunks::<VECTOR>().0
}

fn is_hole<const LENGTH: usize>(block: &[u8; LENGTH]) -> bool {
    units(block).iter().all(|unit| *unit == [0; VECTOR])
}

fn xor(one: &[u8; VECTOR], other: &[u8; VECTOR]) -> [u8; VECTOR] {
    (u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other)).to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use super::{BlockCipher, LANES};
    use crate::crypt::BLOCK;
    use crate::crypt::reference::{cbc_encrypt, encrypt_blocks, hmac_sha1};
    use crate::testing::content;

    const HMAC_KEY: [u8; 20] = *b"twenty bytes of key!";

    fn aes_keys() -> [Vec<u8>; 2] {
        [(1..17).collect(), (101..133).collect()]
    }

    #[test]
    fn blocks_are_what_a_slow_cipher_makes_of_them() {
        for key in aes_keys() {
            let cipher = BlockCipher::new(&key, &HMAC_KEY).unwrap();
            for blocks in [1, 2, 7, 8, 9, LANES - 1, LANES, LANES + 1, 3 * LANES + 5] {
                for first in [0, 1, 77_777, u32::MAX - 2000] {
                    let plain = content(7, (blocks * BLOCK) as u64);
                    let mut bytes = plain.clone();
                    cipher.encrypt(&mut bytes, u64::from(first));
                    assert!(
                        bytes == encrypt_blocks(&key, &HMAC_KEY, &plain, first),
                        "{blocks} blocks from {first} on"
                    );
                    cipher.decrypt(&mut bytes, u64::from(first));
                    assert!(bytes == plain, "{blocks} blocks from {first} on");
                }
            }
        }
    }

    #[test]
    fn blocks_of_4096_bytes_are_those_of_a_slow_cipher_and_holes_stay() {
        for key in aes_keys() {
            let cipher = BlockCipher::new(&key, &HMAC_KEY).unwrap().of_blocks(4096);
            for first in [0, 1, 1_000_000] {
                let plain = content(7, 19 * 4096);
                let mut bytes = Vec::new();
                for (number, block) in (first..).zip(plain.chunks(4096)) {
                    let vector = &hmac_sha1(&HMAC_KEY, &u32::to_be_bytes(number))[..16];
                    bytes.extend(cbc_encrypt(&key, vector, block));
                }
                bytes[4 * 4096..5 * 4096].fill(0);
                let mut expected = plain;
                expected[4 * 4096..5 * 4096].fill(0);
                cipher.decrypt(&mut bytes, u64::from(first));
                assert!(bytes == expected, "from block {first} on");
            }
        }
    }

    #[test]
    fn zeros_are_encrypted_but_a_block_of_zeros_is_a_hole() {
        let cipher = BlockCipher::new(&[3; 32], &HMAC_KEY).unwrap();
        let mut bytes = vec![0; 20 * BLOCK];
        cipher.encrypt(&mut bytes[..10 * BLOCK], 5);
        assert!(bytes[..10 * BLOCK].chunks(BLOCK).all(|block| block.iter().any(|byte| *byte != 0)));
        cipher.decrypt(&mut bytes, 5);
        assert_eq!(bytes, vec![0; 20 * BLOCK]);
    }

    #[test]
    fn a_key_of_another_length_is_none() {
        for length in [0, 15, 17, 24, 33] {
            assert!(BlockCipher::new(&vec![1; length], &HMAC_KEY).is_none(), "{length}");
        }
        assert!(BlockCipher::new(&[1; 16], &[1; 65]).is_none());
    }
}
