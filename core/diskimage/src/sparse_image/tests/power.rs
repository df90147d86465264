//! The power fails between any two changes of the file: flushed data is intact, and the image is sound.

use crate::crypt::{Container, KeySize};
use crate::disk::VirtualDisk;
use crate::sparse_image::tests::{BAND, crash};
use crate::sparse_image::{SparseImage, check};
use crate::store::Store;
use crate::testing::memory::MemoryStore;
use crate::testing::power::{Image, PowerCuts};
use crate::testing::reference::Act::{self, Discard, Flush, Write};
use crate::testing::reference::{Reference, Windows};
use crate::testing::{content, key};

const LEN: u64 = 100 * BAND;

const WINDOWS: Windows = Windows { starts: &[0], len_bytes: LEN };

fn cuts(windows: Windows) -> PowerCuts<SparseImage> {
    PowerCuts {
        windows,
        open: |store| SparseImage::open(Box::new(store)),
        check: |mut store| check(&mut store).unwrap(),
    }
}

/// A new image after these acts.
fn made(acts: &[Act]) -> Image {
    let memory = MemoryStore::default();
    drop(SparseImage::create(Box::new(memory.clone()), LEN, Some(BAND)).unwrap());
    cuts(WINDOWS).after((memory.bytes(), WINDOWS.zeros()), acts)
}

fn survives(image: Image, acts: &[Act]) {
    let len_bytes = image.1.len() as u64;
    cuts(Windows { starts: &[0], len_bytes }).assert_survived(image, acts);
}

#[test]
fn a_band_that_was_discarded_does_not_come_back_in_another_one() {
    let before = made(&[Write(0, 3 * BAND, 1), Flush, Discard(BAND, BAND)]);
    survives(before, &[Write(10 * BAND + 100, 50, 2), Flush]);
}

#[test]
fn a_slot_that_was_punched_when_it_was_freed_is_named_with_one_flush() {
    let (memory, inner) = (MemoryStore::default(), MemoryStore::default());
    let key = key(KeySize::Aes128, "x");
    let container = Container::create(Box::new(inner.clone()), &key).unwrap();
    let plain: Box<dyn Store> = Box::new(memory.clone());
    for (memory, store) in [(memory, plain), (inner, Box::new(container))] {
        let mut disk = SparseImage::create(store, LEN, Some(4 * BAND)).unwrap();
        let mut reference = Reference::of(WINDOWS, WINDOWS.zeros());
        for act in [Write(0, 12 * BAND, 1), Flush, Discard(4 * BAND, 4 * BAND), Flush] {
            reference.carry_out(&mut disk, act).unwrap();
        }
        memory.flushes();
        disk.write_at(&content(2, BAND), 40 * BAND).unwrap();
        disk.make_last().unwrap();
        assert_eq!(memory.flushes().len(), 1);
    }
}

#[test]
fn a_slot_is_named_when_the_file_reaches_so_far() {
    survives(made(&[Write(0, BAND, 1)]), &[Write(3 * BAND, 3 * BAND, 2), Flush]);
}

#[test]
fn the_second_slot_of_a_band_is_given_away_only_when_the_disk_no_longer_names_it() {
    let (mut image, mut start) = made(&[Write(0, 2 * BAND, 1)]);
    // The second slot becomes one of the first band, too: its id in the header, and its content.
    image.copy_within(64..68, 68);
    image.copy_within(4096..8192, 8192);
    start[4096..8192].fill(0);
    survives((image, start), &[Write(5 * BAND, BAND, 3), Flush]);
}

#[test]
fn at_any_moment_of_a_longer_use_it_stays_sound_and_keeps_what_was_flushed() {
    let mut start = content(9, 1000 * crash::BAND);
    start.resize(3000 * 512, 0);
    survives((crash::start(), start), crash::ACTS);
}
