//! GUID partition table: UEFI 2.10, 5.3. A header in the second sector with a checksum, and a list with another; copies
//! of both at the disk's end.

use system::memory::in_memory;

use crate::bytes::{all_zero, array_at, part, u16_at, u64_at};
use crate::disk::VirtualDisk;
use crate::error::Result;
use crate::partition::{Partition, read};

const MARK: &[u8; 8] = b"EFI PART";

/// Sizes of sectors that disks have, in bytes.
const SECTORS: [u64; 2] = [512, 4096];

/// Length of the header that is known, in bytes.
const HEADER: usize = 92;

/// Most entries, and the longest, that are believed; tables have 128 of 128 bytes.
const MOST_ENTRIES: u32 = 1024;
const LONGEST_ENTRY: u32 = 4096;

/// What partitions are for, by the first bytes of their type, as it is written: Apple's (TN2166 and diskutil's lists),
/// and those that are in images beside them.
const KINDS: [(&str, &str); 9] = [
    ("48465300-0000-11aa-aa11-00306543ecac", "Apple HFS+"),
    ("7c3457ef-0000-11aa-aa11-00306543ecac", "Apple APFS"),
    ("426f6f74-0000-11aa-aa11-00306543ecac", "Apple Boot"),
    ("69646961-6700-11aa-aa11-00306543ecac", "Apple APFS Preboot"),
    ("52637672-7900-11aa-aa11-00306543ecac", "Apple APFS Recovery"),
    ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI System"),
    ("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "Microsoft Basic Data"),
    ("0fc63daf-8483-4772-8e79-3d69d8477de4", "Linux"),
    ("e3c9e316-0b5c-4db8-817d-f92df00215ae", "Microsoft Reserved"),
];

/// Which table was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// The one at the start of the disk.
    First,
    /// The one at its end.
    Copy,
}

/// The partitions, which table they are of, and the size of its sectors in bytes; none without a table that makes sense.
///
/// # Errors
/// Any error of the system.
pub(super) fn partitions(
    disk: &mut dyn VirtualDisk,
) -> Result<Option<(Vec<Partition>, Table, u64)>> {
    for sector in SECTORS {
        let last = (disk.len_bytes() / sector).saturating_sub(1);
        for (place, which) in [(1, Table::First), (last, Table::Copy)] {
            if let Some(found) = table(disk, sector, place)? {
                return Ok(Some((found, which, sector)));
            }
        }
    }
    Ok(None)
}

fn table(disk: &mut dyn VirtualDisk, sector: u64, place: u64) -> Result<Option<Vec<Partition>>> {
    let Some(mut header) = read(disk, place.saturating_mul(sector), HEADER)? else {
        return Ok(None);
    };
    let sum = number(&header, 16);
    let fits = header.starts_with(MARK) && in_memory(number(&header, 12).into()) == HEADER;
    let (count, length) = (number(&header, 80), number(&header, 84));
    if !fits || count > MOST_ENTRIES || !(128..=LONGEST_ENTRY).contains(&length) {
        return Ok(None);
    }
    let (start, list_sum) = (long(&header, 72), number(&header, 88));
    // The sum is made with zeros in its own place.
    header.splice(16..20, [0; 4]);
    if crc32fast::hash(&header) != sum {
        return Ok(None);
    }
    let bytes = in_memory(u64::from(count) * u64::from(length));
    let Some(list) = read(disk, start.saturating_mul(sector), bytes)? else { return Ok(None) };
    if crc32fast::hash(&list) != list_sum {
        return Ok(None);
    }
    let entries = (1..).zip(list.chunks(in_memory(length.into())));
    let used = entries.filter(|(_, entry)| !all_zero(part(entry, 0..16)));
    Ok(Some(
        used.map(|(number, entry)| {
            let (first, last) = (long(entry, 32), long(entry, 40));
            let sectors = last.saturating_sub(first).saturating_add(1);
            Partition {
                number,
                start_bytes: first.saturating_mul(sector),
                len_bytes: if last < first { 0 } else { sectors.saturating_mul(sector) },
                kind: kind(part(entry, 0..16)),
                name: name(part(entry, 56..128)),
                file_system: None,
            }
        })
        .collect(),
    ))
}

/// A name in UTF-16, up to its first zero.
fn name(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes(array_at(unit, 0)));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}

/// The name of a type, or its GUID: of its five fields the first three are little-endian.
fn kind(bytes: &[u8]) -> String {
    let [a, b, c] = [number(bytes, 0), short(bytes, 4), short(bytes, 6)];
    let (d, e) = (u16_at(bytes, 8), u64_at(bytes, 8) & 0xffff_ffff_ffff);
    let text = format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}");
    let known = KINDS.iter().find(|(guid, _)| *guid == text);
    known.map_or(text, |(_, name)| (*name).to_owned())
}

fn short(bytes: &[u8], at: usize) -> u32 {
    u16::from_le_bytes(array_at(bytes, at)).into()
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}
