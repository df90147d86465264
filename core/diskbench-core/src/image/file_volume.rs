//! A volume of our own in a disk image: the files of a workload as contiguous ranges, as APFS lays out large files.
//!
//! **What it is.** Files have a number (the workload's) and a size. Each gets the first free range that is large
//! enough, or several ranges if there is none. They begin at multiples of 4096 bytes. Deleting discards, so that a
//! format can reclaim the space. The table of files is in the image, which can be detached, and attached by another
//! process.
//!
//! **What it is not.** It is not a file system: macOS cannot mount it, and no other program reads it. There are only
//! the workload's numbers instead of names, no folders, no permissions, no times; a file is written once, from start to
//! end, and then only read or deleted. Its cost is negligible on purpose, so that the format of the image is measured.
//! It does not survive a killed process: an unfinished phase is measured again, in a new image.
//!
//! ```text
//! 0      one page: magic, version, length of the disk
//! 4096   the table: records of 64 bytes, one for each range of a file; zeros where there is none
//! then   the bytes of the files
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::ops::Range;

use diskimage::disk::VirtualDisk;
use diskimage::error;
use system::flush::Durability;
use system::memory::in_memory;

/// The first bytes of a volume. None of the formats' magics, so that a raw image of a volume is known as raw.
pub(crate) const MAGIC: [u8; 8] = *b"dskbvolm";

/// Version of the layout.
const VERSION: u64 = 2;

/// Files begin at multiples of this many bytes and use whole multiples: the page size of every machine or a divisor of
/// it, and the alignment of direct I/O.
pub(crate) const PAGE: u64 = 4096;

/// Size of a record in bytes: eight of them fill a sector.
const RECORD: u64 = 64;
const RECORD_LEN: usize = 64;

/// The table uses 1 / this of the disk ...
const TABLE_FRACTION: u64 = 1024;

/// ... but at least this many bytes, which is room for 1024 records ...
const SMALLEST_TABLE: u64 = 64 << 10;

/// ... and at most this many, for 262,144 records: more than twice what the largest cell writes files.
const LARGEST_TABLE: u64 = 16 << 20;

/// The table is read in pieces of this many bytes.
const PIECE: usize = 256 << 10;

/// Bytes of read-ahead: some of the study's blocks, as much as systems use for ordinary files.
pub(crate) const AHEAD: u64 = 4 << 20;

/// A length in whole pages, in bytes.
pub(crate) const fn paged(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE).saturating_mul(PAGE)
}

/// Bytes that a file of this size takes.
const fn room_for(size_bytes: u64) -> u64 {
    if size_bytes == 0 { PAGE } else { paged(size_bytes) }
}

/// The range of the files' bytes on a disk of this length, after the table; empty if there is no space.
pub(crate) fn place_of_files(len_bytes: u64) -> Range<u64> {
    let table = (len_bytes / TABLE_FRACTION).clamp(SMALLEST_TABLE, LARGEST_TABLE);
    let start = PAGE + paged(table);
    start..(len_bytes / PAGE * PAGE).max(start)
}

/// How many records the table of a disk of this length holds.
pub(crate) fn records(len_bytes: u64) -> u64 {
    (place_of_files(len_bytes).start - PAGE) / RECORD
}

/// A range of the disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
}

impl Extent {
    /// Where it ends.
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// The ranges of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its parts in order. Together they are as long as the size in whole pages.
    pub extents: Vec<Extent>,
    /// The position of each range's record in the table.
    records: Vec<u64>,
}

/// The volume in an open image.
pub struct FileVolume {
    disk: Box<dyn VirtualDisk>,
    files: HashMap<u64, Stored>,
    /// Where each part of a file begins, and where it ends.
    used: BTreeMap<u64, u64>,
    /// The places in the table that have a record.
    records: BTreeSet<u64>,
    /// All places before this one have: each file that is written would look for a free one longer than the last.
    first_free: u64,
    /// No byte of the range for files before this one is free, for the same reason.
    first_room: u64,
    /// The range for files.
    place: Range<u64>,
}

/// The error for a volume with inconsistent records.
fn damaged(what: impl Into<String>) -> io::Error {
    error::damaged(what).into()
}

impl FileVolume {
    /// Makes an empty volume in an image.
    ///
    /// # Errors
    /// `InvalidInput` when the disk is too small; otherwise any error of the disk.
    pub fn format(disk: Box<dyn VirtualDisk>) -> io::Result<Self> {
        let mut volume = Self::of(disk);
        let len_bytes = volume.disk.len_bytes();
        if volume.place.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a disk of {len_bytes} bytes is too small for a volume: make it larger"),
            ));
        }
        // Nothing of an earlier volume may be found again.
        volume.disk.discard(0, volume.place.start)?;
        volume.disk.write_at(&numbers([u64::from_le_bytes(MAGIC), VERSION, len_bytes]), 0)?;
        Ok(volume)
    }

    /// Opens the volume in an image.
    ///
    /// # Errors
    /// `InvalidData` when there is none, or its table is damaged; otherwise any error of the disk.
    pub fn mount(disk: Box<dyn VirtualDisk>) -> io::Result<Self> {
        let mut volume = Self::of(disk);
        volume.check_header()?;
        let mut piece = vec![0; PIECE];
        let table = PAGE..volume.place.start;
        for start in table.clone().step_by(PIECE) {
            let bytes = piece.split_at_mut(in_memory(table.end - start).min(PIECE)).0;
            volume.disk.read_at(bytes, start)?;
            let (records, _) = bytes.as_chunks::<RECORD_LEN>();
            for (record, place) in records.iter().zip((start..).step_by(RECORD_LEN)) {
                if record.iter().any(|byte| *byte != 0) {
                    volume.take_up(record, place)?;
                }
            }
        }
        let is_whole = |stored: &Stored| {
            let lengths = stored.extents.iter().map(|extent| extent.length);
            lengths.sum::<u64>() == room_for(stored.size_bytes)
        };
        match volume.files.iter().find(|(_, stored)| !is_whole(stored)) {
            Some((id, _)) => Err(wrong(*id)),
            None => Ok(volume),
        }
    }

    fn of(disk: Box<dyn VirtualDisk>) -> Self {
        let place = place_of_files(disk.len_bytes());
        let (used, records) = (BTreeMap::new(), BTreeSet::new());
        let (files, first_room) = (HashMap::new(), place.start);
        Self { disk, files, used, records, first_free: PAGE, first_room, place }
    }

    fn check_header(&mut self) -> io::Result<()> {
        let len_bytes = self.disk.len_bytes();
        if self.place.is_empty() || !self.is_marked()? {
            return Err(damaged(
                "the image contains no volume of this program: its first bytes differ",
            ));
        }
        let mut header = [0; RECORD_LEN];
        self.disk.read_at(&mut header, 0)?;
        let [_, version, length, ..] = parsed(&header);
        if version != VERSION {
            return Err(damaged(format!(
                "the volume has version {version}, but this program knows version {VERSION}"
            )));
        }
        if length != len_bytes {
            return Err(damaged(format!(
                "the volume was created for a disk of {length} bytes, but this one has {len_bytes}"
            )));
        }
        Ok(())
    }

    /// Takes up a part of a file, from its record.
    fn take_up(&mut self, record: &[u8; RECORD_LEN], place: u64) -> io::Result<()> {
        let [one, id, size_bytes, offset, length, ..] = parsed(record);
        let extent = Extent { offset, length };
        let before = self.used.range(..extent.end()).next_back();
        let is_sound = one == 1
            && length > 0
            && paged(length) == length
            && paged(offset) == offset
            && self.place.start <= offset
            && offset.checked_add(length).is_some_and(|end| end <= self.place.end)
            && before.is_none_or(|(_, end)| *end <= offset);
        let new = || Stored { size_bytes, extents: Vec::new(), records: Vec::new() };
        let stored = self.files.entry(id).or_insert_with(new);
        if !is_sound || stored.size_bytes != size_bytes {
            return Err(wrong(id));
        }
        stored.extents.push(extent);
        stored.records.push(place);
        self.used.insert(offset, extent.end());
        self.records.insert(place);
        Ok(())
    }

    /// The file of this number.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn find(&self, id: u64) -> io::Result<&Stored> {
        self.files.get(&id).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "the volume does not have this file")
        })
    }

    /// The numbers and sizes of all files, in no order.
    pub fn list(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.files.iter().map(|(id, stored)| (*id, stored.size_bytes))
    }

    /// The image.
    pub(crate) fn image(&self) -> &dyn VirtualDisk {
        self.disk.as_ref()
    }

    /// Whether the disk begins like our volumes; read from the disk again.
    ///
    /// # Errors
    /// Any error of the disk.
    pub(crate) fn is_marked(&mut self) -> io::Result<bool> {
        let mut start = [0; MAGIC.len()];
        self.disk.read_at(&mut start, 0)?;
        Ok(start == MAGIC)
    }

    /// Reserves space for a new file, which exists only after it is committed.
    ///
    /// # Errors
    /// `AlreadyExists`; `StorageFull` when there is no room.
    pub fn begin(&mut self, id: u64, size_bytes: u64) -> io::Result<Stored> {
        if self.files.contains_key(&id) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the volume already has this file",
            ));
        }
        let full = |what: String| io::Error::new(io::ErrorKind::StorageFull, what);
        let extents = self.room(room_for(size_bytes)).ok_or_else(|| {
            full(format!("the volume has no room for {size_bytes} bytes; make the image larger"))
        })?;
        let free = (self.first_free..self.place.start).step_by(RECORD_LEN);
        let records: Vec<u64> =
            free.filter(|place| !self.records.contains(place)).take(extents.len()).collect();
        if records.len() < extents.len() {
            return Err(full("the volume's table of files is full; make the image larger".into()));
        }
        self.used.extend(extents.iter().map(|extent| (extent.offset, extent.end())));
        self.records.extend(&records);
        self.first_free = records.last().map_or(self.first_free, |last| last + RECORD);
        Ok(Stored { size_bytes, extents, records })
    }

    /// Space for this many bytes (whole pages): the first free range that is large enough or, if there is none, the
    /// largest ones, as few as possible, in order. None if there is not enough.
    fn room(&mut self, wanted: u64) -> Option<Vec<Extent>> {
        let used = self.used.range(self.first_room..);
        let ends = [self.first_room].into_iter().chain(used.clone().map(|(_, end)| *end));
        let starts = used.map(|(start, _)| *start).chain([self.place.end]);
        let gaps = ends.zip(starts).map(|(end, start)| Extent { offset: end, length: start - end });
        let gaps = gaps.filter(|gap| gap.length > 0);
        self.first_room = gaps.clone().next().map_or(self.first_room, |gap| gap.offset);
        if let Some(first) = gaps.clone().find(|gap| gap.length >= wanted) {
            return Some(vec![Extent { length: wanted, ..first }]);
        }
        let mut taken: Vec<Extent> = gaps.collect();
        taken.sort_by_key(|gap| std::cmp::Reverse(gap.length));
        let mut left = wanted;
        taken.retain_mut(|gap| {
            gap.length = gap.length.min(left);
            left -= gap.length;
            gap.length > 0
        });
        taken.sort();
        (left == 0).then_some(taken)
    }

    /// Records a written file in the table with the requested durability, before the clock stops.
    ///
    /// # Errors
    /// Any error of the disk. The file may exist then: [`FileVolume::abandon`] it.
    pub fn commit(&mut self, id: u64, stored: &Stored, durability: Durability) -> io::Result<()> {
        for (place, extent) in stored.records.iter().zip(&stored.extents) {
            let record = numbers([1, id, stored.size_bytes, extent.offset, extent.length]);
            self.disk.write_at(&record, *place)?;
        }
        self.files.insert(id, stored.clone());
        self.flush(durability)
    }

    /// Removes a file that could not be written or committed.
    ///
    /// # Errors
    /// Any error of the disk.
    pub(crate) fn abandon(&mut self, id: u64, stored: Stored) -> io::Result<()> {
        self.files.remove(&id);
        self.erase(vec![stored])
    }

    /// Deletes files from the table, and discards their ranges. `flush` makes this durable.
    ///
    /// # Errors
    /// `NotFound`, with nothing deleted; otherwise any error of the disk.
    pub fn delete(&mut self, ids: &[u64]) -> io::Result<()> {
        for id in ids {
            self.find(*id)?;
        }
        let gone = ids.iter().filter_map(|id| self.files.remove(id)).collect();
        self.erase(gone)
    }

    fn erase(&mut self, files: Vec<Stored>) -> io::Result<()> {
        let (mut records, mut extents) = (Vec::new(), Vec::new());
        for file in files {
            for place in file.records {
                self.records.remove(&place);
                self.first_free = self.first_free.min(place);
                records.push(Extent { offset: place, length: RECORD });
            }
            for extent in file.extents {
                self.used.remove(&extent.offset);
                self.first_room = self.first_room.min(extent.offset);
                extents.push(extent);
            }
        }
        for range in coalesced(records) {
            self.disk.write_at(&vec![0; in_memory(range.length)], range.offset)?;
        }
        for range in coalesced(extents) {
            self.disk.discard(range.offset, range.length)?;
        }
        Ok(())
    }

    /// Makes all commits and deletions durable.
    ///
    /// # Errors
    /// Any error of the disk.
    pub fn flush(&mut self, durability: Durability) -> io::Result<()> {
        Ok(self.disk.flush(durability)?)
    }

    /// Writes bytes of a new file.
    ///
    /// # Errors
    /// `InvalidInput` when they exceed its space; otherwise any error of the disk.
    pub fn write_at(&mut self, stored: &Stored, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut rest = bytes;
        for piece in pieces(stored, offset, bytes.len() as u64) {
            let (piece, length) = piece?;
            let (head, tail) = rest.split_at_checked(length).ok_or(io::ErrorKind::InvalidInput)?;
            self.disk.write_at(head, piece.offset)?;
            rest = tail;
        }
        Ok(())
    }

    /// Fills the buffer from this offset of a file, up to its end; returns the number of bytes. A file that is read
    /// from its start is read ahead.
    ///
    /// # Errors
    /// Any error of the disk.
    pub fn read_at(
        &mut self,
        stored: &Stored,
        buffer: &mut [u8],
        offset: u64,
    ) -> io::Result<usize> {
        let length = stored.size_bytes.saturating_sub(offset).min(buffer.len() as u64);
        self.read_ahead(stored, offset, offset.saturating_add(length))?;
        let mut done = 0_usize;
        for piece in pieces(stored, offset, length) {
            let (piece, length) = piece?;
            let place = buffer.get_mut(done..done.saturating_add(length));
            self.disk.read_at(place.ok_or(io::ErrorKind::InvalidInput)?, piece.offset)?;
            done += length;
        }
        Ok(done)
    }

    /// Starts read-ahead after a range that is about to be read, at most to the file's end: the next file must not come
    /// from memory because this one was read.
    fn read_ahead(&mut self, stored: &Stored, start: u64, end: u64) -> io::Result<()> {
        // Earlier bytes were requested with the previous range.
        let from = if start == 0 { end } else { start.saturating_add(AHEAD).max(end) };
        let to = end.saturating_add(AHEAD).min(stored.size_bytes);
        for piece in pieces(stored, from, to.saturating_sub(from)) {
            let (piece, _) = piece?;
            self.disk.will_read(piece.offset, piece.length)?;
        }
        Ok(())
    }
}

/// The error for a file with inconsistent records.
fn wrong(id: u64) -> io::Error {
    damaged(format!("the volume's table of files is damaged: file {id} has invalid extents"))
}

/// A record of these numbers, or a header.
fn numbers<const COUNT: usize>(values: [u64; COUNT]) -> Vec<u8> {
    let mut bytes = values.map(u64::to_le_bytes).concat();
    bytes.resize(RECORD_LEN, 0);
    bytes
}

/// The numbers of a record.
fn parsed(record: &[u8; RECORD_LEN]) -> [u64; 8] {
    let mut values = [0; 8];
    for (value, bytes) in values.iter_mut().zip(record.as_chunks().0) {
        *value = u64::from_le_bytes(*bytes);
    }
    values
}

/// Ranges that touch made one; sorted.
fn coalesced(mut extents: Vec<Extent>) -> Vec<Extent> {
    extents.sort();
    extents.dedup_by(|next, last| {
        let touches = last.end() == next.offset;
        if touches {
            last.length += next.length;
        }
        touches
    });
    extents
}

/// The places on the disk of a range of a file, and their lengths; an error at the end when the file has less room.
fn pieces(
    stored: &Stored,
    offset: u64,
    length: u64,
) -> impl Iterator<Item = io::Result<(Extent, usize)>> {
    let (mut skip, mut left) = (offset, length);
    let mut extents = stored.extents.iter();
    std::iter::from_fn(move || {
        while left > 0 {
            let Some(extent) = extents.next() else {
                left = 0;
                return Some(Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "the range reaches beyond the file's room: correct the range",
                )));
            };
            if skip >= extent.length {
                skip -= extent.length;
                continue;
            }
            let piece =
                Extent { offset: extent.offset + skip, length: left.min(extent.length - skip) };
            skip = 0;
            left -= piece.length;
            return Some(Ok((piece, in_memory(piece.length))));
        }
        None
    })
}

#[cfg(test)]
mod tests;
