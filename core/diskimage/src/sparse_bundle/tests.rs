//! Sparse bundles: any sequence of actions, plain and encrypted, bytes laid out by hand, and every damage named.

mod crash;
mod damage;
mod encrypted;
mod layout;

use std::fs;
use std::path::{Path, PathBuf};

use system::flush::Durability;

use super::{SparseBundle, check};
use crate::disk::{Bands, VirtualDisk};
use crate::error::Kind;
use crate::info::footprint;
use crate::store::Access;
use crate::testing::content;
use crate::testing::reference::assert_same;

const BAND: u64 = 4096;

/// A place for a bundle, and the folder that it lies in.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sparsebundle");
    (folder, path)
}

fn plain(path: &Path, len_bytes: u64, band_bytes: u64) -> SparseBundle {
    SparseBundle::create(path, len_bytes, Some(band_bytes), None).unwrap()
}

fn again(path: &Path) -> SparseBundle {
    SparseBundle::open(path, Access::Write, None).unwrap()
}

#[test]
fn a_bundle_is_not_flushed_any_more_after_a_sync_that_failed() {
    type Change = fn(&mut SparseBundle);
    let (written, removed): (Change, Change) =
        (|image| image.write_at(b"abc", 0).unwrap(), |image| image.discard(0, BAND).unwrap());
    for change in [written, removed] {
        let (_folder, path) = place();
        drop(plain(&path, BAND, BAND));
        let mut image = again(&path);
        image.write_at(b"ab", 0).unwrap();
        image.flush(Durability::Full).unwrap();
        change(&mut image);
        let failed = Err(std::io::ErrorKind::StorageFull.into());
        image.view.files.syncs.after(failed).unwrap_err();
        assert_eq!(image.flush(Durability::Full).unwrap_err().kind(), Kind::Io);
    }
}

/// A bundle of four bands with macOS's lists of what is in use of three of them.
fn with_lists(path: &Path) -> SparseBundle {
    let mut image = plain(path, 4 * BAND, BAND);
    image.write_at(&content(3, 4 * BAND), 0).unwrap();
    drop(image);
    fs::create_dir(path.join("mapped")).unwrap();
    for band in ["0", "1", "3"] {
        fs::write(path.join("mapped").join(band), [0]).unwrap();
    }
    again(path)
}

fn lists(path: &Path) -> Vec<String> {
    let names = fs::read_dir(path.join("mapped")).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn macos_s_list_of_a_band_goes_when_the_band_is_changed_or_removed() {
    let (_folder, path) = place();
    let mut image = with_lists(&path);
    image.read_at(&mut [0; 8], BAND).unwrap();
    assert_eq!(lists(&path), ["0", "1", "3"]);
    image.write_at(b"new", BAND + 7).unwrap();
    assert_eq!(lists(&path), ["0", "3"]);
    // a band without a list
    image.write_at(b"new", 2 * BAND).unwrap();
    image.discard(3 * BAND, BAND).unwrap();
    assert_eq!(lists(&path), ["0"]);
    image.discard(0, BAND / 2).unwrap();
    assert!(lists(&path).is_empty());
    image.flush(Durability::Full).unwrap();
    drop(image);
    sound(&path);
}

#[test]
fn a_band_is_not_changed_before_macos_s_list_of_it_is_gone() {
    let (_folder, path) = place();
    let mut image = with_lists(&path);
    let before = fs::read(path.join("bands/1")).unwrap();
    for (changes, left) in [(0, vec!["0", "1", "3"]), (1, vec!["0", "3"])] {
        image.view.files.fate.after = Some(changes);
        image.discard(BAND, BAND).unwrap_err();
        assert_eq!(lists(&path), left);
        assert_eq!(fs::read(path.join("bands/1")).unwrap(), before);
    }
}

fn sound(path: &Path) {
    assert_eq!(check(path, None).unwrap(), []);
}

/// Names and lengths of the files of bands.
fn bands(path: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(path.join("bands")).unwrap().map(Result::unwrap);
    let mut found: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
        .collect();
    found.sort();
    found
}

#[test]
fn what_is_discarded_is_given_back_at_once() {
    let (_folder, path) = place();
    let mut disk = plain(&path, 100 * BAND, BAND);
    disk.write_at(&[1; 40 * 4096], 0).unwrap();
    assert_eq!(disk.bands(), Some(Bands { band_bytes: BAND, count: 40 }));
    let before = footprint(&path).unwrap().allocated_bytes;
    disk.discard(100, 31 * BAND).unwrap();
    disk.discard(35 * BAND + 700, BAND - 700).unwrap();
    assert_eq!(disk.bands().unwrap().count, 10);
    assert!(footprint(&path).unwrap().allocated_bytes < before);
    let found = bands(&path);
    assert_eq!(found[0], ("0".into(), 100));
    assert_eq!(found[1], ("1f".into(), 4096));
    assert_eq!(found[5], ("23".into(), 700));
    let mut expected = vec![0; 100 * 4096];
    expected[..100].fill(1);
    expected[31 * 4096 + 100..40 * 4096].fill(1);
    expected[35 * 4096 + 700..36 * 4096].fill(0);
    assert_same(&mut disk, &expected);
}

#[test]
fn compaction_gives_back_what_is_zeros() {
    let (_folder, path) = place();
    let mut disk = plain(&path, 4 << 20, 1 << 20);
    disk.write_at(&vec![1; 4 << 20], 0).unwrap();
    disk.write_at(&vec![0; 3 << 20], 10_000).unwrap();
    disk.compact().unwrap();
    assert_eq!(bands(&path), [("0".into(), 12_288), ("3".into(), 1 << 20)]);
    let mut expected = vec![1; 4 << 20];
    expected[10_000..10_000 + (3 << 20)].fill(0);
    assert_same(&mut disk, &expected);
    drop(disk);
    sound(&path);
}

#[test]
fn an_empty_file_that_a_killed_process_left_is_sound_and_compaction_removes_it() {
    let (_folder, path) = place();
    drop(plain(&path, 5 * BAND, BAND));
    fs::write(path.join("bands/3"), b"").unwrap();
    sound(&path);
    let mut disk = again(&path);
    assert_same(&mut disk, &[0; 5 * 4096]);
    disk.compact().unwrap();
    assert_eq!(bands(&path), []);
}

#[test]
fn more_bands_than_may_be_open_are_written_and_made_to_last() {
    let (_folder, path) = place();
    let mut disk = plain(&path, 200 * BAND, BAND);
    let content = content(3, 200 * BAND);
    disk.write_at(&content, 0).unwrap();
    disk.flush(Durability::None).unwrap();
    disk.flush(Durability::Full).unwrap();
    assert_same(&mut disk, &content);
    drop(disk);
    assert_same(&mut again(&path), &content);
}

#[test]
fn a_band_that_cannot_be_opened_is_named() {
    let (_folder, path) = place();
    plain(&path, 8 * BAND, BAND).write_at(&[4; 5000], 0).unwrap();
    let mut disk = again(&path);
    fs::remove_file(path.join("bands/1")).unwrap();
    let error = disk.read_at(&mut [0; 10], BAND).unwrap_err();
    assert_eq!((error.kind(), error.part()), (Kind::Io, Some(Path::new("bands/1"))));
}

#[test]
fn a_flush_makes_the_names_of_new_bands_last_as_well() {
    let (_folder, path) = place();
    let mut disk = plain(&path, 8 * BAND, BAND);
    disk.write_at(&[4; 5000], 0).unwrap();
    // The bands are open, but where they are listed is gone.
    fs::rename(path.join("bands"), path.join("gone")).unwrap();
    assert_eq!(disk.flush(Durability::Fsync).unwrap_err().kind(), Kind::Io);
    fs::rename(path.join("gone"), path.join("bands")).unwrap();
    disk.flush(Durability::Fsync).unwrap();
}
