//! Cutting a range of a disk at the borders of its bands.

use system::memory::in_memory;

use crate::bytes::{part, part_mut};
use crate::error::Result;
use crate::store::Store;

/// The part of a range that lies in one band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Number of the band, from 0.
    pub band: u64,
    /// Where the part begins in the band, in bytes.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Where it begins in the range, in bytes.
    pub done: u64,
}

/// The parts of a range, in order. A band size of 0 gives none.
pub(crate) fn pieces(band_bytes: u64, offset: u64, length: u64) -> impl Iterator<Item = Piece> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let place = offset.checked_add(done)?;
        let (band, start) = (place.checked_div(band_bytes)?, place.checked_rem(band_bytes)?);
        let length = (band_bytes - start).min(length - done);
        if length == 0 {
            return None;
        }
        let piece = Piece { band, start, length, done };
        done += length;
        Some(piece)
    })
}

/// Bytes that lie one after the other both in the file and in the range, so that they are moved in one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where it begins in the file, in bytes.
    pub place: u64,
    /// Where it begins in the range, in bytes.
    pub done: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl Run {
    /// Appends the next run if it follows, and is that run else. Gives the run that has ended: an empty one if none has.
    pub(crate) fn then(&mut self, next: Self) -> Self {
        if (self.place + self.length, self.done + self.length) == (next.place, next.done) {
            self.length += next.length;
            return Self::default();
        }
        std::mem::replace(self, next)
    }

    /// Fills its part of the range from the file.
    ///
    /// # Errors
    /// As [`Store::read_at`].
    pub(crate) fn read(self, store: &mut dyn Store, buffer: &mut [u8]) -> Result<()> {
        match self.length {
            0 => Ok(()),
            length => store.read_at(bytes_of_mut(buffer, self.done, length), self.place),
        }
    }

    /// Writes its part of the range to the file.
    ///
    /// # Errors
    /// As [`Store::write_at`].
    pub(crate) fn write(self, store: &mut dyn Store, bytes: &[u8]) -> Result<()> {
        match self.length {
            0 => Ok(()),
            length => store.write_at(bytes_of(bytes, self.done, length), self.place),
        }
    }
}

/// The bytes of a buffer that belong to a part.
pub(crate) fn bytes_of(bytes: &[u8], done: u64, length: u64) -> &[u8] {
    part(bytes, in_memory(done)..in_memory(done + length))
}

/// The same, to be filled.
pub(crate) fn bytes_of_mut(bytes: &mut [u8], done: u64, length: u64) -> &mut [u8] {
    part_mut(bytes, in_memory(done)..in_memory(done + length))
}

#[cfg(test)]
mod tests {
    use super::{Piece, Run, pieces};

    #[test]
    fn a_range_is_cut_at_the_borders_of_bands() {
        let found: Vec<Piece> = pieces(1000, 1900, 1200).collect();
        assert_eq!(
            found,
            [
                Piece { band: 1, start: 900, length: 100, done: 0 },
                Piece { band: 2, start: 0, length: 1000, done: 100 },
                Piece { band: 3, start: 0, length: 100, done: 1100 },
            ]
        );
        assert_eq!(pieces(1000, 1900, 0).count(), 0);
        assert_eq!(pieces(0, 0, 10).count(), 0);
    }

    #[test]
    fn a_run_grows_by_what_follows_it_in_the_file_and_in_the_range() {
        let of = |place, done, length| Run { place, done, length };
        let mut run = of(100, 7, 10);
        assert_eq!(run.then(of(110, 17, 5)).length, 0);
        assert_eq!(run, of(100, 7, 15));
        for next in [of(116, 22, 1), of(115, 23, 1)] {
            let mut run = run;
            assert_eq!(run.then(next), of(100, 7, 15));
            assert_eq!(run, next);
        }
    }
}
