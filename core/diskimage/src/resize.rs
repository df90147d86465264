//! Makes the disk in an image longer or shorter. New bytes are zeros; removed bytes must be zeros.

use std::ops::Range;

use system::memory::in_memory;

use crate::crypt;
use crate::disk::{SECTOR, VirtualDisk};
use crate::error::{Result, invalid};
use crate::open::Opened;
use crate::partition;

/// Most bytes read at once.
const CHUNK: u64 = 1 << 20;

/// Gives the disk in an image this length in bytes. Killed at any moment, this leaves the old length or the new one,
/// and all content.
///
/// The contents of the disk are unchanged: file systems and partition tables keep their length.
///
/// # Errors
/// `Invalid` for a length that the format does not have, when what would be cut off is not zeros, or when the image is
/// only read; otherwise any error of the system.
pub fn resize(opened: &mut Opened, len_bytes: u64) -> Result<()> {
    if opened.encryption.is_some() {
        crypt::countable(len_bytes)?;
    }
    let image = opened.image.as_mut();
    let before = image.len_bytes();
    if len_bytes < before {
        let unit = image.block_bytes().unwrap_or(SECTOR);
        let cuts_off = |what: String, end: u64| {
            // A map may state any end.
            let least = end.checked_next_multiple_of(unit).unwrap_or(end);
            let message = format!("{len_bytes} bytes would cut off {what}: give at least {least}");
            invalid(message)
        };
        // A partition may be zeros at its end, and is needed nevertheless; also one that lacks its end already.
        let map = partition::map(image)?;
        for one in map.iter().flat_map(|map| map.partitions.iter().chain(&map.beyond_the_end)) {
            let end = one.start_bytes.saturating_add(one.len_bytes);
            if end > len_bytes {
                return Err(cuts_off(
                    format!("partition {}, which ends at {end}", one.number),
                    end,
                ));
            }
        }
        if let Some(end) = end_of_data(image, len_bytes..before)? {
            return Err(cuts_off(format!("what the disk holds up to {end}"), end));
        }
        // Data after the new end is discarded first, durably: it must not reappear in a longer disk.
        image.discard(len_bytes, before - len_bytes)?;
        image.make_last()?;
    }
    image.set_len_bytes(len_bytes)?;
    image.make_last()
}

/// The end of the last non-zero bytes in this range; none if all are zeros.
fn end_of_data(disk: &mut dyn VirtualDisk, range: Range<u64>) -> Result<Option<u64>> {
    let (mut at, mut end, mut bytes) = (range.start, None, Vec::new());
    while let Some(data) = disk.next_data(at)?.filter(|data| data.start < range.end) {
        let start = data.start.max(at);
        at = data.end.min(range.end).min(start + CHUNK);
        bytes.resize(in_memory(at - start), 0);
        disk.read_at(&mut bytes, start)?;
        if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
            end = Some(start + last as u64 + 1);
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests;
