//! Slots that were given to a band since the last flush and do not hold zeros by themselves: because another band was
//! there before, or because what was never written is noise to other readers.
//!
//! Each is written up to a position; everything after it counts as zeros, and a flush writes them. A write that leaves
//! a gap has it filled first. Files are written from start to end, so that this costs the rest of their last
//! band and no more.

use std::collections::BTreeMap;

/// These positions, by where the slots begin in the file; both in bytes.
#[derive(Debug, Default)]
pub(crate) struct Fresh(BTreeMap<u64, u64>);

impl Fresh {
    /// A slot is given to a band.
    pub(crate) fn begin(&mut self, place: u64) {
        self.0.insert(place, 0);
    }

    /// A slot was filled, or taken from its band.
    pub(crate) fn end(&mut self, place: u64) {
        self.0.remove(&place);
    }

    /// One slot that is still to be filled, and how far it is written.
    pub(crate) fn first(&self) -> Option<(u64, u64)> {
        self.0.first_key_value().map(|(place, written)| (*place, *written))
    }

    /// How many bytes from `start` on, but not more than `length`, have to be read from the file.
    pub(crate) fn written(&self, place: u64, start: u64, length: u64) -> u64 {
        self.0.get(&place).map_or(length, |written| written.saturating_sub(start).min(length))
    }

    /// Length of the gap before a part that is about to be written: it has to be filled first.
    pub(crate) fn gap(&self, place: u64, start: u64) -> u64 {
        self.0.get(&place).map_or(0, |written| start.saturating_sub(*written))
    }

    /// A part of a slot is written, and there is no gap before it.
    pub(crate) fn write(&mut self, place: u64, end: u64, band_bytes: u64) {
        let Some(written) = self.0.get_mut(&place) else { return };
        *written = end.max(*written);
        if *written == band_bytes {
            self.end(place);
        }
    }

    /// A part of a slot is discarded. Gives the end of what has to be made zeros.
    pub(crate) fn discard(&mut self, place: u64, start: u64, end: u64) -> u64 {
        match self.0.get_mut(&place) {
            None => end,
            Some(written) if end < *written => end,
            Some(written) => {
                *written = start.min(*written);
                start
            }
        }
    }
}
