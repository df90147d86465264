//! A table: the state of each chunk in a range of the disk.

use system::memory::in_memory;

use crate::asif::geometry::ENTRY;
use crate::bytes::{part, put, u64_at};
use crate::error::Result;
use crate::store::Store;

/// The two upper bits of a data entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// 00: nothing was ever written; zeros.
    Absent,
    /// 01: all sectors are in the file.
    Full,
    /// 10: given back; zeros.
    Unmapped,
    /// 11: the bitmap says which sectors are in the file.
    Partial,
}

/// The lower 55 bits: the number of a chunk in the file.
const CHUNK: u64 = (1 << 55) - 1;
/// Bits 61 to 55: never seen set, meaning unknown.
const RESERVED: u64 = 0x3F80_0000_0000_0000;

/// An entry of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Entry(pub u64);

impl Entry {
    /// What it says about the chunk. Only data entries have a status.
    pub(crate) const fn status(self) -> Status {
        match self.0 >> 62 {
            0 => Status::Absent,
            1 => Status::Full,
            2 => Status::Unmapped,
            _ => Status::Partial,
        }
    }

    /// The chunk in the file.
    pub(crate) const fn chunk(self) -> u64 {
        self.0 & CHUNK
    }

    /// Whether it names a chunk with data.
    pub(crate) const fn holds_data(self) -> bool {
        matches!(self.status(), Status::Full | Status::Partial)
    }

    /// Whether it has only known values: for a data chunk a status and, if it has data, a chunk; for a bitmap only a
    /// chunk.
    pub(crate) const fn is_known(self, is_bitmap: bool) -> bool {
        match self.status() {
            _ if self.0 & RESERVED != 0 => false,
            Status::Absent => is_bitmap || self.chunk() == 0,
            Status::Unmapped => !is_bitmap && self.chunk() == 0,
            Status::Full | Status::Partial => !is_bitmap,
        }
    }

    /// An entry with this status and chunk.
    pub(crate) const fn of(status: Status, chunk: u64) -> Self {
        let upper: u64 = match status {
            Status::Absent => 0,
            Status::Full => 1,
            Status::Unmapped => 2,
            Status::Partial => 3,
        };
        Self(upper << 62 | chunk & CHUNK)
    }

    /// The same entry with this chunk: all else stays.
    pub(crate) const fn at(self, chunk: u64) -> Self {
        Self(self.0 & !CHUNK | chunk & CHUNK)
    }
}

/// What is written at once: a sector.
const UNIT: usize = 512;

/// A table in memory.
#[derive(Debug)]
pub(crate) struct Table {
    place: u64,
    bytes: Vec<u8>,
    /// For each sector of it whether it has changed.
    changed: Vec<bool>,
    /// Entries of bitmaps that are new. They are written before the data entries that rely on them.
    new_bitmaps: Vec<u64>,
    /// Nothing of it is in the file yet.
    new: bool,
}

impl Table {
    /// A table without any entry, for this chunk of the file.
    pub(crate) fn empty(place: u64, size_bytes: u64) -> Self {
        Self::of(place, vec![0; in_memory(size_bytes)], true)
    }

    /// Reads a table that begins at this offset.
    pub(crate) fn load(
        store: &mut dyn Store,
        place: u64,
        offset: u64,
        size_bytes: u64,
    ) -> Result<Self> {
        let mut bytes = vec![0; in_memory(size_bytes)];
        store.read_at(&mut bytes, offset)?;
        Ok(Self::of(place, bytes, false))
    }

    fn of(place: u64, bytes: Vec<u8>, new: bool) -> Self {
        let changed = vec![false; bytes.len().div_ceil(UNIT)];
        Self { place, bytes, changed, new_bitmaps: Vec::new(), new }
    }

    /// Its chunk in the file.
    pub(crate) const fn place(&self) -> u64 {
        self.place
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64 / ENTRY
    }

    /// Size in bytes.
    pub(crate) fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// An entry.
    pub(crate) fn get(&self, number: u64) -> Entry {
        Entry(u64_at(&self.bytes, index(number)))
    }

    /// Changes an entry, in memory.
    #[expect(clippy::indexing_slicing, reason = "without its sector a change would not be written")]
    pub(crate) fn set(&mut self, number: u64, entry: Entry) {
        let at = index(number);
        put(&mut self.bytes, at, &entry.0.to_be_bytes());
        self.changed[at / UNIT] = true;
    }

    /// Changes the entry of a bitmap, in memory.
    pub(crate) fn set_bitmap(&mut self, number: u64, entry: Entry) {
        self.set(number, entry);
        self.new_bitmaps.push(number);
    }

    /// Moves it to another chunk of the file, from the next write on.
    pub(crate) fn move_to(&mut self, place: u64) {
        self.place = place;
        self.new = true;
    }

    /// Writes changes; the table begins at this offset.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn write(&mut self, store: &mut dyn Store, offset: u64) -> Result<()> {
        if self.new {
            // Nothing points to it yet: the order does not matter.
            store.write_at(&self.bytes, offset)?;
        } else {
            self.write_changed(store, offset)?;
        }
        self.new = false;
        self.changed.fill(false);
        Ok(())
    }

    /// Writes the entries of new bitmaps, each by itself, and says whether there are any. They come before the rest: a
    /// partial chunk without a bitmap would be damage. Nothing points to a new table yet.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn write_new_bitmaps(&mut self, store: &mut dyn Store, offset: u64) -> Result<bool> {
        let found = !self.new && !self.new_bitmaps.is_empty();
        for &number in self.new_bitmaps.iter().filter(|_| found) {
            let place = offset + number * ENTRY;
            store.write_at(&self.get(number).0.to_be_bytes(), place)?;
        }
        self.new_bitmaps.clear();
        Ok(found)
    }

    fn write_changed(&self, store: &mut dyn Store, offset: u64) -> Result<()> {
        let mut sector = 0;
        for run in self.changed.chunk_by(|one, next| one == next) {
            let start = sector * UNIT;
            sector += run.len();
            let end = self.bytes.len().min(sector * UNIT);
            if run.first() == Some(&true) {
                store.write_at(part(&self.bytes, start..end), offset + start as u64)?;
            }
        }
        Ok(())
    }
}

const fn index(number: u64) -> usize {
    in_memory(number * ENTRY)
}

#[cfg(test)]
mod tests {
    use super::{Entry, Status, Table};
    use crate::testing::memory::MemoryStore;

    #[test]
    fn the_upper_two_bits_are_the_status_and_the_lower_55_the_chunk() {
        let entry = Entry(0x4000_0000_0000_0003);
        assert_eq!((entry.status(), entry.chunk()), (Status::Full, 3));
        assert_eq!(Entry(0x8000_0000_0000_0000).status(), Status::Unmapped);
        assert_eq!(Entry(0xC07F_FFFF_FFFF_FFFF).chunk(), 0x7F_FFFF_FFFF_FFFF);
        assert_eq!(Entry::of(Status::Partial, 9), Entry(0xC000_0000_0000_0009));
        assert_eq!(Entry(0x4000_0000_0000_0003).at(4), Entry(0x4000_0000_0000_0004));
    }

    #[test]
    fn only_what_was_seen_in_an_entry_is_known() {
        for (upper, chunk, data, bitmap) in [
            (0x0000, 0, true, true),
            (0x0000, 5, false, true),
            (0x4000, 5, true, false),
            (0x8000, 0, true, false),
            (0x8000, 5, false, false),
            (0xC000, 5, true, false),
            (0x4080, 5, false, false),
            (0x6000, 5, false, false),
            (0x0080, 5, false, false),
            (0x2000, 0, false, false),
        ] {
            let entry = Entry(upper << 48 | chunk);
            assert_eq!((entry.is_known(false), entry.is_known(true)), (data, bitmap), "{entry:?}");
        }
    }

    #[test]
    fn only_the_sectors_that_changed_are_written_and_neighbours_at_once() {
        let memory = MemoryStore::of(vec![0xEE; 16_392]);
        let mut store = memory.clone();
        let mut table = Table::load(&mut store, 1, 0, 16_392).unwrap();
        for number in [0, 64, 127, 640] {
            table.set(number, Entry(5));
        }
        table.write(&mut store, 0).unwrap();
        assert_eq!(memory.changes(), 2);
        table.set_bitmap(2048, Entry(6));
        assert!(table.write_new_bitmaps(&mut store, 0).unwrap());
        assert_eq!(memory.bytes()[16_384..], [0, 0, 0, 0, 0, 0, 0, 6]);
        table.write(&mut store, 0).unwrap();
        assert_eq!(memory.changes(), 4);
        assert!(!table.write_new_bitmaps(&mut store, 0).unwrap());
        table.write(&mut store, 0).unwrap();
        assert_eq!(memory.changes(), 4);
    }
}
