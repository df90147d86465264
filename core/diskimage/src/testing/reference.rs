//! The slow reference that every image is compared with: a plain row of bytes, now and as it was flushed last.

use std::ops::Range;

use crate::disk::VirtualDisk;
use crate::error::Result;

/// What a disk must hold: now, and after its process was killed.
#[derive(Debug)]
pub struct Reference {
    now: Vec<u8>,
    flushed: Vec<u8>,
    /// Changed since the last flush: after a death these may hold anything.
    touched: Vec<Range<usize>>,
}

impl Reference {
    /// That of a new disk of this length: zeros.
    pub fn new(length: u64) -> Self {
        let zeros = vec![0; to_usize(length)];
        Self { now: zeros.clone(), flushed: zeros, touched: Vec::new() }
    }

    /// Writes to the disk and to the row of bytes.
    ///
    /// # Errors
    /// What the disk says; a part may have been written then.
    pub fn write(&mut self, disk: &mut dyn VirtualDisk, bytes: &[u8], offset: u64) -> Result<()> {
        let range = range(offset, bytes.len() as u64);
        self.touched.push(range.clone());
        disk.write_at(bytes, offset)?;
        self.now[range].copy_from_slice(bytes);
        Ok(())
    }

    /// Discards a range of both.
    ///
    /// # Errors
    /// What the disk says; a part may have been discarded then.
    pub fn discard(&mut self, disk: &mut dyn VirtualDisk, offset: u64, length: u64) -> Result<()> {
        let range = range(offset, length);
        self.touched.push(range.clone());
        disk.discard(offset, length)?;
        self.now[range].fill(0);
        Ok(())
    }

    /// The disk was flushed: all of it survives from now on.
    pub fn flushed(&mut self) {
        for range in self.touched.drain(..) {
            self.flushed[range.clone()].copy_from_slice(&self.now[range]);
        }
    }

    /// Compares a range of the disk.
    ///
    /// # Errors
    /// What the disk says.
    ///
    /// # Panics
    /// When they differ.
    pub fn compare(&self, disk: &mut dyn VirtualDisk, offset: u64, length: u64) -> Result<()> {
        let range = range(offset, length);
        let mut found = vec![0xa5; range.len()];
        disk.read_at(&mut found, offset)?;
        let differs = first_difference(&found, &self.now[range]);
        assert_eq!(differs, None, "first byte that differs of {length} at {offset}");
        Ok(())
    }

    /// Compares the whole disk.
    ///
    /// # Panics
    /// When they differ, or it cannot be read.
    pub fn compare_all(&self, disk: &mut dyn VirtualDisk) {
        assert_eq!(disk.len_bytes(), self.now.len() as u64);
        assert_same(disk, &self.now);
    }

    /// After a death: what was touched since the last flush may be anything, all else is as it was. What is there now is
    /// the reference from here on.
    ///
    /// # Panics
    /// When anything else differs, or the disk cannot be read.
    pub fn revive(&mut self, disk: &mut dyn VirtualDisk) {
        let mut found = vec![0xa5; self.now.len()];
        disk.read_at(&mut found, 0).unwrap();
        let mut expected = self.flushed.clone();
        for range in self.touched.drain(..) {
            expected[range.clone()].copy_from_slice(&found[range]);
        }
        assert_eq!(first_difference(&found, &expected), None, "a byte that was flushed is lost");
        self.flushed.clone_from(&found);
        self.now = found;
    }
}

/// Asserts that a disk begins with these bytes, and that its map of extents leaves none of them out.
///
/// # Panics
/// When it does not, or cannot be read.
pub(crate) fn assert_same(disk: &mut dyn VirtualDisk, expected: &[u8]) {
    assert_same_from(disk, 0, expected);
}

/// The same from this offset on.
///
/// # Panics
/// As [`assert_same`].
pub(crate) fn assert_same_from(disk: &mut dyn VirtualDisk, offset: u64, expected: &[u8]) {
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
        holes.push(range(from, data.start - from));
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

fn range(offset: u64, length: u64) -> Range<usize> {
    to_usize(offset)..to_usize(offset + length)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap()
}
