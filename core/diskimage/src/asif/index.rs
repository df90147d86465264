//! Tables and bitmaps in memory: loaded on demand, written at a flush or when memory is needed.
//!
//! Writing some of them before the flush is safe: an entry is written only after its data, and the chunks that it no
//! longer refers to are not reused before the flush. After a power failure, too, no entry may rely on a bitmap that the
//! disk does not have yet: see [`Asif::settle`].

use std::collections::btree_map::Entry as Slot;

use system::flush::{self, Durability};
use system::memory::in_memory;

use crate::asif::Asif;
use crate::asif::bitmap::Slice;
use crate::asif::geometry::Spot;
use crate::asif::table::{Entry, Table};
use crate::error::{ImageError, Result, damaged, internal};

/// Tables in memory at most, in bytes (one more may be needed when a single one is larger). One of Apple's is 1 MiB and
/// stands for 135 GB. In tests so few that room has to be made all the time.
const TABLES_HELD: usize = if cfg!(test) { 32 << 10 } else { 16 << 20 };
/// Slices of bitmaps in memory at most, in bytes. One of Apple's is 512 bytes; there is one for each partial chunk.
const SLICES_HELD: u64 = if cfg!(test) { 1 << 10 } else { 8 << 20 };

/// A slice of a bitmap in memory.
#[derive(Debug)]
pub(crate) struct Held {
    /// The slice.
    pub slice: Slice,
    /// Whether it is not in the file yet.
    pub changed: bool,
}

impl Asif {
    /// A chunk's offset in the file, plus this many bytes.
    pub(super) fn address(&self, chunk: u64, within: u64) -> Result<u64> {
        chunk
            .checked_mul(self.header.geometry.chunk_bytes)
            .and_then(|start| start.checked_add(within))
            .ok_or_else(|| damaged(format!("there is no chunk {chunk} in any file")))
    }

    /// Checks that the file has at least this many bytes.
    pub(super) fn reach(&mut self, len_bytes: u64) -> Result<()> {
        if self.store.len_bytes() < len_bytes {
            self.store.set_len(len_bytes)?;
        }
        Ok(())
    }

    /// Gives out a chunk of the file.
    pub(super) fn take_chunk(&mut self) -> Result<u64> {
        let chunk = self.chunks.take();
        let end = self.address(chunk, self.header.geometry.chunk_bytes)?;
        self.reach(end)?;
        Ok(chunk)
    }

    /// A table, if there is one.
    pub(super) fn table(&mut self, number: u64) -> Result<Option<&mut Table>> {
        if !self.tables.contains_key(&number) {
            let Some(place) = self.directory.place(number) else { return Ok(None) };
            self.make_room_for_a_table()?;
            let offset = self.address(place, 0)?;
            let size = self.header.geometry.table_bytes(number);
            let table = Table::load(self.store.as_mut(), place, offset, size)?;
            self.tables.insert(number, table);
        }
        Ok(self.tables.get_mut(&number))
    }

    /// A table, created if missing.
    pub(super) fn table_or_new(&mut self, number: u64) -> Result<&mut Table> {
        if self.table(number)?.is_none() {
            self.make_room_for_a_table()?;
            let place = self.take_chunk()?;
            let size = self.header.geometry.table_bytes(number);
            self.tables.insert(number, Table::empty(place, size));
            self.directory.set(number, place);
        }
        self.held_table(number)
    }

    /// A table that is in memory.
    fn held_table(&mut self, number: u64) -> Result<&mut Table> {
        self.tables
            .get_mut(&number)
            .ok_or_else(|| internal(format!("table {number} is not in memory")))
    }

    fn make_room_for_a_table(&mut self) -> Result<()> {
        let held: usize = self.tables.values().map(Table::size_bytes).sum();
        if held >= TABLES_HELD {
            self.settle_and_last()?;
            self.tables.clear();
        }
        Ok(())
    }

    /// What its table says about a chunk of the disk.
    pub(super) fn entry(&mut self, chunk: u64) -> Result<Entry> {
        let spot = self.header.geometry.spot(chunk);
        Ok(self.table(spot.table)?.map_or_else(Entry::default, |table| table.get(spot.data)))
    }

    /// Changes what its table says about a chunk of the disk.
    pub(super) fn set_entry(&mut self, chunk: u64, entry: Entry) -> Result<()> {
        let spot = self.header.geometry.spot(chunk);
        self.table_or_new(spot.table)?.set(spot.data, entry);
        Ok(())
    }

    /// The slice of a partial chunk.
    pub(super) fn slice(&mut self, chunk: u64) -> Result<&mut Held> {
        if !self.slices.contains_key(&chunk) {
            self.make_room_for_a_slice()?;
            let slice = self.load_slice(chunk)?;
            self.slices.insert(chunk, Held { slice, changed: false });
        }
        match self.slices.entry(chunk) {
            Slot::Occupied(held) => Ok(held.into_mut()),
            Slot::Vacant(_) => Err(internal("a bitmap is not in memory")),
        }
    }

    fn load_slice(&mut self, chunk: u64) -> Result<Slice> {
        let geometry = self.header.geometry;
        let spot = geometry.spot(chunk);
        let bitmap = self.table(spot.table)?.map_or(0, |table| table.get(spot.bitmap).chunk());
        if bitmap == 0 {
            return Err(damaged(format!(
                "chunk {chunk} of the disk is only partly written, but there is no bitmap that says which part"
            )));
        }
        let size = in_memory(geometry.slice_bytes());
        let mut bytes = vec![0; size];
        let offset = self.address(bitmap, spot.slice)?;
        self.store.read_at(&mut bytes, offset)?;
        Slice::of(bytes)
    }

    /// Holds the slice of a chunk that has just become partial.
    pub(super) fn hold_slice(&mut self, chunk: u64, slice: Slice) -> Result<()> {
        self.make_room_for_a_slice()?;
        self.slices.insert(chunk, Held { slice, changed: true });
        Ok(())
    }

    fn make_room_for_a_slice(&mut self) -> Result<()> {
        let held = self.header.geometry.slice_bytes() * self.slices.len() as u64;
        if held >= SLICES_HELD {
            self.settle_and_last()?;
            self.slices.clear();
        }
        Ok(())
    }

    /// Holds the slice of a full chunk that loses a part. Its bitmap may say anything about it so far, and the table
    /// relies on it from now on.
    pub(super) fn hold_full_slice(&mut self, chunk: u64) -> Result<()> {
        self.hold_slice(chunk, Slice::full(self.header.geometry.slice_bytes()))?;
        self.bitmaps_first = true;
        Ok(())
    }

    fn settle_and_last(&mut self) -> Result<()> {
        flush::strongest(ImageError::is_refusal, |durability| self.settle(durability))
    }

    /// Writes changed bitmaps, then changed tables, but not the directory. What a table relies on for flushed data
    /// is flushed before it: the file's new length, the bitmap of a chunk that was full, and the entry of a new bitmap.
    pub(super) fn settle(&mut self, durability: Durability) -> Result<()> {
        let changed: Vec<u64> =
            self.slices.iter().filter(|(_, held)| held.changed).map(|(&chunk, _)| chunk).collect();
        for chunk in changed {
            self.write_slice(chunk)?;
        }
        if self.store.grew() {
            self.store.flush(durability)?;
        }
        let chunk_bytes = self.header.geometry.chunk_bytes;
        for table in self.tables.values_mut() {
            let offset = table.place() * chunk_bytes;
            self.bitmaps_first |= table.write_new_bitmaps(self.store.as_mut(), offset)?;
        }
        if self.bitmaps_first {
            self.store.flush(durability)?;
            self.bitmaps_first = false;
        }
        for table in self.tables.values_mut() {
            let offset = table.place() * chunk_bytes;
            table.write(self.store.as_mut(), offset)?;
        }
        Ok(())
    }

    fn write_slice(&mut self, chunk: u64) -> Result<()> {
        let spot = self.header.geometry.spot(chunk);
        let bitmap = self.bitmap_or_new(spot)?;
        let offset = self.address(bitmap, spot.slice)?;
        // The last bitmap of a file by another writer may be cut short behind the last slice that was needed.
        self.reach(self.address(bitmap, self.header.geometry.chunk_bytes)?)?;
        if let Some(held) = self.slices.get_mut(&chunk) {
            self.store.write_at(held.slice.bytes(), offset)?;
            held.changed = false;
        }
        Ok(())
    }

    /// The bitmap of a group. A table whose chunk has a changed slice is in memory: tables leave it only after all
    /// slices were written.
    fn bitmap_or_new(&mut self, spot: Spot) -> Result<u64> {
        let entry = self.held_table(spot.table)?.get(spot.bitmap);
        if entry.chunk() != 0 {
            return Ok(entry.chunk());
        }
        let bitmap = self.take_chunk()?;
        self.held_table(spot.table)?.set_bitmap(spot.bitmap, entry.at(bitmap));
        Ok(bitmap)
    }
}
