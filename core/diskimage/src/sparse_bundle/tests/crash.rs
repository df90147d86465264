//! The process is killed at every change of a file, or the disk is full just once: the bundle stays sound, and what was
//! flushed stays intact.

use std::ops::Range;
use std::path::Path;

use system::flush::Durability;

use super::{BAND, place};
use crate::disk::{DiskImage, VirtualDisk};
use crate::error::Result;
use crate::sparse_bundle::tests::encrypted;
use crate::sparse_bundle::{SparseBundle, check};
use crate::testing::content;
use crate::testing::reference::assert_same;

const LEN: u64 = 40 * BAND + 512;

#[derive(Debug, Clone, Copy)]
enum Act {
    Write(u64, u64, u8),
    Discard(u64, u64),
    Flush,
    Compact,
}
use Act::{Compact, Discard, Flush, Write};

/// Bands that come, grow, are cut, punched and removed.
const SCRIPT: &[Act] = &[
    Write(0, 3 * BAND + 700, 1),
    Write(20 * BAND + 1000, 9, 2),
    Flush,
    Write(20 * BAND + 3000, 5 * BAND, 3),
    Discard(BAND + 1000, 1000),
    Discard(2 * BAND, 4 * BAND),
    Flush,
    Write(2 * BAND + 2000, 300, 4),
    Write(BAND + 900, 200, 5),
    Discard(20 * BAND, BAND + 3),
    Discard(23 * BAND + 5, BAND - 5),
    Write(23 * BAND + 4000, 50, 6),
    Write(40 * BAND + 100, 400, 7),
    Flush,
    Write(BAND, 2 * BAND, 0),
    Write(22 * BAND + 1, BAND - 2, 0),
    Flush,
    Compact,
    Write(BAND + 10, 10, 8),
    Discard(0, LEN),
    Write(30 * BAND, BAND, 9),
    Flush,
];

struct Kind {
    create: fn(&Path, u64, u64) -> SparseBundle,
    open: fn(&Path) -> SparseBundle,
    encrypted: bool,
}

const KINDS: [Kind; 2] = [
    Kind { create: super::plain, open: super::again, encrypted: false },
    Kind { create: encrypted::create, open: encrypted::again, encrypted: true },
];

fn range(offset: u64, length: u64) -> Range<usize> {
    usize::try_from(offset).unwrap()..usize::try_from(offset + length).unwrap()
}

/// Carries it out on the disk and, however that ends, on the row of bytes.
fn act(disk: &mut SparseBundle, now: &mut [u8], act: Act) -> Result<()> {
    match act {
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

fn assert_sound(path: &Path, kind: &Kind, when: u64) {
    assert_eq!(
        check(path, kind.encrypted.then(|| encrypted::keys_of(path))).unwrap(),
        [],
        "after {when} changes"
    );
}

#[test]
fn killed_at_any_change_it_stays_sound_and_keeps_what_was_flushed() {
    for kind in &KINDS {
        for killed_after in 0.. {
            let (_folder, path) = place();
            let mut disk = (kind.create)(&path, LEN, BAND);
            disk.view.files.fate.after = Some(killed_after);
            let mut now = vec![0; usize::try_from(LEN).unwrap()];
            let mut flushed = now.clone();
            let mut touched = vec![false; now.len()];
            let ended = SCRIPT.iter().find_map(|&step| {
                if let Write(offset, length, _) | Discard(offset, length) = step {
                    touched[range(offset, length)].fill(true);
                }
                if let Err(error) = act(&mut disk, &mut now, step) {
                    return Some(error);
                }
                if matches!(step, Flush | Compact) {
                    flushed.clone_from(&now);
                    touched.fill(false);
                }
                None
            });
            drop(disk);
            assert_sound(&path, kind, killed_after);
            let mut disk = (kind.open)(&path);
            let mut found = vec![0xa5; now.len()];
            disk.read_at(&mut found, 0).unwrap();
            let differs = (0..found.len()).find(|&at| !touched[at] && found[at] != flushed[at]);
            assert_eq!(differs, None, "killed after {killed_after} changes");
            // And it can be used on.
            disk.compact().unwrap();
            assert_same(&mut disk, &found);
            if ended.is_none() {
                assert!(killed_after > 40, "{killed_after} changes are too few for this script");
                break;
            }
        }
    }
}

#[test]
fn a_disk_that_is_full_for_a_while_leaves_nothing_that_shows_later() {
    for kind in &KINDS {
        for fails_after in 0.. {
            let (_folder, path) = place();
            let mut disk = (kind.create)(&path, LEN, BAND);
            disk.view.files.fate.after = Some(fails_after);
            disk.view.files.fate.once = true;
            let mut now = vec![0; usize::try_from(LEN).unwrap()];
            for &step in SCRIPT {
                if act(&mut disk, &mut now, step).is_ok() {
                    continue;
                }
                // What was to be written is given up, as the volume does; all else is tried again.
                let again = match step {
                    Write(offset, length, _) => Discard(offset, length),
                    other => other,
                };
                act(&mut disk, &mut now, again).unwrap();
                assert_same(&mut disk, &now);
            }
            let over = disk.view.files.fate.after.is_some();
            assert_same(&mut disk, &now);
            drop(disk);
            assert_sound(&path, kind, fails_after);
            assert_same(&mut (kind.open)(&path), &now);
            if over {
                break;
            }
        }
    }
}
