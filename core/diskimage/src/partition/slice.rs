//! A part of the disk in an image, as an image.

use std::ops::Range;

use system::flush::Durability;

use crate::disk::{Advance, VirtualDisk, within};
use crate::error::{Result, invalid};

/// The part.
pub(super) struct Slice {
    image: Box<dyn VirtualDisk>,
    start: u64,
    len_bytes: u64,
}

impl Slice {
    /// A part that lies within the disk.
    pub(super) fn of(image: Box<dyn VirtualDisk>, start: u64, len_bytes: u64) -> Self {
        Self { image, start, len_bytes }
    }
}

impl VirtualDisk for Slice {
    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        within(self.len_bytes, offset, buffer.len() as u64)?;
        self.image.read_at(buffer, self.start + offset)
    }

    fn block_bytes(&self) -> Option<u64> {
        self.image.block_bytes()
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let end = self.start + self.len_bytes;
        let found = self.image.next_data(self.start.saturating_add(from).min(end))?;
        Ok(found
            .filter(|data| data.start < end)
            .map(|data| data.start - self.start..data.end.min(end) - self.start))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        within(self.len_bytes, offset, bytes.len() as u64)?;
        self.image.write_at(bytes, self.start + offset)
    }

    fn discard(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes, offset, length)?;
        self.image.discard(self.start + offset, length)
    }

    fn write_zeros(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes, offset, length)?;
        self.image.write_zeros(self.start + offset, length)
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        self.image.flush(durability)
    }

    fn compact_with(&mut self, _advance: Advance<'_>) -> Result<()> {
        Err(invalid("a partition is not compacted: compact the whole image"))
    }
}
