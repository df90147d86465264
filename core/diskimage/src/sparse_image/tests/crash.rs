//! The process is killed at every single write: the image stays sound, and what was flushed stays intact.

use system::flush::Durability;

use super::check;
use crate::disk::VirtualDisk;
use crate::sparse_image::SparseImage;
use crate::testing::content;
use crate::testing::crash::{Crash, failing};
use crate::testing::memory::MemoryStore;
use crate::testing::reference::Act::{self, Compact, Discard, Flush, Write};
use crate::testing::reference::Windows;

/// Smaller bands than any that is made, so that a run is short.
pub(super) const BAND: u64 = 512;

pub(super) const LEN: u64 = 3000 * BAND;

/// An image whose header node is almost full.
pub(super) fn start() -> Vec<u8> {
    let mut header = b"sprs\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\0\x0b\xb8".to_vec();
    header.resize(34, 0);
    header.extend([0x0b, 0xb8]);
    header.resize(4096, 0);
    let memory = MemoryStore::of(header);
    let mut disk = open(&memory);
    disk.write_at(&content(9, 1000 * BAND), 0).unwrap();
    disk.flush(Durability::None).unwrap();
    memory.bytes()
}

/// Goes on to a second node, frees slots in both, uses them again, compacts across the border and within a node.
pub(super) const ACTS: &[Act] = &[
    Write(1000 * BAND + 100, 3 * BAND, 1),
    Flush,
    Write(1002 * BAND, 10 * BAND, 2),
    Flush,
    Write(1500 * BAND, 12 * BAND, 3),
    Flush,
    // Slots in both nodes are freed, and bands named in one node move to the other.
    Discard(10 * BAND, 4 * BAND),
    Discard(1501 * BAND, 3 * BAND),
    Write(11 * BAND + 7, 2 * BAND, 4),
    Write(1502 * BAND + 9, 100, 5),
    Discard(1150 * BAND + 100, 3 * BAND),
    Flush,
    Discard(1504 * BAND + 7, BAND),
    Write(1600 * BAND + 50, 6 * BAND, 6),
    Discard(1600 * BAND, BAND),
    Write(1600 * BAND + 300, 10, 7),
    Flush,
    Discard(300 * BAND, 9 * BAND),
    Write(50 * BAND, BAND, 0),
    Discard(1506 * BAND, 2 * BAND),
    Flush,
    // A band named in the second node moves to the first one, which is written before.
    Discard(1508 * BAND, BAND),
    Write(1508 * BAND + 5, 100, 8),
    Flush,
    Compact,
    Write(2400 * BAND, 12 * BAND, 9),
    Discard(0, 8 * BAND + 100),
    Flush,
    Discard(900 * BAND, 1498 * BAND),
    Compact,
    Write(3, 5, 1),
    Flush,
];

fn open(memory: &MemoryStore) -> SparseImage {
    SparseImage::open(Box::new(memory.clone())).unwrap()
}

fn survives(is_noisy: bool) {
    let image = start();
    let windows = Windows { starts: &[0], len_bytes: LEN };
    let mut start = content(9, 1000 * BAND);
    start.resize(windows.zeros().len(), 0);
    Crash {
        windows,
        start,
        acts: ACTS,
        afterwards: &[Compact],
        least_changes: 60,
        begin: &|changes, is_killed| {
            let memory = MemoryStore::of(&image);
            let memory = if is_noisy { memory.with_noisy_holes() } else { memory };
            let memory = failing(memory, changes, is_killed);
            let disk = open(&memory);
            (memory, disk)
        },
        damage: &|memory| {
            memory.revive();
            check(&mut memory.clone()).unwrap()
        },
        open: &open,
    }
    .assert_survived();
}

#[test]
fn killed_or_full_at_any_write_it_stays_sound_and_keeps_what_was_flushed() {
    survives(false);
}

#[test]
fn so_it_does_where_holes_are_noise() {
    survives(true);
}

#[test]
fn each_step_of_a_compaction_lasts_before_the_next_one_relies_on_it() {
    let memory = MemoryStore::of(start());
    let mut disk = open(&memory);
    disk.write_at(&content(1, 40 * BAND), 1000 * BAND).unwrap();
    disk.flush(Durability::Fsync).unwrap();
    disk.discard(10 * BAND, 4 * BAND).unwrap();
    memory.flushes();
    disk.flush(Durability::Fsync).unwrap();
    let of_a_flush = memory.flushes().len();
    disk.compact().unwrap();
    // What was written before; bands of zeros without slots; then the copies of bands, the nodes that name them, the node
    // that named them before, and the new length.
    assert_eq!(memory.flushes(), vec![Durability::Full; 2 * of_a_flush + 4]);
}
