//! Buffers that begin at a page.

/// Alignment of buffers in bytes: the page of Apple silicon, and a multiple of everybody else's.
pub(crate) const ALIGNMENT: usize = 16_384;

/// A page-aligned buffer, without `unsafe`: a little too much is allocated and the aligned part used.
#[derive(Debug)]
pub struct Aligned {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// A buffer of this many bytes, zeroed (and thereby touched: no page fault happens later).
    pub fn new(length: usize) -> Self {
        let mut storage = vec![1_u8; length + ALIGNMENT];
        storage.fill(0);
        let start = storage.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { storage, start, length }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.storage.split_at(self.start).1.split_at(self.length).0
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.storage.split_at_mut(self.start).1.split_at_mut(self.length).0
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIGNMENT, Aligned};

    #[test]
    fn buffers_are_aligned_to_the_page_of_apple_silicon() {
        for length in [1, 4096, 1 << 20] {
            let buffer = Aligned::new(length);
            assert_eq!(buffer.bytes().len(), length);
            assert_eq!(buffer.bytes().as_ptr().addr() % ALIGNMENT, 0);
        }
    }
}
