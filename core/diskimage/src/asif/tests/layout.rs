//! Images in the file, compared with the description byte by byte.

use system::flush::Durability;

use crate::asif::tests::open;
use crate::asif::{Asif, check, metadata};
use crate::disk::{Bands, VirtualDisk};
use crate::error::Kind;
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
fn the_header_is_that_of_the_description() {
    let bytes = written(&[]);
    assert_eq!(bytes[..0x10], *b"shdw\0\0\0\x01\0\0\x02\0\0\0\0\0");
    assert_eq!(number(&bytes, 0x30), 195_312_500, "sectors");
    assert_eq!(number(&bytes, 0x38), 8_796_093_022_208, "sectors of the largest disk");
    assert_eq!(bytes[0x40..0x48], [0, 0x10, 0, 0, 2, 0, 0, 0], "chunk, sector, segments");
    assert_eq!(number(&bytes, 0x48), 4_294_967_295, "chunk of the metadata");
    assert!(bytes[0x50..0x200].iter().all(|&byte| byte == 0));
    assert_ne!(bytes[0x20..0x30], [0; 16], "the number of the image");
}

#[test]
fn the_metadata_are_reached_through_the_last_entry_of_the_directory() {
    let bytes = written(&[]);
    assert_eq!(bytes.len(), 4 * MIB, "header, table, metadata, bitmap");
    assert_eq!(number(&bytes, directory(&bytes) + 8), 0, "no table for the disk");
    let last = table(&bytes, 33_288);
    // Chunk 4,294,967,295 is number 16,383 of the last table: the last of its eighth group.
    let entry = number(&bytes, last + 16_390 * 8);
    assert_eq!(entry, 3 << 62 | 2, "partial, in chunk 2");
    assert_eq!(bytes[2 * MIB..2 * MIB + 0x14], *b"meta\0\0\0\x01\0\0\x02\0\0\0\0\0\0\0\x02\0");
    assert!(bytes[2 * MIB + 0x200..].starts_with(b"<?xml version=\"1.0\""));
    let bitmap = usize::try_from(number(&bytes, last + 16_391 * 8)).unwrap() * MIB;
    assert_eq!(bytes[bitmap + 0xFFE00], 0x05, "header and property list");
    assert_eq!(bytes[bitmap + 0xFFE01], 0);
}

#[test]
fn a_chunk_that_was_written_whole_is_full_and_the_next_one_is_behind_it() {
    let bytes = written(&[(0, MIB), (1 << 20, MIB)]);
    let table = table(&bytes, 0);
    let (one, next) = (number(&bytes, table), number(&bytes, table + 8));
    assert_eq!((one >> 62, next - one), (1, 1));
    let data = usize::try_from(one & 0xFFFF).unwrap() * MIB;
    assert!(bytes[data..data + 2 * MIB].iter().all(|&byte| byte == 0xAB));
    assert_eq!(number(&bytes, table + 2048 * 8), 0, "no bitmap is needed");
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
fn sector_2048_of_a_group_is_in_byte_0x200_of_its_bitmap() {
    let bytes = written(&[(2048 * 512, 512)]);
    let table = table(&bytes, 0);
    assert_eq!(number(&bytes, table + 8) >> 62, 3);
    let bitmap = usize::try_from(number(&bytes, table + 2048 * 8)).unwrap() * MIB;
    assert_eq!(bytes[bitmap + 0x1FF..bitmap + 0x202], [0, 0x01, 0]);
}

#[test]
fn four_written_sectors_are_the_byte_0x55() {
    let bytes = written(&[(2047 * 512, 512), (2048 * 512, 2048), (2054 * 512, 1)]);
    let table = table(&bytes, 0);
    let bitmap = usize::try_from(number(&bytes, table + 2048 * 8)).unwrap() * MIB;
    assert_eq!(bytes[bitmap + 0x1FF..bitmap + 0x203], [0x40, 0x55, 0x10, 0]);
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
fn lengths_that_the_format_does_not_have_are_refused() {
    for length in [0, 1, 513, (1 << 52) - (1 << 20) + 512, 1 << 52, u64::MAX / 512 * 512] {
        let refused = Asif::create(Box::<MemoryStore>::default(), length).err().unwrap();
        assert_eq!(refused.kind(), Kind::Invalid, "{length}");
    }
    for length in [512, (1 << 52) - (1 << 20)] {
        let disk = Asif::create(Box::<MemoryStore>::default(), length).unwrap();
        assert_eq!(disk.len_bytes(), length);
    }
}

#[test]
fn an_image_has_two_numbers_and_counts_its_chunks() {
    let memory = MemoryStore::of(written(&[(0, 1), (5 << 20, 3 * MIB)]));
    let mut disk = open(&memory);
    assert_eq!(disk.bands(), Some(Bands { band_bytes: 1 << 20, count: 4 }));
    assert_eq!(metadata::text(&disk.header.uuid).len(), 36);
    let stable = disk.stable_uuid().unwrap().unwrap();
    assert_eq!(stable.len(), 36);
    assert_ne!(stable, metadata::text(&disk.header.uuid));
    disk.discard(5 << 20, 3 << 20).unwrap();
    assert_eq!(disk.bands().unwrap().count, 1);
}
