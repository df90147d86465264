//! Partitions: the map of a disk, and a part of a disk as a disk.
//!
//! Read are the maps that disk images have: GPT, MBR and Apple's (APM), and of each partition the signature of its file
//! system. What a map says is only told; a map that makes no sense is none.

mod apple;
mod file_system;
mod guid;
mod record;
mod slice;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::disk::{SECTOR, VirtualDisk};
use crate::error::{Result, damaged, invalid};

pub use file_system::file_system;

/// How partitions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Scheme {
    /// GUID partition table.
    Gpt,
    /// Master boot record.
    Mbr,
    /// Apple partition map.
    Apm,
}

impl Scheme {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpt => "GPT",
            Self::Mbr => "MBR",
            Self::Apm => "APM",
        }
    }
}

/// Why a map is the copy at the end of the disk.
const FIRST_GPT_IS_DAMAGED: &str =
    "the first GPT of this disk cannot be read, and its copy at the end is used";

/// Why a map is none of what is on the disk.
const GPT_IS_DAMAGED: &str = "no GPT of this disk can be read: what is listed is the MBR that protects it, not the partitions";

/// A map of partitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartitionMap {
    /// How they are listed.
    pub scheme: Scheme,
    /// Those in use, in the order of their numbers.
    pub partitions: Vec<Partition>,
    /// Others that reach beyond the end of the disk, as on one that was cut short: nothing is read of them.
    #[serde(skip)]
    pub beyond_the_end: Vec<Partition>,
    /// What places are counted in, in bytes, where the map does not say it itself: systems take the disk's blocks.
    #[serde(skip)]
    pub sector_bytes: Option<u64>,
    /// What a person should know of the map itself, in a sentence each.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl PartitionMap {
    /// What is missing of it, in a sentence each.
    pub fn missing(&self) -> Vec<String> {
        self.beyond_the_end.iter().map(Partition::reaches_beyond).collect()
    }

    /// Whether systems find its partitions on a disk with blocks of this size.
    pub fn is_for_blocks_of(&self, block_bytes: u64) -> bool {
        self.sector_bytes.is_none_or(|sector_bytes| sector_bytes == block_bytes)
    }
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partition {
    /// Its number, as Linux counts them: the place in the map, from 1 on.
    pub number: u32,
    /// Where it begins on the disk.
    pub start_bytes: u64,
    /// Its length.
    pub len_bytes: u64,
    /// What the map says it is for: a name, or the map's own number.
    pub kind: String,
    /// Its name in the map; empty without.
    pub name: String,
    /// The file system whose signature it bears.
    pub file_system: Option<&'static str>,
}

impl Partition {
    fn end_bytes(&self) -> Option<u64> {
        self.start_bytes.checked_add(self.len_bytes)
    }

    fn reaches_beyond(&self) -> String {
        format!(
            "partition {} has {} bytes from {} on, which is beyond the end of the disk, as if the image was cut short",
            self.number, self.len_bytes, self.start_bytes
        )
    }
}

/// The map of a disk; none when it has none.
///
/// # Errors
/// Any error of the system.
pub fn map(disk: &mut dyn VirtualDisk) -> Result<Option<PartitionMap>> {
    // A GPT has an MBR before it, to keep others away.
    let block_bytes = disk.block_bytes().unwrap_or(SECTOR);
    let (scheme, partitions, sector_bytes, note) =
        if let Some((partitions, table, sector_bytes)) = guid::partitions(disk)? {
            let note = (table == guid::Table::Copy).then_some(FIRST_GPT_IS_DAMAGED);
            (Scheme::Gpt, partitions, Some(sector_bytes), note)
        } else if let Some(partitions) = apple::partitions(disk)? {
            (Scheme::Apm, partitions, None, None)
        } else if let Some(partitions) = record::partitions(disk)? {
            let protects = partitions.iter().any(|one| one.kind == record::PROTECTIVE);
            (Scheme::Mbr, partitions, Some(block_bytes), protects.then_some(GPT_IS_DAMAGED))
        } else {
            return Ok(None);
        };
    let len_bytes = disk.len_bytes();
    let fits = |one: &Partition| one.end_bytes().is_some_and(|end| end <= len_bytes);
    // A protective one may be as long as its field allows.
    let is_used =
        |one: &Partition| one.len_bytes > 0 && (one.kind != record::PROTECTIVE || fits(one));
    let used = partitions.into_iter().filter(is_used);
    let (mut partitions, beyond_the_end): (Vec<_>, Vec<_>) = used.partition(fits);
    let begins = |partition: &Partition| partition.start_bytes < len_bytes;
    if scheme == Scheme::Mbr
        && partitions.is_empty()
        && note.is_none()
        && !beyond_the_end.iter().any(|one| record::is_known(&one.kind) && begins(one))
    {
        // A few bytes that could be anything.
        return Ok(None);
    }
    for partition in &mut partitions {
        partition.file_system = file_system(disk, partition.start_bytes)?;
    }
    let notes = note.into_iter().map(str::to_owned).collect();
    let mut map = PartitionMap { scheme, partitions, beyond_the_end, sector_bytes, notes };
    if let Some(sector_bytes) = sector_bytes
        && !map.is_for_blocks_of(block_bytes)
    {
        map.notes.push(format!(
            "the {} of this disk counts in sectors of {sector_bytes} bytes, but the disk has blocks of {block_bytes}: systems \
             find no partitions on it",
            scheme.name()
        ));
    }
    Ok(Some(map))
}

/// A partition of an image as an image: what is read, written and discarded is that part of its disk alone.
///
/// # Errors
/// `Invalid` when it has no such partition; otherwise any error of the system.
pub fn only(mut image: Box<dyn VirtualDisk>, number: u32) -> Result<Box<dyn VirtualDisk>> {
    let map = map(image.as_mut())?;
    let found = map.iter().flat_map(|map| &map.partitions).find(|known| known.number == number);
    let Some(found) = found else {
        let beyond = map.iter().flat_map(|map| &map.beyond_the_end);
        if let Some(cut) = beyond.clone().find(|known| known.number == number) {
            return Err(damaged(cut.reaches_beyond()));
        }
        let there =
            map.iter().flat_map(|map| &map.partitions).map(|known| known.number.to_string());
        let there = there.collect::<Vec<_>>().join(", ");
        return Err(invalid(match there.is_empty() {
            true => {
                format!("it has no partition {number}, nor any other: leave --partition out")
            }
            false => format!("it has no partition {number}: choose one of {there}"),
        }));
    };
    let (start, length) = (found.start_bytes, found.len_bytes);
    Ok(Box::new(slice::Slice::of(image, start, length)))
}

/// Reads what may lie beyond the end; then there is nothing.
fn read(disk: &mut dyn VirtualDisk, offset: u64, length: usize) -> Result<Option<Vec<u8>>> {
    let end = offset.checked_add(length as u64);
    if end.is_none_or(|end| end > disk.len_bytes()) {
        return Ok(None);
    }
    let mut bytes = vec![0; length];
    disk.read_at(&mut bytes, offset)?;
    Ok(Some(bytes))
}
