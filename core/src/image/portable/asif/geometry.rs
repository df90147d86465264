//! The sums of the format: which table, group and entry a chunk of the disk belongs to.
//!
//! ```text
//! directory   one entry per table            T tables, of which the last may be a short one
//! table       C groups                       C = as many as fit into a chunk
//! group       N data entries, 1 bitmap entry N = 4 x 512
//! bitmap      two bits for each sector of the group: just one chunk
//! ```

use std::io;

use crate::image::portable::disk::{SECTOR, malformed};

/// Size of an entry of a directory or table in bytes.
pub const ENTRY: u64 = 8;
/// Data entries of a group: four for each byte of a sector (huven/asif-format, "Definitions").
pub const GROUP: u64 = 4 * SECTOR;
/// Size of a group in bytes: its data entries and the one of its bitmap.
pub const GROUP_BYTES: u64 = ENTRY * (GROUP + 1);
/// Sectors whose states fit into one byte of a bitmap.
pub const SECTORS_PER_BYTE: u64 = 4;
/// Size of a chunk in bytes as Apple makes it.
pub const APPLE_CHUNK: u64 = 1 << 20;
/// Sectors that an image can grow to, as Apple says: 4 PiB.
pub const APPLE_MAX_SECTORS: u64 = 8_796_093_022_208;
/// The smallest chunk that holds a table of at least one group, in bytes. (Only 1 MiB was ever seen.)
pub const SMALLEST_CHUNK: u64 = 32 << 10;
/// The largest chunk, in bytes: a table is held in memory whole, and is as large as a chunk.
pub const LARGEST_CHUNK: u64 = 16 << 20;
/// Largest number of tables: a directory is held in memory whole, here at most 8 MiB. Apple's has 33,289.
const MOST_TABLES: u64 = 1 << 20;
/// Largest number of sectors, so that no sum of bytes overflows.
const MOST_SECTORS: u64 = 1 << 52;

/// The sizes that everything follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Size of a chunk in bytes.
    pub chunk_bytes: u64,
    /// Length of the disk in sectors.
    pub sectors: u64,
    /// Sectors that the disk could grow to.
    pub max_sectors: u64,
}

/// Where a chunk's entries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Number of the table.
    pub table: u64,
    /// Number of the chunk's entry in the table.
    pub data: u64,
    /// Number of the entry of its group's bitmap.
    pub bitmap: u64,
    /// Offset of the chunk's slice in the bitmap, in bytes.
    pub slice: u64,
}

impl Geometry {
    /// Makes sure that the sizes can be used.
    ///
    /// # Errors
    /// `InvalidData`.
    pub fn checked(self) -> io::Result<Self> {
        let Self { chunk_bytes, sectors, max_sectors } = self;
        if !chunk_bytes.is_power_of_two()
            || !(SMALLEST_CHUNK..=LARGEST_CHUNK).contains(&chunk_bytes)
        {
            return Err(malformed(format!(
                "the chunk size is {chunk_bytes} bytes, not a power of two from {SMALLEST_CHUNK} to {LARGEST_CHUNK}: \
                 the header is damaged, or this image needs another program"
            )));
        }
        if sectors == 0 || sectors > max_sectors {
            return Err(malformed(format!(
                "the disk has {sectors} sectors of at most {max_sectors}: the header is damaged"
            )));
        }
        if max_sectors > MOST_SECTORS || self.tables() > MOST_TABLES {
            return Err(malformed(format!(
                "the disk could grow to {max_sectors} sectors, more than this program can hold: \
                 the header is damaged, or this image needs another program"
            )));
        }
        Ok(self)
    }

    /// Length of the disk in bytes.
    pub const fn len_bytes(&self) -> u64 {
        self.sectors * SECTOR
    }

    /// Chunks of the disk; the last one may reach beyond its end.
    pub const fn disk_chunks(&self) -> u64 {
        self.len_bytes().div_ceil(self.chunk_bytes)
    }

    /// Chunks that have a number: those of the largest disk.
    pub const fn chunks(&self) -> u64 {
        (self.max_sectors * SECTOR).div_ceil(self.chunk_bytes)
    }

    /// Data chunks of a table.
    pub const fn chunks_per_table(&self) -> u64 {
        self.chunk_bytes / GROUP_BYTES * GROUP
    }

    /// Number of tables.
    pub const fn tables(&self) -> u64 {
        self.chunks().div_ceil(self.chunks_per_table())
    }

    /// Size of a directory in bytes: its sequence number and one entry for each table.
    pub const fn directory_bytes(&self) -> u64 {
        ENTRY * (self.tables() + 1)
    }

    /// Groups of this table: the last one has only as many as the largest disk needs.
    pub fn groups(&self, table: u64) -> u64 {
        let before = table.saturating_mul(self.chunks_per_table());
        let chunks = self.chunks().saturating_sub(before);
        chunks.min(self.chunks_per_table()).div_ceil(GROUP)
    }

    /// Size of this table in bytes.
    pub fn table_bytes(&self, table: u64) -> u64 {
        self.groups(table) * GROUP_BYTES
    }

    /// Size in bytes of the part of a bitmap that belongs to one chunk.
    pub const fn slice_bytes(&self) -> u64 {
        self.chunk_bytes / SECTOR / SECTORS_PER_BYTE
    }

    /// Where the entries of this chunk of the disk are.
    pub const fn spot(&self, chunk: u64) -> Spot {
        let table = chunk / self.chunks_per_table();
        let within = chunk % self.chunks_per_table();
        let (group, place) = (within / GROUP, within % GROUP);
        let first = group * (GROUP + 1);
        Spot {
            table,
            data: first + place,
            bitmap: first + GROUP,
            slice: place * self.slice_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{APPLE_CHUNK, APPLE_MAX_SECTORS, Geometry, Spot};

    const APPLE: Geometry =
        Geometry { chunk_bytes: APPLE_CHUNK, sectors: 1, max_sectors: APPLE_MAX_SECTORS };

    #[test]
    fn the_sums_for_four_pebibytes_are_those_of_the_description() {
        assert_eq!(APPLE.tables(), 33_289);
        assert_eq!(APPLE.chunks_per_table() * APPLE_CHUNK, 135_291_469_824);
        assert_eq!(APPLE.directory_bytes(), 266_320);
        assert_eq!(APPLE.chunks(), 4_294_967_296);
        assert_eq!(APPLE.slice_bytes(), 512);
        assert_eq!(APPLE.table_bytes(0), 63 * 16_392);
    }

    #[test]
    fn the_last_table_is_a_small_one() {
        assert_eq!(APPLE.groups(33_288), 8);
        let last = Spot { table: 33_288, data: 16_390, bitmap: 16_391, slice: 0xffe00 };
        assert_eq!(APPLE.spot(4_294_967_295), last);
    }

    #[test]
    fn a_bitmap_entry_stands_behind_each_2048_data_entries() {
        assert_eq!(APPLE.spot(0), Spot { table: 0, data: 0, bitmap: 2048, slice: 0 });
        assert_eq!(APPLE.spot(2047).data, 2047);
        assert_eq!(APPLE.spot(2048), Spot { table: 0, data: 2049, bitmap: 4097, slice: 0 });
        assert_eq!(APPLE.spot(129_023).data, 129_085);
        assert_eq!(APPLE.spot(129_024).table, 1);
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        let sizes =
            |chunk_bytes, sectors, max_sectors| Geometry { chunk_bytes, sectors, max_sectors };
        for wrong in [
            sizes(0, 1, 1),
            sizes(1 << 14, 1, 1),
            sizes(1 << 25, 1, 1),
            sizes(100_000, 1, 1),
            sizes(APPLE_CHUNK, 0, 1),
            sizes(APPLE_CHUNK, 2, 1),
            sizes(APPLE_CHUNK, 1, u64::MAX),
            sizes(1 << 15, 1, 1 << 52),
        ] {
            assert!(wrong.checked().is_err(), "{wrong:?}");
        }
        assert!(APPLE.checked().is_ok());
    }
}
