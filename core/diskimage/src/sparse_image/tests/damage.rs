//! Each kind of damage is named.

use system::flush::Durability;

use super::{BAND, again, bytes_at, image, sound};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::sparse_image::{LARGEST_BAND, SparseImage, check};
use crate::store::Store;
use crate::testing::memory::MemoryStore;

/// An image of one node and three bands of five.
fn small() -> Vec<u8> {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 5 * BAND, BAND);
    for band in [0, 3, 1_u8] {
        disk.write_at(&[band + 1; 4096], u64::from(band) * BAND).unwrap();
    }
    disk.flush(Durability::None).unwrap();
    memory.bytes()
}

/// An image of two nodes.
fn large() -> Vec<u8> {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 1100 * BAND, BAND);
    disk.write_at(&vec![1; 1100 * 4096], 0).unwrap();
    disk.flush(Durability::None).unwrap();
    memory.bytes()
}

#[test]
fn a_band_whose_id_was_lost_is_counted() {
    let mut bytes = small();
    let unnamed = |bytes: &[u8]| {
        let memory = MemoryStore::of(bytes);
        assert_eq!(check(&mut memory.clone()).unwrap(), []);
        SparseImage::open(Box::new(memory)).unwrap().unnamed_bands().unwrap()
    };
    assert_eq!(unnamed(&bytes), 0);
    // The ids of the first and of the last slot.
    for (count, slot) in [(1, 0), (2, 2)] {
        bytes[64 + 4 * slot..][..4].fill(0);
        assert_eq!(unnamed(&bytes), count);
    }
    // The node that was the next one.
    let mut bytes = large();
    bytes[20..28].fill(0);
    assert_eq!(unnamed(&bytes), 1100 - 1008 + 1, "its slots, and the node itself");
}

const SECOND: usize = 4096 + 1008 * 4096;

#[track_caller]
fn damaged(bytes: Vec<u8>, expected: &str) {
    let memory = MemoryStore::of(bytes);
    let found = check(&mut memory.clone()).unwrap();
    assert!(found.len() == 1 && found[0].0.contains(expected), "{found:?}");
    let refused = SparseImage::open(Box::new(memory)).map(|_| ()).unwrap_err();
    assert_eq!(refused.kind(), Kind::Damaged);
}

#[track_caller]
fn changed(mut bytes: Vec<u8>, at: usize, by: &[u8], expected: &str) {
    bytes[at..at + by.len()].copy_from_slice(by);
    damaged(bytes, expected);
}

#[test]
fn every_damage_is_named() {
    sound(&MemoryStore::of(small()));
    sound(&MemoryStore::of(large()));
    changed(small(), 0, b"sprz", "does not begin with sprs");
    changed(small(), 7, &[4], "version 4");
    changed(small(), 8, &[0; 4], "bands of 0 sectors");
    changed(small(), 8, &[0xff; 4], "bands of 4294967295 sectors");
    changed(small(), 16, &[0; 20], "a disk of 0 sectors");
    changed(small(), 28, &[0x7f], "a disk of 9151314442816847912 sectors");
    changed(small(), 19, &[41], "41 and 40");
    // 2^35 sectors in bands of 8; see below.
    let many = &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0];
    changed(small(), 16, many, "has 4294967296 bands of 8 sectors, more than there are ids");
    changed(small(), 67, &[6], "contains band 5, but the disk ends with band 4");
    changed(small(), 71, &[1], "band 0 occurs twice: at 4096 and at 8192");
    changed(small(), 79, &[5], "the slot at 16384 (band 4) reaches beyond the file's end at 16384");
    changed(small(), 20, &[0, 0, 0, 0, 0, 0, 0x10, 0], "states 4096 as the next one");
    changed(small(), 20, &[0, 0, 0, 0, 1, 0, 0, 0], "reaches beyond the file's end");
    changed(small(), 20, &[0xff; 8], "reaches beyond the file's end");
    let mut overlapping = small();
    overlapping[12_288..12_300].copy_from_slice(b"sprs\0\0\0\x01\0\0\0\x01");
    overlapping[12_300..].fill(0);
    let next = &[0, 0, 0, 0, 0, 0, 0x30, 0];
    changed(overlapping, 20, next, "slot 2 of the index node at 0 reaches into the next node");
    changed(large(), SECOND, b"S", "does not begin with sprs");
    changed(large(), SECOND + 12, &[0, 0, 0, 0, 0, 0, 0x10, 0], "states 4096 as the next one");
    for cut in [0, 3, 4095] {
        damaged(small()[..cut].to_vec(), "reaches beyond the file's end");
    }
    damaged(small()[..4096 * 3 + 4095].to_vec(), "the file was cut short");
    damaged(large()[..SECOND + 4095].to_vec(), "reaches beyond the file's end");
}

#[test]
fn content_behind_the_end_of_the_disk_is_damage() {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 2 * BAND + 512, BAND);
    disk.write_at(&[1; 512], 2 * BAND).unwrap();
    disk.flush(Durability::None).unwrap();
    // One slot: 512 bytes of the disk, and nothing behind them.
    let bytes = memory.bytes();
    assert_eq!(bytes.len(), 2 * 4096);
    sound(&MemoryStore::of(bytes.clone()));
    for place in [4096 + 512, 2 * 4096 - 1] {
        changed(bytes.clone(), place, &[1], "beyond the disk's end, in its last 3584 bytes");
    }
}

#[test]
fn as_many_bands_as_there_are_ids_are_sound_and_the_last_one_can_be_used() {
    let mut bytes = small();
    bytes[16..36].copy_from_slice(&[
        0xff, 0xff, 0xff, 0xf8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xf8,
    ]);
    let memory = MemoryStore::of(bytes);
    let mut disk = SparseImage::open(Box::new(memory.clone())).unwrap();
    let last = disk.len_bytes() - 3;
    disk.write_at(b"end", last).unwrap();
    disk.flush(Durability::None).unwrap();
    drop(disk);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut found = [0; 3];
    SparseImage::open(Box::new(memory)).unwrap().read_at(&mut found, last).unwrap();
    assert_eq!(&found, b"end");
}

#[test]
fn what_a_killed_process_leaves_at_the_end_is_no_damage_and_is_used_again() {
    let mut bytes = small();
    bytes.resize(bytes.len() + 5000, 0xee);
    let memory = MemoryStore::of(bytes);
    sound(&memory);
    let mut disk = again(&memory);
    disk.write_at(&[9; 100], 4 * BAND + 50).unwrap();
    let mut expected = vec![0; 4096];
    expected[50..150].fill(9);
    assert!(bytes_at(&mut disk, 4 * BAND, 4096) == expected);
    disk.flush(Durability::None).unwrap();
    assert!(memory.bytes()[4096 * 4..4096 * 5] == expected);
    sound(&memory);
}

#[test]
fn a_band_that_is_there_twice_with_one_content_is_sound_and_stays_so() {
    let mut bytes = small();
    bytes.extend([1; 4096]);
    bytes[79] = 1;
    let memory = MemoryStore::of(bytes);
    sound(&memory);
    for allowed in 0..4 {
        let memory = MemoryStore::of(memory.bytes());
        let mut disk = again(&memory);
        assert_eq!(bytes_at(&mut disk, 0, 4096), [1; 4096]);
        memory.die_after(allowed);
        if disk.write_at(&[7; 9], 0).is_ok() && disk.flush(Durability::None).is_ok() {
            assert_eq!(bytes_at(&mut again(&memory), 0, 9), [7; 9]);
        }
        sound(&memory);
    }
}

#[test]
fn what_it_costs_to_check_and_compact_goes_by_data_and_not_by_length() {
    // Two bands of 8 GiB with a byte in each, and the second once more, in a third slot.
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 2 * LARGEST_BAND, LARGEST_BAND);
    disk.write_at(&[1], LARGEST_BAND / 2).unwrap();
    disk.write_at(&[2], LARGEST_BAND + LARGEST_BAND / 2).unwrap();
    disk.flush(Durability::None).unwrap();
    drop(disk);
    let third = 4096 + 2 * LARGEST_BAND;
    memory.clone().set_len(third + LARGEST_BAND).unwrap();
    memory.put(&[2], third + LARGEST_BAND / 2);
    memory.put(&2_u32.to_be_bytes(), 64 + 2 * 4);
    sound(&memory);
    again(&memory).compact().unwrap();
    sound(&memory);
    assert!(memory.read_bytes() < 16 << 20, "{} bytes were read", memory.read_bytes());
}

#[test]
fn what_is_missing_of_a_file_that_was_cut_short_is_no_hole() {
    let memory = MemoryStore::of(small());
    memory.clone().set_len(4096 + BAND).unwrap();
    let mut disk = SparseImage::open_around(Box::new(memory), &mut |_| Ok(())).unwrap();
    // Bands 3 and 1 were written behind the first one.
    for band in [1, 3] {
        let data = disk.next_data(band * BAND).unwrap().unwrap();
        assert_eq!(data.start, band * BAND);
        assert_eq!(disk.read_at(&mut [0; 9], band * BAND).unwrap_err().kind(), Kind::Damaged);
    }
}
