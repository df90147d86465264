//! Sparse images: any sequence of actions, bytes laid out by hand, and the process killed at every write.

mod crash;
mod damage;
mod layout;
mod power;

use system::flush::Durability;

use super::{SparseImage, check};
use crate::crypt::{Container, HEADER, KeySize};
use crate::disk::{Bands, VirtualDisk};
use crate::testing::memory::MemoryStore;
use crate::testing::reference::assert_same;
use crate::testing::{content, key};

const BAND: u64 = 4096;

fn image(memory: &MemoryStore, len_bytes: u64, band_bytes: u64) -> SparseImage {
    SparseImage::create(Box::new(memory.clone()), len_bytes, Some(band_bytes)).unwrap()
}

fn again(memory: &MemoryStore) -> SparseImage {
    SparseImage::open(Box::new(memory.clone())).unwrap()
}

fn sound(memory: &MemoryStore) {
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
}

fn bytes_at(disk: &mut SparseImage, offset: u64, length: usize) -> Vec<u8> {
    let mut found = vec![0xa5; length];
    disk.read_at(&mut found, offset).unwrap();
    found
}

#[test]
fn a_slot_that_was_freed_is_used_again_after_a_flush_and_not_before() {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 100 * BAND, BAND);
    disk.write_at(&content(1, 2 * BAND), 0).unwrap();
    disk.flush(Durability::None).unwrap();
    disk.discard(0, BAND).unwrap();
    disk.write_at(&[2; 512], 10 * BAND).unwrap();
    assert_eq!(
        memory.bytes().len(),
        4096 * 4,
        "a third slot, as the first is still named in the file"
    );
    disk.flush(Durability::None).unwrap();
    disk.write_at(&[3; 100], 20 * BAND + 1000).unwrap();
    assert_eq!(memory.bytes().len(), 4096 * 4, "the first slot");
    let mut expected = vec![0; 4096];
    expected[1000..1100].fill(3);
    assert!(bytes_at(&mut disk, 20 * BAND, 4096) == expected, "nothing of the first band shows");
    disk.flush(Durability::None).unwrap();
    assert!(memory.bytes()[4096..8192] == expected, "nor is it left in the file");
    assert_eq!(disk.bands(), Some(Bands { band_bytes: BAND, count: 3 }));
    sound(&memory);
}

#[test]
fn what_is_noise_to_others_is_written_as_zeros_in_every_slot() {
    let memory = MemoryStore::default();
    let container = Container::create(Box::new(memory.clone()), &key(KeySize::Aes128, "x"));
    let mut disk =
        SparseImage::create(Box::new(container.unwrap()), 2000 * BAND, Some(BAND)).unwrap();
    // A block of ciphertext that is zeros was never written.
    let assert_written = || {
        let payload = memory.bytes().split_off(HEADER);
        assert_eq!(payload.chunks(512).position(|block| *block == [0; 512]), None);
    };
    for (offset, length) in
        [(100, 1000), (9 * BAND + 3000, 200), (9 * BAND + 512, 3), (50 * BAND, 5000)]
    {
        disk.write_at(&content(7, length), offset).unwrap();
    }
    disk.discard(50 * BAND + 4000, 200).unwrap();
    disk.flush(Durability::None).unwrap();
    assert_written();
    disk.discard(9 * BAND, BAND).unwrap();
    disk.flush(Durability::None).unwrap();
    // A thousand more, into a second node, each but begun.
    for band in 100..1200 {
        disk.write_at(&[1; 10], band * BAND + 20).unwrap();
    }
    disk.flush(Durability::None).unwrap();
    assert_written();
}

#[test]
fn compaction_gives_back_what_was_discarded_and_what_is_zeros() {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 3000 * BAND, BAND);
    let content = content(5, 2500 * BAND);
    disk.write_at(&content, 0).unwrap();
    disk.flush(Durability::None).unwrap();
    // Header and 1008 slots, node and 1010 slots, node and 482 slots.
    assert_eq!(memory.bytes().len() as u64, 4096 * 3 + 2500 * BAND);
    disk.discard(100 * BAND, 2390 * BAND).unwrap();
    disk.write_at(&[0; 4096], 5 * BAND).unwrap();
    disk.compact().unwrap();
    assert_eq!(disk.bands(), Some(Bands { band_bytes: BAND, count: 109 }));
    assert_eq!(memory.bytes().len() as u64, 4096 + 109 * BAND);
    sound(&memory);
    let mut expected = content;
    expected.resize(3000 * 4096, 0);
    expected[100 * 4096..2490 * 4096].fill(0);
    expected[5 * 4096..6 * 4096].fill(0);
    assert_same(&mut disk, &expected);
    drop(disk);
    assert_same(&mut again(&memory), &expected);
}

#[test]
fn an_image_that_is_empty_again_is_its_header() {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 3000 * BAND, BAND);
    let new = memory.bytes();
    disk.write_at(&content(5, 2500 * BAND), 0).unwrap();
    disk.discard(0, 3000 * BAND).unwrap();
    disk.compact().unwrap();
    assert!(memory.bytes() == new);
}

#[test]
fn sequential_writing_costs_one_write_and_one_new_length_for_each_band() {
    let memory = MemoryStore::default();
    let mut disk = image(&memory, 100 << 20, 1 << 20);
    let (block, before) = (content(1, 1 << 20), memory.changes());
    for n in 0..50 {
        disk.write_at(&block, n << 20).unwrap();
    }
    assert_eq!(memory.changes() - before, 100);
}
