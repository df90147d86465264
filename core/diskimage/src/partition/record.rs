//! Master boot record: four entries of 16 bytes at 446, and 55 AA behind them. Logical partitions in an extended one
//! are not listed: images of macOS have none. The extended one is listed as such. Entries count in the disk's blocks.

use crate::bytes::{array_at, part};
use crate::disk::{SECTOR, VirtualDisk};
use crate::error::Result;
use crate::partition::{Partition, read};

const EXTENDED: &str = "extended (the partitions in it are not read)";

/// The partition that keeps programs without GPT away from a disk with one. It can be as long as its field allows.
pub(super) const PROTECTIVE: &str = "GPT (protective)";

/// What partitions are for, by their type.
const KINDS: [(u8, &str); 10] = [
    (0x05, EXTENDED),
    (0x07, "NTFS or exFAT"),
    (0x0b, "FAT32"),
    (0x0c, "FAT32"),
    (0x0e, "FAT16"),
    (0x0f, EXTENDED),
    (0x83, "Linux"),
    (0xa8, "Apple UFS"),
    (0xab, "Apple Boot"),
    (0xaf, "Apple HFS+"),
];

/// The partitions; none without a record that makes sense: a boot sector of a file system ends with 55 AA as well.
///
/// # Errors
/// Any error of the system.
pub(super) fn partitions(disk: &mut dyn VirtualDisk) -> Result<Option<Vec<Partition>>> {
    let Some(record) = read(disk, 0, 512)? else { return Ok(None) };
    let entries = part(&record, 446..510).chunks(16);
    let possible = |entry: &[u8]| matches!(entry.first(), Some(0 | 0x80));
    if part(&record, 510..512) != b"\x55\xaa" || !entries.clone().all(possible) {
        return Ok(None);
    }
    let block_bytes = disk.block_bytes().unwrap_or(SECTOR);
    let bytes = |entry: &[u8], at| u64::from(u32::from_le_bytes(array_at(entry, at))) * block_bytes;
    let used = (1..).zip(entries).filter(|(_, entry)| part(entry, 4..5) != [0]);
    let partitions: Vec<Partition> = used
        .map(|(place, entry)| Partition {
            number: place,
            start_bytes: bytes(entry, 8),
            len_bytes: bytes(entry, 12),
            kind: kind(entry.get(4).copied().unwrap_or_default()),
            name: String::new(),
            file_system: None,
        })
        .collect();
    Ok((!partitions.is_empty()).then_some(partitions))
}

/// Whether a type is one of those.
pub(super) fn is_known(kind: &str) -> bool {
    KINDS.iter().any(|(_, known)| *known == kind)
}

fn kind(number: u8) -> String {
    if number == 0xee {
        return PROTECTIVE.to_owned();
    }
    let known = KINDS.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| format!("{number:#04x}"), |(_, name)| (*name).to_owned())
}
