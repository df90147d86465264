//! The arithmetic of the format: the table, group and entry of a chunk of the disk.
//!
//! ```text
//! directory   one entry per table            T tables, of which the last may be a short one
//! table       C groups                       C = as many as fit into a chunk
//! group       N data entries, 1 bitmap entry N = 4 x the size of a sector
//! bitmap      two bits for each sector of the group: just one chunk
//! ```
//!
//! A sector has 512 or 4096 bytes (the header's "block size"); lengths, groups and bitmaps are counted in it.

use crate::error::{Result, damaged, not_known};

/// Size of an entry of a directory or table in bytes.
pub(crate) const ENTRY: u64 = 8;
/// Sizes of a sector in bytes: all images of macOS 26 have the first, the framework of macOS 27 can make the second.
pub(crate) const SECTORS: [u64; 2] = [512, 4096];
/// Sectors whose states fit into one byte of a bitmap.
pub(crate) const SECTORS_PER_BYTE: u64 = 4;
/// Size of a chunk in bytes as Apple makes it.
pub(crate) const APPLE_CHUNK: u64 = 1 << 20;
/// Sectors that an image can grow to, as Apple says: 4 PiB.
pub(crate) const APPLE_MAX_SECTORS: u64 = 8_796_093_022_208;
/// The largest chunk, in bytes: a table is held in memory whole, and is as large as a chunk.
pub(crate) const LARGEST_CHUNK: u64 = 16 << 20;
/// Largest number of tables: a directory is held in memory whole, here at most 8 MiB. Apple's has 33,289.
const MOST_TABLES: u64 = 1 << 20;
/// Largest length in bytes, so that no sum of bytes overflows.
const MOST_BYTES: u64 = 1 << 61;

/// The sizes that everything follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Size of a chunk in bytes.
    pub chunk_bytes: u64,
    /// Size of a sector in bytes.
    pub sector_bytes: u64,
    /// Length of the disk in sectors.
    pub sectors: u64,
    /// Sectors that the disk could grow to.
    pub max_sectors: u64,
}

/// Where a chunk's entries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
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
    /// `Damaged` for sizes that no image can have; `Unsupported` for those that are not known to work.
    pub(crate) fn checked(self) -> Result<Self> {
        let Self { chunk_bytes, sector_bytes, sectors, max_sectors } = self;
        if !SECTORS.contains(&sector_bytes) {
            return Err(not_known(format_args!(
                "the header's block size is {sector_bytes} bytes, not 512 or 4096"
            )));
        }
        if chunk_bytes == 0 || !chunk_bytes.is_multiple_of(sector_bytes) {
            return Err(damaged(format!(
                "the chunk size is {chunk_bytes} bytes, not a multiple of the block size of {sector_bytes}: \
                 the header is damaged"
            )));
        }
        // A chunk holds a table of at least one group.
        let smallest = self.group_bytes().next_power_of_two();
        if !chunk_bytes.is_power_of_two() || !(smallest..=LARGEST_CHUNK).contains(&chunk_bytes) {
            return Err(not_known(format_args!(
                "the header's chunk size is {chunk_bytes} bytes, not a power of two from {smallest} to {LARGEST_CHUNK}"
            )));
        }
        if sectors == 0 || sectors > max_sectors {
            return Err(damaged(format!(
                "the disk has {sectors} sectors of at most {max_sectors}: the header is damaged"
            )));
        }
        if max_sectors > MOST_BYTES / sector_bytes || self.tables() > MOST_TABLES {
            return Err(not_known(format_args!(
                "the header's largest disk has {max_sectors} sectors, more than this program can hold"
            )));
        }
        Ok(self)
    }

    /// Length of the disk in bytes.
    pub(crate) const fn len_bytes(&self) -> u64 {
        self.sectors * self.sector_bytes
    }

    /// Chunks of the disk; the last one may reach beyond its end.
    pub(crate) const fn disk_chunks(&self) -> u64 {
        self.len_bytes().div_ceil(self.chunk_bytes)
    }

    /// Chunks that have a number: those of the largest disk.
    pub(crate) const fn chunks(&self) -> u64 {
        (self.max_sectors * self.sector_bytes).div_ceil(self.chunk_bytes)
    }

    /// Data entries of a group: four for each byte of a sector (huven/asif-format, "Definitions").
    pub(crate) const fn group(&self) -> u64 {
        4 * self.sector_bytes
    }

    /// Size of a group in bytes: its data entries and the one of its bitmap.
    pub(crate) const fn group_bytes(&self) -> u64 {
        ENTRY * (self.group() + 1)
    }

    /// Data chunks of a table.
    pub(crate) const fn chunks_per_table(&self) -> u64 {
        self.chunk_bytes / self.group_bytes() * self.group()
    }

    /// Number of tables.
    pub(crate) const fn tables(&self) -> u64 {
        self.chunks().div_ceil(self.chunks_per_table())
    }

    /// Size of a directory in bytes: its sequence number and one entry for each table.
    pub(crate) const fn directory_bytes(&self) -> u64 {
        ENTRY * (self.tables() + 1)
    }

    /// Groups of this table: the last one has only as many as the largest disk needs.
    pub(crate) fn groups(&self, table: u64) -> u64 {
        let before = table * self.chunks_per_table();
        let chunks = self.chunks() - before;
        chunks.min(self.chunks_per_table()).div_ceil(self.group())
    }

    /// Size of this table in bytes.
    pub(crate) fn table_bytes(&self, table: u64) -> u64 {
        self.groups(table) * self.group_bytes()
    }

    /// Size in bytes of the part of a bitmap that belongs to one chunk.
    pub(crate) const fn slice_bytes(&self) -> u64 {
        self.chunk_bytes / self.sector_bytes / SECTORS_PER_BYTE
    }

    /// Where the entries of this chunk of the disk are.
    pub(crate) const fn spot(&self, chunk: u64) -> Spot {
        let table = chunk / self.chunks_per_table();
        let within = chunk % self.chunks_per_table();
        let (group, place) = (within / self.group(), within % self.group());
        let first = group * (self.group() + 1);
        Spot {
            table,
            data: first + place,
            bitmap: first + self.group(),
            slice: place * self.slice_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Kind;

    use super::{APPLE_CHUNK, APPLE_MAX_SECTORS, Geometry, Spot};

    const APPLE: Geometry = Geometry {
        chunk_bytes: APPLE_CHUNK,
        sector_bytes: 512,
        sectors: 1,
        max_sectors: APPLE_MAX_SECTORS,
    };

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
        let (damaged, not_known) = (Kind::Damaged, Kind::Unsupported);
        for (kind, chunk_bytes, sector_bytes, sectors, max_sectors) in [
            (damaged, 0, 512, 1, 1),
            (damaged, 100_000, 512, 1, 1),
            (damaged, 512, 4096, 1, 1),
            (damaged, APPLE_CHUNK, 512, 0, 1),
            (damaged, APPLE_CHUNK, 512, 2, 1),
            (not_known, 1 << 14, 512, 1, 1),
            (not_known, 1 << 25, 512, 1, 1),
            (not_known, 3 << 15, 512, 1, 1),
            (not_known, 1 << 17, 4096, 1, 1),
            (not_known, APPLE_CHUNK, 0, 1, 1),
            (not_known, APPLE_CHUNK, 1024, 1, 1),
            (not_known, APPLE_CHUNK, 512, 1, u64::MAX),
            (not_known, APPLE_CHUNK, 4096, 1, (1 << 49) + 1),
            (not_known, 1 << 15, 512, 1, 1 << 52),
        ] {
            let sizes = Geometry { chunk_bytes, sector_bytes, sectors, max_sectors };
            assert_eq!(sizes.checked().unwrap_err().kind(), kind, "{sizes:?}");
        }
        assert!(APPLE.checked().is_ok());
    }

    #[test]
    fn the_sums_for_blocks_of_4096_bytes_are_those_of_the_description() {
        let sizes =
            Geometry { chunk_bytes: 1 << 20, sector_bytes: 4096, sectors: 1, max_sectors: 1 << 40 };
        let sizes = sizes.checked().unwrap();
        // N = 16,384; S = 131,080; C = 7; D = 7 x 16,384 x 1 MiB; T = 4 PiB / D, rounded up.
        assert_eq!((sizes.group(), sizes.group_bytes()), (16_384, 131_080));
        assert_eq!(sizes.chunks_per_table(), 7 * 16_384);
        assert_eq!(sizes.tables(), 37_450);
        assert_eq!(sizes.slice_bytes() * sizes.group(), 1 << 20);
        let spot = Spot { table: 1, data: 16_386, bitmap: 32_769, slice: 64 };
        assert_eq!(sizes.spot(7 * 16_384 + 16_385), spot);
    }
}
