//! Big-endian numbers in a row of bytes. What lies beyond the end reads as zero and is not written: callers have
//! made sure of the length.

/// The number of eight bytes at this offset.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    array_at(bytes, at).map_or(0, u64::from_be_bytes)
}

/// The number of four bytes at this offset.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    array_at(bytes, at).map_or(0, u32::from_be_bytes)
}

/// The number of two bytes at this offset.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    array_at(bytes, at).map_or(0, u16::from_be_bytes)
}

/// So many bytes at this offset.
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// Puts a value at this offset.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..value.len())) {
        place.copy_from_slice(value);
    }
}
