//! An image that was opened for reading: nothing changes it, not even in memory.

use std::ops::Range;

use crate::disk::{Bands, VirtualDisk};
use crate::error::Result;

/// The image, which refuses all changes.
pub(crate) struct ReadOnly(pub Box<dyn VirtualDisk>);

impl VirtualDisk for ReadOnly {
    fn len_bytes(&self) -> u64 {
        self.0.len_bytes()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.0.read_at(buffer, offset)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        self.0.next_data(from)
    }

    fn bands(&self) -> Option<Bands> {
        self.0.bands()
    }

    fn block_bytes(&self) -> Option<u64> {
        self.0.block_bytes()
    }

    fn unnamed_bands(&mut self) -> Result<u64> {
        self.0.unnamed_bands()
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        self.0.will_read(offset, length)
    }
}
