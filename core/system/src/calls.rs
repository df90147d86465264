//! System calls that may fail or be silently ignored, as a table of functions that tests replace.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crate::cache;
use crate::flush;
use crate::flush::Durability;
use crate::open;

/// Percent of the bytes that may come from memory without the reads being warm. A page that somebody looks at just then
/// (an indexer, a virus scanner) does not make a read warm: were 1 % of the bytes free, a speed would be 1 % too high.
pub(crate) const WARM_PERCENT: u64 = 1;

/// What is asked of the system about a file's way to the disk.
#[derive(Debug, Clone, Copy)]
pub struct Calls {
    /// Opens a file past the cache.
    pub bypassing: fn(&OpenOptions, &Path) -> io::Result<File>,
    /// Makes a file's data last.
    pub flush: fn(&File, Durability) -> io::Result<()>,
    /// Drops a file of this size from memory.
    pub drop_pages: fn(&File, u64) -> io::Result<()>,
    /// How many of a file's first bytes are in memory.
    pub resident_bytes: fn(&File, u64) -> io::Result<u64>,
}

impl Calls {
    /// This machine's.
    pub const MACHINE: Self = Self {
        bypassing: open::bypassing,
        flush: flush::flush,
        drop_pages: cache::drop_pages,
        resident_bytes: cache::resident_bytes,
    };

    /// Bytes of a file that are cached although its I/O was direct: some file systems accept the mode and use their
    /// cache (ext4 with data journaling, FUSE), or are a cache (tmpfs). Always 0 on macOS, where `mincore` was not
    /// verified.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn cached_all_the_same(&self, file: &File, size: u64) -> io::Result<u64> {
        if cfg!(target_os = "linux") { (self.resident_bytes)(file, size) } else { Ok(0) }
    }
}

/// Whether so few of so many bytes are, or were, in memory that reading them counts as reading the disk.
pub const fn is_cold(resident: u64, size: u64) -> bool {
    resident <= size.saturating_mul(WARM_PERCENT) / 100
}

#[cfg(test)]
mod tests {
    use super::is_cold;

    #[test]
    fn one_byte_in_a_hundred_may_be_in_memory_and_not_one_more() {
        assert!(is_cold(0, 0) && is_cold(10, 1_000) && is_cold(2_665_000, 266_500_000));
        assert!(!is_cold(1, 99) && !is_cold(11, 1_000) && !is_cold(2_665_001, 266_500_000));
    }
}
