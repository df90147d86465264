//! Sizes of files as lengths in memory.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("a size of a file is a length in memory only where both have 64 bits");

/// A size or place in a file, as slices count it.
#[expect(clippy::cast_possible_truncation, reason = "both have 64 bits: see above")]
pub const fn in_memory(number: u64) -> usize {
    number as usize
}
