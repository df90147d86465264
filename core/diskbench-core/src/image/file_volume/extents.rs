//! Where the bytes of files lie, and which bytes are free.

use std::collections::BTreeMap;

use super::damaged;

/// Files begin at multiples of this many bytes and take whole multiples of them: the page of every machine's cache or
/// a divisor of it, and what direct I/O asks for.
pub(crate) const PAGE: u64 = 4096;

/// A length in whole pages, in bytes.
pub(crate) const fn paged(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE).saturating_mul(PAGE)
}

/// A range of the disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
}

impl Extent {
    /// Where it ends.
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// The free ranges of a disk. Ranges that touch are one range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FreeSpace {
    /// Where each begins, and how long it is.
    ranges: BTreeMap<u64, u64>,
}

impl FreeSpace {
    /// Everything from `offset` on is free, in whole pages.
    pub(crate) fn new(all: Extent) -> Self {
        let length = all.length / PAGE * PAGE;
        let range = (length > 0).then_some((all.offset, length));
        Self { ranges: range.into_iter().collect() }
    }

    /// Free bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.ranges.values().fold(0, |sum: u64, length| sum.saturating_add(*length))
    }

    /// Takes room for so many bytes: the first free range that is large enough or, when none is, the largest ones, as
    /// few as possible. None when there is not enough.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<Vec<Extent>> {
        let wanted = bytes.div_ceil(PAGE).checked_mul(PAGE)?;
        if wanted == 0 {
            return Some(Vec::new());
        }
        let first = self.ranges.iter().find(|(_, length)| **length >= wanted);
        let taken = match first {
            Some((offset, _)) => vec![Extent { offset: *offset, length: wanted }],
            None => self.largest(wanted)?,
        };
        for extent in &taken {
            assert!(self.cut(*extent), "{extent:?} would be given out twice");
        }
        Some(taken)
    }

    /// The largest ranges that together hold so many bytes, in the order in which they lie.
    fn largest(&self, wanted: u64) -> Option<Vec<Extent>> {
        let mut all: Vec<Extent> = self
            .ranges
            .iter()
            .map(|(offset, length)| Extent { offset: *offset, length: *length })
            .collect();
        all.sort_by_key(|extent| std::cmp::Reverse(extent.length));
        let mut left = wanted;
        let mut taken = Vec::new();
        for extent in all {
            let length = extent.length.min(left);
            taken.push(Extent { length, ..extent });
            left -= length;
            if left == 0 {
                taken.sort();
                return Some(taken);
            }
        }
        None
    }

    /// Takes a range out of the free ones; false, and nothing is changed, when not all of it is free.
    fn cut(&mut self, extent: Extent) -> bool {
        let found = self.ranges.range(..=extent.offset).next_back();
        let Some((offset, end)) = found.map(|(offset, length)| (*offset, offset + length)) else {
            return false;
        };
        if end < extent.end() {
            return false;
        }
        self.ranges.remove(&offset);
        if offset < extent.offset {
            self.ranges.insert(offset, extent.offset - offset);
        }
        if extent.end() < end {
            self.ranges.insert(extent.end(), end - extent.end());
        }
        true
    }

    /// Takes just this range, which a table says to be in use.
    ///
    /// # Errors
    /// `InvalidData` when it is no whole pages, lies outside of the disk or is in use already.
    pub(crate) fn claim(&mut self, extent: Extent) -> std::io::Result<()> {
        let whole = extent.offset.is_multiple_of(PAGE)
            && extent.length.is_multiple_of(PAGE)
            && extent.length > 0
            && extent.offset.checked_add(extent.length).is_some();
        if whole && self.cut(extent) {
            return Ok(());
        }
        Err(damaged(format!(
            "the volume's table of files gives {} bytes at {} to a file, which are not free",
            extent.length, extent.offset
        )))
    }

    /// Gives a range back.
    pub(crate) fn give(&mut self, extent: Extent) {
        if extent.length == 0 {
            return;
        }
        let mut merged = extent;
        if let Some((offset, length)) = self.ranges.range(..extent.offset).next_back()
            && offset + length == extent.offset
        {
            merged = Extent { offset: *offset, length: length + extent.length };
        }
        if let Some(after) = self.ranges.remove(&extent.end()) {
            merged.length += after;
        }
        self.ranges.insert(merged.offset, merged.length);
    }
}

/// Ranges that touch made one; sorted.
pub(crate) fn coalesced(mut extents: Vec<Extent>) -> Vec<Extent> {
    extents.sort();
    let mut merged: Vec<Extent> = Vec::with_capacity(extents.len());
    for extent in extents {
        match merged.last_mut() {
            Some(last) if last.end() == extent.offset => last.length += extent.length,
            _ => merged.push(extent),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::{Extent, FreeSpace, PAGE, coalesced};
    use proptest::prelude::{any, proptest};

    const fn pages(offset: u64, length: u64) -> Extent {
        Extent { offset: offset * PAGE, length: length * PAGE }
    }

    fn space(length: u64) -> FreeSpace {
        FreeSpace::new(pages(0, length))
    }

    #[test]
    fn the_first_range_that_is_large_enough_is_taken() {
        let mut space = space(100);
        space.claim(pages(2, 10)).unwrap();
        assert_eq!(space.take(2 * PAGE), Some(vec![pages(0, 2)]));
        assert_eq!(space.take(1), Some(vec![pages(12, 1)]));
        space.give(pages(5, 3));
        assert_eq!(space.take(4 * PAGE), Some(vec![pages(13, 4)]));
        assert_eq!(space.take(3 * PAGE - 4095), Some(vec![pages(5, 3)]));
    }

    #[test]
    fn a_file_lies_in_several_places_only_when_no_place_is_large_enough() {
        let mut space = space(30);
        for used in [pages(2, 8), pages(15, 5), pages(24, 6)] {
            space.claim(used).unwrap();
        }
        // Free are 2, 5 and 4 pages.
        assert_eq!(space.take(6 * PAGE), Some(vec![pages(10, 5), pages(20, 1)]));
        assert_eq!(space.take(6 * PAGE), None);
        assert_eq!(space.bytes(), 5 * PAGE, "what cannot be given takes nothing");
    }

    #[test]
    fn what_is_in_use_outside_or_no_whole_page_cannot_be_claimed() {
        let mut space = FreeSpace::new(Extent { offset: 8 * PAGE, length: 10 * PAGE + 511 });
        space.claim(pages(9, 2)).unwrap();
        for wrong in [
            pages(10, 1),
            pages(7, 1),
            pages(7, 2),
            pages(17, 2),
            pages(18, 1),
            pages(12, 0),
            Extent { offset: 12 * PAGE + 1, length: PAGE },
            Extent { offset: 12 * PAGE, length: 100 },
            Extent { offset: u64::MAX - 4095, length: PAGE },
        ] {
            assert!(space.claim(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(space.bytes(), 8 * PAGE);
    }

    #[test]
    fn neighbours_become_one() {
        let found = coalesced(vec![pages(5, 1), pages(1, 2), pages(3, 2), pages(8, 1)]);
        assert_eq!(found, [pages(1, 5), pages(8, 1)]);
    }

    proptest! {
        #[test]
        fn every_page_is_free_or_taken_just_once(
            steps in proptest::collection::vec((any::<bool>(), 0_usize..8, 1_u64..9), 1..60)
        ) {
            let mut space = space(40);
            let mut taken: Vec<Vec<Extent>> = Vec::new();
            for (give, which, length) in steps {
                if give && !taken.is_empty() {
                    for extent in taken.swap_remove(which % taken.len()) {
                        space.give(extent);
                    }
                } else if let Some(found) = space.take(length * PAGE) {
                    assert_eq!(found.iter().map(|e| e.length).sum::<u64>(), length * PAGE);
                    taken.push(found);
                } else {
                    assert!(space.bytes() < length * PAGE);
                }
                let mut pages = [false; 40];
                for extent in taken.iter().flatten() {
                    for page in extent.offset / PAGE..extent.end() / PAGE {
                        let page = &mut pages[usize::try_from(page).unwrap()];
                        assert!(!*page);
                        *page = true;
                    }
                }
                let used = pages.iter().filter(|used| **used).count() as u64;
                assert_eq!(space.bytes(), (40 - used) * PAGE);
            }
            for extent in taken.into_iter().flatten() {
                space.give(extent);
            }
            assert_eq!(space, self::space(40));
        }
    }
}
