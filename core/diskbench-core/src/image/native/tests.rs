//! The effect of a detach on cached files, and its note.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;

use system::cache;
use system::calls::Calls;
use system::flush::Durability;

use super::{Native, facts_of};
use crate::cell::{Cache, Cell, Io};
use crate::exit_code::ExitCode;
use crate::image::ImageDriver;
use crate::image::folder::ImageFolder;
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::record::Storage;
use crate::testing::cell;
use crate::transfer::Mover;
use crate::workload::FileSpec;

const FILE: FileSpec = FileSpec { round: 1, set: 1, order: 1, size_bytes: 8 << 20 };

/// A driver of an image in this folder.
fn driver(work: &Path, cache: Cache) -> (Native, Rc<RefCell<ImageFolder>>) {
    stopped_by(Stop::never(), work, cache)
}

/// The same, which this flag stops.
fn stopped_by(stop: Stop, work: &Path, cache: Cache) -> (Native, Rc<RefCell<ImageFolder>>) {
    // Not flushed by writing: the detach has to see to that.
    let io = Io { cache, durability: Durability::None, ..cell().io };
    let cell = Cell { io, ..cell() };
    let folder = Rc::new(RefCell::new(ImageFolder::of(&cell, work)));
    let mover = Mover::new(1, 1 << 20, false, Meter::new(), Stop::never());
    (Native::new(&cell, Rc::clone(&folder), mover, stop), folder)
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
    let file_system = crate::host::storage(work.path()).file_system;
    let in_memory_only = matches!(file_system.as_deref(), Some("tmpfs" | "ramfs"));
    if cfg!(target_os = "linux") && !in_memory_only {
        assert!(done.value && note.contains("the cache of 1 files was dropped"), "{note}");
    }
    assert_eq!(done.value, resident() <= FILE.size_bytes / 100, "{note}");
    // A drop without later reads is not effective.
    assert_eq!(native.reached().cache, Cache::None);
    native.attach().unwrap().value.read(FILE).unwrap();
    assert_eq!(native.reached().cache == Cache::Drop, done.value);
}

#[test]
fn what_stays_in_memory_is_a_share_of_what_a_file_takes_on_the_disk() {
    let work = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let (mut native, folder) = driver(work.path(), Cache::Drop);
    let mut volume = native.create().unwrap().value;
    volume.write(FileSpec { size_bytes: 8192, ..FILE }).unwrap();
    // All of its blocks stay; of its length that would be less than a hundredth.
    let mut native = native.calling(Calls { resident_bytes: |_, _| Ok(8192), ..Calls::MACHINE });
    let file = folder.borrow().files().join(FILE.name());
    File::options().write(true).open(file).unwrap().set_len(1 << 20).unwrap();
    let done = native.detach(volume).unwrap();
    let note = done.note.unwrap();
    assert!(!done.value && note.contains("8192 of 8192 bytes stayed in memory"), "{note}");
}

#[test]
fn a_cancellation_is_heard_before_the_next_file_leaves_memory() {
    let work = tempfile::tempdir().unwrap();
    let stop = Stop::never();
    let (mut native, _folder) = stopped_by(stop.clone(), work.path(), Cache::Drop);
    let mut volume = native.create().unwrap().value;
    volume.write(FileSpec { size_bytes: 4096, ..FILE }).unwrap();
    stop.request();
    assert_eq!(native.detach(volume).unwrap_err().exit(), ExitCode::Interrupted);
}

#[test]
fn no_two_files_are_alike_however_many_there_are() {
    // Enough files for equal positions in the content: they must differ by their number.
    const FILES: u32 = 1000;
    let work = tempfile::tempdir().unwrap();
    let (mut native, folder) = driver(work.path(), Cache::None);
    let mut volume = native.create().unwrap().value;
    let mut contents = HashSet::new();
    for order in 1..=FILES {
        let file = FileSpec { order, size_bytes: 4096, ..FILE };
        volume.write(file).unwrap();
        let place = folder.borrow().files().join(file.name());
        assert!(contents.insert(fs::read(place).unwrap()), "file {order} is like another one");
    }
}

#[test]
fn the_allocated_size_is_what_the_disk_gives_and_not_the_length_of_the_files() {
    let work = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let (mut native, folder) = driver(work.path(), Cache::None);
    let mut volume = native.create().unwrap().value;
    let empty = native.sizes().unwrap();
    // That of the folder itself, from `stat`.
    assert_eq!(
        empty.allocated_bytes,
        512 * fs::metadata(folder.borrow().files()).unwrap().blocks()
    );
    // A file of one hole uses no space, whatever its length; one byte uses a block of the disk.
    let place = folder.borrow().files().join(FILE.name());
    File::create(&place).unwrap().set_len(64 << 20).unwrap();
    let hole = native.sizes().unwrap();
    assert_eq!(hole.apparent_bytes, 67_108_864);
    assert!(hole.allocated_bytes < 1 << 20, "{hole:?}");
    fs::remove_file(place).unwrap();
    volume.write(FileSpec { size_bytes: 1, ..FILE }).unwrap();
    native.detach(volume).unwrap();
    let one = native.sizes().unwrap();
    assert_eq!(one.apparent_bytes, 1);
    assert!(one.allocated_bytes >= empty.allocated_bytes + 512, "{empty:?} {one:?}");
}

#[test]
fn a_folder_is_what_the_system_says_of_its_disk() {
    let of = |bus: Option<&str>, encryption: Option<&str>| {
        let storage = Storage {
            bus: bus.map(str::to_owned),
            encryption: encryption.map(str::to_owned),
            file_system: Some("apfs".into()),
            ..Storage::default()
        };
        let facts = facts_of(&storage);
        assert_eq!(facts.file_system.as_deref(), Some("apfs"));
        (facts.on_image, facts.encrypted)
    };
    assert_eq!(of(Some("Apple Fabric"), Some("FileVault")), (Some(false), Some(true)));
    assert_eq!(of(Some("Disk Image"), Some("none")), (Some(true), Some(false)));
    assert_eq!(of(Some("loop"), None), (None, None));
    assert_eq!(of(Some("virtio"), Some("LUKS")), (Some(false), None));
    // A bus of disks and images decides nothing.
    assert_eq!(of(Some("Virtual Interface"), None), (None, None));
    assert_eq!(of(None, None), (None, None));
}

#[test]
#[cfg(target_os = "linux")]
fn the_file_system_is_that_of_the_folder_and_not_of_another_one() {
    for place in [env!("CARGO_MANIFEST_DIR"), "/dev/shm"] {
        let Ok(work) = tempfile::tempdir_in(place) else { continue };
        // `df` of coreutils asks the system by itself.
        let df = std::process::Command::new("df").arg("--output=fstype").arg(work.path()).output();
        let df = String::from_utf8(df.unwrap().stdout).unwrap();
        let (mut native, _folder) = driver(work.path(), Cache::None);
        let _volume = native.create().unwrap().value;
        let found = native.effective().unwrap().file_system;
        assert_eq!(found.as_deref(), df.lines().nth(1).map(str::trim), "{place}");
    }
}

#[test]
fn a_folder_that_was_removed_is_an_error_and_not_a_size_of_nothing() {
    let work = tempfile::tempdir().unwrap();
    let (mut native, folder) = driver(work.path(), Cache::None);
    let _volume = native.create().unwrap().value;
    fs::remove_dir_all(folder.borrow().files()).unwrap();
    let error = native.sizes().unwrap_err();
    assert!(error.line().contains("measuring the folder"), "{}", error.line());
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
