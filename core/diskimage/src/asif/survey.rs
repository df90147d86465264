//! Walks over all structures of an image: the used chunks, and contradictions.
//!
//! Opening stops at the first contradiction (further writing would make it worse); the check lists all. Both stop at an
//! entry of unknown meaning: readers differ (for an absent or unmapped chunk with a number, dissect.hypervisor returns
//! the bytes, FsRover and huven/asif-format refuse it), and in a layer of macOS 27 such a chunk may be in another
//! image.

use system::memory::in_memory;

use crate::asif::bitmap::Slice;
use crate::asif::chunks::Ranges;
use crate::asif::directory::Directory;
use crate::asif::geometry::{Geometry, Spot};
use crate::asif::header::Header;
use crate::asif::table::{Entry, Status, Table};
use crate::error::{ImageError, Kind, Result, not_known};
use crate::findings::OnDamage;
use crate::store::Store;

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Chunks of the file that are in use.
    pub used: Ranges,
    /// Chunks of the disk that hold data.
    pub data_chunks: u64,
    /// Chunks of the file that cannot be moved end here: those of the header and the directories.
    pub fixed_end: u64,
}

/// The walk. Reading and writing do not need the content of bitmaps.
///
/// # Errors
/// `Unsupported` for an entry whose meaning is not known; any error of the system or of `on_damage`.
pub(crate) fn walk(
    store: &mut dyn Store,
    header: &Header,
    directory: &Directory,
    look_into_bitmaps: bool,
    on_damage: &mut OnDamage<'_>,
) -> Result<Survey> {
    let mut walker = Walker {
        len_bytes: store.len_bytes(),
        geometry: header.geometry,
        metadata_chunk: header.metadata_chunk,
        look_into_bitmaps,
        survey: Survey::default(),
        store,
        on_damage,
    };
    walker.fixed(header);
    let mut tables = Vec::new();
    for (number, place) in directory.places() {
        let name = format!("table {number}");
        let size = walker.geometry.table_bytes(number);
        if walker.claim(&name, place)? && walker.reaches(&name, place, size)? {
            tables.push((number, place));
        }
    }
    for (number, place) in tables {
        walker.table(number, place)?;
    }
    Ok(walker.survey)
}

/// The bitmap of a group.
#[derive(Debug, Clone, Copy)]
enum Bitmap {
    /// None.
    Missing,
    /// There is one that cannot be there, or not whole. That has been said already.
    Misplaced,
    /// In this chunk of the file.
    At(u64),
}

struct Walker<'a, 'b> {
    store: &'a mut dyn Store,
    len_bytes: u64,
    geometry: Geometry,
    metadata_chunk: u64,
    look_into_bitmaps: bool,
    survey: Survey,
    on_damage: &'a mut OnDamage<'b>,
}

impl Walker<'_, '_> {
    /// The header and the directories.
    fn fixed(&mut self, header: &Header) {
        let chunk = self.geometry.chunk_bytes;
        self.survey.used.insert(0);
        self.survey.fixed_end = 1;
        for offset in header.directories {
            let end = offset.saturating_add(self.geometry.directory_bytes()).div_ceil(chunk);
            for number in offset / chunk..end {
                self.survey.used.insert(number);
            }
            self.survey.fixed_end = self.survey.fixed_end.max(end);
        }
    }

    fn damage(&mut self, what: String) -> Result<()> {
        (self.on_damage)(what)
    }

    /// Counts a chunk of the file as used. False when it was already.
    fn claim(&mut self, what: &str, place: u64) -> Result<bool> {
        if place >= self.len_bytes.div_ceil(self.geometry.chunk_bytes) {
            let len_bytes = self.len_bytes;
            self.damage(format!(
                "{what} is in chunk {place} of the file, beyond its end at {len_bytes} bytes: \
                 the file was cut off, or its tables are damaged"
            ))?;
            return Ok(false);
        }
        if self.survey.used.insert(place) {
            return Ok(true);
        }
        self.damage(format!(
            "{what} is in chunk {place} of the file, which belongs to something else: \
             convert what can be read to a new image"
        ))?;
        Ok(false)
    }

    /// Whether the first bytes of a chunk are in the file.
    fn reaches(&mut self, what: &str, place: u64, size_bytes: u64) -> Result<bool> {
        let end = place.checked_mul(self.geometry.chunk_bytes);
        let end = end.and_then(|start| start.checked_add(size_bytes));
        if end.is_some_and(|end| end <= self.len_bytes) {
            return Ok(true);
        }
        let len_bytes = self.len_bytes;
        self.damage(format!(
            "{what} is in chunk {place} of the file, and reaches beyond the file's end at {len_bytes} bytes: the file was cut off"
        ))?;
        Ok(false)
    }

    fn table(&mut self, number: u64, place: u64) -> Result<()> {
        let size = self.geometry.table_bytes(number);
        let offset = place.saturating_mul(self.geometry.chunk_bytes);
        // A hole names nothing: a small file can state tens of thousands of such tables.
        let data = self.store.next_data(offset)?;
        if data.is_none_or(|data| data.start >= offset.saturating_add(size)) {
            return Ok(());
        }
        let table = match Table::load(self.store, place, offset, size) {
            // Of an encrypted image only reading tells that the file ends before it.
            Err(error) if error.kind() == Kind::Damaged => {
                return self.damage(format!(
                    "table {number} in chunk {place} of the file cannot be read: the file was cut off"
                ));
            }
            table => table?,
        };
        let first = number.saturating_mul(self.geometry.chunks_per_table());
        for group in 0..self.geometry.groups(number) {
            let chunks = group.saturating_mul(self.geometry.group());
            self.group(&table, first.saturating_add(chunks))?;
        }
        Ok(())
    }

    fn group(&mut self, table: &Table, first: u64) -> Result<()> {
        let bitmap = table.get(self.geometry.spot(first).bitmap);
        let name = format!("the bitmap of the chunks from {first} on");
        if !bitmap.is_known(true) {
            return Err(unknown(&name, bitmap));
        }
        let bitmap = match bitmap.chunk() {
            0 => Bitmap::Missing,
            place => self.bitmap(&name, place)?,
        };
        for chunk in first..first.saturating_add(self.geometry.group()) {
            let spot = self.geometry.spot(chunk);
            let entry = table.get(spot.data);
            if entry != Entry::default() {
                self.entry(chunk, entry, spot, bitmap)?;
            }
        }
        Ok(())
    }

    /// The bitmap in this chunk. Reading and writing need only its bytes for partial chunks.
    fn bitmap(&mut self, what: &str, place: u64) -> Result<Bitmap> {
        let sound = self.claim(what, place)?
            && (!self.look_into_bitmaps || self.reaches(what, place, self.geometry.chunk_bytes)?);
        Ok(if sound { Bitmap::At(place) } else { Bitmap::Misplaced })
    }

    fn entry(&mut self, chunk: u64, entry: Entry, spot: Spot, bitmap: Bitmap) -> Result<()> {
        let what = format!("chunk {chunk} of the disk");
        if !entry.is_known(false) {
            return Err(unknown(&what, entry));
        }
        if !entry.holds_data() {
            return Ok(());
        }
        self.belongs(&what, chunk)?;
        if !self.claim(&what, entry.chunk())? {
            return Ok(());
        }
        let size = if entry.status() == Status::Partial {
            self.partial(&what, spot, bitmap)?
        } else {
            self.geometry.chunk_bytes
        };
        self.reaches(&what, entry.chunk(), size).map(drop)
    }

    fn belongs(&mut self, what: &str, chunk: u64) -> Result<()> {
        if chunk == self.metadata_chunk && chunk != 0 {
            return Ok(());
        }
        self.survey.data_chunks = self.survey.data_chunks.saturating_add(1);
        if chunk < self.geometry.disk_chunks() {
            return Ok(());
        }
        let sectors = self.geometry.sectors;
        self.damage(format!(
            "{what} contains data, but is beyond the disk's end at {sectors} sectors: \
             convert the image to a new one"
        ))
    }

    /// Makes sure that there is a bitmap. Bytes of the chunk that it says are written, or 0 when it was not read.
    fn partial(&mut self, what: &str, spot: Spot, bitmap: Bitmap) -> Result<u64> {
        let bitmap = match bitmap {
            Bitmap::At(place) => place,
            Bitmap::Misplaced => return Ok(0),
            Bitmap::Missing => {
                self.damage(format!(
                    "{what} is only partly written, but there is no bitmap that says which part: \
                     convert what can be read to a new image"
                ))?;
                return Ok(0);
            }
        };
        let size = self.geometry.slice_bytes();
        let bitmap_of = format!("the bitmap of {what}");
        if !self.reaches(&bitmap_of, bitmap, spot.slice.saturating_add(size))?
            || !self.look_into_bitmaps
        {
            return Ok(0);
        }
        let offset = bitmap.saturating_mul(self.geometry.chunk_bytes).saturating_add(spot.slice);
        let mut bytes = vec![0; in_memory(size)];
        self.store.read_at(&mut bytes, offset)?;
        let end = Slice::of(bytes)?.end() as u64;
        Ok(end.saturating_mul(self.geometry.sector_bytes))
    }
}

fn unknown(what: &str, entry: Entry) -> ImageError {
    not_known(format_args!("the entry of {what} is {:#018x}", entry.0))
}
