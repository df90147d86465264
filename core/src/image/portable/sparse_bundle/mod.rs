//! `UDSB`: a folder with a description and one file for each band.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::cell::Durability;
use crate::image::portable::crypt::Token;
use crate::image::portable::disk::{Bands, Damage, Image, VirtualDisk};
use crate::image::portable::store::Access;
/// The file that holds the keys; empty in a plain bundle.
pub const TOKEN: &str = "token";

/// A sparse bundle.
pub struct SparseBundle {}

impl SparseBundle {
    /// Makes a new folder for a bundle.
    ///
    /// # Errors
    /// `AlreadyExists`; `InvalidInput` for a length or band size that the format does not have; else whatever the
    /// system says.
    pub fn create(
        _path: &Path,
        _len_bytes: u64,
        _band_bytes: Option<u64>,
        _token: Option<Token>,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Opens a bundle.
    ///
    /// # Errors
    /// `InvalidData` when its files make no sense; else whatever the system says.
    pub fn open(_path: &Path, _access: Access, _token: Option<Token>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Looks for damage.
///
/// # Errors
/// Whatever the system says; damage is no error.
pub fn check(_path: &Path, _token: Option<Token>) -> io::Result<Vec<Damage>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl VirtualDisk for SparseBundle {
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

impl Image for SparseBundle {
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
