//! Apple partition map: Inside Macintosh, Devices, chapter 3. From the second block on an entry a block, each with the
//! signature `PM`, the number of entries, and where a partition begins and how long it is in blocks; all big-endian.

use crate::bytes::{part, u32_at};
use crate::disk::VirtualDisk;
use crate::error::Result;
use crate::partition::{Partition, read};

/// Sizes of blocks in bytes: of disks, and of optical media.
const BLOCKS: [u64; 2] = [512, 2048];

/// Most entries that are believed; maps have some ten.
const MOST_ENTRIES: u32 = 256;

/// What is no partition, but room, or the map itself.
const NONE: [&str; 3] = ["Apple_Free", "Apple_partition_map", "Apple_Void"];

/// The partitions; none without a map that makes sense. Their numbers are those of their entries.
///
/// # Errors
/// Any error of the system.
pub(super) fn partitions(disk: &mut dyn VirtualDisk) -> Result<Option<Vec<Partition>>> {
    for block in BLOCKS {
        if let Some(found) = entries(disk, block)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn entries(disk: &mut dyn VirtualDisk, block: u64) -> Result<Option<Vec<Partition>>> {
    let (mut partitions, mut count) = (Vec::new(), 1);
    let mut place = 1;
    while place <= count {
        let Some(entry) = read(disk, u64::from(place) * block, 80)? else { return Ok(None) };
        let entries = u32_at(&entry, 4);
        if !entry.starts_with(b"PM\0\0") || entries == 0 || entries > MOST_ENTRIES {
            return Ok(None);
        }
        count = entries;
        let kind = text(part(&entry, 48..80));
        if !NONE.contains(&kind.as_str()) {
            partitions.push(Partition {
                number: place,
                start_bytes: u64::from(u32_at(&entry, 8)) * block,
                len_bytes: u64::from(u32_at(&entry, 12)) * block,
                kind,
                name: text(part(&entry, 16..48)),
                file_system: None,
            });
        }
        place += 1;
    }
    Ok(Some(partitions))
}

/// Text up to its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(part(bytes, 0..end)).into_owned()
}
