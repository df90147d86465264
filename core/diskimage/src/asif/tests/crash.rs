//! The process is killed at each change of the file: flushed data is intact, and the image can still be used.

use crate::asif::geometry::Geometry;
use crate::asif::tests::open;
use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::testing::crash::{Crash, failing};
use crate::testing::memory::MemoryStore;
use crate::testing::reference::Act::{self, Compact, Discard, Flush, Write};
use crate::testing::reference::Windows;

/// Chunks of 32 KiB: a table has one group, and stands for 64 MiB. Four tables; the metadata are in the last one.
pub(super) const SIZES: Geometry = Geometry {
    chunk_bytes: CHUNK,
    sector_bytes: 512,
    sectors: (160 << 20) / 512 + 3,
    max_sectors: (256 << 20) / 512,
};
pub(super) const CHUNK: u64 = 32 << 10;
const TABLE: u64 = 64 << 20;
/// Checked: this many bytes from the start of each of three tables.
const WINDOW: u64 = 8 * CHUNK;

pub(super) const WINDOWS: Windows = Windows { starts: &[0, TABLE, 2 * TABLE], len_bytes: WINDOW };

/// Partial and full chunks, new tables and bitmaps, chunks that are given back and used again, and a compaction.
pub(super) const ACTS: &[Act] = &[
    Write(700, 5 * CHUNK, 1),
    Write(2 * TABLE + 6 * CHUNK, CHUNK, 14),
    Flush,
    Write(TABLE + 1024, 512, 2),
    Write(TABLE + 2 * CHUNK, 2 * CHUNK, 3),
    Discard(CHUNK, 2 * CHUNK),
    Write(CHUNK + 4096, 4096, 4),
    Flush,
    Write(2 * CHUNK, CHUNK, 5),
    Discard(3 * CHUNK + 100, 9000),
    Discard(TABLE + 2 * CHUNK, CHUNK / 2),
    Flush,
    Write(CHUNK, 4096, 6),
    Write(CHUNK + 8192, CHUNK - 8192, 7),
    Write(2 * TABLE + 5, 3, 8),
    // Chunks of a later table are given back; an earlier table, which is written first, must not get them yet.
    Discard(TABLE, 4 * CHUNK),
    Write(6 * CHUNK, 2 * CHUNK, 15),
    Write(TABLE + 3 * CHUNK + 513, CHUNK, 9),
    Flush,
    Write(3 * CHUNK, 3 * CHUNK, 10),
    Discard(0, CHUNK),
    Discard(2 * TABLE, WINDOW),
    Write(2 * TABLE + 3 * CHUNK, 3 * CHUNK + 1, 11),
    Write(TABLE, 2 * CHUNK, 0),
    Write(512, 1024, 12),
    Flush,
    // Room at the front: a table, bitmaps and data have to move.
    Discard(0, 7 * CHUNK),
    Discard(TABLE, 4 * CHUNK),
    Discard(2 * TABLE, WINDOW),
    Write(CHUNK, 100, 13),
    Write(TABLE + 5 * CHUNK, 700, 16),
    Write(TABLE + 6 * CHUNK, CHUNK, 0),
    Flush,
    Compact,
    Write(0, CHUNK, 17),
    Flush,
];

pub(super) fn created() -> Vec<u8> {
    let memory = MemoryStore::default();
    Asif::create_with(Box::new(memory.clone()), SIZES).unwrap();
    memory.bytes()
}

#[test]
fn killed_or_full_at_any_change_it_stays_sound_and_keeps_what_was_flushed() {
    let image = created();
    Crash {
        windows: WINDOWS,
        start: WINDOWS.zeros(),
        acts: ACTS,
        afterwards: ACTS,
        least_changes: 60,
        begin: &|changes, is_killed| {
            let memory = failing(MemoryStore::of(&image), changes, is_killed);
            let disk = open(&memory);
            (memory, disk)
        },
        damage: &|memory| {
            memory.revive();
            let damage = check(&mut memory.clone()).unwrap();
            if damage.is_empty() {
                assert_nothing_is_left_over(&MemoryStore::of(memory.bytes()));
            }
            damage
        },
        open: &open,
    }
    .assert_survived();
}

/// A compaction frees every chunk that no table names, including those that a killed compaction left.
fn assert_nothing_is_left_over(memory: &MemoryStore) {
    open(memory).compact().unwrap();
    let disk = open(memory);
    let end = disk.chunks.used().max(disk.fixed_end);
    assert_eq!(memory.bytes().len() as u64, end * CHUNK);
}

#[test]
fn a_process_that_is_killed_while_it_makes_an_image_leaves_none_or_a_whole_one() {
    for killed_at in 0.. {
        let memory = MemoryStore::default();
        memory.die_after(killed_at);
        let made = Asif::create_with(Box::new(memory.clone()), SIZES).map(drop);
        let bytes = memory.bytes();
        assert_eq!(bytes.starts_with(b"shdw"), made.is_ok(), "killed at change {killed_at}");
        if made.is_ok() {
            assert_eq!(check(&mut MemoryStore::of(bytes)).unwrap(), []);
            assert!(killed_at > 5, "making changes the file often enough: {killed_at}");
            return;
        }
    }
}
