//! The power fails between any two changes of the file: flushed data is intact, and the image is sound.

use crate::asif::tests::crash::{ACTS, CHUNK, WINDOWS, created};
use crate::asif::{Asif, check};
use crate::testing::memory::MemoryStore;
use crate::testing::power::PowerCuts;
use crate::testing::reference::Act::{self, Compact, Discard, Flush, Write};
use crate::testing::reference::Windows;

fn survives(before: &[Act], acts: &[Act]) {
    survives_in(WINDOWS, created(), before, acts);
}

fn survives_in(windows: Windows, image: Vec<u8>, before: &[Act], acts: &[Act]) {
    let image = (image, windows.zeros());
    let cuts = PowerCuts {
        windows,
        open: |store| Asif::open(Box::new(store)),
        check: |mut store| check(&mut store).unwrap(),
    };
    cuts.assert_survived(cuts.after(image, before), acts);
}

#[test]
fn what_a_compaction_moves_is_whole_before_a_table_names_its_new_place() {
    let before = [Write(0, 7 * CHUNK, 1), Flush, Discard(0, 3 * CHUNK), Write(5 * CHUNK, CHUNK, 0)];
    survives(&before, &[Compact]);
}

#[test]
fn the_bitmap_of_a_chunk_that_loses_a_part_lasts_before_the_table_relies_on_it() {
    let before = [Write(0, 4096, 1), Flush, Write(4096, CHUNK - 4096, 2), Flush];
    survives(&before, &[Discard(CHUNK / 2, 4096), Flush]);
}

#[test]
fn so_it_does_where_the_slices_before_it_have_to_leave_memory() {
    const MIB: u64 = 1 << 20;
    let memory = MemoryStore::default();
    drop(Asif::create(Box::new(memory.clone()), 4 * MIB).unwrap());
    let whole = [Write(0, 4096, 1), Flush, Write(4096, MIB - 4096, 2)];
    let before = [&whole[..], &[Write(MIB, 512, 3), Write(2 * MIB, 512, 4)]].concat();
    let windows = Windows { starts: &[0], len_bytes: 4 * MIB };
    // Two slices of 512 bytes are as many as are held here.
    let acts = [Write(MIB, 10, 5), Write(2 * MIB, 10, 6), Discard(MIB / 2, 4096), Flush];
    survives_in(windows, memory.bytes(), &before, &acts);
}

#[test]
fn a_new_bitmap_is_named_before_a_chunk_needs_it() {
    let before = [Write(0, 4 * CHUNK, 1), Flush, Discard(2 * CHUNK, 2 * CHUNK)];
    survives(&before, &[Write(3 * CHUNK, 100, 2), Flush]);
}

#[test]
fn a_chunk_is_named_when_the_file_reaches_so_far() {
    survives(&[Write(0, CHUNK, 1)], &[Write(3 * CHUNK, 3 * CHUNK, 2), Flush]);
}

#[test]
fn at_any_moment_of_a_longer_use_it_stays_sound_and_keeps_what_was_flushed() {
    survives(&[], ACTS);
    survives(ACTS, &[Compact]);
}
