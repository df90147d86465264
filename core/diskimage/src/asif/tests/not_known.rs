//! Unknown features of an image are named and refused, neither reported as damage nor ignored.

use crate::asif::tests::damage::{CHUNK, TABLE, sound};
use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::testing::memory::MemoryStore;

/// The metadata's property list.
const LIST: usize = 2 * CHUNK + 512;

/// Where the entry of the bitmap of the disk's first chunks is.
const BITMAP: usize = TABLE + 2048 * 8;

/// The bitmap; each chunk has 16 bytes of it.
fn bitmap(bytes: &[u8]) -> usize {
    let chunk = u64::from_be_bytes(bytes[BITMAP..BITMAP + 8].try_into().unwrap());
    usize::try_from(chunk).unwrap() * CHUNK
}

/// The sound image with a change: neither opened nor called sound or damaged, but named.
#[track_caller]
fn assert_not_known(change: impl Fn(&mut Vec<u8>), named: &[&str]) {
    let mut bytes = sound();
    change(&mut bytes);
    let memory = MemoryStore::of(bytes);
    let checked = check(&mut memory.clone()).unwrap_err();
    let opened = Asif::open(Box::new(memory)).map(drop).unwrap_err();
    for error in [checked, opened] {
        assert_eq!(error.kind(), Kind::Unsupported, "{error}");
        for part in named {
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
}

#[test]
fn every_byte_of_the_header_is_a_known_field_or_refused_when_it_is_not_zero() {
    let known = [
        // Mark; directories, UUID, lengths, chunk and block size, the metadata's place.
        0x00..0x04,
        0x10..0x46,
        0x48..0x50,
    ];
    for at in (0..0x200).filter(|at| !known.iter().any(|range| range.contains(at))) {
        let named = match at {
            0x04..0x0C => "the header is of version",
            0x0C..0x10 => "flags at 0xc is ",
            0x46..0x48 => "total_segments at 0x46 is ",
            0x50..0x60 => "unknown field at 0x50 is ",
            0x60..0x64 => "read_only_flags at 0x60 is ",
            0x64..0x68 => "metadata_flags at 0x64 is ",
            0x68..0x6C => "metadata_read_only_flags at 0x68 is ",
            _ => "unknown field at 0x6c is ",
        };
        assert_not_known(|bytes| bytes[at] ^= 0x40, &[named, "not known"]);
    }
}

#[test]
fn a_layer_over_another_image_is_refused_and_its_missing_chunks_are_not_taken_for_zeros() {
    let parent = "<key>parentUUID</key><string>2B5C7A3B-1915-43C2-944D-46C6C304B3B7</string>";
    for before in ["\n\t\t<key>stable uuid", "\n\t<key>internal metadata"] {
        let add = |bytes: &mut Vec<u8>| {
            let list = String::from_utf8(bytes[LIST..LIST + 351].to_vec()).unwrap();
            let list = list.replacen(before, &format!("{parent}{before}"), 1);
            bytes[LIST..LIST + list.len()].copy_from_slice(list.as_bytes());
        };
        assert_not_known(add, &["parentUUID", "2B5C7A3B-1915-43C2-944D-46C6C304B3B7"]);
    }
}

#[test]
fn entries_that_were_never_seen_are_refused() {
    let set = |at: usize, upper: u64| {
        move |bytes: &mut Vec<u8>| {
            let entry = u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()) ^ upper;
            bytes[at..at + 8].copy_from_slice(&entry.to_be_bytes());
        }
    };
    for bit in 55..62 {
        assert_not_known(set(TABLE, 1 << bit), &["chunk 0 of the disk", "0x"]);
        assert_not_known(set(TABLE + 8 * 9, 1 << bit), &["chunk 9 of the disk"]);
        assert_not_known(set(BITMAP, 1 << bit), &["bitmap"]);
    }
    assert_not_known(set(BITMAP, 1 << 63), &["bitmap"]);
    // What was full is absent, or unmapped, and still names its chunk; what was absent names one.
    assert_not_known(set(TABLE, 1 << 62), &["chunk 0 of the disk", "0x0000000000000005"]);
    assert_not_known(set(TABLE, 3 << 62), &["chunk 0 of the disk", "0x8000000000000005"]);
    assert_not_known(set(TABLE + 8 * 9, 9), &["chunk 9 of the disk"]);
}

#[test]
fn states_of_sectors_that_were_never_seen_are_refused_by_the_check_and_when_they_are_used() {
    for state in [0b1000, 0b1100] {
        let mut bytes = sound();
        // The slice of chunk 2, which is partial.
        let slice = bitmap(&bytes) + 2 * 16;
        assert_eq!(bytes[slice], 0b0101);
        bytes[slice] = state;
        let memory = MemoryStore::of(bytes);
        let checked = check(&mut memory.clone()).unwrap_err();
        assert_eq!(checked.kind(), Kind::Unsupported, "{checked}");
        let mut disk = Asif::open(Box::new(memory)).unwrap();
        let place = 2 * CHUNK as u64;
        for done in [disk.read_at(&mut [0; 1], place), disk.write_at(&[0; 1], place)] {
            assert_eq!(done.unwrap_err().kind(), Kind::Unsupported);
        }
    }
}

#[test]
fn the_bitmap_of_chunks_that_are_not_partial_does_not_count() {
    let mut bytes = sound();
    // Chunk 0 is full, chunk 3 absent.
    let slices = bitmap(&bytes);
    bytes[slices] = 0xFF;
    bytes[slices + 3 * 16] = 0x55;
    let memory = MemoryStore::of(bytes);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut found = [9; 2];
    let mut disk = Asif::open(Box::new(memory)).unwrap();
    disk.read_at(&mut found[..1], 0).unwrap();
    disk.read_at(&mut found[1..], 3 * CHUNK as u64).unwrap();
    assert_eq!(found, [1, 0]);
}

#[test]
fn what_is_not_known_beside_damage_is_listed_with_it() {
    let mut bytes = sound();
    // Chunk 0 of the disk lies beyond the end of the file, and chunk 9 says what is not known.
    bytes[TABLE + 6] = 0xFF;
    bytes[TABLE + 8 * 9] = 0x20;
    let found = check(&mut MemoryStore::of(bytes)).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].0.contains("not known"), "{found:?}");
}
