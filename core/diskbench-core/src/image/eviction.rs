//! Eviction from the page cache: the one way in which every driver makes the next reads come from the disk.

use std::fs::File;
use std::io;

use system::allocation::allocated_bytes;
use system::cache;
use system::calls::{Calls, is_cold};
use system::flush::Durability;

/// Files that were evicted from the page cache, and what stayed of them.
#[derive(Debug)]
pub(super) struct Eviction {
    calls: Calls,
    files: u64,
    bytes: u64,
    stayed: u64,
}

impl Eviction {
    /// An eviction by these calls, of no file yet.
    pub(super) const fn by(calls: Calls) -> Self {
        Self { calls, files: 0, bytes: 0, stayed: 0 }
    }

    /// Evicts one more file, of this length.
    ///
    /// # Errors
    /// When it cannot be flushed or looked at. What cannot be evicted or counted counts as having stayed.
    pub(super) fn evict(&mut self, file: &File, length: u64) -> io::Result<()> {
        // Only clean pages can be evicted.
        (self.calls.flush)(file, Durability::Fsync)?;
        // A sparse file is no larger in memory than on the disk.
        let size = allocated_bytes(&file.metadata()?).min(length);
        let left = (self.calls.drop_pages)(file, length)
            .and_then(|()| (self.calls.resident_bytes)(file, length));
        self.files += 1;
        self.bytes += size;
        self.stayed += left.unwrap_or(size);
        Ok(())
    }

    /// Whether there was no file.
    pub(super) const fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Whether what is read next comes from the disk.
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
