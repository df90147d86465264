//! Which file system begins somewhere, by its signature.

use crate::disk::VirtualDisk;
use crate::error::Result;
use crate::partition::read;

/// Where signatures lie in bytes, and whose they are.
const MARKS: [(u64, &[u8], &str); 13] = [
    (32, b"NXSB", "APFS"),
    (1024, b"H+\0\x04", "HFS+"),
    (1024, b"HX\0\x05", "HFSX"),
    (1024, b"BD", "HFS"),
    (3, b"EXFAT   ", "exFAT"),
    (3, b"NTFS    ", "NTFS"),
    (0x52, b"FAT32   ", "FAT32"),
    (0x36, b"FAT16   ", "FAT16"),
    (0x36, b"FAT12   ", "FAT12"),
    (1080, b"\x53\xef", "ext"),
    (0, b"XFSB", "XFS"),
    (32_769, b"CD001", "ISO 9660"),
    (0x1_0040, b"_BHRfS_M", "Btrfs"),
];

/// The file system that begins at an offset of a disk; none when its signature is not known.
///
/// # Errors
/// Any error of the system.
pub fn file_system(disk: &mut dyn VirtualDisk, offset: u64) -> Result<Option<&'static str>> {
    for (place, mark, name) in MARKS {
        if read(disk, offset.saturating_add(place), mark.len())?.as_deref() == Some(mark) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
