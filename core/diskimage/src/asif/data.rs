//! Reading, writing and discarding: maps the disk's bytes to those of the file.

use std::ops::Range;

use system::memory::in_memory;

use crate::asif::Asif;
use crate::asif::bitmap::Slice;
use crate::asif::table::{Entry, Status};
use crate::bytes::part;
use crate::error::Result;
use crate::pieces::{Piece, Run, bytes_of, bytes_of_mut, pieces};

/// A stretch of zeros: the longest sector.
const ZEROS: [u8; 4096] = [0; 4096];

impl Asif {
    /// Reads a range of the disk.
    pub(super) fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let chunk_bytes = self.header.geometry.chunk_bytes;
        let mut run = Run::default();
        for piece in pieces(chunk_bytes, offset, buffer.len() as u64) {
            let Piece { band, start, length, done } = piece;
            let entry = self.entry(band)?;
            match entry.status() {
                Status::Absent | Status::Unmapped => bytes_of_mut(buffer, done, length).fill(0),
                Status::Full => {
                    let place = self.address(entry.chunk(), start)?;
                    run.then(Run { place, done, length }).read(self.store.as_mut(), buffer)?;
                }
                Status::Partial => self.read_partial(&mut run, buffer, piece, entry)?,
            }
        }
        run.read(self.store.as_mut(), buffer)
    }

    /// Reads the sectors that are written; the others are zeros.
    fn read_partial(
        &mut self,
        run: &mut Run,
        buffer: &mut [u8],
        piece: Piece,
        entry: Entry,
    ) -> Result<()> {
        let sector_bytes = self.header.geometry.sector_bytes;
        let (mut at, end) = (piece.start, piece.start + piece.length);
        let last = in_memory(end.div_ceil(sector_bytes));
        while at < end {
            let slice = &self.slice(piece.band)?.slice;
            let sector = in_memory(at / sector_bytes);
            let written = slice.is_written(sector);
            let stop = end.min(slice.run_end(sector, last) as u64 * sector_bytes);
            let (done, length) = (piece.done + at - piece.start, stop - at);
            if written {
                let place = self.address(entry.chunk(), at)?;
                run.then(Run { place, done, length }).read(self.store.as_mut(), buffer)?;
            } else {
                bytes_of_mut(buffer, done, length).fill(0);
            }
            at = stop;
        }
        Ok(())
    }

    /// The first range from this offset on that lies in a chunk of the file.
    pub(super) fn data_from(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let geometry = self.header.geometry;
        let mut chunk = from / geometry.chunk_bytes;
        while chunk < geometry.disk_chunks() {
            let spot = geometry.spot(chunk);
            let Some(table) = self.table(spot.table)? else {
                chunk = (spot.table + 1) * geometry.chunks_per_table();
                continue;
            };
            if table.get(spot.data).holds_data() {
                let start = chunk * geometry.chunk_bytes;
                let end = geometry.len_bytes().min(start + geometry.chunk_bytes);
                return Ok((from < end).then_some(start.max(from)..end));
            }
            chunk += 1;
        }
        Ok(None)
    }

    /// Writes a range of the disk.
    pub(super) fn write(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        for piece in pieces(self.header.geometry.chunk_bytes, offset, bytes.len() as u64) {
            self.write_piece(piece.band, piece.start, bytes_of(bytes, piece.done, piece.length))?;
        }
        Ok(())
    }

    /// Writes bytes that lie in one chunk of the disk.
    pub(super) fn write_piece(&mut self, chunk: u64, at: u64, bytes: &[u8]) -> Result<()> {
        let mut entry = self.entry(chunk)?;
        match entry.status() {
            Status::Absent | Status::Unmapped => entry = self.begin(chunk)?,
            Status::Full | Status::Partial => {}
        }
        let end = at + bytes.len() as u64;
        let place = self.address(entry.chunk(), 0)?;
        if entry.status() == Status::Full {
            return self.store.write_at(bytes, place + at);
        }
        // In a file by another writer, the last chunk may end after its last written sector.
        let unit = self.header.geometry.sector_bytes;
        self.reach(place + end.next_multiple_of(unit))?;
        let zeros = part(&ZEROS, ..in_memory(unit));
        for edge in [at, end] {
            let sector = edge / unit;
            if !edge.is_multiple_of(unit) && !self.slice(chunk)?.slice.is_written(in_memory(sector))
            {
                self.store.write_at(zeros, place + sector * unit)?;
            }
        }
        self.store.write_at(bytes, place + at)?;
        let sectors = in_memory(at / unit)..in_memory(end.div_ceil(unit));
        let held = self.slice(chunk)?;
        held.slice.mark(&sectors, true);
        held.changed = true;
        if held.slice.is_full() {
            self.slices.remove(&chunk);
            self.set_entry(chunk, Entry::of(Status::Full, entry.chunk()))?;
        }
        Ok(())
    }

    /// Allocates a chunk of the file for a chunk of the disk. Its old bytes do not matter: no sector counts as written.
    fn begin(&mut self, chunk: u64) -> Result<Entry> {
        let spot = self.header.geometry.spot(chunk);
        self.table_or_new(spot.table)?;
        let place = self.take_chunk()?;
        self.hold_slice(chunk, Slice::empty(self.header.geometry.slice_bytes()))?;
        let entry = Entry::of(Status::Partial, place);
        self.set_entry(chunk, entry)?;
        self.data_chunks += 1;
        Ok(entry)
    }

    /// Makes a range of the disk zeros.
    pub(super) fn give_back(&mut self, offset: u64, length: u64) -> Result<()> {
        let geometry = self.header.geometry;
        let end = offset + length;
        let mut holes = Run::default();
        let mut offset = offset;
        while offset < end {
            let Some(piece) = pieces(geometry.chunk_bytes, offset, end - offset).next() else {
                break;
            };
            let spot = geometry.spot(piece.band);
            if self.table(spot.table)?.is_none() {
                // Nothing in the range of this table was ever written.
                offset = (spot.table + 1) * geometry.chunks_per_table() * geometry.chunk_bytes;
                continue;
            }
            // Nothing is after the disk's end: its last chunk is complete without it.
            let all = geometry.chunk_bytes.min(geometry.len_bytes() - (offset - piece.start));
            if piece.length == all {
                self.drop_chunk(piece.band, &mut holes)?;
            } else {
                self.drop_part(piece, &mut holes)?;
            }
            offset += piece.length;
        }
        self.punch(holes)
    }

    /// Gives back the chunk of the file that a chunk of the disk has.
    pub(super) fn free(&mut self, chunk: u64, entry: Entry) -> Result<()> {
        self.set_entry(chunk, Entry::default())?;
        self.slices.remove(&chunk);
        self.chunks.release(entry.chunk());
        self.data_chunks -= 1;
        Ok(())
    }

    fn drop_chunk(&mut self, chunk: u64, holes: &mut Run) -> Result<()> {
        let entry = self.entry(chunk)?;
        if !entry.holds_data() {
            return Ok(());
        }
        self.free(chunk, entry)?;
        let place = self.address(entry.chunk(), 0)?;
        self.punch_on(holes, place, self.header.geometry.chunk_bytes)
    }

    fn drop_part(&mut self, piece: Piece, holes: &mut Run) -> Result<()> {
        let Piece { band: chunk, start: at, length, .. } = piece;
        let entry = self.entry(chunk)?;
        if !entry.holds_data() || length == 0 {
            return Ok(());
        }
        let end = at + length;
        let unit = self.header.geometry.sector_bytes;
        let (first, last) = (at.next_multiple_of(unit), end / unit * unit);
        let place = self.address(entry.chunk(), 0)?;
        if first > last {
            // Within one sector.
            return self.write_zeros(chunk, entry, at..end);
        }
        self.write_zeros(chunk, entry, at..first)?;
        self.write_zeros(chunk, entry, last..end)?;
        if first == last {
            return Ok(());
        }
        if entry.status() == Status::Full {
            self.hold_full_slice(chunk)?;
            self.set_entry(chunk, Entry::of(Status::Partial, entry.chunk()))?;
        }
        let held = self.slice(chunk)?;
        held.slice.mark(&(in_memory(first / unit)..in_memory(last / unit)), false);
        held.changed = true;
        if held.slice.is_empty() {
            return self.drop_chunk(chunk, holes);
        }
        self.punch_on(holes, place + first, last - first)
    }

    /// Writes zeros over a part of one sector, unless the sector is zeros anyway.
    fn write_zeros(&mut self, chunk: u64, entry: Entry, range: Range<u64>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let zeros = part(&ZEROS, ..in_memory(range.end - range.start));
        let sector = in_memory(range.start / self.header.geometry.sector_bytes);
        if entry.status() == Status::Partial && !self.slice(chunk)?.slice.is_written(sector) {
            return Ok(());
        }
        let place = self.address(entry.chunk(), range.start)?;
        self.store.write_at(zeros, place)
    }

    /// Lengthens the run of holes, or punches it and begins the next one.
    fn punch_on(&mut self, holes: &mut Run, place: u64, length: u64) -> Result<()> {
        self.punch(holes.then(Run { place, done: holes.done + holes.length, length }))
    }

    fn punch(&mut self, holes: Run) -> Result<()> {
        let end = self.store.len_bytes().min(holes.place + holes.length);
        match end.checked_sub(holes.place) {
            Some(length) if length > 0 => self.store.punch(holes.place, length),
            _ => Ok(()),
        }
    }
}
