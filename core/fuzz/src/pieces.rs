//! A sparse file as a short input: its length, then the pieces of it that are not zeros.
//!
//! ```text
//! u32 length of the file in units of 512 bytes, u16 further bytes      all little-endian
//! then again and again: u32 offset in bytes, u16 length, so many bytes
//! ```
//!
//! An ASIF of 1 MiB chunks is a few hundred bytes in this form, which is what a fuzzer can work with: it changes
//! structure, not zeros. An input that ends too early is what was there until then; pieces beyond the end are cut.

use diskimage::testing::memory::MemoryStore;

/// Unit of the length in bytes: a sector.
const UNIT: u64 = 512;

/// The file.
pub fn unpack(mut input: &[u8]) -> MemoryStore {
    let length = number(&mut input, 4) * UNIT + number(&mut input, 2);
    let memory = MemoryStore::of_length(length);
    while !input.is_empty() {
        let offset = number(&mut input, 4);
        let count = (number(&mut input, 2) as usize).min(input.len());
        let (piece, rest) = input.split_at(count);
        memory.put(piece, offset);
        input = rest;
    }
    memory
}

/// The next little-endian number of so many bytes; what is missing is 0.
fn number(input: &mut &[u8], bytes: usize) -> u64 {
    let (now, rest) = input.split_at(bytes.min(input.len()));
    *input = rest;
    now.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
