//! A volume of our own in a disk image: the files of a workload as contiguous ranges, as APFS lays out large files.
//!
//! **What it is.** Files have a number (the workload's) and a size. Each takes the first free range that is large
//! enough; only when none is, it lies in several. They begin at multiples of 4096 bytes. Deleting discards, so that a
//! format can give the space back. The table of files lies in the image (see [`table`]): it can be detached, and
//! attached again by another process.
//!
//! **What it is not.** No file system: macOS cannot mount it, and no other program reads it. There are no names but the
//! workload's numbers, no folders, no permissions, no times; a file is written once, from start to end, and then only
//! read or deleted. What it costs is next to nothing, and that is its purpose: what is measured is the format of the
//! image.
//!
//! **What is sure.** A file is there once [`FileVolume::commit`] has come back. A process may be killed at any moment:
//! whoever attaches the image next finds every file that was committed and not deleted. A file that was just being
//! committed may be there or not, and may then hold zeros. Space that a deletion frees is used again only when the
//! deletion has been flushed.

pub(crate) mod extents;
pub(crate) mod table;

use std::collections::HashMap;
use std::io;

use diskimage::disk::DiskImage;
use diskimage::error;
use system::flush::Durability;
use system::memory::in_memory;

use crate::image::file_volume::extents::{Extent, FreeSpace, coalesced, paged};
use crate::image::file_volume::table::{Entry, Table};

/// How far ahead a file is read, in bytes: some of the study's blocks, as far as systems do it by themselves with files of
/// their own.
pub(crate) const AHEAD: u64 = 4 << 20;

/// Where a file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its parts in order. Together they are as long as the size in whole pages.
    pub extents: Vec<Extent>,
}

/// The volume in an open image.
pub struct FileVolume {
    disk: Box<dyn DiskImage>,
    table: Table,
    free: FreeSpace,
    files: HashMap<u64, Stored>,
    /// Ranges of deleted files; free once the deletion is flushed.
    released: Vec<Extent>,
}

/// The error for a volume whose records make no sense.
fn damaged(what: impl Into<String>) -> io::Error {
    error::damaged(what).into()
}

impl FileVolume {
    /// Makes an empty volume in an image.
    ///
    /// # Errors
    /// `InvalidInput` when the disk is too small; else whatever the disk says.
    pub fn format(mut disk: Box<dyn DiskImage>) -> io::Result<Self> {
        let table = Table::format(disk.as_mut())?;
        let free = FreeSpace::new(table.layout().files());
        Ok(Self { disk, table, free, files: HashMap::new(), released: Vec::new() })
    }

    /// Takes up the volume in an image.
    ///
    /// # Errors
    /// `InvalidData` when there is none, or its table is damaged; else whatever the disk says.
    pub fn mount(mut disk: Box<dyn DiskImage>) -> io::Result<Self> {
        let mut files = HashMap::new();
        let table = Table::read(disk.as_mut(), &mut |entry| replay(&mut files, entry))?;
        let free = FreeSpace::new(table.layout().files());
        let mut volume = Self { disk, table, free, files: HashMap::new(), released: Vec::new() };
        for (id, (count, stored)) in files {
            if stored.extents.len() as u64 != u64::from(count) {
                // Its writer was killed before the last part was noted. It never was a file.
                volume.table.rewrite_next();
                continue;
            }
            volume.claim(id, stored)?;
        }
        Ok(volume)
    }

    fn claim(&mut self, id: u64, stored: Stored) -> io::Result<()> {
        let mut length = Some(0_u64);
        for extent in &stored.extents {
            length = length.and_then(|length| length.checked_add(extent.length));
            if extent.length > 0 {
                self.free.claim(*extent)?;
            }
        }
        if length != Some(paged(stored.size_bytes)) {
            return Err(damaged(format!(
                "the volume's table of files is damaged: file {id} has {} bytes and other room",
                stored.size_bytes
            )));
        }
        self.files.insert(id, stored);
        Ok(())
    }

    /// The file of this number.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn find(&self, id: u64) -> io::Result<&Stored> {
        self.files
            .get(&id)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the volume has no such file"))
    }

    /// The numbers and sizes of all files, in no order.
    pub fn list(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.files.iter().map(|(id, stored)| (*id, stored.size_bytes))
    }

    /// The image.
    pub(crate) fn image(&self) -> &dyn DiskImage {
        self.disk.as_ref()
    }

    /// Whether the disk begins as a volume of ours does; read from the disk anew.
    ///
    /// # Errors
    /// Whatever the disk says.
    pub(crate) fn is_marked(&mut self) -> io::Result<bool> {
        let mut start = [0; table::MAGIC.len()];
        self.disk.read_at(&mut start, 0)?;
        Ok(start == table::MAGIC)
    }

    /// Finds room for a new file. It is no file before it is committed.
    ///
    /// # Errors
    /// `AlreadyExists`; `StorageFull` when there is no room.
    pub fn begin(&mut self, id: u64, size_bytes: u64) -> io::Result<Stored> {
        if self.files.contains_key(&id) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the volume has such a file already",
            ));
        }
        match self.free.take(size_bytes) {
            Some(extents) => Ok(Stored { size_bytes, extents }),
            None => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "the volume has no room for {size_bytes} bytes, {} are free; make the image larger",
                    self.free.bytes()
                ),
            )),
        }
    }

    fn cancel(&mut self, stored: Stored) -> io::Result<()> {
        for extent in coalesced(stored.extents) {
            self.released.push(extent);
            self.disk.discard(extent.offset, extent.length)?;
        }
        Ok(())
    }

    /// Notes a file whose bytes have been written, and makes it last as asked: with the clock's stop the file is there.
    ///
    /// # Errors
    /// Whatever the disk says. The file may be there then: [`FileVolume::abandon`] it.
    pub fn commit(&mut self, id: u64, stored: &Stored, durability: Durability) -> io::Result<()> {
        self.files.insert(id, stored.clone());
        if let Err(error) = self.append(&parts(id, stored), durability) {
            self.files.remove(&id);
            return Err(error);
        }
        self.flush(durability)
    }

    /// Makes a file vanish that was begun and could not be written or committed.
    ///
    /// # Errors
    /// Whatever the disk says.
    pub(crate) fn abandon(&mut self, id: u64, stored: Stored) -> io::Result<()> {
        if self.files.contains_key(&id) { self.delete(&[id]) } else { self.cancel(stored) }
    }

    /// Deletes files: notes it, and discards where they lay. It is sure against a kill when this returns; `flush` makes
    /// it last.
    ///
    /// # Errors
    /// `NotFound`, with nothing deleted; else whatever the disk says.
    pub fn delete(&mut self, ids: &[u64]) -> io::Result<()> {
        for id in ids {
            self.find(*id)?;
        }
        let gone: Vec<(u64, Stored)> =
            ids.iter().filter_map(|id| self.files.remove_entry(id)).collect();
        let entries: Vec<Entry> = gone.iter().map(|(id, _)| Entry::Deleted { id: *id }).collect();
        if let Err(error) = self.append(&entries, Durability::None) {
            // The table still has them: nobody may be given their place.
            self.files.extend(gone);
            return Err(error);
        }
        let extents = coalesced(gone.into_iter().flat_map(|(_, stored)| stored.extents).collect());
        self.released.extend(&extents);
        // First, so that no file can be found whose bytes are gone.
        self.flush(Durability::None)?;
        for extent in extents.iter().filter(|extent| extent.length > 0) {
            self.disk.discard(extent.offset, extent.length)?;
        }
        Ok(())
    }

    /// Makes everything last that was committed or deleted.
    ///
    /// # Errors
    /// Whatever the disk says.
    pub fn flush(&mut self, durability: Durability) -> io::Result<()> {
        self.disk.flush(durability)?;
        for extent in self.released.drain(..) {
            self.free.give(extent);
        }
        Ok(())
    }

    /// Writes bytes of a file that was begun.
    ///
    /// # Errors
    /// `InvalidInput` when they reach beyond its room; else whatever the disk says.
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

    /// Fills the buffer from this offset of a file on, as far as the file goes; gives the number of bytes. A file that is
    /// read from its start on is read ahead.
    ///
    /// # Errors
    /// Whatever the disk says.
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

    /// Begins to read what comes after a range that is about to be read, up to the file's end and never further: what lies
    /// behind is another file, which must not come from memory because this one was read.
    fn read_ahead(&mut self, stored: &Stored, start: u64, end: u64) -> io::Result<()> {
        // What comes before was asked for with the range before this one.
        let from = if start == 0 { end } else { start.saturating_add(AHEAD).max(end) };
        let to = end.saturating_add(AHEAD).min(stored.size_bytes);
        for piece in pieces(stored, from, to.saturating_sub(from)) {
            let (piece, _) = piece?;
            self.disk.will_read(piece.offset, piece.length)?;
        }
        Ok(())
    }

    fn append(&mut self, entries: &[Entry], durability: Durability) -> io::Result<()> {
        let mut all = self.files.iter().flat_map(|(id, stored)| parts(*id, stored));
        self.table.append(self.disk.as_mut(), entries, &mut all, durability)
    }
}

/// What a table's record does to the files. Parts come one after the other.
fn replay(files: &mut HashMap<u64, (u32, Stored)>, entry: Entry) -> io::Result<()> {
    let damaged = |id: u64, what: &str| {
        Err(damaged(format!("the volume's table of files is damaged: file {id} {what}")))
    };
    match entry {
        Entry::Deleted { id } => match files.remove(&id) {
            Some(_) => Ok(()),
            None => damaged(id, "is deleted and was not there"),
        },
        Entry::Part { id, size, number, count, extent } => {
            if number == 0 {
                let stored = Stored { size_bytes: size, extents: vec![extent] };
                return match files.insert(id, (count, stored)) {
                    None => Ok(()),
                    Some(_) => damaged(id, "is there twice"),
                };
            }
            match files.get_mut(&id) {
                Some((whole, stored))
                    if *whole == count
                        && stored.size_bytes == size
                        && stored.extents.len() as u64 == u64::from(number)
                        && number < count =>
                {
                    stored.extents.push(extent);
                    Ok(())
                }
                _ => damaged(id, "lacks a part"),
            }
        }
    }
}

/// The records of a file.
fn parts(id: u64, stored: &Stored) -> Vec<Entry> {
    let size = stored.size_bytes;
    let nothing = [Extent { offset: 0, length: 0 }];
    let extents = if stored.extents.is_empty() { &nothing[..] } else { &stored.extents[..] };
    // No table holds as many records as a u32 counts.
    let count = u32::try_from(extents.len()).unwrap_or(u32::MAX);
    let part =
        |(number, extent): (u32, &Extent)| Entry::Part { id, size, number, count, extent: *extent };
    (0..).zip(extents).map(part).collect()
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
