//! Big-endian numbers in a row of bytes.
//!
//! Callers have made sure of the length: a place out of range is a mistake in this library and panics, since to read
//! zeros there, or to leave a value out, would make another image of it.
#![expect(clippy::indexing_slicing, reason = "a place out of range has to be loud: see above")]

use std::slice::SliceIndex;

/// The number of eight bytes at this offset.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(array_at(bytes, at))
}

/// The number of four bytes at this offset.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(array_at(bytes, at))
}

/// The number of two bytes at this offset.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array_at(bytes, at))
}

/// So many bytes at this offset.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(part(bytes, at..at + N));
    array
}

/// A part of them.
pub(crate) fn part(bytes: &[u8], range: impl SliceIndex<[u8], Output = [u8]>) -> &[u8] {
    &bytes[range]
}

/// A part of them, to be changed.
pub(crate) fn part_mut(bytes: &mut [u8], range: impl SliceIndex<[u8], Output = [u8]>) -> &mut [u8] {
    &mut bytes[range]
}

/// Puts a value at this offset.
pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    part_mut(bytes, at..at + value.len()).copy_from_slice(value);
}

/// Whether they are nothing but zeros.
pub(crate) fn all_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::u32_at;

    #[test]
    #[should_panic(expected = "out of range")]
    fn what_lies_beyond_the_end_is_no_zero() {
        u32_at(&[0; 6], 3);
    }
}
