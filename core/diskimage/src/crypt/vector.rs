//! The initial vectors: HMAC-SHA1 of a block's number.
//!
//! What the key does to the two halves of HMAC is computed once; then a vector costs just two rounds of SHA-1's
//! compression. They are computed in two sweeps, so that the processor can work on several numbers at once.

use sha1::block_api::compress;
use zeroize::{Zeroize, Zeroizing};

/// Length of a vector in bytes, and AES's unit.
pub(crate) const VECTOR: usize = 16;

/// SHA-1's unit in bytes.
const SHA1_BLOCK: usize = 64;

/// SHA-1's state before the first block (FIPS 180-4, 5.3.1).
const SHA1_START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// What HMAC mixes into the key for its inner and its outer half (RFC 2104).
const INNER_PAD: u8 = 0x36;
/// See [`INNER_PAD`].
const OUTER_PAD: u8 = 0x5c;

/// What makes initial vectors; wiped when dropped.
pub(crate) struct Vectors {
    inner: [u32; 5],
    outer: [u32; 5],
}

impl Vectors {
    /// Vectors with this key; none when it is longer than SHA-1's unit.
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        Some(Self { inner: half(key, INNER_PAD)?, outer: half(key, OUTER_PAD)? })
    }

    /// Makes the vectors of consecutive blocks; of the number of the first one, 32 bits count.
    pub(crate) fn fill(&self, vectors: &mut [[u8; VECTOR]], first: u64) {
        /// As many as there are registers for; more would not be faster.
        const SWEEP: usize = 16;
        let mut number = first;
        for sweep in vectors.chunks_mut(SWEEP) {
            let mut states = [self.inner; SWEEP];
            for state in states.iter_mut().take(sweep.len()) {
                let [.., a, b, c, d] = number.to_be_bytes();
                compress(state, &[padded(&[a, b, c, d])]);
                number = number.wrapping_add(1);
            }
            for (vector, inner) in sweep.iter_mut().zip(&states) {
                let mut state = self.outer;
                compress(&mut state, &[padded(&bytes_of::<20>(inner))]);
                *vector = bytes_of(&state);
            }
        }
    }
}

impl Drop for Vectors {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// The state of SHA-1 after the key's own block.
fn half(key: &[u8], pad: u8) -> Option<[u32; 5]> {
    let mut block = Zeroizing::new([pad; SHA1_BLOCK]);
    for (byte, key) in block.get_mut(..key.len())?.iter_mut().zip(key) {
        *byte ^= key;
    }
    let mut state = SHA1_START;
    compress(&mut state, &[*block]);
    Some(state)
}

/// A short message after the key's block, as SHA-1 takes it: a bit, zeros, and the length of both in bits.
fn padded<const LENGTH: usize>(message: &[u8; LENGTH]) -> [u8; SHA1_BLOCK] {
    let mut block = [0; SHA1_BLOCK];
    for (to, from) in block.iter_mut().zip(message.iter().chain(&[0x80])) {
        *to = *from;
    }
    let bits = 8 * (SHA1_BLOCK + LENGTH) as u64;
    for (to, from) in block.iter_mut().rev().zip(bits.to_le_bytes()) {
        *to = from;
    }
    block
}

/// The first bytes of a state.
fn bytes_of<const LENGTH: usize>(state: &[u32; 5]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    for (to, from) in bytes.chunks_mut(4).zip(state) {
        to.copy_from_slice(&from.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::Vectors;
    use crate::crypt::reference::hmac_sha1;

    #[test]
    fn a_vector_is_the_beginning_of_the_numbers_hmac() {
        for key in [&b""[..], b"k", &[7; 20], &[9; 64]] {
            let vectors = Vectors::new(key).unwrap();
            for count in [1, 15, 16, 17, 64] {
                for first in [0, 1, 0x0102_0304, u32::MAX - 63] {
                    let mut found = vec![[0; 16]; count];
                    vectors.fill(&mut found, u64::from(first));
                    for (number, vector) in (first..=u32::MAX).zip(found) {
                        assert_eq!(vector, hmac_sha1(key, &number.to_be_bytes())[..16]);
                    }
                }
            }
        }
    }
}
