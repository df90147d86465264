//! The process is killed at every single write: the image stays sound, and what was flushed stays intact.

use system::flush::Durability;

use super::check;
use crate::disk::{DiskImage, VirtualDisk};
use crate::error::Result;
use crate::sparse_image::SparseImage;
use crate::testing::content;
use crate::testing::memory::MemoryStore;
use crate::testing::reference::assert_same;

enum Act {
    Write(u64, u64, u8),
    Discard(u64, u64),
    Flush,
    Compact,
}
use Act::{Compact, Discard, Flush, Write};

/// Smaller bands than any that is made, so that a run is short.
const BAND: u64 = 512;

const LEN: u64 = 3000 * BAND;

/// An image whose header node is almost full.
fn start() -> Vec<u8> {
    let mut header = b"sprs\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\0\x0b\xb8".to_vec();
    header.resize(34, 0);
    header.extend([0x0b, 0xb8]);
    header.resize(4096, 0);
    let memory = MemoryStore::of(header);
    let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
    disk.write_at(&content(9, 1000 * BAND), 0).unwrap();
    disk.flush(Durability::None).unwrap();
    memory.bytes()
}

/// Goes on to a second node, frees slots in both, uses them again, compacts across the border and within a node.
fn script() -> Vec<Act> {
    vec![
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
    ]
}

/// Carries it out on the disk and, however that ends, on the row of bytes.
fn carry_out(disk: &mut SparseImage, now: &mut [u8], act: &Act) -> Result<()> {
    let range = |offset: u64, length: u64| {
        usize::try_from(offset).unwrap()..usize::try_from(offset + length).unwrap()
    };
    match *act {
        Write(offset, length, seed) => {
            let bytes = content(seed, length);
            now[range(offset, length)].copy_from_slice(&bytes);
            disk.write_at(&bytes, offset)
        }
        Discard(offset, length) => {
            now[range(offset, length)].fill(0);
            disk.discard(offset, length)
        }
        Flush => disk.flush(Durability::Fsync),
        Compact => disk.compact(),
    }
}

/// Runs the script until the store dies. Gives every state that the disk was in since the last flush: what is found
/// afterwards must be one of them at each byte. Bytes that were not touched since have one only.
fn run(memory: &MemoryStore) -> (Vec<Vec<u8>>, Result<()>) {
    let mut now = content(9, 1000 * BAND);
    now.resize(usize::try_from(LEN).unwrap(), 0);
    let mut states = vec![now.clone()];
    let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
    for act in script() {
        let done = carry_out(&mut disk, &mut now, &act);
        if done.is_ok() && matches!(act, Flush | Compact) {
            states.clear();
        }
        states.push(now.clone());
        if done.is_err() {
            return (states, done);
        }
    }
    (states, Ok(()))
}

fn killed_at_every_write(noisy: bool) {
    let start = start();
    let mut deaths = 0;
    loop {
        let memory = MemoryStore::of(start.clone());
        let memory = if noisy { memory.with_noisy_holes() } else { memory };
        memory.die_after(deaths);
        let (states, done) = run(&memory);
        let mut left = MemoryStore::of(memory.bytes());
        assert_eq!(check(&mut left).unwrap(), [], "killed after {deaths} changes");
        let mut disk = SparseImage::open(Box::new(left.clone())).unwrap();
        let mut found = vec![0xa5; usize::try_from(LEN).unwrap()];
        disk.read_at(&mut found, 0).unwrap();
        let differs = (found.iter().enumerate())
            .find(|(n, byte)| states.iter().all(|state| state[*n] != **byte));
        assert_eq!(differs, None, "killed after {deaths} changes");
        // And it can be used on: nothing that was there changes when everything is compacted.
        disk.compact().unwrap();
        assert_eq!(check(&mut left).unwrap(), [], "compacted after {deaths} changes");
        assert_same(&mut disk, &found);
        if done.is_ok() {
            break;
        }
        deaths += 1;
    }
    assert!(deaths > 60, "{deaths} deaths are too few for this script");
}

#[test]
fn killed_at_any_write_it_stays_sound_and_keeps_what_was_flushed() {
    killed_at_every_write(false);
}

#[test]
fn so_it_does_where_holes_are_noise() {
    killed_at_every_write(true);
}

#[test]
fn a_new_node_lasts_before_the_node_that_leads_to_it() {
    let memory = MemoryStore::of(start());
    let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
    let mut flushes_after = |band: u64| {
        memory.flushes();
        disk.write_at(&content(1, BAND), band * BAND).unwrap();
        disk.flush(Durability::Fsync).unwrap();
        memory.flushes().len()
    };
    let (in_the_first, room) = (flushes_after(1000), 1001..1100);
    let flushes: Vec<usize> = room.map(flushes_after).collect();
    // Once, when the first node is full, and never again.
    assert_eq!(flushes.iter().filter(|count| **count == in_the_first + 1).count(), 1);
    assert_eq!(flushes.iter().filter(|count| **count == in_the_first).count(), flushes.len() - 1);
}

#[test]
fn each_step_of_a_compaction_lasts_before_the_next_one_relies_on_it() {
    let memory = MemoryStore::of(start());
    let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
    disk.write_at(&content(1, 40 * BAND), 1000 * BAND).unwrap();
    disk.flush(Durability::Fsync).unwrap();
    disk.discard(10 * BAND, 4 * BAND).unwrap();
    memory.flushes();
    disk.flush(Durability::Fsync).unwrap();
    let of_a_flush = memory.flushes().len();
    disk.compact().unwrap();
    // What was written before; bands of zeros without slots; then the copies of bands, the nodes that name them, the node
    // that named them before, and the new length.
    assert_eq!(memory.flushes(), vec![Durability::Fsync; 2 * of_a_flush + 4]);
}

#[test]
fn a_disk_that_is_full_for_a_while_spoils_nothing_but_what_was_being_written() {
    let start = start();
    for noisy in [false, true] {
        for fails_after in 0.. {
            let memory = MemoryStore::of(start.clone());
            let memory = if noisy { memory.with_noisy_holes() } else { memory };
            memory.fail_once_after(fails_after);
            let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
            let mut now = content(9, 1000 * BAND);
            now.resize(usize::try_from(LEN).unwrap(), 0);
            for act in script() {
                if carry_out(&mut disk, &mut now, &act).is_ok() {
                    continue;
                }
                // What was to be written is given up, as the volume does; all else is tried again.
                let again = match act {
                    Write(offset, length, _) => Discard(offset, length),
                    other => other,
                };
                carry_out(&mut disk, &mut now, &again).unwrap();
                assert_same(&mut disk, &now);
            }
            assert_same(&mut disk, &now);
            drop(disk);
            assert_eq!(check(&mut memory.clone()).unwrap(), [], "failed after {fails_after}");
            let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
            assert_same(&mut disk, &now);
            if memory.changes() <= fails_after {
                break;
            }
        }
    }
}
