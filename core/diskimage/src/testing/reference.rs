//! The slow reference that every image is compared with: plain bytes, as they are now and as they were after each act
//! since the last flush.

use std::ops::Range;

use system::flush::Durability;

use crate::disk::VirtualDisk;
use crate::error::Result;
use crate::testing::content;

/// Something that is done to a disk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Offset, length, and the seed of the content.
    Write(u64, u64, u8),
    /// Offset and length.
    Discard(u64, u64),
    Flush,
    Compact,
}
use Act::{Compact, Discard, Flush, Write};

impl Act {
    /// Whether all that was done before survives it.
    pub(crate) fn is_flush(self) -> bool {
        matches!(self, Flush | Compact)
    }
}

/// The parts of a disk that are written, and looked at.
#[derive(Clone, Copy)]
pub(crate) struct Windows {
    pub starts: &'static [u64],
    /// Of each.
    pub len_bytes: u64,
}

impl Windows {
    pub(crate) fn zeros(&self) -> Vec<u8> {
        vec![0; self.starts.len() * self.size()]
    }

    fn place(&self, offset: u64, length: u64) -> Range<usize> {
        let window = self.starts.iter().rposition(|start| *start <= offset).unwrap();
        let at = offset - self.starts[window];
        assert!(at + length <= self.len_bytes);
        let start = window * self.size() + to_usize(at);
        start..start + to_usize(length)
    }

    fn size(&self) -> usize {
        to_usize(self.len_bytes)
    }
}

/// What the windows of a disk must hold: now, and after its process was killed or the power failed.
pub(crate) struct Reference {
    windows: Windows,
    pub now: Vec<u8>,
    /// Since the last flush, the last one as it is now.
    states: Vec<Vec<u8>>,
}

impl Reference {
    /// That of a disk whose windows hold this.
    pub(crate) fn of(windows: Windows, now: Vec<u8>) -> Self {
        Self { windows, states: vec![now.clone()], now }
    }

    /// Carries an act out on the disk and, however that ends, on the reference.
    pub(crate) fn carry_out(&mut self, disk: &mut dyn VirtualDisk, act: Act) -> Result<()> {
        let done = match act {
            Write(offset, length, seed) => {
                let bytes = content(seed, length);
                self.now[self.windows.place(offset, length)].copy_from_slice(&bytes);
                disk.write_at(&bytes, offset)
            }
            Discard(offset, length) => {
                self.now[self.windows.place(offset, length)].fill(0);
                disk.discard(offset, length)
            }
            Flush => disk.flush(Durability::Fsync),
            Compact => disk.compact(),
        };
        self.states.push(self.now.clone());
        done
    }

    /// The disk was flushed: all of it survives from now on.
    pub(crate) fn flushed(&mut self) {
        self.states = vec![self.now.clone()];
    }

    /// Compares a range of the disk.
    ///
    /// # Errors
    /// What the disk says.
    pub(crate) fn compare(
        &self,
        disk: &mut dyn VirtualDisk,
        offset: u64,
        length: u64,
    ) -> Result<()> {
        let expected = &self.now[self.windows.place(offset, length)];
        let mut found = vec![0xa5; expected.len()];
        disk.read_at(&mut found, offset)?;
        let differs = first_difference(&found, expected);
        assert_eq!(differs, None, "first byte that differs of {length} at {offset}");
        Ok(())
    }

    /// Compares all windows, and the map of extents.
    pub(crate) fn assert_same(&self, disk: &mut dyn VirtualDisk) {
        let windows = self.now.chunks_exact(self.windows.size());
        for (start, bytes) in self.windows.starts.iter().zip(windows) {
            assert_same_from(disk, *start, bytes);
        }
    }

    /// What the disk holds after a death or a power failure: each byte is one of those that were there since the last
    /// flush, so that what was not touched since then is as it was flushed.
    pub(crate) fn survived(&self, disk: &mut dyn VirtualDisk, when: &str) -> Self {
        let mut found = vec![0xa5; self.now.len()];
        let windows = found.chunks_exact_mut(self.windows.size());
        for (start, bytes) in self.windows.starts.iter().zip(windows) {
            disk.read_at(bytes, *start).unwrap();
        }
        let is_lost = |at: &usize| self.states.iter().all(|state| state[*at] != found[*at]);
        assert_eq!((0..found.len()).find(is_lost), None, "a byte that is lost: {when}");
        Self::of(self.windows, found)
    }
}

/// Asserts that a disk begins with these bytes, and that its map of extents leaves none of them out.
#[cfg(test)]
pub(crate) fn assert_same(disk: &mut dyn VirtualDisk, expected: &[u8]) {
    assert_same_from(disk, 0, expected);
}

fn assert_same_from(disk: &mut dyn VirtualDisk, offset: u64, expected: &[u8]) {
    let mut found = vec![0xa5; expected.len()];
    disk.read_at(&mut found, offset).unwrap();
    assert_eq!(first_difference(&found, expected), None, "first byte that differs");
    let within = |place: usize| place.saturating_sub(to_usize(offset)).min(expected.len());
    let is_zeros = |hole: &Range<usize>| {
        expected[within(hole.start)..within(hole.end)].iter().all(|byte| *byte == 0)
    };
    let wrong = holes(disk).into_iter().find(|hole| !is_zeros(hole));
    assert_eq!(wrong, None, "what is no data by the map of extents holds something");
}

/// What of a disk is no data, by its map of extents.
fn holes(disk: &mut dyn VirtualDisk) -> Vec<Range<usize>> {
    let (mut holes, mut from) = (Vec::new(), 0);
    let all = disk.len_bytes();
    while from < all {
        let data = disk.next_data(from).unwrap().unwrap_or(all..all);
        assert!(from <= data.start && data.start <= data.end && from < data.end, "{data:?}");
        assert!(data.end <= all, "{data:?} of {all}");
        holes.push(to_usize(from)..to_usize(data.start));
        from = data.end;
    }
    holes
}

fn first_difference(found: &[u8], expected: &[u8]) -> Option<usize> {
    // The quick comparison first: these are millions of bytes, again and again.
    if found == expected {
        return None;
    }
    found.iter().zip(expected).position(|(a, b)| a != b)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap()
}
