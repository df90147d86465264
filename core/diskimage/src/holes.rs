//! Looking through ranges of a store, and copying them. What the host knows to be a hole is not read: a band of 8 GiB
//! with nothing in it costs a call, not the reading of 8 GiB of zeros.

use std::ops::Range;

use system::memory::in_memory;

use crate::bytes::all_zero;
use crate::error::Result;
use crate::pieces::{bytes_of, pieces};
use crate::store::Store;

/// Most bytes read at once.
const CHUNK: u64 = 1 << 20;

/// The first part of a range that may contain non-zero bytes, limited in length; empty, at the end of the range, if
/// there is none.
///
/// # Errors
/// What [`Store::next_data`] says.
fn next_part(store: &mut dyn Store, range: &Range<u64>) -> Result<Range<u64>> {
    let found = store.next_data(range.start)?.filter(|data| data.start < range.end);
    let Some(data) = found else { return Ok(range.end..range.end) };
    let start = data.start.max(range.start);
    Ok(start..data.end.min(range.end).min(start + CHUNK))
}

/// Whether a range contains only zeros.
///
/// # Errors
/// Any error of the store.
pub(crate) fn is_zeros(store: &mut dyn Store, mut range: Range<u64>) -> Result<bool> {
    let mut bytes = Vec::new();
    while !range.is_empty() {
        let part = next_part(store, &range)?;
        read(store, &mut bytes, &part)?;
        if !all_zero(&bytes) {
            return Ok(false);
        }
        range.start = part.end;
    }
    Ok(true)
}

/// Whether two ranges of this length contain the same bytes.
///
/// # Errors
/// Any error of the store.
pub(crate) fn same(store: &mut dyn Store, one: u64, other: u64, length: u64) -> Result<bool> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < length {
        let ours = next_part(store, &(one + done..one + length))?.start - one;
        let theirs = next_part(store, &(other + done..other + length))?.start - other;
        let start = ours.min(theirs);
        let end = length.min(start + CHUNK);
        read(store, &mut left, &(one + start..one + end))?;
        read(store, &mut right, &(other + start..other + end))?;
        if left != right {
            return Ok(false);
        }
        done = end;
    }
    Ok(true)
}

/// Copies a range to another place, of which nobody reads anything yet. A hole stays a hole.
///
/// # Errors
/// Any error of the store.
pub(crate) fn copy(store: &mut dyn Store, from: u64, to: u64, length: u64) -> Result<()> {
    let (mut bytes, mut done) = (Vec::new(), 0);
    while done < length {
        let part = next_part(store, &(from + done..from + length))?;
        let start = part.start - from;
        zero(store, to + done, start - done)?;
        read(store, &mut bytes, &part)?;
        if all_zero(&bytes) {
            zero(store, to + start, bytes.len() as u64)?;
        } else {
            store.write_at(&bytes, to + start)?;
        }
        done = part.end - from;
    }
    Ok(())
}

/// Zeros, as many as are written at once.
static ZEROS: [u8; 1 << 18] = [0; 1 << 18];

/// Makes a range zeros to every reader.
///
/// # Errors
/// Any error of the store.
pub(crate) fn zero(store: &mut dyn Store, offset: u64, length: u64) -> Result<()> {
    if length == 0 {
        return Ok(());
    }
    if store.holes_are_zeros() {
        return store.punch(offset, length);
    }
    for piece in pieces(ZEROS.len() as u64, 0, length) {
        store.write_at(bytes_of(&ZEROS, 0, piece.length), offset + piece.done)?;
    }
    Ok(())
}

/// Fills the buffer with these bytes, and makes it as long.
fn read(store: &mut dyn Store, bytes: &mut Vec<u8>, part: &Range<u64>) -> Result<()> {
    bytes.resize(in_memory(part.end - part.start), 0);
    if bytes.is_empty() { Ok(()) } else { store.read_at(bytes, part.start) }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, is_zeros, same};
    use crate::testing::memory::MemoryStore;

    /// A band as large as the format has them.
    const BAND: u64 = 8 << 30;

    #[test]
    fn a_byte_anywhere_makes_a_range_something_else_than_zeros() {
        for place in [0, 1, 4095, 4096, CHUNK - 1, CHUNK, BAND - 1] {
            let mut store = MemoryStore::of_length(3 * BAND);
            store.put(&[1], BAND + place);
            assert!(!is_zeros(&mut store, BAND..2 * BAND).unwrap(), "{place}");
            assert!(!same(&mut store, 0, BAND, BAND).unwrap(), "{place}");
            assert!(!same(&mut store, BAND, 0, BAND).unwrap(), "{place}");
            assert!(is_zeros(&mut store, 0..BAND).unwrap(), "{place}");
            store.put(&[1], 2 * BAND + place);
            assert!(same(&mut store, BAND, 2 * BAND, BAND).unwrap(), "{place}");
            assert!(is_zeros(&mut store, 0..BAND + place).unwrap(), "{place}");
        }
    }

    #[test]
    fn what_is_a_hole_is_not_read() {
        let mut store = MemoryStore::of_length(3 * BAND);
        store.put(&[1], BAND + BAND / 2);
        store.put(&[1], 2 * BAND + BAND / 2);
        assert!(same(&mut store, BAND, 2 * BAND, BAND).unwrap());
        assert!(is_zeros(&mut store, 0..BAND).unwrap());
        assert!(store.read_bytes() <= 2 * CHUNK, "{} bytes were read", store.read_bytes());
    }
}
