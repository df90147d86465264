//! Whether bytes are certainly a disk: with a partition map or a file system at the usual position.

use crate::error::Result;
use crate::foreign::{Bytes, shows};

/// Signatures of partition maps and file systems, with offsets. Short ones are checked with their context, below.
const SIGNS: [(u64, &[u8]); 8] = [
    // GUID partition map, for sectors of 512 and of 4096 bytes
    (512, b"EFI PART"),
    (4096, b"EFI PART"),
    // Apple partition map: the first entry
    (512, b"PM\0\0"),
    // APFS container
    (32, b"NXSB"),
    // HFS+ and HFSX with their versions
    (1024, b"H+\0\x04"),
    (1024, b"HX\0\x05"),
    // ISO 9660
    (32_769, b"CD001"),
    (32_769, b"BEA01"),
];

/// The master boot record's four entries begin here, 16 bytes each; the signature 55 AA follows them.
const ENTRIES_AT: u64 = 446;

/// The superblock of ext2, ext3 and ext4: `s_log_block_size`, which is 6 at most, and the signature.
const EXT_BLOCK_SIZE_AT: u64 = 1048;
const EXT_MARK_AT: u64 = 1080;

/// Whether there is a sign of a disk.
///
/// # Errors
/// Any error of the system.
pub(crate) fn is_one(bytes: Bytes<'_>) -> Result<bool> {
    for (place, mark) in SIGNS {
        if shows(bytes, place, mark)? {
            return Ok(true);
        }
    }
    Ok(has_boot_record(bytes)? || has_ext(bytes)?)
}

/// 55 AA alone is two bytes, which any file may have: the entries must be possible too.
fn has_boot_record(bytes: Bytes<'_>) -> Result<bool> {
    if !shows(bytes, ENTRIES_AT + 64, b"\x55\xaa")? {
        return Ok(false);
    }
    for entry in 0..4 {
        let at = ENTRIES_AT + 16 * entry;
        if !shows(bytes, at, b"\0")? && !shows(bytes, at, b"\x80")? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_ext(bytes: Bytes<'_>) -> Result<bool> {
    Ok(shows(bytes, EXT_MARK_AT, b"\x53\xef")? && shows(bytes, EXT_BLOCK_SIZE_AT + 1, b"\0\0\0")?)
}
