//! Eviction from the page cache: the one way in which every driver makes the next reads come from the disk, or sees
//! whether they will.

use std::fs::File;
use std::io;

use system::allocation::allocated_bytes;
use system::cache;
use system::calls::{Calls, is_cold};
use system::flush::Durability;

use crate::error::{Error, Result};
use crate::image::folder::ImageFolder;
use crate::interrupt::Stop;

/// Files of an image's folder, and what the page cache holds of them.
#[derive(Debug)]
pub(super) struct Eviction {
    files: u64,
    bytes: u64,
    stayed: u64,
}

impl Eviction {
    /// Evicts the contents of an image's folder with these calls: the files of the workload, or those of the image.
    ///
    /// # Errors
    /// When one cannot be flushed or inspected, or when cancelled. Data that cannot be evicted or counted counts as
    /// cached.
    pub(super) fn of(folder: &ImageFolder, calls: Calls, stop: &Stop) -> Result<Self> {
        Self::over(folder, stop, |file| {
            // Only clean pages can be evicted.
            (calls.flush)(file, Durability::Fsync)?;
            let length = file.metadata()?.len();
            Ok((calls.drop_pages)(file, length).and_then(|()| (calls.resident_bytes)(file, length)))
        })
    }

    /// Counts what the page cache holds of the same files, and evicts nothing.
    ///
    /// # Errors
    /// As for [`Self::of`].
    pub(super) fn only_looked_for(folder: &ImageFolder, calls: Calls, stop: &Stop) -> Result<Self> {
        Self::over(folder, stop, |file| {
            let length = file.metadata()?.len();
            Ok((calls.resident_bytes)(file, length))
        })
    }

    /// `left` has the bytes of a file in memory, or the error of counting them.
    fn over(
        folder: &ImageFolder,
        stop: &Stop,
        left: impl Fn(&File) -> io::Result<io::Result<u64>>,
    ) -> Result<Self> {
        let doing = |error: io::Error| Error::io_in_step("looking for files in the cache", &error);
        let contents = folder.contents().map_err(doing)?;
        let mut found = Self { files: 0, bytes: 0, stayed: 0 };
        for path in contents.files.iter().chain(&contents.image_files) {
            stop.check()?;
            let file = File::open(path).map_err(doing)?;
            let left = left(&file).map_err(doing)?;
            let known = file.metadata().map_err(doing)?;
            // A sparse file uses no more memory than disk space.
            let size = allocated_bytes(&known).min(known.len());
            found.files += 1;
            found.bytes += size;
            found.stayed += left.unwrap_or(size);
        }
        Ok(found)
    }

    /// Whether there was no file.
    pub(super) const fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Whether the next reads come from the disk.
    pub(super) const fn is_cold(&self) -> bool {
        is_cold(self.stayed, self.bytes)
    }

    /// What came of it, for a record.
    pub(super) fn note(&self) -> String {
        let (files, method) = (self.files, cache::METHOD);
        if self.is_cold() {
            return format!("the cache of {files} files was dropped ({method})");
        }
        let stayed = self.what_stayed();
        format!("the cache of {files} files was to be dropped ({method}), but {stayed}")
    }

    /// What came of it after an image was detached: whether the next reads come from the disk, and a note for a record.
    pub(super) fn after_detaching(&self, is_dropped: bool) -> (bool, Option<String>) {
        let note = match (is_dropped, self.is_cold()) {
            (true, _) => Some(self.note()),
            (false, false) => Some(format!("detached, but of the image {}", self.what_stayed())),
            (false, true) => None,
        };
        (self.is_cold(), note)
    }

    /// How much of the files is in memory, for a record.
    fn what_stayed(&self) -> String {
        format!("{} of {} bytes stayed in memory", self.stayed, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Eviction;

    #[test]
    fn a_detached_image_that_stays_in_memory_is_not_cold_whether_it_was_to_be_dropped_or_not() {
        for (stayed, is_dropped, cold, says) in [
            (4096, true, false, Some("was to be dropped")),
            (4096, false, false, Some("detached, but of the image 4096 of 4096 bytes stayed")),
            (0, true, true, Some("the cache of 2 files was dropped")),
            (0, false, true, None),
        ] {
            let found = Eviction { files: 2, bytes: 4096, stayed };
            let (is_cold, note) = found.after_detaching(is_dropped);
            assert_eq!(is_cold, cold, "{note:?}");
            assert_eq!(note.is_some(), says.is_some());
            assert!(note.unwrap_or_default().contains(says.unwrap_or_default()));
        }
    }
}
