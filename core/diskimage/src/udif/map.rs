//! A map of blocks: which sectors of a partition lie where in the file, and how they are packed.

use std::ops::Range;

use crate::bytes::{array_at, part, u32_at, u64_at};
use crate::disk::SECTOR;
use crate::error::{ImageError, Result, damaged, unsupported};
use crate::findings::{OnDamage, tolerated};
use crate::udif::list::Entry;
use crate::udif::sum::Sum;
use crate::udif::unpack::Packer;

/// How a map begins: its signature and version 1.
const MARK: &[u8; 8] = b"mish\0\0\0\x01";

/// Where the blocks begin, and the length of one.
const BLOCKS_AT: usize = 204;
const BLOCK: usize = 40;

/// Most bytes of a packed block, packed or not. hdiutil makes blocks of 256 KiB to 1 MiB; one is unpacked in memory.
const LONGEST_PACKED: u64 = 16 << 20;

/// Most bytes of a packed block for a number of bytes that it is unpacked to. No packer needs as many: a map that states
/// more for each of many short blocks would fill the memory.
const fn longest_packed(length: u64) -> u64 {
    length.saturating_mul(2).saturating_add(4096)
}

/// What a block's type says of its sectors: all zeros, as they are, and free, so that nobody kept what they held.
const ZEROS: u32 = 0;
const PLAIN: u32 = 1;
const FREE: u32 = 2;
/// Types that are no blocks: a remark, and the end of the map.
const REMARK: u32 = 0x7fff_fffe;
const END: u32 = 0xffff_ffff;

/// A map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map {
    /// What it is called.
    pub name: String,
    /// The bytes of the disk that it is the map of.
    pub range: Range<u64>,
    /// The checksum of their content.
    pub sum: Sum,
    /// Its blocks, as they stand.
    pub blocks: Vec<Block>,
}

/// A run of sectors that lie and are packed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its bytes of the disk.
    pub range: Range<u64>,
    /// What is in them.
    pub content: Content,
}

/// What is in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Zeros.
    Zeros,
    /// Free sectors, which are read as zeros. The map's checksum leaves them out.
    Free,
    /// The file's bytes from this place on.
    Plain(u64),
    /// These bytes of the file, packed.
    Packed(Packer, Range<u64>),
}

impl Map {
    /// Reads a map whose blocks lie within `data` of the file; `on_damage` receives blocks that do not, which it is
    /// then without.
    ///
    /// # Errors
    /// `Damaged` when it contradicts itself; `Unsupported` for blocks of a type that is not known; those of `on_damage`.
    pub(crate) fn decode(
        entry: Entry,
        data: &Range<u64>,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let Entry { name, bytes } = entry;
        if bytes.len() < BLOCKS_AT || !bytes.starts_with(MARK) {
            return Err(damaged(format!("the map of {name} is not a map of blocks")));
        }
        let count = u32_at(&bytes, BLOCKS_AT - 4);
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(BLOCK));
        let end = length.and_then(|length| length.checked_add(BLOCKS_AT));
        let Some(end) = end.filter(|end| *end <= bytes.len()) else {
            return Err(damaged(format!(
                "the map of {name} states {count} blocks, but has {} bytes",
                bytes.len()
            )));
        };
        let range = sectors(&bytes, 8, 0).ok_or_else(|| beyond(&name))?;
        let shift = u64_at(&bytes, 24).checked_add(data.start).ok_or_else(|| beyond(&name))?;
        let file = shift..data.end;
        let mut blocks = Vec::new();
        for block in part(&bytes, BLOCKS_AT..end).chunks_exact(BLOCK) {
            match u32_at(block, 0) {
                REMARK => {}
                END => break,
                kind => match decode_block(&name, kind, block, &range, &file) {
                    Ok(block) => blocks.extend(block),
                    Err(error) => tolerated(error, on_damage)?,
                },
            }
        }
        Ok(Self { name, sum: Sum::decode(&array_at(&bytes, 64)), range, blocks })
    }
}

/// A block within these bytes of the disk and of the file; none when it is empty.
fn decode_block(
    name: &str,
    kind: u32,
    bytes: &[u8],
    disk: &Range<u64>,
    file: &Range<u64>,
) -> Result<Option<Block>> {
    let range = sectors(bytes, 8, disk.start).filter(|range| range.end <= disk.end);
    let range = range.ok_or_else(|| beyond(name))?;
    let length = range.end - range.start;
    let start = u64_at(bytes, 24).checked_add(file.start);
    let end = start.and_then(|start| start.checked_add(u64_at(bytes, 32)));
    let place = || match (start, end) {
        (Some(start), Some(end)) if end <= file.end => Ok(start..end),
        _ => Err(damaged(format!("a block of {name} lies beyond the file's data"))),
    };
    let content = match kind {
        ZEROS => Content::Zeros,
        FREE => Content::Free,
        PLAIN => {
            let place = place()?;
            if place.end - place.start < length {
                return Err(damaged(format!("a block of {name} is shorter than its sectors")));
            }
            Content::Plain(place.start)
        }
        kind => {
            let packer = Packer::of(kind).ok_or_else(|| {
                unsupported(format!(
                    "a block of {name} is of a type that is not known ({kind:#010x}): convert it on a Mac first"
                ))
            })?;
            let place = place()?;
            if length.max(place.end - place.start) > LONGEST_PACKED {
                return Err(unsupported(format!(
                    "a packed block of {name} has more than {LONGEST_PACKED} bytes: convert it on a Mac first"
                )));
            }
            let longest = longest_packed(length).min(place.end - place.start);
            Content::Packed(packer, place.start..place.start + longest)
        }
    };
    Ok((length > 0).then_some(Block { range, content }))
}

/// A range in bytes from a first sector and a number of sectors at a place.
fn sectors(bytes: &[u8], at: usize, from: u64) -> Option<Range<u64>> {
    let start = u64_at(bytes, at).checked_mul(SECTOR)?.checked_add(from)?;
    let length = u64_at(bytes, at + 8).checked_mul(SECTOR)?;
    Some(start..start.checked_add(length)?)
}

fn beyond(name: &str) -> ImageError {
    damaged(format!("the map of {name} reaches beyond the disk"))
}
