//! An image that was opened for reading: nothing changes it, not even in memory.

use std::fs::File;
use std::ops::Range;

use system::flush::Durability;

use crate::disk::{Bands, DiskImage, VirtualDisk};
use crate::error::{ImageError, Kind, Result};

/// The image, which refuses all changes.
pub(crate) struct ReadOnly(pub Box<dyn DiskImage>);

/// The error of a change of an image that was opened for reading.
pub(crate) fn refused() -> ImageError {
    ImageError::new(Kind::Invalid, "the image was opened for reading only: open it for writing")
}

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

    fn write_at(&mut self, _bytes: &[u8], _offset: u64) -> Result<()> {
        Err(refused())
    }

    fn discard(&mut self, _offset: u64, _length: u64) -> Result<()> {
        Err(refused())
    }

    fn flush(&mut self, _durability: Durability) -> Result<()> {
        Ok(())
    }

    fn allocated_bytes(&self) -> Result<u64> {
        self.0.allocated_bytes()
    }
}

impl DiskImage for ReadOnly {
    fn compact(&mut self) -> Result<()> {
        Err(refused())
    }

    fn bands(&self) -> Option<Bands> {
        self.0.bands()
    }

    fn for_each_file(
        &self,
        action: &mut dyn FnMut(&File, u64) -> std::io::Result<()>,
    ) -> Result<()> {
        self.0.for_each_file(action)
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        self.0.will_read(offset, length)
    }
}
