//! Eviction from the page cache: the one way in which every driver makes the next reads come from the disk.

use std::fs::File;
use std::io;

use system::allocation::allocated_bytes;
use system::cache;
use system::calls::{Calls, is_cold};
use system::flush::Durability;

use crate::error::{Error, Result};
use crate::image::folder::ImageFolder;
use crate::interrupt::Stop;

/// Files that were evicted from the page cache, and what stayed of them.
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
        let doing = |error: io::Error| Error::io_in_step("dropping files from the cache", &error);
        let contents = folder.contents().map_err(doing)?;
        let mut eviction = Self { files: 0, bytes: 0, stayed: 0 };
        for path in contents.files.iter().chain(&contents.image_files) {
            stop.check()?;
            let file = File::open(path).map_err(doing)?;
            eviction.evict(&file, calls).map_err(doing)?;
        }
        Ok(eviction)
    }

    fn evict(&mut self, file: &File, calls: Calls) -> io::Result<()> {
        // Only clean pages can be evicted.
        (calls.flush)(file, Durability::Fsync)?;
        let found = file.metadata()?;
        let length = found.len();
        // A sparse file uses no more memory than disk space.
        let size = allocated_bytes(&found).min(length);
        let left =
            (calls.drop_pages)(file, length).and_then(|()| (calls.resident_bytes)(file, length));
        self.files += 1;
        self.bytes += size;
        self.stayed += left.unwrap_or(size);
        Ok(())
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
        format!(
            "the cache of {files} files was to be dropped ({method}), but {} of {} bytes stayed in memory",
            self.stayed, self.bytes
        )
    }
}
