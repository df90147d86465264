//! `UDIF`, the images that people give each other (`.dmg`): blocks of sectors, each packed by itself, a map of them in
//! a property list, and a trailer. They are read, and never written.
//!
//! | name | blocks are packed with |
//! | --- | --- |
//! | UDRO | nothing |
//! | UDCO | ADC |
//! | UDZO | zlib |
//! | UDBZ | bzip2 |
//! | ULFO | LZFSE |
//! | ULMO | LZMA |
//!
//! The fields are those that libdmg-hfsplus, dmg2img and 7-Zip read; Apple has published none.

mod adc;
mod check;
mod list;
mod map;
mod place;
mod sum;
#[cfg(test)]
mod tests;
mod trailer;
mod unpack;

use std::fmt;
use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use system::memory::in_memory;

use crate::bytes::part;
use crate::disk::{LONGEST, SECTOR, VirtualDisk, within};
use crate::error::{ImageError, Result, damaged, internal, unsupported};
use crate::findings::{OnDamage, strict, tolerated};
use crate::store::Store;
use map::{Block, Content, Map};
use sum::Sum;
use trailer::Trailer;
use unpack::Packer;

pub use check::check;
pub(crate) use trailer::{is_there, refuse_one_that_goes_on};

/// How the blocks of a UDIF are packed, which is what `hdiutil` calls its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum UdifKind {
    /// There is no map: the disk's bytes, and behind them a trailer.
    #[serde(rename = "UDIF")]
    Unmapped,
    /// Blocks that are not packed.
    #[serde(rename = "UDRO")]
    Udro,
    /// Apple Data Compression.
    #[serde(rename = "UDCO")]
    Udco,
    /// zlib.
    #[serde(rename = "UDZO")]
    Udzo,
    /// bzip2.
    #[serde(rename = "UDBZ")]
    Udbz,
    /// LZFSE.
    #[serde(rename = "ULFO")]
    Ulfo,
    /// LZMA.
    #[serde(rename = "ULMO")]
    Ulmo,
}

impl UdifKind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unmapped => "UDIF",
            Self::Udro => "UDRO",
            Self::Udco => "UDCO",
            Self::Udzo => "UDZO",
            Self::Udbz => "UDBZ",
            Self::Ulfo => "ULFO",
            Self::Ulmo => "ULMO",
        }
    }

    /// That of an image with these blocks: the first packed one tells.
    fn of(blocks: &[Block]) -> Self {
        let packer = blocks.iter().find_map(|block| match block.content {
            Content::Packed(packer, _) => Some(packer),
            Content::Zeros | Content::Free | Content::Plain(_) => None,
        });
        match packer {
            None => Self::Udro,
            Some(Packer::Adc) => Self::Udco,
            Some(Packer::Zlib) => Self::Udzo,
            Some(Packer::Bzip2) => Self::Udbz,
            Some(Packer::Lzfse) => Self::Ulfo,
            Some(Packer::Lzma) => Self::Ulmo,
        }
    }
}

impl fmt::Display for UdifKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A UDIF image.
pub struct Udif {
    store: Box<dyn Store>,
    kind: UdifKind,
    trailer: Trailer,
    maps: Vec<Map>,
    /// All of the disk, in order.
    blocks: Vec<Block>,
    /// The block that was last unpacked for a part of it, or why it could not be: salvage tries each sector of it.
    unpacked: Option<(usize, Result<Vec<u8>, String>)>,
}

/// The number of a block, and its unpacked bytes.
type Unpacked = (usize, Vec<u8>);

/// A block that a read needs, and the part of the buffer that it fills.
struct Job<'room> {
    index: usize,
    packer: Packer,
    packed: Vec<u8>,
    block: Range<u64>,
    /// Where the part begins in the block.
    start: usize,
    room: &'room mut [u8],
}

impl Udif {
    /// Opens an image that ends with a trailer.
    ///
    /// # Errors
    /// `Damaged` when its structures contradict each other; `Unsupported` for what is not known; otherwise any error of
    /// the system.
    pub fn open(store: Box<dyn Store>) -> Result<Self> {
        Self::open_around(store, &mut strict)
    }

    /// The same without damaged maps and blocks, which `on_damage` receives: their sectors are read as zeros.
    ///
    /// # Errors
    /// As [`Udif::open`], `Damaged` where nothing tells what lies where, and those of `on_damage`.
    pub(crate) fn open_around(
        mut store: Box<dyn Store>,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let trailer = Trailer::load(store.as_mut())?;
        let (kind, maps, blocks) = if trailer.list.is_empty() {
            (UdifKind::Unmapped, Vec::new(), vec![unmapped(&trailer)?])
        } else {
            let mut maps = Vec::new();
            for entry in list::load(store.as_mut(), trailer.list.clone())? {
                match Map::decode(entry, &trailer.data, on_damage) {
                    Ok(map) => maps.push(map),
                    Err(error) => tolerated(error, on_damage)?,
                }
            }
            let maps = place::placed(maps, trailer.sectors, on_damage)?;
            let blocks = whole_disk(&maps, &trailer, on_damage)?;
            (UdifKind::of(&blocks), maps, blocks)
        };
        Ok(Self { store, kind, trailer, maps, blocks, unpacked: None })
    }

    /// How its blocks are packed.
    pub const fn kind(&self) -> UdifKind {
        self.kind
    }

    /// What cannot be checked, in a few words: content without a checksum of a kind that is compared, or the disk's
    /// length.
    pub(crate) fn unchecked(&self) -> Option<&'static str> {
        // A checksum of the packed data, which newer images of macOS do not have, says nothing of where the data belong.
        let is_summed = if self.maps.is_empty() {
            self.trailer.data_sum != Sum::Unchecked
        } else {
            self.has_sums()
        };
        if !is_summed {
            return Some(
                "some of its content has no checksum, or one of a kind that is not verified",
            );
        }
        (self.trailer.sectors == 0).then_some(
            "its last block does not state the disk's length, so sectors that are missing at its end are not noticed",
        )
    }

    /// Whether each map has a checksum that is compared: together the maps are all of the disk.
    fn has_sums(&self) -> bool {
        !self.maps.is_empty() && self.maps.iter().all(|map| map.sum != Sum::Unchecked)
    }

    /// Fills what needs no unpacking, and says what does.
    fn plan<'room>(&mut self, buffer: &'room mut [u8], offset: u64) -> Result<Vec<Job<'room>>> {
        let mut jobs = Vec::new();
        let (mut rest, mut at) = (buffer, offset);
        let mut index = self.blocks.partition_point(|block| block.range.end <= offset);
        while !rest.is_empty() {
            let block = self.blocks.get(index).ok_or_else(|| internal("no block is there"))?;
            let length = in_memory(block.range.end - at).min(rest.len());
            let (room, after) = rest.split_at_mut(length);
            let start = at - block.range.start;
            match &block.content {
                Content::Zeros | Content::Free => room.fill(0),
                Content::Plain(place) => self.store.read_at(room, place + start)?,
                Content::Packed(packer, place) => {
                    let start = in_memory(start);
                    match &self.unpacked {
                        Some((known, Ok(bytes))) if *known == index => {
                            room.copy_from_slice(part(bytes, start..start + length));
                        }
                        Some((known, Err(why))) if *known == index => return Err(damaged(why)),
                        _ => {
                            let mut packed = vec![0; in_memory(place.end - place.start)];
                            self.store.read_at(&mut packed, place.start)?;
                            let (packer, block) = (*packer, block.range.clone());
                            jobs.push(Job { index, packer, packed, block, start, room });
                        }
                    }
                }
            }
            at += length as u64;
            rest = after;
            index += 1;
        }
        Ok(jobs)
    }
}

impl Job<'_> {
    /// Unpacks the block; gives it when only a part of it was wanted, and why it could not be unpacked.
    fn done(self) -> Result<Option<Unpacked>, (usize, String)> {
        let length = in_memory(self.block.end - self.block.start);
        let unpack = |room: &mut [u8]| {
            self.packer.unpack(&self.packed, room).map_err(|error| {
                let why = format!(
                    "the block of sectors {} to {} cannot be unpacked: {error}",
                    self.block.start / SECTOR,
                    self.block.end / SECTOR
                );
                (self.index, why)
            })
        };
        if self.room.len() == length {
            unpack(self.room)?;
            return Ok(None);
        }
        let mut whole = vec![0; length];
        unpack(&mut whole)?;
        self.room.copy_from_slice(part(&whole, self.start..self.start + self.room.len()));
        Ok(Some((self.index, whole)))
    }
}

/// What a disk may be that begins as a zlib stream does, as the first block of a UDZO: without its end, which has the
/// signature, such an image is read as a raw disk. None for any other disk.
///
/// # Errors
/// Any error of the system.
pub fn looks_cut_short(disk: &mut dyn VirtualDisk) -> Result<Option<&'static str>> {
    let mut start = [0; 2];
    disk.read_at(&mut start, 0)?;
    // The levels that zlib packs with, fastest first.
    let packed = [[0x78, 0x01], [0x78, 0x9c], [0x78, 0xda]].contains(&start);
    Ok(packed.then_some(
        "it begins with packed data: it may be a compressed image (.dmg) that was cut short; if so, get it again",
    ))
}

/// The disk of an image without maps: its data, as they are.
fn unmapped(trailer: &Trailer) -> Result<Block> {
    let Range { start, end } = trailer.data;
    let length = end - start;
    if length == 0 || Some(length) != trailer.sectors.checked_mul(SECTOR) {
        return Err(damaged(format!(
            "it has no map of blocks, and {length} bytes of data for {} sectors",
            trailer.sectors
        )));
    }
    Ok(Block { range: 0..length, content: Content::Plain(start) })
}

/// The blocks of all maps in order, which must be all of the disk: sectors that none holds are damage, and zeros.
fn whole_disk(maps: &[Map], trailer: &Trailer, on_damage: &mut OnDamage<'_>) -> Result<Vec<Block>> {
    let mut blocks: Vec<Block> = maps.iter().flat_map(|map| map.blocks.iter().cloned()).collect();
    blocks.sort_by_key(|block| block.range.start);
    let mut whole = Vec::new();
    let mut end = 0;
    for block in blocks {
        let start = block.range.start;
        let hold = |from, to| format!("blocks hold sectors {} to {}", from / SECTOR, to / SECTOR);
        if start < end {
            // Nothing tells which of them is right.
            return Err(damaged(format!("two {}", hold(start, end))));
        }
        if start > end {
            on_damage(format!("no {}", hold(end, start)))?;
            whole.push(Block { range: end..start, content: Content::Zeros });
        }
        end = block.range.end;
        whole.push(block);
    }
    // libdmg-hfsplus states no length: 0.
    if trailer.sectors > 0 && Some(end) != trailer.sectors.checked_mul(SECTOR) {
        // A disk as long as a damaged number says could have no end.
        on_damage(format!(
            "its blocks hold {} sectors, and its last block says {}",
            end / SECTOR,
            trailer.sectors
        ))?;
    }
    if end == 0 || end > LONGEST {
        return Err(damaged(format!("its blocks hold {} sectors", end / SECTOR)));
    }
    Ok(whole)
}

impl VirtualDisk for Udif {
    fn len_bytes(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.range.end)
    }

    /// Blocks are unpacked side by side, on all cores.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, buffer.len() as u64)?;
        let jobs = self.plan(buffer, offset)?;
        let kept: Result<Vec<_>, _> = jobs.into_par_iter().map(Job::done).collect();
        match kept {
            Ok(kept) => {
                if let Some((index, bytes)) = kept.into_iter().flatten().next_back() {
                    self.unpacked = Some((index, Ok(bytes)));
                }
                Ok(())
            }
            Err((index, why)) => {
                self.unpacked = Some((index, Err(why.clone())));
                Err(damaged(why))
            }
        }
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let first = self.blocks.partition_point(|block| block.range.end <= from);
        let mut after = self.blocks.iter().skip(first);
        let found = after.find(|block| !matches!(block.content, Content::Zeros | Content::Free));
        Ok(found.map(|block| block.range.start.max(from)..block.range.end))
    }
}

/// The error of opening one for writing.
pub(crate) fn never_written(kind: UdifKind) -> ImageError {
    unsupported(format!("a {kind} image is only read: convert it to another format first"))
}
