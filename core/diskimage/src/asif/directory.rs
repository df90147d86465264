//! The two directories, with the position of each table. The one with the higher sequence number is active.
//!
//! A change is made in the other one: first all its entries, its sequence number last. Until that last write the old
//! directory is active and unchanged.

use system::flush::Durability;
use system::memory::in_memory;

use crate::asif::geometry::ENTRY;
use crate::asif::header::Header;
use crate::bytes::{part, put, u64_at};
use crate::error::{Result, damaged};
use crate::store::Store;

/// The directory that holds, in memory.
#[derive(Debug)]
pub(crate) struct Directory {
    active_offset: u64,
    other_offset: u64,
    /// The sequence number and the entries, as in the file.
    bytes: Vec<u8>,
    changed: bool,
}

impl Directory {
    /// Reads the active one.
    ///
    /// # Errors
    /// `Damaged` when it cannot be told which one that is; otherwise any error of the system.
    pub(crate) fn load(store: &mut dyn Store, header: &Header) -> Result<Self> {
        let [one, other] = header.directories;
        let size = in_memory(header.geometry.directory_bytes());
        let mut first = vec![0; size];
        store.read_at(&mut first, one)?;
        let mut second = vec![0; size];
        store.read_at(&mut second, other)?;
        let (sequence, other_sequence) = (u64_at(&first, 0), u64_at(&second, 0));
        if sequence == other_sequence && first != second {
            return Err(damaged(format!(
                "both directories have the sequence number {sequence} but differ: one of them is damaged"
            )));
        }
        Ok(if sequence >= other_sequence {
            Self { active_offset: one, other_offset: other, bytes: first, changed: false }
        } else {
            Self { active_offset: other, other_offset: one, bytes: second, changed: false }
        })
    }

    /// The number of this table's chunk in the file, if the table exists.
    pub(crate) fn place(&self, table: u64) -> Option<u64> {
        let entry = self.bytes.get(Self::at(table)..)?.first_chunk()?;
        Some(u64::from_be_bytes(*entry)).filter(|&place| place != 0)
    }

    /// The existing tables: their numbers and chunks.
    pub(crate) fn places(&self) -> Vec<(u64, u64)> {
        let entries = self.bytes.chunks_exact(in_memory(ENTRY)).skip(1);
        (0..).zip(entries.map(|entry| u64_at(entry, 0))).filter(|&(_, place)| place != 0).collect()
    }

    /// Sets the position of this table, from the next switch on.
    pub(crate) fn set(&mut self, table: u64, place: u64) {
        put(&mut self.bytes, Self::at(table), &place.to_be_bytes());
        self.changed = true;
    }

    /// Writes changes and makes them active. The tables must have been written.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn switch(&mut self, store: &mut dyn Store, durability: Durability) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let sequence = u64_at(&self.bytes, 0).checked_add(1).ok_or_else(|| {
            damaged(
                "the directory has used its last sequence number: convert the image to a new one",
            )
        })?;
        let entries = part(&self.bytes, 8..);
        store.write_at(entries, self.other_offset.saturating_add(ENTRY))?;
        // After a power failure, the number must not be on the disk before its entries.
        store.flush(durability)?;
        store.write_at(&sequence.to_be_bytes(), self.other_offset)?;
        put(&mut self.bytes, 0, &sequence.to_be_bytes());
        std::mem::swap(&mut self.active_offset, &mut self.other_offset);
        self.changed = false;
        Ok(())
    }

    /// Writes the entries into the other directory too, which keeps its lower number.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn fill_other(&self, store: &mut dyn Store) -> Result<()> {
        let entries = part(&self.bytes, 8..);
        store.write_at(entries, self.other_offset.saturating_add(ENTRY))
    }

    const fn at(table: u64) -> usize {
        in_memory((table + 1) * ENTRY)
    }
}
