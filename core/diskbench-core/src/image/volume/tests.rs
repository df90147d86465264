//! Files on a real disk: exact sizes and content in every cache mode, and what happens to refusals.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;

#[cfg(target_os = "linux")]
use system::calls::Calls;
use system::flush::Durability;

use super::{FileIo, FolderVolume, Halt};
use crate::cell::{Cache, Io};
use crate::image::modes::Modes;
use crate::image::{Reached, Volume};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::transfer::Mover;
use crate::workload::FileSpec;
use crate::workload::content::Content;

const SEED: u64 = 11;

fn io(cache: Cache, durability: Durability, block_bytes: u64) -> FileIo {
    let mover = Mover::new(SEED, block_bytes, true, Meter::new(), Stop::never());
    FileIo::new(mover, Io { block_bytes, cache, durability })
}

fn file(order: u32, size_bytes: u64) -> FileSpec {
    FileSpec { round: 1, set: 1, order, size_bytes }
}

/// The expected content of a file, computed independently of the code that writes it.
fn expected(file: FileSpec) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.size_bytes).unwrap()];
    Content::new(SEED).fill(file.id(), 0, &mut bytes);
    bytes
}

/// Folders on a disk and, where there is one, in memory: both take O_DIRECT on some systems and refuse it on others.
fn folders() -> Vec<tempfile::TempDir> {
    let mut folders = vec![tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()];
    folders.extend(tempfile::tempdir_in("/dev/shm"));
    folders
}

#[test]
fn files_of_every_size_have_exactly_their_size_and_content_in_every_cache_mode() {
    const MIB: u64 = 1 << 20;
    let sizes = [1, 511, 512, 4095, 4096, 4097, 10_000, MIB - 1, MIB, MIB + 1, 2 * MIB + 4095];
    for folder in folders() {
        for cache in [Cache::None, Cache::Bypass, Cache::Drop] {
            for block in [4096, 65_536, MIB] {
                let shared = Rc::new(RefCell::new(io(cache, Durability::Fsync, block)));
                let mut volume = FolderVolume::new(folder.path().to_owned(), Rc::clone(&shared));
                let files: Vec<FileSpec> =
                    (1..).zip(sizes).map(|(order, size)| file(order, size)).collect();
                for file in &files {
                    volume.write(*file).unwrap();
                    let found = fs::read(folder.path().join(file.name())).unwrap();
                    let same = found == expected(*file);
                    assert!(same, "{} bytes, cache {cache}, block {block}", file.size_bytes);
                    // The mover checks what it reads.
                    volume.read(*file).unwrap();
                }
                volume.delete(&files).unwrap();
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            }
        }
    }
}

#[test]
fn a_file_that_lost_its_end_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut io = io(Cache::None, Durability::None, 8192);
    let path = folder.path().join("x");
    io.write(&path, file(1, 20_000)).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(15_000).unwrap();
    let error = io.read(&path, file(1, 20_000)).unwrap_err();
    assert!(
        error.line().contains("it ends at byte 15000, but 20000 bytes were written"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_there_already_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, "mine").unwrap();
    io(Cache::None, Durability::None, 4096).write(&path, file(1, 5000)).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

fn weakened(cache: Cache, durability: Durability, halt: Halt) -> Option<(Cache, Durability)> {
    let mut io = io(cache, durability, 4096);
    // Support of a system is another matter than its refusals.
    io.modes = Modes::of(Reached { durability, ..io.reached() });
    io.weakened_by(&Err(halt)).then_some((io.reached().cache, io.reached().durability))
}

#[test]
fn a_refused_mode_gives_way_to_the_next_weaker_one_and_other_errors_do_not() {
    let error = |number| io::Error::from_raw_os_error(number);
    let refused = weakened(Cache::Bypass, Durability::Fsync, Halt::Io(error(libc::EINVAL)));
    assert_eq!(refused, Some((Cache::None, Durability::Fsync)));
    let refused = weakened(Cache::Bypass, Durability::Full, Halt::Flush(error(libc::ENOTSUP)));
    assert_eq!(refused, Some((Cache::Bypass, Durability::Fsync)));
    assert_eq!(weakened(Cache::None, Durability::Full, Halt::Io(error(libc::EINVAL))), None);
    assert_eq!(weakened(Cache::Bypass, Durability::Full, Halt::Io(error(libc::ENOSPC))), None);
    assert_eq!(weakened(Cache::None, Durability::Fsync, Halt::Flush(error(libc::EINVAL))), None);
    assert_eq!(weakened(Cache::Bypass, Durability::Full, Halt::Flush(error(libc::EIO))), None);
}

#[test]
fn a_full_device_is_an_error_that_says_what_to_do() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut io = io(Cache::None, Durability::None, 4096);
    let error = super::FileTarget {
        main: fs::File::options().write(true).open(full).unwrap(),
        tail: None,
        whole: u64::MAX,
        durability: Durability::None,
        flush: system::flush::flush,
    };
    let mut target = error;
    let halt = io.mover.write(&mut target, file(1, 5000)).unwrap_err();
    let error = super::explain(crate::record::Op::Write, file(1, 5000), &halt);
    assert!(error.line().ends_with("the disk is full: free some space and run again"), "{error}");
    drop(folder);
}

#[test]
fn a_flush_reaches_the_system() {
    let flush = |durability| {
        // Syncing a pipe fails: no error means that it was not synced.
        let (_reader, writer) = io::pipe().unwrap();
        let main = fs::File::from(std::os::fd::OwnedFd::from(writer));
        let flush = system::flush::flush;
        let mut target = super::FileTarget { main, tail: None, whole: u64::MAX, durability, flush };
        super::Target::flush(&mut target)
    };
    flush(Durability::None).unwrap();
    for durability in [Durability::Fsync, Durability::Barrier, Durability::Full] {
        flush(durability).unwrap_err();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn direct_io_counts_as_cached_where_the_system_does_not_say_what_is_in_memory() {
    let unknown: fn(&fs::File, u64) -> io::Result<u64> = |_, _| Err(io::ErrorKind::Other.into());
    let nothing: fn(&fs::File, u64) -> io::Result<u64> = |_, _| Ok(0);
    for (resident_bytes, reached) in [(nothing, Cache::Bypass), (unknown, Cache::None)] {
        for reads in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x");
            let mut written = io(Cache::Bypass, Durability::Fsync, 4096);
            // Where direct I/O is refused, files are read and written without it: that is another matter.
            written.calls =
                Calls { bypassing: |options, path| options.open(path), ..Calls::MACHINE };
            written.calls.resident_bytes = nothing;
            let mut read = io(Cache::Bypass, Durability::Fsync, 4096);
            read.calls = written.calls;
            if reads { &mut read } else { &mut written }.calls.resident_bytes = resident_bytes;
            written.write(&path, file(1, 20_000)).unwrap();
            read.read(&path, file(1, 20_000)).unwrap();
            let found = if reads { read } else { written }.reached().cache;
            assert_eq!(found, reached, "reads: {reads}");
        }
    }
}

/// A folder on a disk, unless even that is memory.
#[cfg(target_os = "linux")]
fn on_disk() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let file_system = crate::host::storage(folder.path()).file_system;
    (!matches!(file_system.as_deref(), Some("tmpfs" | "ramfs"))).then_some(folder)
}

#[cfg(target_os = "linux")]
fn resident(path: &Path) -> u64 {
    let file = fs::File::open(path).unwrap();
    system::cache::resident_bytes(&file, file.metadata().unwrap().len()).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_says_fsync_is_clean_when_its_clock_stops() {
    let Some(folder) = on_disk() else { return };
    let path = folder.path().join("x");
    io(Cache::None, Durability::Fsync, 1 << 20).write(&path, file(1, 8 << 20)).unwrap();
    // Only clean pages can be dropped: unflushed data stays.
    let written = fs::File::open(&path).unwrap();
    system::cache::drop_pages(&written, 8 << 20).unwrap();
    assert_eq!(resident(&path), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_says_bypass_never_was_in_the_cache() {
    let Some(folder) = on_disk() else { return };
    let path = folder.path().join("x");
    let mut io = io(Cache::Bypass, Durability::None, 1 << 20);
    io.write(&path, file(1, 4 << 20)).unwrap();
    if io.reached().cache == Cache::Bypass {
        assert_eq!(resident(&path), 0, "after writing");
    }
    io.read(&path, file(1, 4 << 20)).unwrap();
    if io.reached().cache == Cache::Bypass {
        assert_eq!(resident(&path), 0, "after reading");
    }
}

#[test]
fn the_cache_counts_as_dropped_only_for_what_is_moved_after_a_drop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let mut io = io(Cache::Drop, Durability::None, 4096);
    io.write(&path, file(1, 5000)).unwrap();
    assert_eq!(io.reached().cache, Cache::None, "nothing has been dropped");
    io.modes.evicted(true);
    assert_eq!(io.reached().cache, Cache::None, "nothing has been moved since");
    io.read(&path, file(1, 5000)).unwrap();
    assert_eq!(io.reached().cache, Cache::Drop);
    io.modes.evicted(false);
    io.modes.evicted(true);
    io.read(&path, file(1, 5000)).unwrap();
    assert_eq!(io.reached().cache, Cache::None, "one drop that did not succeed is enough");
}
