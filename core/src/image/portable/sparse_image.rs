//! `UDSP`: one file of an index and bands, in the order in which they were first written.

use std::fs::File;
use std::io;

use crate::cell::Durability;
use crate::image::portable::disk::{Bands, Damage, Image, VirtualDisk};
use crate::image::portable::store::Store;
/// The first bytes of the file.
pub const MAGIC: &[u8; 4] = b"sprs";

/// A sparse image.
pub struct SparseImage {}

impl SparseImage {
    /// Makes an image in an empty store.
    ///
    /// # Errors
    /// `InvalidInput` for a length that the format does not have; else whatever the system says.
    pub fn create(
        _store: Box<dyn Store>,
        _len_bytes: u64,
        _band_bytes: Option<u64>,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Opens an image.
    ///
    /// # Errors
    /// `InvalidData` when its bytes make no sense; else whatever the system says.
    pub fn open(_store: Box<dyn Store>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Looks for damage.
///
/// # Errors
/// Whatever the system says; damage is no error.
pub fn check(_store: &mut dyn Store) -> io::Result<Vec<Damage>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl VirtualDisk for SparseImage {
    fn len_bytes(&self) -> u64 {
        0
    }

    fn read_at(&mut self, _buffer: &mut [u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn write_at(&mut self, _bytes: &[u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn discard(&mut self, _offset: u64, _length: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn flush(&mut self, _durability: Durability) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Image for SparseImage {
    fn compact(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn bands(&self) -> Option<Bands> {
        None
    }

    fn for_each_file(
        &self,
        _action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        Ok(())
    }
}
