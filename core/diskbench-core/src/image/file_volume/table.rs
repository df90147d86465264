//! The table of files, inside the image: a journal of small records in one of two halves.
//!
//! ```text
//! 0            superblock   one page: magic, version, lengths, checksum
//! 4096         half 0       a header and records of 64 bytes each
//! 4096 + half  half 1       the same
//! then         the bytes of the files
//! ```
//!
//! One half is in use. What happens to files is appended to it; when it is full, the records of the files that are
//! there go into the other half, and its header, with the next sequence number, goes last: whoever is killed in between
//! finds the old half as it was. Each record carries the sequence number of its half, so that what is left there from
//! earlier times is not taken for a record, and a checksum: the first 8 bytes of its SHA-256.
//!
//! **What ends the journal.** The first record that is not one. A record further on is damage, unless it was written
//! together with the one that is missing: then a process was killed between the two, and neither counts.

use std::io;

use diskimage::disk::VirtualDisk;

use super::damaged;
use sha2::{Digest, Sha256};
use system::flush::Durability;
use system::memory::in_memory;

use crate::image::file_volume::extents::{Extent, PAGE};

/// The first bytes of a volume. None of the formats' magics, so that a raw image of a volume is known as raw.
pub(crate) const MAGIC: [u8; 8] = *b"dskbvolm";

/// The first bytes of a half that was written to its end.
const HALF_MAGIC: [u8; 8] = *b"dskbhalf";

/// Version of all of this.
const VERSION: u64 = 1;

/// Size of a record, and of a half's header, in bytes: eight of them fill a sector.
const RECORD: u64 = 64;
const RECORD_LEN: usize = 64;

/// A record's bytes before its checksum.
const SUMMED: usize = 56;

/// A half takes one part in so many of the disk ...
const HALF_FRACTION: u64 = 1024;

/// ... but at least this many bytes, which is room for 1023 records ...
const SMALLEST_HALF: u64 = 64 << 10;

/// ... and at most this many, for 262,143 records: more than twice what the largest cell writes files.
const LARGEST_HALF: u64 = 16 << 20;

/// The journal is read and rewritten in pieces of this many bytes: a multiple of a record.
const PIECE: usize = 256 << 10;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file, or a part of one that lies in several places. The file is there when all its parts are.
    Part {
        /// Number of the file.
        id: u64,
        /// Size of the whole file in bytes.
        size: u64,
        /// Which part this is, from 0.
        number: u32,
        /// How many parts there are; a file without bytes has one of length 0.
        count: u32,
        /// Where it lies.
        extent: Extent,
    },
    /// A file was deleted.
    Deleted {
        /// Number of the file.
        id: u64,
    },
}

/// Kinds of records.
const PART: u32 = 1;
const DELETED: u32 = 2;

impl Entry {
    /// `batch` is the first place of the records that are written together with this one.
    fn encode(&self, sequence: u64, batch: u32) -> Vec<u8> {
        let (kind, id, size, number, count, extent) = match *self {
            Self::Part { id, size, number, count, extent } => {
                (PART, id, size, number, count, extent)
            }
            Self::Deleted { id } => (DELETED, id, 0, 0, 0, Extent { offset: 0, length: 0 }),
        };
        let mut bytes = Vec::with_capacity(64);
        for value in [sequence, id, size, extent.offset, extent.length] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        for value in [kind, batch, number, count] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        summed(bytes)
    }

    /// The record and its batch, if these bytes are a record of this sequence number.
    fn decode(bytes: &[u8], sequence: u64) -> Option<(Self, u32)> {
        // Most of what is no record is told by this alone.
        if long(bytes, 0)? != sequence || !is_summed(bytes) {
            return None;
        }
        let id = long(bytes, 8)?;
        let entry = match int(bytes, 40)? {
            PART => Self::Part {
                id,
                size: long(bytes, 16)?,
                number: int(bytes, 48)?,
                count: int(bytes, 52)?,
                extent: Extent { offset: long(bytes, 24)?, length: long(bytes, 32)? },
            },
            DELETED => Self::Deleted { id },
            _ => return None,
        };
        Some((entry, int(bytes, 44)?))
    }
}

/// Where everything lies on a disk of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    len_bytes: u64,
    half_bytes: u64,
}

impl Layout {
    /// The layout of a disk of this length; none when it is too small.
    pub(crate) fn of(len_bytes: u64) -> Option<Self> {
        let half = (len_bytes / HALF_FRACTION).clamp(SMALLEST_HALF, LARGEST_HALF);
        let layout = Self { len_bytes, half_bytes: half.next_multiple_of(PAGE) };
        (layout.files().length >= PAGE).then_some(layout)
    }

    /// Where the bytes of the files lie.
    pub(crate) const fn files(&self) -> Extent {
        let offset = PAGE + 2 * self.half_bytes;
        Extent { offset, length: self.len_bytes.saturating_sub(offset) / PAGE * PAGE }
    }

    /// How many records a half holds.
    pub(crate) const fn records(&self) -> u64 {
        self.half_bytes / RECORD - 1
    }

    fn half(&self, which: bool) -> u64 {
        PAGE + if which { self.half_bytes } else { 0 }
    }

    fn superblock(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for value in [VERSION, self.len_bytes, self.half_bytes] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        summed(bytes)
    }
}

/// The table of a disk: where the next record goes. What it says is with whoever read it.
#[derive(Debug)]
pub(crate) struct Table {
    layout: Layout,
    /// Which half is in use.
    half: bool,
    sequence: u64,
    /// Place of the next record; place 0 is the header's.
    next: u32,
    /// Whether there may be something behind the journal's end that would look like its going on.
    unclean: bool,
}

impl Table {
    /// Makes an empty table. The superblock goes last: what was not made to its end is no volume.
    ///
    /// # Errors
    /// `InvalidInput` when the disk is too small; else whatever the disk says.
    pub(crate) fn format(disk: &mut dyn VirtualDisk) -> io::Result<Self> {
        let len_bytes = disk.len_bytes();
        let layout = Layout::of(len_bytes).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a disk of {len_bytes} bytes is too small for a volume: make it larger"),
            )
        })?;
        // Nothing of an earlier volume may be found again.
        disk.discard(0, layout.files().offset)?;
        disk.write_at(&header(1), layout.half(false))?;
        disk.flush(Durability::None)?;
        disk.write_at(&layout.superblock(), 0)?;
        disk.flush(Durability::None)?;
        Ok(Self { layout, half: false, sequence: 1, next: 1, unclean: false })
    }

    /// Reads a table, and tells `each` its records in order.
    ///
    /// # Errors
    /// `InvalidData` when there is none or it is damaged; else whatever the disk or `each` says.
    pub(crate) fn read(
        disk: &mut dyn VirtualDisk,
        each: &mut dyn FnMut(Entry) -> io::Result<()>,
    ) -> io::Result<Self> {
        let layout = layout_of(disk)?;
        let mut found = None;
        for half in [false, true] {
            let mut bytes = [0; 64];
            disk.read_at(&mut bytes, layout.half(half))?;
            let sequence = long(&bytes, 8).unwrap_or_default();
            if bytes.starts_with(&HALF_MAGIC)
                && is_summed(&bytes)
                && found.is_none_or(|(_, other)| sequence > other)
            {
                found = Some((half, sequence));
            }
        }
        let (half, sequence) = found.ok_or_else(|| {
            damaged("the volume's table of files is damaged: neither half has a header")
        })?;
        let mut table = Self { layout, half, sequence, next: 1, unclean: false };
        table.read_records(disk, each)?;
        Ok(table)
    }

    fn read_records(
        &mut self,
        disk: &mut dyn VirtualDisk,
        each: &mut dyn FnMut(Entry) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        let (mut place, mut ended) = (0_u32, false);
        let mut done = 0;
        while done < self.layout.half_bytes {
            let left = in_memory(self.layout.half_bytes - done);
            let bytes = piece.split_at_mut(left.min(PIECE)).0;
            disk.read_at(bytes, self.layout.half(self.half) + done)?;
            done += bytes.len() as u64;
            for record in bytes.chunks_exact(RECORD_LEN) {
                let entry = Entry::decode(record, self.sequence);
                match entry {
                    _ if place == 0 => {}
                    Some((entry, _)) if !ended => {
                        each(entry)?;
                        self.next = place + 1;
                    }
                    Some((_, batch)) if batch <= self.next => self.unclean = true,
                    Some(_) => {
                        return Err(damaged(format!(
                            "the volume's table of files is damaged: record {} cannot be read",
                            self.next
                        )));
                    }
                    None => ended = true,
                }
                place += 1;
            }
        }
        Ok(())
    }

    /// The layout of the disk.
    pub(crate) const fn layout(&self) -> Layout {
        self.layout
    }

    /// Makes sure that the next records go into the other half.
    pub(crate) const fn rewrite_next(&mut self) {
        self.unclean = true;
    }

    /// Adds records. When the half is full, everything goes into the other one: `all` gives the records of the files
    /// that are there, these included. Nothing is sure before the next flush.
    ///
    /// # Errors
    /// `StorageFull` when there are more records than a half holds; else whatever the disk says.
    pub(crate) fn append(
        &mut self,
        disk: &mut dyn VirtualDisk,
        entries: &[Entry],
        all: &mut dyn Iterator<Item = Entry>,
        durability: Durability,
    ) -> io::Result<()> {
        let end = u64::from(self.next).saturating_add(entries.len() as u64);
        if self.unclean || end > self.layout.records() + 1 {
            return self.switch(disk, all, durability);
        }
        let mut bytes = Vec::with_capacity(entries.len().saturating_mul(RECORD_LEN));
        for entry in entries {
            bytes.extend(entry.encode(self.sequence, self.next));
        }
        let place = self.layout.half(self.half) + u64::from(self.next) * RECORD;
        // Half-written records must not be taken for whole ones by those that come after them.
        self.unclean = true;
        disk.write_at(&bytes, place)?;
        self.unclean = false;
        self.next = u32::try_from(end).map_err(io::Error::other)?;
        Ok(())
    }

    fn switch(
        &mut self,
        disk: &mut dyn VirtualDisk,
        all: &mut dyn Iterator<Item = Entry>,
        durability: Durability,
    ) -> io::Result<()> {
        let (half, sequence) = (!self.half, self.sequence.saturating_add(1));
        let start = self.layout.half(half);
        // An attempt that failed may have left its header: it must not stand for records that are only half there, nor
        // win over what goes on in the old half.
        self.unclean = true;
        disk.write_at(&[0; RECORD_LEN], start)?;
        let mut next = 1_u32;
        let mut bytes: Vec<u8> = Vec::new();
        let mut place = start + RECORD;
        for entry in all {
            if u64::from(next) > self.layout.records() {
                return Err(io::Error::new(
                    io::ErrorKind::StorageFull,
                    format!(
                        "the volume's table of files is full: it holds {} records; make the image larger",
                        self.layout.records()
                    ),
                ));
            }
            bytes.extend(entry.encode(sequence, next));
            next += 1;
            if bytes.len() >= PIECE {
                disk.write_at(&bytes, place)?;
                place += bytes.len() as u64;
                bytes.clear();
            }
        }
        disk.write_at(&bytes, place)?;
        disk.flush(durability)?;
        disk.write_at(&header(sequence), start)?;
        disk.flush(durability)?;
        // Were the new header to be damaged, the old half must not be taken for the newest.
        disk.write_at(&[0; RECORD_LEN], self.layout.half(self.half))?;
        *self = Self { layout: self.layout, half, sequence, next, unclean: false };
        Ok(())
    }
}

fn layout_of(disk: &mut dyn VirtualDisk) -> io::Result<Layout> {
    let none = || damaged("the image holds no volume of this program: its first bytes differ");
    let len_bytes = disk.len_bytes();
    let mut bytes = [0; 40];
    if len_bytes < bytes.len() as u64 {
        return Err(none());
    }
    disk.read_at(&mut bytes, 0)?;
    if !bytes.starts_with(&MAGIC) {
        return Err(none());
    }
    if !is_summed(&bytes) {
        return Err(damaged("the volume's first block is damaged: its checksum does not match"));
    }
    match long(&bytes, 8) {
        Some(VERSION) => {}
        version => {
            return Err(damaged(format!(
                "the volume has version {}, but this program knows version {VERSION}",
                version.unwrap_or_default()
            )));
        }
    }
    let layout = Layout::of(len_bytes);
    let half_bytes = layout.map(|layout| layout.half_bytes);
    match layout {
        Some(layout) if long(&bytes, 16) == Some(len_bytes) && long(&bytes, 24) == half_bytes => {
            Ok(layout)
        }
        _ => Err(damaged(format!(
            "the volume was made for a disk of {} bytes, but this one has {len_bytes}",
            long(&bytes, 16).unwrap_or_default()
        ))),
    }
}

fn header(sequence: u64) -> Vec<u8> {
    let mut bytes = HALF_MAGIC.to_vec();
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.resize(SUMMED, 0);
    summed(bytes)
}

/// The bytes, and their checksum.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = Sha256::digest(&bytes);
    bytes.extend(sum.iter().take(8));
    bytes
}

fn is_summed(bytes: &[u8]) -> bool {
    bytes.split_last_chunk::<8>().is_some_and(|(bytes, sum)| Sha256::digest(bytes).starts_with(sum))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn int(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn a_table_takes_little_and_holds_the_largest_cell() {
        let large = Layout::of(100_000_000_000).unwrap();
        assert_eq!(large.files().offset, 4096 + 2 * 16_777_216);
        assert!(large.records() > 200_000);
        let small = Layout::of(1 << 20).unwrap();
        assert_eq!((small.files().offset, small.records()), (4096 + 2 * 65_536, 1023));
        // 1 GB: a 1024th, in whole pages.
        let middle = Layout::of(1_000_000_000).unwrap();
        assert_eq!(middle.files().offset, 4096 + 2 * 978_944);
    }

    #[test]
    fn a_disk_that_has_no_room_for_one_page_of_files_is_too_small() {
        let least = 4096 + 2 * 65_536 + 4096;
        assert_eq!(Layout::of(least).unwrap().files().length, 4096);
        for too_small in [0, 512, least - 1] {
            assert_eq!(Layout::of(too_small), None, "{too_small}");
        }
    }
}
