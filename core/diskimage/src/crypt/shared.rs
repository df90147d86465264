//! The blocks, encrypted and decrypted on several threads, read and written by one.
//!
//! Only the ciphers use several threads. The host's files are read and written by the thread that asks, in calls of the
//! length that it asks for, as files without an image are: what is compared differs in the image alone. The thread that
//! asks takes part, so nothing waits for one that has to be woken.

use std::hint::spin_loop;
use std::iter::zip;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::crypt::BLOCK;
use crate::crypt::blocks::BlockCipher;
use crate::error::{Result, internal};

/// What one thread encrypts or decrypts at a time, in bytes: about 20 microseconds of work.
const PORTION: usize = 64 << 10;

/// Writes blocks: their bytes, and where they lie in the whole.
pub type Sink<'a> = &'a (dyn Fn(&[u8], u64) -> Result<()> + Sync);

/// Reads blocks: the place for their bytes, and where they lie in the whole.
pub type Source<'a> = &'a (dyn Fn(&mut [u8], u64) -> Result<()> + Sync);

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

/// Encrypts whole blocks into a room of at least that length on all threads, then writes them from there in one call.
///
/// # Errors
/// `Internal` when the room is too small; else what the sink says.
pub(crate) fn write(
    cipher: &BlockCipher,
    plain: &[u8],
    room: &mut [u8],
    first: u64,
    sink: Sink<'_>,
) -> Result<()> {
    let room = room
        .get_mut(..plain.len())
        .ok_or_else(|| internal("the room for ciphertext is too small"))?;
    let pairs = zip(plain.chunks(PORTION), room.chunks_mut(PORTION));
    let queue = Mutex::new(zip((0..).step_by(PORTION), pairs));
    on_threads(plain.len().div_ceil(PORTION), || {
        while let Some((at, (plain, room))) = next(&queue) {
            cipher.encrypt_into(plain, room, first.wrapping_add(at / BLOCK as u64));
        }
    });
    sink(room, 0)
}

/// Reads whole blocks in one call, then decrypts them on all threads.
///
/// # Errors
/// What the source says.
pub(crate) fn read(
    cipher: &BlockCipher,
    blocks: &mut [u8],
    first: u64,
    source: Source<'_>,
) -> Result<()> {
    source(blocks, 0)?;
    decrypt(cipher, blocks, first);
    Ok(())
}

/// How many threads encrypt and decrypt. They are started by the first to ask.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs the same work on this thread and on as many others as there are, but on no more than there are portions.
///
/// Waking a thread can take as long as its share of the work. So the others stay awake for a moment after each call, and
/// this one waits for them without falling asleep.
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

/// How long a thread stays awake for nothing: longer than the study takes from one block of 1 MiB to the next.
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

/// A thread that panicked has not left half a change: what is locked is only a place in a queue.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{PORTION, encrypt, read, write};
    use crate::crypt::blocks::BlockCipher;
    use crate::crypt::reference::encrypt_blocks;
    use crate::error::damaged;
    use crate::testing::model::content;
    use std::sync::Mutex;

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

            let written = Mutex::new(vec![0; length]);
            write(&cipher(), &plain, &mut vec![0; length], 5, &|portion, at| {
                let at = usize::try_from(at).unwrap();
                written.lock().unwrap()[at..at + portion.len()].copy_from_slice(portion);
                Ok(())
            })
            .unwrap();
            let written = written.into_inner().unwrap();
            assert!(written == expected, "{length}");

            let mut found = vec![0; length];
            read(&cipher(), &mut found, 5, &|portion, at| {
                let at = usize::try_from(at).unwrap();
                portion.copy_from_slice(&written[at..at + portion.len()]);
                Ok(())
            })
            .unwrap();
            assert!(found == plain, "{length}");
        }
    }

    #[test]
    fn the_host_is_called_once_with_all_of_it_and_its_error_is_told() {
        let mut bytes = vec![1; 5 << 20];
        let calls = Mutex::new(Vec::new());
        let gone = |length, at| {
            calls.lock().unwrap().push((length, at));
            Err(damaged("gone"))
        };
        let failed = read(&cipher(), &mut bytes, 0, &|room, at| gone(room.len(), at));
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        let plain = vec![1; 1 << 20];
        let failed = write(&cipher(), &plain, &mut bytes, 0, &|made, at| gone(made.len(), at));
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        assert_eq!(calls.into_inner().unwrap(), [(5 << 20, 0), (1 << 20, 0)]);
    }
}
