//! Compaction: chunks of zeros are freed, the last chunks of the file move into free ones, the file is truncated.
//!
//! Each step leaves an intact image: a chunk is copied before its entry is written, and the file is truncated only when
//! no entry refers to the rest.

use system::memory::in_memory;

use crate::asif::Asif;
use crate::asif::table::{Entry, Status};
use crate::bytes::{all_zero, part_mut};
use crate::disk::{Advance, VirtualDisk};
use crate::error::Result;
use crate::holes::copy;

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

impl Asif {
    /// Gives back all that the image does not need.
    pub(super) fn compact_chunks(&mut self, advance: Advance<'_>) -> Result<()> {
        self.drop_zeros(advance)?;
        self.make_last()?;
        self.drop_bitmaps()?;
        // A chunk that was freed is written over only when the disk no longer names it, even after a power failure.
        self.make_last()?;
        let end = self.chunks.used().max(self.fixed_end);
        self.move_below(end)?;
        self.make_last()?;
        self.chunks.cut(end);
        let len_bytes = self.address(end, 0)?;
        if len_bytes < self.store.len_bytes() {
            self.store.set_len(len_bytes)?;
        }
        self.make_last()
    }

    /// Discards the chunks of the disk that hold only zeros.
    fn drop_zeros(&mut self, advance: Advance<'_>) -> Result<()> {
        let geometry = self.header.geometry;
        let (mut done, all) = (0, self.data_chunks * geometry.chunk_bytes);
        for (table, _) in self.directory.places() {
            let first = table * geometry.chunks_per_table();
            let end = geometry.disk_chunks().min(first + geometry.chunks_per_table());
            for chunk in first..end {
                if !self.entry(chunk)?.holds_data() {
                    continue;
                }
                done += geometry.chunk_bytes;
                advance(done, all);
                if self.is_zeros(chunk)? {
                    let start = chunk * geometry.chunk_bytes;
                    let length = geometry.chunk_bytes.min(geometry.len_bytes() - start);
                    self.give_back(start, length)?;
                }
            }
        }
        Ok(())
    }

    fn is_zeros(&mut self, chunk: u64) -> Result<bool> {
        let geometry = self.header.geometry;
        let mut buffer = vec![0; BUFFER];
        let mut offset = chunk * geometry.chunk_bytes;
        let end = geometry.len_bytes().min(offset + geometry.chunk_bytes);
        while offset < end {
            let length = in_memory(end - offset).min(BUFFER);
            let part = part_mut(&mut buffer, ..length);
            self.read(part, offset)?;
            if !all_zero(part) {
                return Ok(false);
            }
            offset += length as u64;
        }
        Ok(true)
    }

    /// Frees the bitmaps of groups without partial chunks, which is already recorded in the file.
    fn drop_bitmaps(&mut self) -> Result<()> {
        let geometry = self.header.geometry;
        for (number, _) in self.directory.places() {
            let mut unneeded = Vec::new();
            let Some(table) = self.table(number)? else { continue };
            for group in 0..geometry.groups(number) {
                let first = group * (geometry.group() + 1);
                let bitmap = table.get(first + geometry.group());
                let partial = |entry: u64| table.get(first + entry).status() == Status::Partial;
                if bitmap.chunk() != 0 && !(0..geometry.group()).any(partial) {
                    table.set(first + geometry.group(), bitmap.at(0));
                    unneeded.push(bitmap.chunk());
                }
            }
            for chunk in unneeded {
                self.chunks.release(chunk);
            }
        }
        Ok(())
    }

    /// Moves everything from this chunk of the file on into free chunks before it, and changes the tables only when
    /// all copies last.
    fn move_below(&mut self, end: u64) -> Result<()> {
        let mut moved = Vec::new();
        for (number, _) in self.directory.places() {
            for (at, entry) in self.entries_from(number, end)? {
                let new = self.chunks.take();
                self.copy(entry.chunk(), new)?;
                moved.push((number, at, entry.at(new)));
            }
        }
        self.store.make_last()?;
        for (number, at, entry) in moved {
            if let Some(table) = self.table(number)? {
                table.set(at, entry);
            }
        }
        for (number, place) in self.directory.places() {
            if place >= end {
                let new = self.chunks.take();
                if let Some(table) = self.table(number)? {
                    table.move_to(new);
                    self.directory.set(number, new);
                }
            }
        }
        Ok(())
    }

    /// The entries of a table that name this chunk of the file or one behind it.
    fn entries_from(&mut self, number: u64, end: u64) -> Result<Vec<(u64, Entry)>> {
        let Some(table) = self.table(number)? else { return Ok(Vec::new()) };
        let entries = (0..table.len()).map(|at| (at, table.get(at)));
        Ok(entries.filter(|(_, entry)| entry.chunk() >= end).collect())
    }

    fn copy(&mut self, from: u64, to: u64) -> Result<()> {
        let chunk_bytes = self.header.geometry.chunk_bytes;
        let (source, target) = (self.address(from, 0)?, self.address(to, 0)?);
        let length = chunk_bytes.min(self.store.len_bytes().saturating_sub(source));
        copy(self.store.as_mut(), source, target, length)
    }
}
