//! The process is killed at every change of a file, or the disk is full just once: the bundle stays sound, and what was
//! flushed stays intact.

use std::fs;
use std::path::Path;

use super::{BAND, place};
use crate::disk::VirtualDisk;
use crate::sparse_bundle::tests::encrypted;
use crate::sparse_bundle::{SparseBundle, check};
use crate::testing::crash::Crash;
use crate::testing::reference::Act::{self, Compact, Discard, Flush, Write};
use crate::testing::reference::Windows;

const LEN: u64 = 40 * BAND + 512;

/// Bands that come, grow, are cut, punched and removed.
const ACTS: &[Act] = &[
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

#[test]
fn killed_or_full_at_any_change_it_stays_sound_and_keeps_what_was_flushed() {
    for kind in &KINDS {
        let windows = Windows { starts: &[0], len_bytes: LEN };
        Crash {
            start: windows.zeros(),
            windows,
            acts: ACTS,
            afterwards: &[Compact],
            least_changes: 40,
            begin: &|changes, is_killed| {
                let (folder, path) = place();
                let mut disk = (kind.create)(&path, LEN, BAND);
                disk.view.files.fate.after = Some(changes);
                disk.view.files.fate.once = !is_killed;
                ((folder, path), disk)
            },
            damage: &|(_, path)| {
                check(path, kind.encrypted.then(|| encrypted::keys_of(path))).unwrap()
            },
            open: &|(_, path)| (kind.open)(path),
        }
        .assert_survived();
    }
}

#[test]
fn a_band_whose_first_write_failed_is_one_of_its_files() {
    let (_folder, path) = place();
    let mut disk = super::plain(&path, LEN, BAND);
    disk.view.files.fate.after = Some(0);
    disk.view.files.fate.once = true;
    disk.write_at(&[1; 1024], 0).unwrap_err();
    assert_eq!(fs::read_dir(path.join("bands")).unwrap().count(), 1);
    assert_eq!(disk.view.files.count(), 1);
}
