//! `UDSP`: one file of an index and bands, in the order in which they were first written.
//!
//! ```text
//! header node | slot 0 | slot 1 | ... | slot 1007 | index node | slot 0 | ... | slot 1009 | index node | ...
//! ```
//!
//! Each slot is as long as a band and may contain one band of the disk; a band without a slot is zeros. The file ends
//! after the last slot. The bytes of a node are in `node.rs`.
//!
//! The slot of a completely discarded band is reused after a flush; only [`VirtualDisk::compact`] shortens the file. The
//! index is kept in memory (less than 100 bytes for each band in use) and written at a flush.
//!
//! A killed process leaves unreferenced slots at the end: they are reused, and are not damage. A flush syncs all that
//! changed together, once; and once more before the index names a slot that still held something else
//! (a discarded band is punched with the flush that frees its slot), or that lies in a new part of the file. So a power failure
//! during a flush keeps what was flushed before: what was written since then can be lost, in whole or in part.

mod compact;
mod fresh;
mod index;
mod load;
mod node;
#[cfg(test)]
mod tests;

use std::ops::Range;

use system::flush::Durability;

use crate::bytes::{u32_at, u64_at};
use crate::disk::{
    Advance, Bands, Damage, LARGEST_BAND, LONGEST, VirtualDisk, check_band, check_length, within,
};
use crate::error::{Result, damaged, invalid};
use crate::findings::{Findings, OnDamage, strict, tolerated};
use crate::growing::Growing;
use crate::holes::{is_zeros, zero};
use crate::pieces::{Piece, Run, bytes_of_mut, pieces};
use crate::row::{File, Layout, Row};
use crate::store::Store;
use fresh::Fresh;
use index::Index;
use node::NODE;

/// The first bytes of the file.
const MAGIC: &[u8; 4] = b"sprs";

/// Size of a band in bytes unless another is asked for: what `hdiutil` makes.
const DEFAULT_BAND: u64 = 1 << 20;

/// What is known of the format.
pub(crate) const ROW: Row = Row {
    alias: None,
    summary: "Sparse image: one file that grows by bands",
    extensions: &["sparseimage"],
    band_bytes: Some(DEFAULT_BAND),
    large_block_bytes: None,
    has_map: true,
    hdiutil_type: Some("SPARSE"),
    diskutil_format: None,
    own_encryption: false,
    layout: Layout::File(File {
        mark: MAGIC,
        name: "a UDSP image",
        is_like,
        sizes: load::sizes,
        create: |store, len_bytes, band_bytes| {
            Ok(Box::new(SparseImage::create(store, len_bytes, band_bytes)?))
        },
        open: |store, on_damage| Ok(Box::new(SparseImage::open_around(store, on_damage)?)),
        check: |mut store| check(store.as_mut()),
    }),
};

/// Most bands: an id has 32 bits, and 0 names none.
const MOST_BANDS: u64 = u32::MAX as u64;

/// A sparse image.
pub struct SparseImage {
    store: Box<dyn Store>,
    index: Index,
    fresh: Fresh,
    /// Whether a slot that still held something else was given to a band since the last flush.
    reused: bool,
}

impl SparseImage {
    /// Makes an image in an empty store. Without a size, bands are of 1 MiB.
    ///
    /// # Errors
    /// `Invalid` for a length that the format does not have (it is a multiple of 512 bytes) or a size of a band
    /// (multiples of 512 bytes from 4 KiB to 8 GiB, and at most 2^32 - 1 bands); otherwise any error of the system.
    pub fn create(
        mut store: Box<dyn Store>,
        len_bytes: u64,
        band_bytes: Option<u64>,
    ) -> Result<Self> {
        let band_bytes = band_bytes.unwrap_or(DEFAULT_BAND);
        check_band("a sparse image", band_bytes)?;
        check_length_in(band_bytes, len_bytes)?;
        let mut index = Index::new(band_bytes, len_bytes)?;
        store.set_len(NODE as u64)?;
        index.write(store.as_mut(), Durability::None)?;
        let store = Growing::of(store);
        Ok(Self { store, index, fresh: Fresh::default(), reused: false })
    }

    /// Opens an image.
    ///
    /// # Errors
    /// `Damaged` when its bytes make no sense; otherwise any error of the system.
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
        let index = load::load(store.as_mut(), on_damage)?;
        let store = Growing::of(store);
        Ok(Self { store, index, fresh: Fresh::default(), reused: false })
    }

    /// Where a band's slot is in the file. A band that has none gets one.
    fn place_to_write(&mut self, band: u64) -> Result<u64> {
        if let Some(slot) = self.index.slot_of(band) {
            return self.index.place(slot);
        }
        let slot = self.index.vacant();
        let place = self.index.place(slot)?;
        let end = place
            .checked_add(self.index.band_bytes)
            .ok_or_else(|| damaged("the file of this image would be too long"))?;
        let before = self.store.len_bytes();
        if before < end {
            self.store.set_len(end)?;
        }
        self.index.assign(band, slot)?;
        // Also where an encrypted slot was punched, whose edges lie within pages that stay.
        let is_empty = before <= place || is_zeros(self.store.as_mut(), place..end)?;
        self.reused |= !is_empty;
        if !is_empty || !self.store.holes_are_zeros() {
            self.fresh.begin(place);
        }
        Ok(place)
    }

    fn discard_piece(&mut self, piece: Piece, range_end: u64) -> Result<()> {
        let Some(slot) = self.index.slot_of(piece.band) else {
            return Ok(());
        };
        let place = self.index.place(slot)?;
        let whole = piece.length == self.index.band_bytes || range_end == self.index.len_bytes;
        if piece.start == 0 && whole {
            // Only the last piece can end where the disk does without being as long as a band.
            self.index.release(piece.band);
            self.fresh.end(place);
            return Ok(());
        }
        let end = self.fresh.discard(place, piece.start, piece.start + piece.length);
        if piece.start < end {
            zero(self.store.as_mut(), place + piece.start, end - piece.start)?;
        }
        Ok(())
    }
}

/// Makes sure that a disk of this length can be made of such bands.
fn check_length_in(band_bytes: u64, len_bytes: u64) -> Result<()> {
    check_length("a sparse image", len_bytes)?;
    let bands = len_bytes.div_ceil(band_bytes);
    if bands > MOST_BANDS {
        return Err(invalid(format!("a sparse image cannot have {bands} bands: use larger ones")));
    }
    Ok(())
}

/// Whether these first bytes of a file are a header, whatever its mark: two numbers of sectors that agree, and the place of
/// a node, or none, that a file can have.
fn is_like(start: &[u8]) -> bool {
    let (low, sectors, next) = (u64::from(u32_at(start, 16)), u64_at(start, 28), u64_at(start, 20));
    low != 0 && sectors == low && next < 1 << 40
}

/// Looks for damage.
///
/// A band that is there twice with the same content is none: a process that is killed while it compacts an image of
/// several index nodes leaves that, and whichever is read is right.
///
/// # Errors
/// Any error of the system; damage is not an error.
pub fn check(store: &mut dyn Store) -> Result<Vec<Damage>> {
    let mut findings = Findings::default();
    let loaded = load::load(store, &mut findings.on_damage());
    if let Err(error) = loaded {
        tolerated(error, &mut findings.on_damage())?;
    }
    Ok(findings.into_lines())
}

impl VirtualDisk for SparseImage {
    fn len_bytes(&self) -> u64 {
        self.index.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, buffer.len() as u64)?;
        let mut run = Run::default();
        for piece in pieces(self.index.band_bytes, offset, buffer.len() as u64) {
            let Some(slot) = self.index.slot_of(piece.band) else {
                bytes_of_mut(buffer, piece.done, piece.length).fill(0);
                continue;
            };
            let place = self.index.place(slot)?;
            let there = self.fresh.written(place, piece.start, piece.length);
            if there < piece.length {
                bytes_of_mut(buffer, piece.done + there, piece.length - there).fill(0);
            }
            if there > 0 {
                let next = Run { place: place + piece.start, done: piece.done, length: there };
                run.then(next).read(self.store.as_mut(), buffer)?;
            }
        }
        run.read(self.store.as_mut(), buffer)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let band_bytes = self.index.band_bytes;
        let mut from = from;
        while let Some(band) = self.index.next_used(from / band_bytes) {
            from = from.max(band * band_bytes);
            let end = self.len_bytes().min((band * band_bytes).saturating_add(band_bytes));
            let Some(slot) = self.index.slot_of(band).filter(|_| from < end) else { break };
            // What the host has as a hole is zeros, also in a slot.
            let place = self.index.place(slot)? + from % band_bytes;
            let behind = place.saturating_add(end - from);
            match self.store.next_data(place)? {
                // Of a file that was cut short, what is missing is no hole.
                None if behind > self.store.len_bytes() => return Ok(Some(from..end)),
                Some(data) if data.start < behind => {
                    let start = from + data.start.saturating_sub(place);
                    return Ok(Some(start..end.min(from.saturating_add(data.end - place))));
                }
                _ => from = end,
            }
        }
        Ok(None)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, bytes.len() as u64)?;
        self.index.forget_echoes(self.store.as_mut())?;
        let mut run = Run::default();
        for piece in pieces(self.index.band_bytes, offset, bytes.len() as u64) {
            let place = self.place_to_write(piece.band)?;
            let end = piece.start + piece.length;
            let gap = self.fresh.gap(place, piece.start);
            zero(self.store.as_mut(), place + piece.start - gap, gap)?;
            self.fresh.write(place, end, self.index.band_bytes);
            let next = Run { place: place + piece.start, done: piece.done, length: piece.length };
            run.then(next).write(self.store.as_mut(), bytes)?;
        }
        run.write(self.store.as_mut(), bytes)
    }

    fn discard(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        self.index.forget_echoes(self.store.as_mut())?;
        // Of a range of any length only the bands that have slots are visited.
        let (band_bytes, end) = (self.index.band_bytes, offset + length);
        let mut at = offset;
        while let Some(band) = self.index.next_used(at / band_bytes) {
            at = at.max(band * band_bytes);
            let Some(piece) = pieces(band_bytes, at, end.saturating_sub(at)).next() else { break };
            at += piece.length;
            self.discard_piece(piece, at)?;
        }
        Ok(())
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        while let Some((place, written)) = self.fresh.first() {
            zero(self.store.as_mut(), place + written, self.index.band_bytes - written)?;
            self.fresh.end(place);
        }
        for place in self.index.freed()? {
            self.store.punch(place, self.index.band_bytes)?;
        }
        if self.reused || self.store.grew() {
            // Even after a power failure what a slot held before must not show in its new band, nor the file end before it.
            self.store.flush(durability)?;
            self.reused = false;
        }
        self.index.write(self.store.as_mut(), durability)?;
        self.store.flush(durability)
    }

    fn compact_with(&mut self, advance: Advance<'_>) -> Result<()> {
        self.compact_slots(advance)
    }

    fn unnamed_bands(&mut self) -> Result<u64> {
        let mut found = 0;
        for place in self.index.unnamed(self.store.len_bytes())? {
            let end = place.saturating_add(self.index.band_bytes).min(self.store.len_bytes());
            found += u64::from(!is_zeros(self.store.as_mut(), place..end)?);
        }
        Ok(found)
    }

    fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        check_length_in(self.index.band_bytes, len_bytes)?;
        self.index.forget_echoes(self.store.as_mut())?;
        self.index.set_len_bytes(len_bytes)
    }

    fn bands(&self) -> Option<Bands> {
        Some(Bands { band_bytes: self.index.band_bytes, count: self.index.used() as u64 })
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        for piece in pieces(self.index.band_bytes, offset, length) {
            if let Some(slot) = self.index.slot_of(piece.band) {
                self.store.will_read(self.index.place(slot)? + piece.start, piece.length);
            }
        }
        Ok(())
    }
}
