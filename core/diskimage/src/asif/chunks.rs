//! Which chunks of the file are in use, and which can be given out.

use std::collections::BTreeMap;

/// Numbers of chunks, held as ranges.
#[derive(Debug, Default)]
pub(crate) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a number. Whether it was missing.
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let before = self.0.range(..=number).next_back().map(|(&start, &end)| (start, end));
        if before.is_some_and(|(_, end)| number < end) {
            return false;
        }
        let next = number + 1;
        let end = self.0.remove(&next).unwrap_or(next);
        let start = before.filter(|&(_, end)| end == number).map_or(number, |(start, _)| start);
        self.0.insert(start, end);
        true
    }

    /// Takes the lowest number out.
    pub(crate) fn take_lowest(&mut self) -> Option<u64> {
        let (start, end) = self.0.pop_first()?;
        let next = start + 1;
        if next < end {
            self.0.insert(next, end);
        }
        Some(start)
    }

    /// The numbers below `end` that are not in it.
    pub(crate) fn gaps(&self, end: u64) -> Self {
        let mut gaps = BTreeMap::new();
        let mut from = 0;
        for (&start, &stop) in self.0.range(..end) {
            if from < start {
                gaps.insert(from, start);
            }
            from = stop;
        }
        if from < end {
            gaps.insert(from, end);
        }
        Self(gaps)
    }

    /// Moves all numbers of another one here.
    pub(crate) fn take_all(&mut self, other: &mut Self) {
        for (start, end) in std::mem::take(&mut other.0) {
            for number in start..end {
                self.insert(number);
            }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
    }
}

/// The chunks of the file.
#[derive(Debug)]
pub(crate) struct Chunks {
    free: Ranges,
    /// Free, but the file still says otherwise: to be used again only after the next flush.
    released: Ranges,
    end: u64,
}

impl Chunks {
    /// Of a file of `end` chunks where these are in use.
    pub(crate) fn of(used: &Ranges, end: u64) -> Self {
        Self { free: used.gaps(end), released: Ranges::default(), end }
    }

    /// Gives out the lowest free chunk, or one behind the end.
    pub(crate) fn take(&mut self) -> u64 {
        self.free.take_lowest().unwrap_or_else(|| {
            let chunk = self.end;
            self.end += 1;
            chunk
        })
    }

    /// Chunks that can be given out before the end.
    pub(crate) fn free(&self) -> impl Iterator<Item = u64> + '_ {
        self.free.0.iter().flat_map(|(&start, &end)| start..end)
    }

    /// Takes a chunk back.
    pub(crate) fn release(&mut self, chunk: u64) {
        self.released.insert(chunk);
    }

    /// The releases are now in the file.
    pub(crate) fn flushed(&mut self) {
        self.free.take_all(&mut self.released);
    }

    /// Chunks in use.
    pub(crate) fn used(&self) -> u64 {
        self.end - self.free.len() - self.released.len()
    }

    /// The file was truncated to this many chunks, all in use except the free ones below.
    pub(crate) fn cut(&mut self, end: u64) {
        self.free = Ranges(self.free.0.range(..end).map(|(&a, &b)| (a, b.min(end))).collect());
        self.released = Ranges::default();
        self.end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunks, Ranges};

    fn of(numbers: &[u64]) -> Ranges {
        let mut ranges = Ranges::default();
        for &number in numbers {
            assert!(ranges.insert(number));
        }
        ranges
    }

    #[test]
    fn neighbours_become_one_range() {
        let mut ranges = of(&[5, 7, 6, 1, 4, 2]);
        assert_eq!(ranges.0, [(1, 3), (4, 8)].into());
        assert!(!ranges.insert(6));
        assert_eq!(ranges.len(), 6);
        assert_eq!(ranges.gaps(10).0, [(0, 1), (3, 4), (8, 10)].into());
        assert_eq!((ranges.take_lowest(), ranges.take_lowest()), (Some(1), Some(2)));
        assert_eq!(ranges.take_lowest(), Some(4));
    }

    #[test]
    fn the_lowest_free_chunk_comes_first_then_one_behind_the_end() {
        let mut chunks = Chunks::of(&of(&[0, 1, 3, 5]), 6);
        let given: Vec<u64> = (0..4).map(|_| chunks.take()).collect();
        assert_eq!(given, [2, 4, 6, 7]);
        assert_eq!(chunks.used(), 8);
    }

    #[test]
    fn a_released_chunk_is_not_given_out_before_the_flush() {
        let mut chunks = Chunks::of(&of(&[0, 1, 2]), 3);
        chunks.release(1);
        assert_eq!((chunks.used(), chunks.take()), (2, 3));
        chunks.flushed();
        assert_eq!((chunks.take(), chunks.take()), (1, 4));
    }
}
