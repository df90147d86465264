//! Folders to work in: whether they can be used, and whether there is room enough.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use system::facts;

use crate::error::{Error, Result, plain};
use crate::exit_code::ExitCode;
use crate::host;
use crate::interrupt::Stop;
use crate::program::tools;
use crate::units;

/// Space that must stay free for the file system's metadata: 1 / this of the files.
const MARGIN_FRACTION: u64 = 20;

/// And this much in any case, in bytes, for logs, records and everybody else: 256 MB.
const LEAST_MARGIN: u64 = 256_000_000;

/// What must be free for a record, in bytes: 20 MB, what one of 100,000 files takes.
pub(crate) const FOR_A_RECORD: u64 = 20_000_000;

/// APFS frees the blocks of large deleted files after the call, in several transactions of its own (Apple File System
/// Reference, "Reaper"), and a cell follows the deletion of the last image at once. Time without any progress until the
/// free space is taken for final.
const FREED_LATE: Duration = Duration::from_secs(20);

/// The folder that is made, and removed again, to see whether anything can be. Each run has the same, so that one that
/// could not be removed is by the next run.
const PROBE: &str = ".diskbench-probe";

/// What must be free so that this many bytes of files can be written.
pub(crate) const fn with_margin(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / MARGIN_FRACTION).saturating_add(LEAST_MARGIN)
}

/// Makes sure that a folder is there.
///
/// # Errors
/// Exit code 4.
pub(crate) fn existing_folder(folder: &Path) -> Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::folder(format!(
            "{} is not a folder: choose a folder to work in",
            folder.display()
        ))),
        Err(error) => Err(Error::folder(format!(
            "cannot use {}: {}; create the folder or choose another one",
            folder.display(),
            plain(&error)
        ))),
    }
}

/// Checks that a folder exists and is writable by writing: permissions and flags are not sufficient, especially for
/// root.
///
/// # Errors
/// Exit code 3 when the disk is full, else 4.
pub(crate) fn usable_folder(folder: &Path) -> Result<()> {
    existing_folder(folder)?;
    let probe = folder.join(PROBE);
    // Another run may check the same folder now: an existing or vanishing probe file is its.
    let removed = || ignoring(io::ErrorKind::NotFound, fs::remove_dir(&probe));
    let made = || match fs::create_dir(&probe) {
        // The folder was there a moment ago: /proc and its like have room for nothing of ours.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::folder(format!(
            "cannot create files in {}: choose another folder",
            folder.display()
        ))),
        other => ignoring(io::ErrorKind::AlreadyExists, other).map_err(unwritable(folder)),
    };
    // First remove a leftover of a killed run.
    removed().map_err(unwritable(folder))?;
    made()?;
    removed().map_err(unwritable(folder))
}

fn unwritable(folder: &Path) -> impl Fn(io::Error) -> Error {
    move |error| Error::unwritable(folder, &error)
}

fn ignoring(kind: io::ErrorKind, result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == kind { Ok(()) } else { Err(error) })
}

/// Free bytes in a folder.
///
/// # Errors
/// Exit code 4 when the file system cannot be asked.
pub(crate) fn free_bytes(folder: &Path) -> Result<u64> {
    facts::space(folder)
        .map(|space| space.free_bytes)
        .map_err(|error| Error::unwritable(folder, &error))
}

/// Makes sure that this much is free.
///
/// # Errors
/// Exit code 3.
pub(crate) fn require(folder: &Path, needed_bytes: u64) -> Result<()> {
    let free = free_bytes(folder)?;
    if free >= needed_bytes {
        return Ok(());
    }
    let kept = if host::has_snapshots(folder) {
        " (snapshots of Time Machine keep the space of deleted images)"
    } else {
        ""
    };
    Err(Error::new(
        ExitCode::NoSpace,
        format!(
            "{} has {} free, but {} are needed{kept}: free some space, choose another folder or a smaller scale",
            folder.display(),
            units::gigabytes(free),
            units::gigabytes(needed_bytes)
        ),
    ))
}

/// The same, but on a Mac waits while the space of what was deleted before comes back.
///
/// # Errors
/// Exit code 3, or 130 when stopped while waiting.
pub(crate) fn require_soon(folder: &Path, needed_bytes: u64, stop: &Stop) -> Result<()> {
    if tools::are_of_macos() {
        let patience = tools::limit(FREED_LATE).as_secs();
        wait_while_it_grows(needed_bytes, patience, || free_bytes(folder), || stop.wait(1))?;
    }
    require(folder, needed_bytes)
}

/// Looks once a second, until this much is free or no more was freed for so many seconds.
fn wait_while_it_grows(
    needed_bytes: u64,
    patience_seconds: u64,
    free_bytes: impl Fn() -> Result<u64>,
    wait_a_second: impl Fn() -> Result<()>,
) -> Result<()> {
    let (mut most, mut idle_seconds) = (free_bytes()?, 0);
    while most < needed_bytes && idle_seconds < patience_seconds {
        wait_a_second()?;
        let now = free_bytes()?;
        idle_seconds = if now > most { 0 } else { idle_seconds + 1 };
        most = now.max(most);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{PROBE, require, usable_folder, wait_while_it_grows, with_margin};
    use crate::error::Error;
    use crate::exit_code::ExitCode;
    use std::cell::Cell;
    use std::fs;

    #[test]
    fn the_margin_is_a_twentieth_and_256_mb() {
        assert_eq!(with_margin(0), 256_000_000);
        assert_eq!(with_margin(53_300_000_000), 56_221_000_000);
        assert_eq!(with_margin(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_probe_that_a_run_could_not_remove_goes_with_the_next() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(PROBE)).unwrap();
        usable_folder(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn space_that_is_freed_late_is_waited_for_while_more_comes() {
        // Free bytes at each look, and how many looks it takes.
        let looks = |free: &[u64]| {
            let looks = Cell::new(0);
            let look = || {
                let place = looks.replace(looks.get() + 1);
                Ok(free[place.min(free.len() - 1)])
            };
            wait_while_it_grows(100, 3, look, || Ok(())).unwrap();
            looks.get()
        };
        assert_eq!(looks(&[100]), 1, "enough");
        assert_eq!(looks(&[10, 10, 40, 40, 40, 90, 120]), 7, "in the end");
        assert_eq!(looks(&[10]), 1 + 3, "nothing comes");
        assert_eq!(looks(&[10, 40, 20, 40, 40]), 2 + 3, "no more than there was");
        let stopped = wait_while_it_grows(100, 3, || Ok(1), || Err(Error::interrupted()));
        assert_eq!(stopped.unwrap_err().exit(), ExitCode::Interrupted);
    }

    #[test]
    fn too_little_space_is_refused_with_both_amounts() {
        let folder = tempfile::tempdir().unwrap();
        require(folder.path(), 1).unwrap();
        let error = require(folder.path(), u64::MAX).unwrap_err();
        assert_eq!(error.exit(), ExitCode::NoSpace);
        assert!(error.line().contains("18446744073.70 GB are needed: free some space"), "{error}");
    }
}
