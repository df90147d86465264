//! Making the file shorter: bands of zeros lose their slots, the last bands move into the first free slots, and the rest
//! is cut off.
//!
//! Killed at any write, this loses nothing: content is copied before any id changes, and the copy is named before the
//! original is forgotten, or in the same write.

use system::flush::Durability;

use crate::disk::VirtualDisk;
use crate::error::Result;
use crate::pieces::{bytes_of_mut, pieces};
use crate::sparse_image::{SparseImage, load, zero};

/// Bytes that are copied at once.
const COPY: usize = 1 << 20;

impl SparseImage {
    pub(super) fn compact_slots(&mut self) -> Result<()> {
        self.index.forget_echoes(self.store.as_mut())?;
        self.flush(Durability::Fsync)?;
        let mut buffer = vec![0; COPY];
        for (band, slot) in self.index.in_order() {
            let place = self.index.place(slot)?;
            if self.is_zeros(place, &mut buffer)? {
                self.index.release(band);
            }
        }
        self.flush(Durability::Fsync)?;
        self.move_to_front(&mut buffer)?;
        let length = self.index.cut_and_write(self.store.as_mut())?;
        // What is cut off must not be needed any more, even after a power failure.
        self.store.flush(Durability::Fsync)?;
        if length < self.store.len_bytes() {
            self.store.set_len(length)?;
        }
        self.store.flush(Durability::Fsync)
    }

    /// Whether a slot holds nothing but zeros. A look at its first bytes mostly settles it.
    fn is_zeros(&mut self, place: u64, buffer: &mut [u8]) -> Result<bool> {
        for piece in pieces(load::CHUNK as u64, 0, self.index.band_bytes) {
            let chunk = bytes_of_mut(buffer, 0, piece.length);
            self.store.read_at(chunk, place + piece.done)?;
            if chunk.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Copies the last bands into the first free slots, and only then changes the ids in memory.
    fn move_to_front(&mut self, buffer: &mut [u8]) -> Result<()> {
        let mut used = self.index.in_order();
        let slots: Vec<_> = self.index.every_slot().take(used.len()).collect();
        let mut moves = Vec::new();
        for to in slots {
            if used.binary_search_by_key(&to, |(_, slot)| *slot).is_ok() {
                continue;
            }
            // There are as many free slots in front as there are used ones behind.
            let Some((band, from)) = used.pop() else { break };
            self.copy(self.index.place(from)?, self.index.place(to)?, buffer)?;
            moves.push((band, from, to));
        }
        self.store.flush(Durability::Fsync)?;
        for (band, from, to) in moves {
            self.index.shift(band, from, to)?;
        }
        Ok(())
    }

    fn copy(&mut self, from: u64, to: u64, buffer: &mut [u8]) -> Result<()> {
        for piece in pieces(COPY as u64, 0, self.index.band_bytes) {
            let chunk = bytes_of_mut(buffer, 0, piece.length);
            self.store.read_at(chunk, from + piece.done)?;
            if chunk.iter().all(|byte| *byte == 0) {
                // A hole stays a hole.
                zero(self.store.as_mut(), to + piece.done, piece.length)?;
            } else {
                self.store.write_at(chunk, to + piece.done)?;
            }
        }
        Ok(())
    }
}
