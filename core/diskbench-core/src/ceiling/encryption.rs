//! How fast one thread encrypts: with all of them busy, no encrypted image can be faster than they together.

use std::thread;

use diskimage::crypt::blocks::BlockCipher;
use serde::Serialize;
use system::clock;

use crate::units::rate;

/// Bytes that are encrypted again and again: the study's block size. They stay in the processor's caches.
const BUFFER: usize = 1 << 20;

/// How often the buffer is encrypted in a round: some milliseconds.
const TIMES: u64 = 16;

/// How often each is measured; the median counts.
const ROUNDS: usize = 5;

/// What the processor can do with AES-256 and the initial vectors that go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Limit {
    /// Encryption by one thread, bytes per second.
    pub encrypt_bytes_per_second: u64,
    /// Decryption by one thread, bytes per second.
    pub decrypt_bytes_per_second: u64,
    /// Threads that encrypt and decrypt.
    pub threads: usize,
}

/// Measures it.
pub(super) fn measured() -> Limit {
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut buffer = vec![0x5a; BUFFER];
    // Any key will do: each takes as long.
    let (encrypt, decrypt) = BlockCipher::new(&[1; 32], &[2; 20]).map_or((0, 0), |cipher| {
        let encrypt = median_rate(|| cipher.encrypt(&mut buffer, 0));
        (encrypt, median_rate(|| cipher.decrypt(&mut buffer, 0)))
    });
    Limit { encrypt_bytes_per_second: encrypt, decrypt_bytes_per_second: decrypt, threads }
}

fn median_rate(mut action: impl FnMut()) -> u64 {
    let mut times = [0; ROUNDS];
    for time in &mut times {
        let start = clock::awake_ns();
        (0..TIMES).for_each(|_| action());
        *time = clock::awake_ns() - start;
    }
    times.sort_unstable();
    times.get(ROUNDS / 2).map_or(0, |time| rate(BUFFER as u64 * TIMES, *time))
}
