//! The blocks on several threads, while they are read or written.
//!
//! Encrypting takes the processor about as long as the host takes to store what was encrypted. So neither waits for the
//! other: each thread takes the next portion, encrypts it and writes it, or reads it and decrypts it, whatever the others
//! do. The thread that asks takes part, so nothing waits for one that has to be woken.

use std::hint::spin_loop;
use std::io;
use std::iter::zip;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::image::portable::crypt::BLOCK;
use crate::image::portable::crypt::blocks::BlockCipher;

/// What one thread encrypts or decrypts at a time, in bytes: about 20 microseconds of work.
const PORTION: usize = 64 << 10;

/// What one thread reads or writes at a time, in bytes: several for each thread in the study's block of 1 MiB, and still
/// large enough for the host.
const TRANSFER: usize = 128 << 10;

/// Writes a portion: its bytes, and where they lie in the whole. Several threads call it at once.
pub type Sink<'a> = &'a (dyn Fn(&[u8], u64) -> io::Result<()> + Sync);

/// Reads a portion: the place for its bytes, and where they lie in the whole. Several threads call it at once.
pub type Source<'a> = &'a (dyn Fn(&mut [u8], u64) -> io::Result<()> + Sync);

/// Encrypts whole blocks in place; `first` is the number of the first one.
pub fn encrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
    let block = BLOCK as u64;
    in_place(bytes, |portion, at| cipher.encrypt(portion, first.wrapping_add(at / block)));
}

/// Decrypts whole blocks in place; `first` is the number of the first one.
pub fn decrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
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

/// Encrypts whole blocks into a room of at least that length, and writes them from there.
///
/// # Errors
/// `InvalidInput` when the room is too small; else what the sink says, and then the rest is not written.
pub fn write(
    cipher: &BlockCipher,
    plain: &[u8],
    room: &mut [u8],
    first: u64,
    sink: Sink<'_>,
) -> io::Result<()> {
    if room.len() < plain.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let pairs = zip(plain.chunks(TRANSFER), room.chunks_mut(TRANSFER));
    in_portions(plain.len(), pairs, |(plain, room), at| {
        let room = room.get_mut(..plain.len()).ok_or(io::ErrorKind::InvalidInput)?;
        cipher.encrypt_into(plain, room, first.wrapping_add(at / BLOCK as u64));
        sink(room, at)
    })
}

/// Reads whole blocks and decrypts them.
///
/// # Errors
/// What the source says.
pub fn read(
    cipher: &BlockCipher,
    blocks: &mut [u8],
    first: u64,
    source: Source<'_>,
) -> io::Result<()> {
    let block = cipher.block_bytes() as u64;
    in_portions(blocks.len(), blocks.chunks_mut(TRANSFER), |portion, at| {
        source(portion, at)?;
        cipher.decrypt(portion, first.wrapping_add(at / block));
        Ok(())
    })
}

/// Hands portions out in ascending order, until one fails.
fn in_portions<Portion: Send>(
    length: usize,
    portions: impl Iterator<Item = Portion> + Send,
    action: impl Fn(Portion, u64) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let queue = Mutex::new(zip(portions, (0..).step_by(TRANSFER)));
    let failed = Mutex::new(Ok(()));
    on_threads(length.div_ceil(TRANSFER), || {
        while let Some((portion, at)) = next(&queue) {
            if let Err(error) = action(portion, at) {
                // The rest is of no use.
                lock(&queue).by_ref().for_each(drop);
                let mut failed = lock(&failed);
                if failed.is_ok() {
                    *failed = Err(error);
                }
            }
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
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
    use super::{TRANSFER, encrypt, read, write};
    use crate::image::portable::crypt::blocks::BlockCipher;
    use crate::image::portable::crypt::reference::encrypt_blocks;
    use crate::image::portable::model::content;
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    const AES_KEY: [u8; 32] = [7; 32];
    const HMAC_KEY: [u8; 20] = [9; 20];

    fn cipher() -> BlockCipher {
        BlockCipher::new(&AES_KEY, &HMAC_KEY).unwrap()
    }

    #[test]
    fn many_threads_make_what_a_slow_cipher_makes() {
        for length in [0, 512, 65_536, 66_048, TRANSFER, TRANSFER + 512, 1 << 20, (1 << 20) + 1536]
        {
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
    fn an_error_ends_it_before_the_end() {
        let mut bytes = vec![1; 64 << 20];
        let calls = AtomicU64::new(0);
        let gone = || {
            calls.fetch_add(1, Ordering::Relaxed);
            io::Error::other("gone")
        };
        let failed = read(&cipher(), &mut bytes, 0, &|_, _| Err(gone()));
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        let failed = write(&cipher(), &vec![1; 64 << 20], &mut bytes, 0, &|_, _| Err(gone()));
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        // One for each thread and direction at most.
        let most = 2 * rayon::current_num_threads() as u64;
        assert!(calls.into_inner() <= most);
    }
}
