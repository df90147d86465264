//! The calls that a system may refuse, or answer without doing them, as one value: tests put a system in its place that
//! does.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::{cache, flush, open};
use crate::cell::Durability;

/// Of every so many bytes one may be in memory for a file to count as not being there: 1 %. A page that somebody looks at
/// just then (an indexer, a virus scanner) does not make a read warm.
const STAYED_FRACTION: u64 = 100;

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

    /// How many bytes of a file that was moved past the cache lie there all the same: some file systems take the wish and
    /// then use their cache (ext4 that journals data, FUSE), or are a cache (tmpfs). None where nobody can tell: on
    /// macOS it has not been looked at what `mincore` says of such files.
    #[must_use]
    pub fn cached_all_the_same(&self, file: &File, size: u64) -> u64 {
        if cfg!(target_os = "linux") {
            (self.resident_bytes)(file, size).unwrap_or_default()
        } else {
            0
        }
    }
}

/// Whether so few of so many bytes are in memory that the file counts as not being there.
#[must_use]
pub const fn is_cold(resident: u64, size: u64) -> bool {
    resident <= size / STAYED_FRACTION
}
