//! Making the file shorter: bands of zeros lose their slots, the last bands move into the first free slots, and the rest
//! is cut off.
//!
//! Killed at any write, this loses nothing: content is copied before any id changes, and the copy is named before the
//! original is forgotten, or in the same write.

use crate::disk::{Advance, VirtualDisk};
use crate::error::Result;
use crate::holes::{copy, is_zeros};
use crate::sparse_image::SparseImage;

impl SparseImage {
    pub(super) fn compact_slots(&mut self, advance: Advance<'_>) -> Result<()> {
        self.index.forget_echoes(self.store.as_mut())?;
        self.make_last()?;
        let (band_bytes, all) = (self.index.band_bytes, self.index.used() as u64);
        for (done, (band, slot)) in (1..).zip(self.index.in_order()) {
            let place = self.index.place(slot)?;
            if is_zeros(self.store.as_mut(), place..place + band_bytes)? {
                self.index.release(band);
            }
            advance(done * band_bytes, all * band_bytes);
        }
        self.make_last()?;
        self.move_to_front()?;
        let length = self.index.cut_and_write(self.store.as_mut())?;
        // What is cut off must not be needed any more, even after a power failure.
        self.store.make_last()?;
        if length < self.store.len_bytes() {
            self.store.set_len(length)?;
        }
        self.store.make_last()
    }

    /// Copies the last bands into the first free slots, and only then changes the ids in memory.
    fn move_to_front(&mut self) -> Result<()> {
        let mut used = self.index.in_order();
        let slots: Vec<_> = self.index.every_slot().take(used.len()).collect();
        let mut moves = Vec::new();
        for to in slots {
            if used.binary_search_by_key(&to, |(_, slot)| *slot).is_ok() {
                continue;
            }
            // There are as many free slots in front as there are used ones behind.
            let Some((band, from)) = used.pop() else { break };
            let (place, target) = (self.index.place(from)?, self.index.place(to)?);
            copy(self.store.as_mut(), place, target, self.index.band_bytes)?;
            moves.push((band, from, to));
        }
        self.store.make_last()?;
        for (band, from, to) in moves {
            self.index.shift(band, from, to)?;
        }
        Ok(())
    }
}
