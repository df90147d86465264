//! What is left in memory of the files that an image is made of, after they were told to leave it.

use std::fs::File;
use std::io;

use system::allocation::allocated_bytes;
use system::calls::is_cold;
use system::flush::Durability;
use system::{cache, flush};

/// Files that were dropped from memory.
#[derive(Debug, Default)]
pub struct Dropped {
    files: u64,
    bytes: u64,
    stayed: u64,
}

impl Dropped {
    /// Drops one more file of this length from memory.
    ///
    /// # Errors
    /// When it cannot be flushed or looked at. What cannot be dropped or counted counts as having stayed.
    pub fn drop_file(&mut self, file: &File, length: u64) -> io::Result<()> {
        // Only clean pages can be dropped.
        flush::flush(file, Durability::Fsync)?;
        // A sparse file is no larger in memory than on the disk.
        let size = allocated_bytes(&file.metadata()?).min(length);
        self.files += 1;
        self.bytes = self.bytes.saturating_add(size);
        let left =
            cache::drop_pages(file, length).and_then(|()| cache::resident_bytes(file, length));
        self.stayed = self.stayed.saturating_add(left.unwrap_or(size));
        Ok(())
    }

    /// Whether what is read next comes from the disk.
    pub const fn is_cold(&self) -> bool {
        is_cold(self.stayed, self.bytes)
    }

    /// What came of it, for a record.
    pub fn note(&self) -> String {
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
