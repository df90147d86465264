//! What the check says about images that were damaged, one thing at a time.

use system::flush::Durability;

use crate::asif::geometry::Geometry;
use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::testing::memory::MemoryStore;

/// Chunks of 32 KiB. In the file: header, the metadata's table (1), metadata (2), their bitmap (3), the disk's table
/// (4), two full chunks (5, 6), a partial one (7), their bitmap (8).
const SIZES: Geometry = Geometry {
    chunk_bytes: 32 << 10,
    sector_bytes: 512,
    sectors: 1000,
    max_sectors: (128 << 20) / 512,
};
pub(super) const CHUNK: usize = 32 << 10;
/// The directories as the writer places them; the first one holds in the end the second change.
const DIRECTORIES: [usize; 2] = [512, 1024];
pub(super) const TABLE: usize = 4 * CHUNK;

pub(super) fn sound() -> Vec<u8> {
    let memory = MemoryStore::default();
    let mut disk = Asif::create_with(Box::new(memory.clone()), SIZES).unwrap();
    disk.write_at(&vec![1; 2 * CHUNK + 700], 0).unwrap();
    disk.flush(Durability::None).unwrap();
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let bytes = memory.bytes();
    assert_eq!(bytes.len(), 9 * CHUNK);
    assert_eq!(bytes[TABLE..TABLE + 16], [0x40, 0, 0, 0, 0, 0, 0, 5, 0x40, 0, 0, 0, 0, 0, 0, 6]);
    bytes
}

#[test]
fn a_chunk_whose_entry_was_lost_is_counted() {
    let unnamed = |bytes: Vec<u8>| {
        let memory = MemoryStore::of(bytes);
        assert_eq!(check(&mut memory.clone()).unwrap(), []);
        Asif::open(Box::new(memory)).unwrap().unnamed_bands().unwrap()
    };
    let mut bytes = sound();
    assert_eq!(unnamed(bytes.clone()), 0);
    bytes[TABLE + 8..TABLE + 16].fill(0);
    assert_eq!(unnamed(bytes), 1);
}

/// What the check says when these bytes stand there; opening must refuse the same image if `refused`.
fn said(changes: &[(usize, &[u8])], refused: bool) -> Vec<String> {
    let mut bytes = sound();
    for &(at, change) in changes {
        bytes[at..at + change.len()].copy_from_slice(change);
    }
    said_of(bytes, refused)
}

fn said_of(bytes: Vec<u8>, refused: bool) -> Vec<String> {
    let memory = MemoryStore::of(bytes);
    let damages = check(&mut memory.clone()).unwrap();
    match Asif::open(Box::new(memory)) {
        Ok(_) => assert!(!refused, "{damages:?}"),
        Err(error) => {
            assert!(refused, "{error}");
            assert_eq!(error.kind(), Kind::Damaged);
        }
    }
    damages.into_iter().map(|damage| damage.0).collect()
}

#[track_caller]
fn assert_one(said: &[String], part: &str) {
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains(part) && !said[0].contains('\n'), "{said:?}");
}

#[test]
fn a_damaged_header_is_found() {
    for (at, change, part) in [
        (0, &b"SHDW"[..], "it is not an ASIF image"),
        (0x40, &[0, 0, 0, 0], "chunk size is 0"),
        (0x43, &[1], "chunk size is 32769"),
        (0x30, &[0; 8], "0 sectors"),
        (0x30, &[1], "sectors of at most"),
        (0x10, &[0; 8], "inside the header"),
        (0x10, &[0xFF; 8], "beyond the file's end"),
        (0x18, &[0, 0, 0, 0, 0, 0, 2, 8], "overlap"),
        (0x48, &[0, 0, 0, 0, 0, 0, 0, 3], "metadata are in chunk 3"),
        (0x48, &[1], "metadata are in chunk"),
    ] {
        assert_one(&said(&[(at, change)], true), part);
    }
}

#[test]
fn directories_of_which_none_holds_are_found() {
    let bytes = sound();
    let [one, other] = DIRECTORIES;
    let same = bytes[one..one + 8].to_vec();
    assert_one(&said(&[(other, &same)], true), "sequence number");
}

/// Changes the entry of the disk's table in the directory that holds.
fn with_table_in(chunk: u8) -> Vec<u8> {
    let mut bytes = sound();
    let [one, other] = DIRECTORIES;
    let active = if bytes[one..one + 8] > bytes[other..other + 8] { one } else { other };
    assert_eq!(bytes[active + 15], 4);
    bytes[active + 15] = chunk;
    bytes
}

#[test]
fn tables_in_the_wrong_place_are_found() {
    assert_one(
        &said_of(with_table_in(200), true),
        "table 0 is in chunk 200 of the file, beyond its end",
    );
    let twice = said_of(with_table_in(1), true);
    assert!(twice.iter().any(|line| line.contains("belongs to something else")), "{twice:?}");
}

#[test]
fn chunks_in_the_wrong_place_are_found() {
    for (chunk, part) in [
        (0, "belongs to something else"),
        (1, "belongs to something else"),
        (2, "belongs to something else"),
        (3, "belongs to something else"),
        (4, "belongs to something else"),
        (5, "belongs to something else"),
        (7, "belongs to something else"),
        (8, "belongs to something else"),
        (9, "chunk 1 of the disk is in chunk 9 of the file, beyond its end"),
    ] {
        assert_one(&said(&[(TABLE + 15, &[chunk])], true), part);
    }
    assert_one(&said(&[(TABLE + 9, &[0x7F])], true), "beyond its end");
}

#[test]
fn a_file_that_was_cut_off_is_found() {
    let mut bytes = sound();
    for (length, refused) in
        [(9 * CHUNK - 1, false), (8 * CHUNK + CHUNK / 2, false), (8 * CHUNK, true)]
    {
        bytes.truncate(length);
        assert_one(&said_of(bytes.clone(), refused), "the bitmap of the chunks from 0 on");
    }
    for length in [7 * CHUNK - 1, 5 * CHUNK + 1, 5 * CHUNK, 4 * CHUNK + 16_391, 1040, 511, 0] {
        bytes.truncate(length);
        let said = said_of(bytes.clone(), true);
        assert!(said.iter().all(|line| line.contains("cut off")), "{said:?}");
        assert!(!said.is_empty());
    }
}

#[test]
fn the_last_chunk_of_a_file_may_end_behind_its_last_written_sector() {
    let memory = MemoryStore::default();
    let mut disk = Asif::create_with(Box::new(memory.clone()), SIZES).unwrap();
    // Two partial chunks, of which the second is behind their bitmap.
    for chunk in [0, CHUNK as u64] {
        disk.write_at(&[1; 700], chunk).unwrap();
        disk.flush(Durability::None).unwrap();
    }
    let mut bytes = memory.bytes();
    bytes.truncate(7 * CHUNK + 1024);
    assert_eq!(said_of(bytes.clone(), false), [""; 0]);
    bytes.truncate(7 * CHUNK + 1023);
    assert_one(&said_of(bytes, false), "cut off");
}

#[test]
fn a_bitmap_that_is_cut_short_behind_what_is_needed_grows_when_more_is() {
    let mut bytes = sound();
    // The slices of chunks 0 to 2 are there.
    bytes.truncate(8 * CHUNK + 3 * 16);
    let memory = MemoryStore::of(bytes);
    let mut disk = Asif::open(Box::new(memory.clone())).unwrap();
    // A chunk in the middle of the file is free: it does not grow for the data.
    disk.discard(0, CHUNK as u64).unwrap();
    disk.flush(Durability::None).unwrap();
    disk.write_at(&[5; 512], 9 * CHUNK as u64).unwrap();
    disk.flush(Durability::None).unwrap();
    drop(disk);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut found = [9; 1024];
    Asif::open(Box::new(memory)).unwrap().read_at(&mut found, 9 * CHUNK as u64).unwrap();
    assert_eq!((&found[..512], &found[512..]), (&[5; 512][..], &[0; 512][..]));
}

#[test]
fn a_partial_chunk_without_a_bitmap_is_found() {
    assert_one(&said(&[(TABLE + 2048 * 8 + 7, &[0])], true), "there is no bitmap");
}

#[test]
fn data_beyond_the_disk_is_found() {
    // The disk has 1000 sectors: 16 chunks.
    let entry = [0x40, 0, 0, 0, 0, 0, 0, 6];
    let absent = [0; 8];
    let said = said(&[(TABLE + 8, &absent), (TABLE + 16 * 8, &entry)], true);
    assert_one(&said, "chunk 16 of the disk contains data, but is beyond the disk's end");
}

#[test]
fn metadata_that_are_missing_or_damaged_are_found() {
    let entry = CHUNK + (2047) * 8;
    assert_one(&said(&[(entry, &[0; 8])], true), "metadata are missing");
    assert_one(&said(&[(3 * CHUNK + 2047 * 16, &[0])], true), "metadata are missing");
    assert_one(&said(&[(2 * CHUNK, b"META")], true), "do not begin with `meta`");
    assert_one(&said(&[(2 * CHUNK + 0x0C, &[0xFF])], true), "which do not fit");
    assert_one(&said(&[(2 * CHUNK + 512, b"!")], true), "stable uuid");
}

#[test]
fn a_chunk_that_nothing_points_to_is_no_damage() {
    let mut bytes = sound();
    bytes.extend(vec![0xEE; 3 * CHUNK]);
    let memory = MemoryStore::of(bytes);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut disk = Asif::open(Box::new(memory.clone())).unwrap();
    disk.write_at(&[1], 10 * CHUNK as u64).unwrap();
    disk.flush(Durability::None).unwrap();
    assert_eq!(memory.bytes().len(), 12 * CHUNK, "it was free");
    let mut found = [9; 1024];
    disk.read_at(&mut found, 10 * CHUNK as u64).unwrap();
    assert_eq!((found[0], &found[1..]), (1, &[0; 1023][..]), "and what it held is not seen");
}

#[test]
fn no_byte_makes_opening_or_checking_panic() {
    let bytes = sound();
    let header = 0..0x50;
    let directories = 512..1024 + 64;
    let table = TABLE..TABLE + 64;
    let metadata = 2 * CHUNK..2 * CHUNK + 32;
    for at in header.chain(directories).chain(table).chain(metadata) {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            let memory = MemoryStore::of(bytes);
            check(&mut memory.clone()).ok();
            if let Ok(mut disk) = Asif::open(Box::new(memory)) {
                let mut start = vec![0; CHUNK.min(usize::try_from(disk.len_bytes()).unwrap())];
                disk.read_at(&mut start, 0).ok();
                disk.write_at(&start, 0).ok();
            }
        }
    }
}
