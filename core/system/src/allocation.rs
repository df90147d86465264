//! What files take of the disk.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Unit of `st_blocks` in bytes, on Linux and macOS alike, whatever the file system's blocks are.
const UNIT: u64 = 512;

/// Bytes of the disk that a file or folder takes itself.
pub fn allocated_bytes(found: &Metadata) -> u64 {
    found.blocks().saturating_mul(UNIT)
}
