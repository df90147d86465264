//! What every image is, whatever its format.

use std::fmt::Display;
use std::fs::File;
use std::io;

use system::flush::Durability;

/// Unit of a disk in bytes: a sector. The length of every disk is a multiple of it; reads and writes need not be.
pub const SECTOR: u64 = 512;

/// A disk of a fixed length that is read and written anywhere. What was never written, or was discarded, is zeros.
pub trait VirtualDisk: Send {
    /// Length in bytes.
    fn len_bytes(&self) -> u64;

    /// Fills the buffer from this offset on.
    ///
    /// # Errors
    /// `InvalidInput` when it reaches beyond the end; else whatever the system says.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all bytes at this offset.
    ///
    /// # Errors
    /// `InvalidInput` when it reaches beyond the end; else whatever the system says.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Makes a range zeros, and gives back what the format can give back at once.
    ///
    /// # Errors
    /// `InvalidInput` when it reaches beyond the end; else whatever the system says.
    fn discard(&mut self, offset: u64, length: u64) -> io::Result<()>;

    /// Brings everything that was written or discarded into the image's files, and makes them last as asked. A process
    /// that is killed afterwards, or at any moment before the next flush, leaves all of that intact.
    ///
    /// # Errors
    /// Whatever the system says.
    fn flush(&mut self, durability: Durability) -> io::Result<()>;

    /// Bytes that the image takes of the host's disk.
    ///
    /// # Errors
    /// Whatever the system says.
    fn allocated_bytes(&self) -> io::Result<u64>;
}

/// What an image can do beside being a disk.
pub trait DiskImage: VirtualDisk {
    /// Gives space that the image no longer needs back to the host's disk; flushes.
    ///
    /// # Errors
    /// Whatever the system says.
    fn compact(&mut self) -> io::Result<()>;

    /// Size of a band (or chunk) in bytes, and the number of those that hold data; none for formats without.
    fn bands(&self) -> Option<Bands>;

    /// Calls `action` with each of the image's files and its length, for example to drop it from memory.
    ///
    /// # Errors
    /// Whatever the system or the action says.
    fn for_each_file(&self, action: &mut dyn FnMut(&File, u64) -> io::Result<()>)
    -> io::Result<()>;

    /// Begins to read a range that is wanted soon, as far as there is data in it. Images are read without the system's
    /// own reading ahead, which knows nothing of the files in them.
    ///
    /// # Errors
    /// `InvalidInput` when it reaches beyond the end; else whatever the system says.
    fn will_read(&mut self, offset: u64, length: u64) -> io::Result<()>;
}

/// The pieces that a format allocates in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// Size of one in bytes.
    pub band_bytes: u64,
    /// How many hold data.
    pub count: u64,
}

/// Makes sure that a range lies within a disk.
///
/// # Errors
/// `InvalidInput`.
pub fn within(len_bytes: u64, offset: u64, length: u64) -> io::Result<()> {
    match offset.checked_add(length) {
        Some(end) if end <= len_bytes => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "{length} bytes at {offset} reach beyond the disk's end at {len_bytes}: correct the range"
            ),
        )),
    }
}

/// The error for an image whose bytes make no sense. `what` says what is wrong and names no path.
#[must_use]
pub fn malformed(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// The error for an image that says something whose meaning is not known. It may well be sound, and then reading it
/// by what is known would give wrong content. `what` names the field and its value.
#[must_use]
pub fn not_known(what: impl Display) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!(
            "{what}, which is not known and may change the content: convert it on a Mac first \
             (diskutil image create from --format RAW)"
        ),
    )
}

/// Something that is wrong with an image: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage(pub String);
