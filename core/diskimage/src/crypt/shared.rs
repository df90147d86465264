//! The blocks, encrypted and decrypted on several threads.
//!
//! Only the ciphers use several threads. The calling thread reads and writes the host's files in calls of the requested
//! length, as for files without an image, so that a comparison differs only in the image. The calling thread also
//! encrypts, so nothing waits for a thread to wake up.

use std::hint::spin_loop;
use std::iter::zip;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::crypt::BLOCK;
use crate::crypt::blocks::BlockCipher;

/// What one thread encrypts or decrypts at a time, in bytes: about 20 microseconds of work.
const PORTION: usize = 64 << 10;

/// Encrypts whole blocks in place; `first` is the number of the first one.
pub(crate) fn encrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
    let block = BLOCK as u64;
    in_place(bytes, |portion, at| cipher.encrypt(portion, first.wrapping_add(at / block)));
}

/// Decrypts whole blocks in place; `first` is the number of the first one.
pub(crate) fn decrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
    let block = cipher.block_bytes() as u64;
    in_place(bytes, |portion, at| cipher.decrypt(portion, first.wrapping_add(at / block)));
}

/// Hands portions out with their places in the whole. A portion is whole blocks of any size.
fn in_place(bytes: &mut [u8], change: impl Fn(&mut [u8], u64) + Sync) {
    let portions = bytes.len().div_ceil(PORTION);
    let queue = Mutex::new(zip((0..).step_by(PORTION), bytes.chunks_mut(PORTION)));
    on_threads(portions, || {
        while let Some((at, portion)) = next(&queue) {
            change(portion, at);
        }
    });
}

/// Encrypts whole blocks into a room of at least their length; gives the ciphertext.
pub(crate) fn encrypt_into<'room>(
    cipher: &BlockCipher,
    plain: &[u8],
    room: &'room mut [u8],
    first: u64,
) -> &'room [u8] {
    let (room, _) = room.split_at_mut(plain.len());
    let pairs = zip(plain.chunks(PORTION), room.chunks_mut(PORTION));
    let queue = Mutex::new(zip((0..).step_by(PORTION), pairs));
    on_threads(plain.len().div_ceil(PORTION), || {
        while let Some((at, (plain, room))) = next(&queue) {
            cipher.encrypt_into(plain, room, first.wrapping_add(at / BLOCK as u64));
        }
    });
    room
}

/// How many threads encrypt and decrypt. They are started by the first to ask.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs the same work on this thread and on as many others as there are, but on no more than there are portions.
///
/// Waking a thread can take as long as its share of the work. So the others spin for a moment after each call, and
/// this one spins until they are done.
fn on_threads(portions: usize, work: impl Fn() + Sync) {
    if portions < 2 {
        return work();
    }
    let others = rayon::current_num_threads().min(portions).saturating_sub(1);
    let busy = AtomicUsize::new(others);
    CALLS.fetch_add(1, Ordering::Relaxed);
    rayon::in_place_scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| {
                work();
                busy.fetch_sub(1, Ordering::Release);
            });
        }
        work();
        spin_while(|| busy.load(Ordering::Acquire) > 0);
    });
    let call = CALLS.load(Ordering::Relaxed);
    for _ in 0..others {
        rayon::spawn(move || spin_while(|| CALLS.load(Ordering::Relaxed) == call));
    }
}

/// Counts the calls, so that a thread that stays awake sees the next one coming.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// How long an idle thread spins: longer than a disk needs from one block of 1 MiB to the next.
const AWAKE: Duration = Duration::from_micros(100);

/// Waits for a moment without giving the processor away.
fn spin_while(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while condition() && start.elapsed() < AWAKE {
        spin_loop();
    }
}

/// Takes the next item and lets go of the lock.
fn next<Item>(queue: &Mutex<impl Iterator<Item = Item>>) -> Option<Item> {
    lock(queue).next()
}

/// A panicked thread leaves no partial change: the lock only protects a position in a queue.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{PORTION, encrypt, encrypt_into};
    use crate::crypt::blocks::BlockCipher;
    use crate::crypt::reference::encrypt_blocks;
    use crate::testing::content;

    const AES_KEY: [u8; 32] = [7; 32];
    const HMAC_KEY: [u8; 20] = [9; 20];

    fn cipher() -> BlockCipher {
        BlockCipher::new(&AES_KEY, &HMAC_KEY).unwrap()
    }

    #[test]
    fn many_threads_make_what_a_slow_cipher_makes() {
        for length in [0, 512, PORTION, PORTION + 512, 2 * PORTION, 1 << 20, (1 << 20) + 1536] {
            let plain = content(3, length as u64);
            let expected = encrypt_blocks(&AES_KEY, &HMAC_KEY, &plain, 5);
            let mut bytes = plain.clone();
            encrypt(&cipher(), &mut bytes, 5);
            assert!(bytes == expected, "{length}");
            super::decrypt(&cipher(), &mut bytes, 5);
            assert!(bytes == plain, "{length}");

            let mut room = vec![0; length + 512];
            assert!(encrypt_into(&cipher(), &plain, &mut room, 5) == expected, "{length}");
        }
    }
}
