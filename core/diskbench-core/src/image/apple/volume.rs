//! The volume of an attached image: its folder of files, and the marks that keep the system away from it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use system::facts;

use crate::error::{Error, Result};
use crate::image::contents::FILES;
use crate::image::state_file::MarkedFile;

/// At the root of a volume, this file disables Spotlight.
const NO_INDEX: &str = ".metadata_never_index";

/// In this folder at the root of a volume, this file disables the log of `fseventsd`.
const EVENT_LOG: &str = ".fseventsd";
const NO_LOG: &str = "no_log";

/// The mounted volume. Its files are in a folder on it: if the volume disappears, so does the folder, and writing fails
/// instead of going to the disk below.
pub(super) struct Mount<'a>(pub &'a Path);

impl Mount<'_> {
    /// The folder for the workload's files.
    pub(super) fn files(&self) -> PathBuf {
        self.0.join(FILES)
    }

    /// Makes the folder for the files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn make_files(&self) -> Result<()> {
        fs::create_dir(self.files())
            .map_err(|error| Error::io_in_step("creating a folder on the volume", &error))
    }

    /// Makes sure that the folder for the files is there.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn check_files(&self) -> Result<()> {
        if self.files().is_dir() { Ok(()) } else { Err(changed()) }
    }

    /// Makes sure that just these files are there, with their sizes. What the system itself puts there is passed over.
    ///
    /// # Errors
    /// When they are not.
    pub(super) fn check_that_it_holds(&self, files: &[MarkedFile]) -> Result<()> {
        self.check_files()?;
        let mut found =
            self.list().map_err(|error| Error::io_in_step("listing the volume", &error))?;
        found.sort();
        let expected = files.iter().map(|file| (file.name.clone(), file.size_bytes));
        if found.into_iter().eq(expected) { Ok(()) } else { Err(changed()) }
    }

    /// Names and sizes of the files.
    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.files())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // The names of the workload's files begin otherwise.
            if !name.starts_with('.') {
                found.push((name, entry.metadata()?.len()));
            }
        }
        Ok(found)
    }

    /// Tells Spotlight to keep away; whether the mark is there.
    pub(super) fn forbid_indexing(&self) -> bool {
        place(&self.root().join(NO_INDEX))
    }

    /// Tells `fseventsd` to keep no log; whether the mark is there. It is read when a volume is mounted, so whether one
    /// that is only made now is effective is not known.
    pub(super) fn forbid_event_log(&self) -> Option<bool> {
        let folder = self.root().join(EVENT_LOG);
        let mark = folder.join(NO_LOG);
        if mark.is_file() {
            return Some(true);
        }
        // It may be there already, and may be root's.
        drop(fs::create_dir(&folder));
        if place(&mark) { None } else { Some(false) }
    }

    /// The root of the volume, through the folder for files: invalid once the volume is unmounted, when the mount point
    /// is a folder of the disk below.
    fn root(&self) -> PathBuf {
        self.files().join("..")
    }

    /// Free bytes on the volume; none if it is unmounted, which would give those of the disk below.
    pub(super) fn free_bytes(&self) -> Option<u64> {
        let free = facts::space(self.0).ok()?.free_bytes;
        self.files().is_dir().then_some(free)
    }
}

/// Puts an empty file there, if it is not; whether there is one.
fn place(path: &Path) -> bool {
    let made = fs::OpenOptions::new().write(true).create_new(true).open(path);
    made.is_ok() || path.is_file()
}

fn changed() -> Error {
    Error::step(
        "the volume lacks files of earlier phases: the image is removed; run again to create a new one",
    )
}

#[cfg(test)]
mod tests {
    use super::Mount;
    use crate::image::state_file::MarkedFile;
    use std::fs;

    #[test]
    fn a_volume_holds_just_the_files_that_were_left_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let mount = Mount(folder.path());
        assert!(mount.check_files().is_err(), "a volume that vanished");
        assert_eq!(mount.free_bytes(), None);
        mount.make_files().unwrap();
        assert!(mount.free_bytes().is_some());
        let files = [("r01-s01-0001.bin", 3), ("r01-s01-0002.bin", 5)]
            .map(|(name, size_bytes)| MarkedFile { name: name.into(), size_bytes });
        assert!(mount.check_that_it_holds(&files).is_err());
        fs::write(mount.files().join("r01-s01-0002.bin"), "12345").unwrap();
        fs::write(mount.files().join("r01-s01-0001.bin"), "123").unwrap();
        fs::write(mount.files().join(".DS_Store"), "").unwrap();
        mount.check_that_it_holds(&files).unwrap();
        assert!(mount.check_that_it_holds(&files[..1]).is_err());
        fs::write(mount.files().join("r01-s01-0001.bin"), "1234").unwrap();
        assert!(mount.check_that_it_holds(&files).is_err());
    }

    #[test]
    fn the_marks_are_made_once_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mount = Mount(folder.path());
        mount.make_files().unwrap();
        assert!(mount.forbid_indexing());
        assert_eq!(mount.forbid_event_log(), None, "the log is kept until the next mount");
        for _ in 0..2 {
            assert!(mount.forbid_indexing());
            assert_eq!(mount.forbid_event_log(), Some(true));
        }
        assert!(folder.path().join(".metadata_never_index").is_file());
        assert!(folder.path().join(".fseventsd/no_log").is_file());
    }

    #[test]
    fn no_mark_goes_to_the_disk_beneath_a_volume_that_vanished() {
        let folder = tempfile::tempdir().unwrap();
        let mount = Mount(folder.path());
        assert!(!mount.forbid_indexing());
        assert_eq!(mount.forbid_event_log(), Some(false));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
