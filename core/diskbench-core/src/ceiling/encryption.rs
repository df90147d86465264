//! How fast all threads together encrypt: no encrypted image can be faster.
//!
//! They are measured together, as two processors can share a core, and then are not twice as fast as one.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;

use diskimage::crypt::blocks::BlockCipher;
use serde::Serialize;
use system::clock;

use crate::units::rate;

/// Bytes that a thread encrypts again and again: the study's block size. They stay in the processor's caches.
const BUFFER: usize = 1 << 20;

/// How often the buffer is encrypted in a round: some milliseconds.
const TIMES: u64 = 16;

/// How often each is measured; the median counts.
const ROUNDS: usize = 5;

/// What the processor can do with AES-256 and the initial vectors that go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Limit {
    /// Encryption by all threads at once, bytes per second.
    pub encrypt_bytes_per_second: u64,
    /// Decryption by all threads at once, bytes per second.
    pub decrypt_bytes_per_second: u64,
    /// Threads that encrypt and decrypt.
    pub threads: usize,
}

/// Measures it.
pub(super) fn measured() -> Limit {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    // Any key will do: each takes as long.
    let (encrypt, decrypt) = BlockCipher::new(&[1; 32], &[2; 20]).map_or((0, 0), |cipher| {
        let encrypt = median_rate(threads, |buffer| cipher.encrypt(buffer, 0));
        (encrypt, median_rate(threads, |buffer| cipher.decrypt(buffer, 0)))
    });
    Limit { encrypt_bytes_per_second: encrypt, decrypt_bytes_per_second: decrypt, threads }
}

/// The combined rate of all threads, each with its own buffer.
fn median_rate(threads: usize, action: impl Fn(&mut [u8]) + Sync) -> u64 {
    let mut times = [0; ROUNDS];
    for time in &mut times {
        *time = together(threads, &action);
    }
    times.sort_unstable();
    let bytes = BUFFER as u64 * TIMES * threads as u64;
    times.get(ROUNDS / 2).map_or(0, |time| rate(bytes, *time))
}

/// Nanoseconds until the last thread is done, from when all of them are ready.
fn together(threads: usize, action: &(impl Fn(&mut [u8]) + Sync)) -> u64 {
    let ready = Barrier::new(threads);
    thread::scope(|scope| {
        let each: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut buffer = vec![0x5a; BUFFER];
                    ready.wait();
                    let start = clock::awake_ns();
                    (0..TIMES).for_each(|_| action(&mut buffer));
                    clock::awake_ns() - start
                })
            })
            .collect();
        // of fewer threads it would not be the limit: what stopped one stops this too
        let times = each
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        times.max().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::together;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn all_threads_take_as_long_as_the_slowest() {
        const SLOW: Duration = Duration::from_millis(100);
        let first = AtomicBool::new(true);
        let slow_once = |_: &mut [u8]| {
            if first.swap(false, Ordering::Relaxed) {
                thread::sleep(SLOW);
            }
        };
        assert!(u128::from(together(2, &slow_once)) >= SLOW.as_nanos());
    }
}
