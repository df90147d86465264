//! The process is killed at each change of the file: what was flushed is there, and the image goes on working.

use std::ops::Range;

use system::flush::Durability;

use crate::asif::geometry::Geometry;
use crate::asif::tests::open;
use crate::asif::{Asif, check};
use crate::disk::{DiskImage, VirtualDisk};
use crate::error::Result;
use crate::testing::content;
use crate::testing::memory::MemoryStore;

/// Chunks of 32 KiB: a table has one group, and stands for 64 MiB. Four tables; the metadata are in the last one.
const SIZES: Geometry = Geometry {
    chunk_bytes: CHUNK,
    sector_bytes: 512,
    sectors: (160 << 20) / 512 + 3,
    max_sectors: (256 << 20) / 512,
};
const CHUNK: u64 = 32 << 10;
const TABLE: u64 = 64 << 20;
/// What is looked at: so many bytes from the start of each of three tables.
const WINDOW: u64 = 8 * CHUNK;

#[derive(Debug, Clone, Copy)]
enum Step {
    Write(u64, u64, u8),
    Discard(u64, u64),
    Flush,
}
use Step::{Discard, Flush, Write};

/// Partial and full chunks, new tables and bitmaps, chunks that are given back and used again.
const SCRIPT: &[Step] = &[
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
];

/// What the windows must hold.
#[derive(Clone)]
struct Model {
    now: Vec<u8>,
    flushed: Vec<u8>,
    touched: Vec<bool>,
}

impl Model {
    fn new() -> Self {
        let size = usize::try_from(3 * WINDOW).unwrap();
        Self { now: vec![0; size], flushed: vec![0; size], touched: vec![false; size] }
    }

    fn place(offset: u64, length: u64) -> Range<usize> {
        let (window, at) = (offset / TABLE, offset % TABLE);
        assert!(window < 3 && at + length <= WINDOW);
        let start = usize::try_from(window * WINDOW + at).unwrap();
        start..start + usize::try_from(length).unwrap()
    }

    /// Carries a step out on the disk and here. Before it is known how it ends, what it touches counts as touched.
    fn step(&mut self, disk: &mut Asif, step: Step) -> Result<()> {
        match step {
            Write(offset, length, seed) => {
                let bytes = content(seed, length);
                self.touched[Self::place(offset, length)].fill(true);
                self.now[Self::place(offset, length)].copy_from_slice(&bytes);
                disk.write_at(&bytes, offset)
            }
            Discard(offset, length) => {
                self.touched[Self::place(offset, length)].fill(true);
                self.now[Self::place(offset, length)].fill(0);
                disk.discard(offset, length)
            }
            Flush => {
                disk.flush(Durability::None)?;
                self.flushed.clone_from(&self.now);
                self.touched.fill(false);
                Ok(())
            }
        }
    }

    fn assert_flushed_is_there(&self, disk: &mut Asif, when: u64) {
        let found = windows(disk);
        let differs =
            (0..found.len()).find(|&at| !self.touched[at] && found[at] != self.flushed[at]);
        assert_eq!(differs, None, "killed at change {when}");
    }
}

fn windows(disk: &mut Asif) -> Vec<u8> {
    let mut found = vec![0xA5; usize::try_from(3 * WINDOW).unwrap()];
    for (window, part) in (0..).zip(found.chunks_exact_mut(usize::try_from(WINDOW).unwrap())) {
        disk.read_at(part, window * TABLE).unwrap();
    }
    found
}

fn created() -> Vec<u8> {
    let memory = MemoryStore::default();
    Asif::create_with(Box::new(memory.clone()), SIZES).unwrap();
    memory.bytes()
}

fn run(disk: &mut Asif, model: &mut Model) -> Result<()> {
    SCRIPT.iter().try_for_each(|&step| model.step(disk, step))
}

/// What is left when the process is killed: the bytes alone.
fn left_by(memory: &MemoryStore) -> MemoryStore {
    let left = MemoryStore::of(memory.bytes());
    assert_eq!(check(&mut left.clone()).unwrap(), []);
    left
}

#[test]
fn a_process_that_is_killed_at_any_change_leaves_what_was_flushed() {
    let start = created();
    for killed_at in 0.. {
        let memory = MemoryStore::of(start.clone());
        let mut disk = open(&memory);
        let mut model = Model::new();
        memory.die_after(killed_at);
        let end = run(&mut disk, &mut model);
        drop(disk);
        let left = left_by(&memory);
        let mut disk = open(&left);
        model.assert_flushed_is_there(&mut disk, killed_at);
        // What was touched is whatever it is now, and stays so when work goes on.
        model.now = windows(&mut disk);
        run(&mut disk, &mut model).unwrap();
        assert!(windows(&mut disk) == model.now, "killed at change {killed_at}");
        drop(disk);
        assert!(windows(&mut open(&left_by(&left))) == model.now, "killed at change {killed_at}");
        if end.is_ok() {
            assert!(killed_at > 60, "the script changes the file often enough: {killed_at}");
            return;
        }
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_spoils_nothing_but_what_was_being_written() {
    let start = created();
    for fails_after in 0.. {
        let memory = MemoryStore::of(start.clone());
        let mut disk = open(&memory);
        let mut model = Model::new();
        memory.fail_once_after(fails_after);
        for &step in SCRIPT {
            if model.step(&mut disk, step).is_ok() {
                continue;
            }
            // What was to be written is given up, as the volume does; all else is tried again.
            let again = match step {
                Write(offset, length, _) => Discard(offset, length),
                other => other,
            };
            model.step(&mut disk, again).unwrap();
        }
        assert!(windows(&mut disk) == model.now, "failed at change {fails_after}");
        drop(disk);
        assert!(windows(&mut open(&left_by(&memory))) == model.now, "at change {fails_after}");
        if memory.changes() <= fails_after {
            return;
        }
    }
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
            left_by(&memory);
            assert!(killed_at > 5, "making changes the file often enough: {killed_at}");
            return;
        }
    }
}

#[test]
fn a_process_that_is_killed_while_it_compacts_leaves_everything() {
    let memory = MemoryStore::of(created());
    let mut disk = open(&memory);
    let mut model = Model::new();
    for step in [
        Write(0, WINDOW, 1),
        Write(TABLE + 100, 3 * CHUNK, 2),
        Flush,
        Write(2 * TABLE, CHUNK, 3),
        Write(2 * TABLE + 3 * CHUNK, 700, 4),
        Write(TABLE + 6 * CHUNK, CHUNK, 0),
        // Room at the front: tables, bitmaps and data have to move.
        Discard(0, 7 * CHUNK),
        Write(CHUNK, 100, 5),
        Flush,
    ] {
        model.step(&mut disk, step).unwrap();
    }
    let tables = disk.directory.places();
    drop(disk);
    let start = memory.bytes();
    for killed_at in 0.. {
        let memory = MemoryStore::of(start.clone());
        let mut disk = open(&memory);
        memory.die_after(killed_at);
        let end = disk.compact();
        drop(disk);
        let left = left_by(&memory);
        let mut disk = open(&left);
        assert!(windows(&mut disk) == model.now, "killed at change {killed_at}");
        disk.compact().unwrap();
        assert!(windows(&mut disk) == model.now, "killed at change {killed_at}");
        // Header, four tables, metadata, and bitmaps of all four; data as below.
        let data = disk.bands().unwrap().count;
        let in_use = 1 + 4 + 1 + 4 + data;
        assert_eq!(left.bytes().len() as u64, in_use * CHUNK, "killed at change {killed_at}");
        if end.is_ok() {
            assert!(killed_at > 12, "compaction changes the file often enough: {killed_at}");
            assert!(start.len() > left.bytes().len());
            assert_ne!(disk.directory.places(), tables, "a table has moved");
            return;
        }
    }
}

#[test]
fn dropping_a_disk_without_a_flush_loses_only_what_was_not_flushed() {
    let memory = MemoryStore::of(created());
    let mut disk = open(&memory);
    disk.write_at(&[1; 100], 0).unwrap();
    disk.flush(Durability::None).unwrap();
    disk.write_at(&[2; 100], TABLE).unwrap();
    drop(disk);
    let mut found = [9; 100];
    let mut disk = open(&left_by(&memory));
    disk.read_at(&mut found, 0).unwrap();
    assert_eq!(found, [1; 100]);
    disk.read_at(&mut found, TABLE).unwrap();
    assert_eq!(found, [0; 100]);
}

#[test]
fn a_chunk_that_was_given_back_is_nobody_elses_before_the_flush() {
    let memory = MemoryStore::of(created());
    let mut disk = open(&memory);
    let size = usize::try_from(CHUNK).unwrap();
    disk.write_at(&vec![1; size], 0).unwrap();
    disk.write_at(&vec![2; 2 * size], TABLE).unwrap();
    disk.flush(Durability::None).unwrap();
    let length = memory.bytes().len();
    disk.discard(TABLE, 2 * CHUNK).unwrap();
    disk.write_at(&vec![3; 2 * size], CHUNK).unwrap();
    assert_eq!(memory.bytes().len(), length + 2 * size);
    disk.flush(Durability::None).unwrap();
    disk.write_at(&vec![4; 2 * size], 3 * CHUNK).unwrap();
    assert_eq!(memory.bytes().len(), length + 2 * size);
}
