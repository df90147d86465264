//! `ASIF`: one file of directories, tables, bitmaps and chunks.
//!
//! ```text
//! chunk 0      header (512 bytes), then two directories, of which one holds           header, directory
//! a directory  where each table lies, one for each 135 GB of the disk                 directory
//! a table      where each chunk of 1 MiB lies, and whether it is full or partial      table
//! a bitmap     which sectors of the partial chunks of a group are written             bitmap
//! metadata     a property list with a number for the image                            metadata
//! ```
//!
//! A chunk that is written for the first time gets the lowest free chunk of the file, or a new one at its end, and data
//! is written there directly. Changes of tables and bitmaps stay in memory until the flush, which writes, in this
//! order: bitmaps, tables, and for a new table the other directory, with its sequence number last. So a process killed
//! at any write leaves an image whose tables refer only to existing data; allocated chunks without an entry are free
//! again when it is opened. A discarded chunk is punched in the file at once, but reused only after a flush. A flush
//! syncs all of this together, once; and once more before a directory becomes active, before a table relies on a bitmap
//! that is new or was not used, and before it names a new part of the file. So a power failure during a flush keeps what was flushed before: what was
//! written since then can be lost, in whole or in part.
//!
//! An encrypted `ASIF` is the same bytes inside an encrypted store; Apple's layout is not public.
//!
//! **Unknown features are refused.** Layers of macOS 27 take their missing chunks from another image; read alone, these
//! would silently be zeros. So an image with any field, flag, state or key of the metadata that is not known to be
//! harmless is refused as `Unsupported`, not as damaged.
//!
//! Sources: the descriptions of huven/asif-format and of the reader in fox-it/dissect.hypervisor, and the 19 blank
//! images by Apple's tools in nicholas-lonsinger/kernova, `DiskTemplates/`.

mod bitmap;
mod check;
mod chunks;
mod compact;
mod data;
mod directory;
mod geometry;
mod header;
mod index;
mod metadata;
mod survey;
mod table;
#[cfg(test)]
mod tests;

pub use check::check;

use std::collections::BTreeMap;
use std::ops::Range;

use system::flush::Durability;

use crate::asif::chunks::Chunks;
use crate::asif::directory::Directory;
use crate::asif::geometry::{APPLE_CHUNK, APPLE_MAX_SECTORS, Geometry, SECTORS};
use crate::asif::header::Header;
use crate::asif::index::Held;
use crate::asif::table::{Status, Table};
use crate::disk::{Advance, Bands, SECTOR, VirtualDisk, within};
use crate::error::{ImageError, Result, invalid};
use crate::findings::{OnDamage, strict, tolerated};
use crate::growing::Growing;
use crate::holes::is_zeros;
use crate::pieces::pieces;
use crate::random;
use crate::row::{File, Layout, Row};
use crate::store::Store;

/// The first bytes of the file.
const MAGIC: &[u8; 4] = b"shdw";

/// Bytes of the larger blocks that an image can have: DiskImageKit of macOS 27, `DiskImage.BlockSize` (512 bytes or 4
/// KB).
const LARGE_BLOCK: u64 = SECTORS[1];

/// What is known of the format.
pub(crate) const ROW: Row = Row {
    alias: None,
    summary: "Apple Sparse Image Format: one file with a map of chunks",
    extensions: &["asif"],
    band_bytes: None,
    large_block_bytes: Some(LARGE_BLOCK),
    has_map: true,
    hdiutil_type: None,
    diskutil_format: Some("ASIF"),
    own_encryption: true,
    layout: Layout::File(File {
        mark: MAGIC,
        name: "an ASIF image",
        is_like: header::is_like,
        sizes: header::sizes,
        create: |store, len_bytes, block_bytes| {
            let block_bytes = block_bytes.unwrap_or(SECTOR);
            Ok(Box::new(Asif::create_in_blocks(store, len_bytes, block_bytes)?))
        },
        open: |store, on_damage| Ok(Box::new(Asif::open_around(store, on_damage)?)),
        check: |mut store| check(store.as_mut()),
    }),
};

/// An Apple sparse image.
pub struct Asif {
    store: Box<dyn Store>,
    header: Header,
    directory: Directory,
    /// Tables in memory, by number.
    tables: BTreeMap<u64, Table>,
    /// What is known about partial chunks, by their number on the disk.
    slices: BTreeMap<u64, Held>,
    /// Whether a changed bitmap must be on the disk before the tables.
    bitmaps_first: bool,
    chunks: Chunks,
    /// Chunks of the disk that hold data.
    data_chunks: u64,
    /// Chunks of the file that cannot be moved end here.
    fixed_end: u64,
}

impl Asif {
    /// Makes an image in an empty store, with blocks of 512 bytes.
    ///
    /// # Errors
    /// `Invalid` for a length that the format does not have; otherwise any error of the system.
    pub fn create(store: Box<dyn Store>, len_bytes: u64) -> Result<Self> {
        Self::create_in_blocks(store, len_bytes, SECTOR)
    }

    /// The same with blocks of this size, which the header can state. It can grow as far as one with blocks of 512
    /// bytes.
    pub(crate) fn create_in_blocks(
        store: Box<dyn Store>,
        len_bytes: u64,
        block_bytes: u64,
    ) -> Result<Self> {
        let sectors = len_bytes / block_bytes;
        let sizes = Geometry {
            chunk_bytes: APPLE_CHUNK,
            sector_bytes: block_bytes,
            sectors,
            max_sectors: APPLE_MAX_SECTORS / (block_bytes / SECTOR),
        };
        if !len_bytes.is_multiple_of(block_bytes) || sectors == 0 || sectors > sizes.max_sectors {
            return Err(no_such_length(&sizes, len_bytes));
        }
        Self::create_with(store, sizes)
    }

    /// Makes an image of any sizes whose directories fit into the first chunk, laid out as Apple's are: the directories
    /// behind the header, each from a sector on, with the numbers 0 and 1 and the same entries.
    fn create_with(mut store: Box<dyn Store>, geometry: Geometry) -> Result<Self> {
        let geometry = geometry.checked()?;
        let metadata_chunk = geometry.chunks().saturating_sub(1);
        let first = geometry.sector_bytes;
        let second = first
            .saturating_add(geometry.directory_bytes())
            .next_multiple_of(geometry.sector_bytes);
        let end = second.saturating_add(geometry.directory_bytes());
        if metadata_chunk < geometry.disk_chunks() || end > geometry.chunk_bytes {
            return Err(no_such_length(&geometry, geometry.len_bytes()));
        }
        let header = Header {
            geometry,
            directories: [first, second],
            uuid: random::uuid()?,
            metadata_chunk,
        };
        let encoded = header.encode()?;
        store.set_len(geometry.chunk_bytes)?;
        // Both directories are zeros: the first one holds, and the flush makes it the second.
        let mut disk = Self::with(store, header, &mut strict)?;
        disk.write_piece(metadata_chunk, 0, &metadata::encode(&random::uuid()?))?;
        // The metadata are no data.
        disk.data_chunks = 0;
        disk.flush(Durability::None)?;
        disk.directory.fill_other(disk.store.as_mut())?;
        // Last, so that an unfinished file is not an image.
        disk.store.write_at(&encoded, 0)?;
        Ok(disk)
    }

    /// Opens an image.
    ///
    /// # Errors
    /// `Damaged` when its bytes make no sense; `Unsupported` when they say what is not known; otherwise any error of
    /// the system.
    pub fn open(store: Box<dyn Store>) -> Result<Self> {
        Self::open_around(store, &mut strict)
    }

    /// The same, with `on_damage` told of what cannot be where the rest can be read without it.
    ///
    /// # Errors
    /// As [`Self::open`], and those of `on_damage`.
    pub(crate) fn open_around(
        mut store: Box<dyn Store>,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let header = Header::load(store.as_mut())?;
        let mut disk = Self::with(store, header, on_damage)?;
        // They say whether this is a whole disk, or a layer over another image.
        let known = metadata::check(disk.store.as_mut(), &disk.header, &disk.directory);
        if let Err(error) = known {
            tolerated(error, on_damage)?;
        }
        Ok(disk)
    }

    /// The image that this header is of.
    fn with(
        mut store: Box<dyn Store>,
        header: Header,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let directory = Directory::load(store.as_mut(), &header)?;
        let found = survey::walk(store.as_mut(), &header, &directory, false, on_damage)?;
        let end = store.len_bytes().div_ceil(header.geometry.chunk_bytes);
        let store = Growing::of(store);
        Ok(Self {
            chunks: Chunks::of(&found.used, end),
            data_chunks: found.data_chunks,
            fixed_end: found.fixed_end,
            tables: BTreeMap::new(),
            slices: BTreeMap::new(),
            bitmaps_first: false,
            store,
            header,
            directory,
        })
    }
}

fn no_such_length(geometry: &Geometry, len_bytes: u64) -> ImageError {
    // The last chunk is that of the metadata.
    let most = geometry.chunks().saturating_sub(1).saturating_mul(geometry.chunk_bytes);
    let unit = geometry.sector_bytes;
    invalid(format!(
        "an ASIF image cannot have {len_bytes} bytes: use a multiple of {unit} from {unit} to {most}"
    ))
}

impl VirtualDisk for Asif {
    fn len_bytes(&self) -> u64 {
        self.header.geometry.len_bytes()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, buffer.len() as u64)?;
        self.read(buffer, offset)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        self.data_from(from)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, bytes.len() as u64)?;
        self.write(bytes, offset)
    }

    fn discard(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        self.give_back(offset, length)
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        self.settle(durability)?;
        self.directory.switch(self.store.as_mut(), durability)?;
        self.store.flush(durability)?;
        self.chunks.flushed();
        Ok(())
    }

    fn compact_with(&mut self, advance: Advance<'_>) -> Result<()> {
        self.compact_chunks(advance)
    }

    /// Only the header says how long the disk is: directories and tables are those of the longest one.
    fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        let old = self.header.geometry;
        let new = Geometry { sectors: len_bytes / old.sector_bytes, ..old };
        let metadata = Some(self.header.metadata_chunk).filter(|chunk| *chunk != 0);
        if !len_bytes.is_multiple_of(old.sector_bytes)
            || !(1..=old.max_sectors).contains(&new.sectors)
            || metadata.is_some_and(|chunk| chunk < new.disk_chunks())
        {
            return Err(no_such_length(&old, len_bytes));
        }
        self.header.geometry = new;
        if old.sectors < new.sectors {
            // Data of another writer after the end, in the last chunk, is not content.
            let chunk_end = old.len_bytes().next_multiple_of(old.chunk_bytes);
            let end = new.len_bytes().min(chunk_end);
            self.give_back(old.len_bytes(), end - old.len_bytes())?;
            self.make_last()?;
        }
        self.store.write_at(&self.header.encode()?, 0)
    }

    fn bands(&self) -> Option<Bands> {
        let band_bytes = self.header.geometry.chunk_bytes;
        Some(Bands { band_bytes, count: self.data_chunks })
    }

    fn block_bytes(&self) -> Option<u64> {
        Some(self.header.geometry.sector_bytes)
    }

    fn unnamed_bands(&mut self) -> Result<u64> {
        let mut found = 0;
        for chunk in self.chunks.free().collect::<Vec<_>>() {
            let (start, end) = (self.address(chunk, 0)?, self.address(chunk + 1, 0)?);
            let end = end.min(self.store.len_bytes());
            found += u64::from(!is_zeros(self.store.as_mut(), start..end)?);
        }
        Ok(found)
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        for piece in pieces(self.header.geometry.chunk_bytes, offset, length) {
            let entry = self.entry(piece.band)?;
            if matches!(entry.status(), Status::Full | Status::Partial) {
                self.store.will_read(self.address(entry.chunk(), piece.start)?, piece.length);
            }
        }
        Ok(())
    }
}
