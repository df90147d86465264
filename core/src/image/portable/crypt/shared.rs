//! The blocks on several threads, while they are read or written.
//!
//! Encrypting takes the processor about as long as the host takes to store what was encrypted. So neither waits for the
//! other: each thread takes the next portion, encrypts it, and writes it while the others encrypt theirs; and reads the
//! next portion while the others decrypt theirs. The thread that asks takes part, so nothing waits for one that has to
//! be woken.

use std::io;
use std::iter::zip;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::image::portable::crypt::BLOCK;
use crate::image::portable::crypt::blocks::BlockCipher;

/// What one thread encrypts or decrypts at a time, in bytes: about 20 microseconds of work.
const PORTION: usize = 64 << 10;

/// What one thread reads or writes at a time, in bytes: several for each thread in the study's block of 1 MiB, and still
/// large enough for the host.
const TRANSFER: usize = 128 << 10;

/// Where a portion is written to: its bytes, and where they lie in the whole.
pub type Sink<'a> = &'a mut (dyn FnMut(&[u8], u64) -> io::Result<()> + Send);

/// Where a portion is read from: the place for its bytes, and where they lie in the whole.
pub type Source<'a> = &'a mut (dyn FnMut(&mut [u8], u64) -> io::Result<()> + Send);

/// Encrypts whole blocks in place; `first` is the number of the first one.
pub fn encrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
    in_place(bytes, |portion, block| cipher.encrypt(portion, first.wrapping_add(block)));
}

/// Decrypts whole blocks in place; `first` is the number of the first one.
pub fn decrypt(cipher: &BlockCipher, bytes: &mut [u8], first: u64) {
    in_place(bytes, |portion, block| cipher.decrypt(portion, first.wrapping_add(block)));
}

fn in_place(bytes: &mut [u8], change: impl Fn(&mut [u8], u64) + Sync) {
    let portions = bytes.len().div_ceil(PORTION);
    let queue = Mutex::new(zip((0..).step_by(PORTION), bytes.chunks_mut(PORTION)));
    on_threads(portions, || {
        while let Some((at, portion)) = next(&queue) {
            change(portion, at / BLOCK as u64);
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
    let portions = plain.len().div_ceil(TRANSFER);
    let pairs = zip(plain.chunks(TRANSFER), room.chunks_mut(TRANSFER));
    let queue = Mutex::new(zip((0..).step_by(TRANSFER), pairs));
    let sink = Mutex::new((sink, Ok(())));
    on_threads(portions, || {
        while let Some((at, (plain, room))) = next(&queue) {
            let Some(room) = room.get_mut(..plain.len()) else { return };
            cipher.encrypt_into(plain, room, first.wrapping_add(at / BLOCK as u64));
            let mut held = lock(&sink);
            let (sink, result) = &mut *held;
            if result.is_ok() {
                *result = sink(room, at);
            }
        }
    });
    sink.into_inner().unwrap_or_else(PoisonError::into_inner).1
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
    let portions = blocks.len().div_ceil(TRANSFER);
    let queue = zip((0..).step_by(TRANSFER), blocks.chunks_mut(TRANSFER));
    let source = Mutex::new((queue, source, Ok(())));
    on_threads(portions, || {
        loop {
            // Taken and read in one go, so that the host sees one row of reads and reads ahead.
            let mut held = lock(&source);
            let (queue, source, result) = &mut *held;
            let Some((at, portion)) = queue.next().filter(|_| result.is_ok()) else { return };
            *result = source(portion, at);
            if result.is_err() {
                return;
            }
            drop(held);
            cipher.decrypt(portion, first.wrapping_add(at / BLOCK as u64));
        }
    });
    source.into_inner().unwrap_or_else(PoisonError::into_inner).2
}

/// Runs the same work on this thread and on as many others as there are, but on no more than there are portions.
fn on_threads(portions: usize, work: impl Fn() + Sync) {
    if portions < 2 {
        return work();
    }
    let others = rayon::current_num_threads().min(portions).saturating_sub(1);
    rayon::in_place_scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| work());
        }
        work();
    });
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

            let mut written = vec![0; length];
            write(&cipher(), &plain, &mut vec![0; length], 5, &mut |portion, at| {
                let at = usize::try_from(at).unwrap();
                written[at..at + portion.len()].copy_from_slice(portion);
                Ok(())
            })
            .unwrap();
            assert!(written == expected, "{length}");

            let mut found = vec![0; length];
            let mut last = None;
            read(&cipher(), &mut found, 5, &mut |portion, at| {
                assert!(last < Some(at), "read in order");
                last = Some(at);
                let at = usize::try_from(at).unwrap();
                portion.copy_from_slice(&written[at..at + portion.len()]);
                Ok(())
            })
            .unwrap();
            assert!(found == plain, "{length}");
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut bytes = vec![1; 1 << 20];
        let mut calls = 0;
        let failed = read(&cipher(), &mut bytes, 0, &mut |_, at| {
            calls += 1;
            if at >= 2 * TRANSFER as u64 { Err(io::Error::other("gone")) } else { Ok(()) }
        });
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        assert_eq!(calls, 3);
        let mut calls = 0;
        let failed = write(&cipher(), &[1; 1 << 20], &mut bytes, 0, &mut |_, _| {
            calls += 1;
            Err(io::Error::other("gone"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "gone");
        assert_eq!(calls, 1);
    }
}
