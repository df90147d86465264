//! For tests of this crate and of those that use it: a store in memory that can die, a
//! slow reference for what an image must hold, and content to write into it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may stop"
)]

#[cfg(test)]
pub(crate) mod crash;
pub mod memory;
pub mod model;
pub mod partitioned;
#[cfg(test)]
pub(crate) mod power;
pub(crate) mod reference;
pub mod udif;

use crate::crypt::{KeySize, NewKey, Passphrase};

/// Bytes without a period of a power of two, made from a seed; seed 0 gives zeros.
pub fn content(seed: u8, length: u64) -> Vec<u8> {
    (0..length)
        .map(|n| if seed == 0 { 0 } else { (n % 251) as u8 ^ seed ^ (n >> 9).to_le_bytes()[0] })
        .collect()
}

/// A key that these words open, after so few rounds of PBKDF2 that no test waits for them.
pub fn key(size: KeySize, words: &str) -> NewKey {
    let passphrase = Passphrase::new(words.into()).unwrap();
    NewKey { size, passphrase, iterations: Some(1) }
}
