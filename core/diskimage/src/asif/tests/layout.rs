//! Images in the file, compared with the description byte by byte.

use system::flush::Durability;

use crate::asif::tests::open;
use crate::asif::{Asif, check};
use crate::disk::{Bands, VirtualDisk};
use crate::testing::memory::MemoryStore;

const MIB: usize = 1 << 20;

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A disk of 100,000,000,000 bytes on which these ranges were written.
fn written(ranges: &[(u64, usize)]) -> Vec<u8> {
    let memory = MemoryStore::default();
    let mut disk = Asif::create(Box::new(memory.clone()), 100_000_000_000).unwrap();
    for &(offset, length) in ranges {
        disk.write_at(&vec![0xAB; length], offset).unwrap();
    }
    disk.flush(Durability::None).unwrap();
    memory.bytes()
}

/// The active directory: the one with the higher sequence number.
fn directory(bytes: &[u8]) -> usize {
    let offsets = [number(bytes, 0x10), number(bytes, 0x18)].map(|at| usize::try_from(at).unwrap());
    offsets.into_iter().max_by_key(|&at| number(bytes, at)).unwrap()
}

fn table(bytes: &[u8], which: usize) -> usize {
    usize::try_from(number(bytes, directory(bytes) + 8 * (which + 1))).unwrap() * MIB
}

#[test]
fn a_chunk_that_was_written_in_pieces_is_full_in_the_end() {
    let bytes = written(&[(3, MIB), (3 + (1 << 20), MIB - 3)]);
    let table = table(&bytes, 0);
    assert_eq!(number(&bytes, table) >> 62, 1, "its first bytes are zeros of a sector written");
    assert_eq!(number(&bytes, table + 8) >> 62, 1);
    assert_eq!(number(&bytes, table + 2048 * 8), 0, "no bitmap is needed");
}

#[test]
fn a_chunk_of_the_second_group_stands_behind_the_first_groups_bitmap() {
    let bytes = written(&[(2048 << 20, MIB), (4095 << 20, 512)]);
    let table = table(&bytes, 0);
    assert_eq!(number(&bytes, table + 2049 * 8) >> 62, 1);
    assert_eq!(number(&bytes, table + (2049 + 2047) * 8) >> 62, 3);
    let bitmap = usize::try_from(number(&bytes, table + (2049 + 2048) * 8)).unwrap() * MIB;
    assert_eq!(bytes[bitmap + 0xFFE00], 0x01);
}

#[test]
fn the_other_directory_is_brought_up_when_a_table_is_new_and_only_then() {
    let memory = MemoryStore::default();
    let mut disk = Asif::create(Box::new(memory.clone()), 1 << 30).unwrap();
    let before = memory.bytes();
    disk.write_at(&[1], 0).unwrap();
    disk.flush(Durability::None).unwrap();
    let after = memory.bytes();
    assert_ne!(directory(&before), directory(&after));
    let sequence = |bytes: &[u8]| number(bytes, directory(bytes));
    assert_eq!(sequence(&after), sequence(&before) + 1);
    disk.write_at(&[1], 1 << 25).unwrap();
    disk.flush(Durability::None).unwrap();
    let last = memory.bytes();
    assert_eq!(sequence(&last), sequence(&after));
}

#[test]
fn an_image_that_was_laid_out_as_before_is_read_and_written() {
    // As this program made them until now: the directories at 0x1000 and 0x43000, numbers 1 and 2, the first one empty.
    let mut bytes = written(&[(0, MIB), (5 << 20, 700)]);
    let active = directory(&bytes);
    let entries = bytes[active + 8..active + 266_320].to_vec();
    bytes[0x200..0x10_0000].fill(0);
    for (at, value) in [(0x10, 0x1000_u64), (0x18, 0x4_3000), (0x1000, 1), (0x4_3000, 2)] {
        bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
    }
    bytes[0x4_3008..0x4_3008 + entries.len()].copy_from_slice(&entries);
    let memory = MemoryStore::of(bytes);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut disk = open(&memory);
    // Far enough for a new table.
    disk.write_at(&[0xCD; 512], 99_000_000_000).unwrap();
    disk.write_at(&[0xCD; 512], 600).unwrap();
    disk.flush(Durability::None).unwrap();
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut found = vec![0; 6 * MIB];
    let mut disk = open(&memory);
    disk.read_at(&mut found, 0).unwrap();
    let mut expected = vec![0; 6 * MIB];
    expected[..MIB].fill(0xAB);
    expected[5 * MIB..5 * MIB + 700].fill(0xAB);
    expected[600..1112].fill(0xCD);
    assert!(found == expected);
}

#[test]
fn an_image_counts_its_chunks() {
    let memory = MemoryStore::of(written(&[(0, 1), (5 << 20, 3 * MIB)]));
    let mut disk = open(&memory);
    assert_eq!(disk.bands(), Some(Bands { band_bytes: 1 << 20, count: 4 }));
    disk.discard(5 << 20, 3 << 20).unwrap();
    assert_eq!(disk.bands().unwrap().count, 1);
}
