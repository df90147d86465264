//! What a detach really does to the files in memory, and what is said about it.

use super::Native;
use crate::cell::{Cache, Durability};
use crate::image::ImageDriver;
use crate::image::folder::ImageFolder;
use crate::image::marker::Marker;
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::platform::cache;
use crate::testing::cell;
use crate::transfer::Mover;
use crate::workload::FileSpec;
use std::cell::RefCell;
use std::fs::{self, File};
use std::path::Path;
use std::rc::Rc;

const FILE: FileSpec = FileSpec { round: 1, set: 1, order: 1, size_bytes: 8 << 20 };

/// A driver of an image in this folder.
fn driver(work: &Path, cache: Cache) -> (Native, Rc<RefCell<ImageFolder>>) {
    let cell = cell();
    let folder = Rc::new(RefCell::new(ImageFolder::of(&cell, work)));
    let mover = Mover::new(1, 1 << 20, false, Meter::new(), Stop::never());
    let marker = Marker::new(&cell, "fresh").unwrap();
    // Not flushed by writing: the detach has to see to that.
    let native =
        Native::new(Rc::clone(&folder), marker, mover, cache, Durability::None, Stop::never());
    (native, folder)
}

#[test]
fn what_a_detach_says_to_be_cold_has_left_memory() {
    // Beside the sources, since the folder for temporary files is often in memory itself.
    let work = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let (mut native, folder) = driver(work.path(), Cache::Drop);
    let mut volume = native.create().unwrap().value;
    volume.write(FILE).unwrap();
    let file = File::open(folder.borrow().files().join(FILE.name())).unwrap();
    let resident = || cache::resident_bytes(&file, FILE.size_bytes).unwrap();
    assert!(resident() > FILE.size_bytes / 2, "{} bytes", resident());
    let done = native.detach(volume).unwrap();
    let note = done.note.unwrap();
    let in_memory_only =
        matches!(crate::host::file_system(work.path()).as_deref(), Some("tmpfs" | "ramfs"));
    if cfg!(target_os = "linux") && !in_memory_only {
        assert!(done.value && note.contains("the cache of 1 files was dropped"), "{note}");
    }
    assert_eq!(done.value, resident() <= FILE.size_bytes / 100, "{note}");
    // A drop that nothing was read after is no way of reading.
    assert_eq!(native.reached().cache, Cache::None);
    native.attach().unwrap().value.read(FILE).unwrap();
    assert_eq!(native.reached().cache == Cache::Drop, done.value);
}

#[test]
fn sizes_are_those_of_the_files_and_not_of_what_the_finder_leaves() {
    let work = tempfile::tempdir().unwrap();
    let (mut native, folder) = driver(work.path(), Cache::None);
    native.create().unwrap().value.write(FileSpec { size_bytes: 5000, ..FILE }).unwrap();
    fs::write(folder.borrow().files().join(".DS_Store"), vec![1; 100_000]).unwrap();
    let sizes = native.sizes().unwrap();
    assert_eq!(sizes.apparent_bytes, 5000);
    assert!(sizes.allocated_bytes < 100_000, "{sizes:?}");
}
