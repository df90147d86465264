//! The slice of a bitmap that belongs to one chunk: two bits for each sector, the first sector lowest.
//!
//! No image with the states 2 and 3 has been published, and readers differ: dissect.hypervisor ignores bitmaps and
//! returns the file's bytes, FsRover's `asif.c` takes 2 for zeros and refuses 3, huven/asif-format advises to refuse
//! both, and go-qcow2reader reads no content at all. State 2 may be zeros (as in an entry of a table, where 2 is
//! "unmapped"), but a wrong guess would silently give wrong content: both are refused as unsupported.
//!
//! Only the slice of a partial chunk counts. Slices of full, absent or unmapped chunks contain old data, in Apple's
//! images too (huven/asif-format: "not used for sector validity"), and are ignored.

use std::ops::Range;

use system::memory::in_memory;

use crate::bytes::all_zero;
use crate::error::{Result, not_known};

/// All four sectors of a byte written: 01 four times.
const WRITTEN: u8 = 0x55;

/// Which sectors of a chunk are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slice(Vec<u8>);

impl Slice {
    /// No sector is written.
    pub(crate) fn empty(size_bytes: u64) -> Self {
        Self(vec![0; in_memory(size_bytes)])
    }

    /// Every sector is written.
    pub(crate) fn full(size_bytes: u64) -> Self {
        Self(vec![WRITTEN; in_memory(size_bytes)])
    }

    /// The bytes in the file.
    ///
    /// # Errors
    /// `Unsupported` for states that nobody has seen yet.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self> {
        match bytes.iter().position(|byte| byte & !WRITTEN != 0) {
            None => Ok(Self(bytes)),
            Some(at) => Err(not_known(format_args!(
                "a bitmap contains the byte {:#04x}, which gives a sector the unknown state 2 or 3",
                bytes.get(at).copied().unwrap_or_default()
            ))),
        }
    }

    /// The bytes in the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether this sector is written.
    #[expect(clippy::indexing_slicing, reason = "a sector of another chunk would pass for zeros")]
    pub(crate) fn is_written(&self, sector: usize) -> bool {
        self.0[sector / 4] >> (sector % 4 * 2) & 1 == 1
    }

    /// Marks these sectors as written or not.
    #[expect(clippy::indexing_slicing, reason = "without its mark a sector would be lost")]
    pub(crate) fn mark(&mut self, sectors: &Range<usize>, written: bool) {
        let mut sector = sectors.start;
        while sector < sectors.end {
            let end = sectors.end.min(sector / 4 * 4 + 4);
            let mask = (sector..end).fold(0_u8, |mask, one| mask | 1 << (one % 4 * 2));
            let byte = &mut self.0[sector / 4];
            *byte = if written { *byte | mask } else { *byte & !mask };
            sector = end;
        }
    }

    /// Whether every sector is written.
    pub(crate) fn is_full(&self) -> bool {
        self.0.iter().all(|&byte| byte == WRITTEN)
    }

    /// Whether no sector is written.
    pub(crate) fn is_empty(&self) -> bool {
        all_zero(&self.0)
    }

    /// The end of the sectors that are alike from this one on, and not beyond `end`.
    pub(crate) fn run_end(&self, sector: usize, end: usize) -> usize {
        let written = self.is_written(sector);
        (sector..end).find(|&next| self.is_written(next) != written).unwrap_or(end)
    }

    /// The sector behind the last one that is written.
    pub(crate) fn end(&self) -> usize {
        let sectors = self.0.len() * 4;
        (0..sectors).rev().find(|&sector| self.is_written(sector)).map_or(0, |sector| sector + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Slice;
    use crate::error::Kind;

    #[test]
    fn sectors_fill_a_byte_from_its_lowest_bits() {
        let mut slice = Slice::empty(3);
        slice.mark(&(0..2), true);
        assert_eq!(slice.bytes(), [0x05, 0, 0]);
        slice.mark(&(2..9), true);
        assert_eq!(slice.bytes(), [0x55, 0x55, 0x01]);
        slice.mark(&(3..5), false);
        assert_eq!(slice.bytes(), [0x15, 0x54, 0x01]);
        assert_eq!(slice.end(), 9);
        assert_eq!((slice.run_end(0, 12), slice.run_end(3, 12), slice.run_end(9, 12)), (3, 5, 12));
    }

    #[test]
    fn a_slice_knows_when_it_is_full_or_empty() {
        let mut slice = Slice::full(2);
        assert!(slice.is_full() && !slice.is_empty());
        slice.mark(&(1..8), false);
        assert!(!slice.is_full() && !slice.is_empty());
        slice.mark(&(0..1), false);
        assert!(slice.is_empty());
        assert_eq!(slice.end(), 0);
    }

    #[test]
    fn a_sector_of_another_chunk_is_an_error_and_never_lost_or_zeros() {
        let is_loud =
            |act: fn(&mut Slice)| std::panic::catch_unwind(|| act(&mut Slice::empty(2))).is_err();
        assert!(is_loud(|slice| slice.mark(&(7..9), true)));
        assert!(is_loud(|slice| assert!(!slice.is_written(8))));
        assert!(!is_loud(|slice| slice.mark(&(7..8), true)));
    }

    #[test]
    fn unknown_states_are_refused() {
        assert!(Slice::of(vec![0x55, 0x00, 0x41]).is_ok());
        for unknown in [0x02, 0x0C, 0x80, 0xFF] {
            let refused = Slice::of(vec![0x55, unknown]).unwrap_err();
            assert_eq!(refused.kind(), Kind::Unsupported);
        }
    }
}
