//! The trait of images of all formats.

use std::ops::Range;

use system::flush::{self, Durability};

use crate::error::{ImageError, Result, invalid};

/// Unit of a disk in bytes: a sector. The length of every disk is a multiple of it; reads and writes need not be.
pub const SECTOR: u64 = 512;

/// Longest disk in bytes that is stored in files: the maximum length of a file, in whole sectors.
pub const LONGEST: u64 = i64::MAX as u64 / SECTOR * SECTOR;

/// A disk of a fixed length that is read and written anywhere, and the image that holds it. What was never written, or
/// was discarded, is zeros. A disk that is only read needs no more than its length and how it is read.
pub trait VirtualDisk: Send {
    /// Length in bytes.
    fn len_bytes(&self) -> u64;

    /// Fills the buffer from this offset on.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end; otherwise any error of the system.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()>;

    /// The next part of the map of extents: the first range from this offset on that may hold something else than
    /// zeros, or a beginning of it; none when the rest is zeros. Without a map everything may.
    ///
    /// # Errors
    /// Any error of the system.
    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        Ok(rest(from, self.len_bytes()))
    }

    /// Writes all bytes at this offset. They are in the image after the next [`Self::flush`]: dropping it does not flush.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end, or the disk is only read; otherwise any error of the system.
    fn write_at(&mut self, _bytes: &[u8], _offset: u64) -> Result<()> {
        Err(only_read())
    }

    /// Makes a range zeros, and frees what the format can free at once.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end, or the disk is only read; otherwise any error of the system.
    fn discard(&mut self, _offset: u64, _length: u64) -> Result<()> {
        Err(only_read())
    }

    /// Makes a range zeros to every reader. What is discarded in an encrypted raw image is zeros to this crate alone (see
    /// [`crate::crypt`]).
    ///
    /// # Errors
    /// As [`Self::discard`].
    fn write_zeros(&mut self, offset: u64, length: u64) -> Result<()> {
        self.discard(offset, length)
    }

    /// Writes all changes to the image's files, with the requested durability. A process killed at any later moment
    /// leaves them intact. After a flush that failed another one can succeed, as when a full disk has space again; not
    /// if a sync failed, since the system may have dropped what it could not write.
    ///
    /// # Errors
    /// Any error of the system.
    fn flush(&mut self, _durability: Durability) -> Result<()> {
        Ok(())
    }

    /// The same, as strongly as the file system of the image can.
    ///
    /// # Errors
    /// Any error of the system.
    fn make_last(&mut self) -> Result<()> {
        flush::strongest(ImageError::is_refusal, |durability| self.flush(durability))
    }

    /// Frees space that the image no longer needs; flushes.
    ///
    /// # Errors
    /// `Invalid` when the image is only read; otherwise any error of the system.
    fn compact(&mut self) -> Result<()> {
        self.compact_with(&mut |_, _| ())
    }

    /// The same; `advance` gets its progress.
    ///
    /// # Errors
    /// As [`Self::compact`].
    fn compact_with(&mut self, _advance: Advance<'_>) -> Result<()> {
        Err(only_read())
    }

    /// Changes the length of the disk in bytes, durable after the next flush. New bytes are zeros; lost bytes must have
    /// been discarded and flushed before, as in [`crate::resize::resize`].
    ///
    /// # Errors
    /// `Invalid` for a length that the format does not have, or when the image is only read; otherwise any error of the
    /// system.
    fn set_len_bytes(&mut self, _len_bytes: u64) -> Result<()> {
        Err(only_read())
    }

    /// Size of a band (or chunk) in bytes, and the number of those that hold data; none for formats without.
    fn bands(&self) -> Option<Bands> {
        None
    }

    /// Size of a block in bytes; none for formats that have one size only.
    fn block_bytes(&self) -> Option<u64> {
        None
    }

    /// How many bands (or chunks) of the file hold something and belong to no part of the disk: they were discarded, or
    /// what named them was lost. All of them are read.
    ///
    /// # Errors
    /// Any error of the system.
    fn unnamed_bands(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// Begins to read a range that is wanted soon, as far as there is data in it. Images are read without the system's
    /// own reading ahead, which knows nothing of the files in them. Kinds of images whose reader does not ask for it do
    /// nothing.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end; otherwise any error of the system.
    fn will_read(&mut self, _offset: u64, _length: u64) -> Result<()> {
        Ok(())
    }
}

/// A callback with the bytes done so far, and all bytes.
pub type Advance<'a> = &'a mut dyn FnMut(u64, u64);

/// The pieces that a format allocates in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// Size of one in bytes.
    pub band_bytes: u64,
    /// How many hold data.
    pub count: u64,
}

/// The disk's properties in the header of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Length in bytes.
    pub len_bytes: u64,
    /// Size of a band (or chunk) in bytes; none for formats without.
    pub band_bytes: Option<u64>,
    /// Size of a block in bytes; none for formats that have one size only.
    pub block_bytes: Option<u64>,
}

impl Sizes {
    /// Those of a disk without bands and blocks.
    pub(crate) const fn of_plain(len_bytes: u64) -> Self {
        Self { len_bytes, band_bytes: None, block_bytes: None }
    }
}

/// The error of a change of an image that was opened for reading.
pub(crate) fn only_read() -> ImageError {
    invalid("the image was opened for reading only: open it for writing")
}

/// All from an offset on; none when that is the end.
pub(crate) fn rest(from: u64, len_bytes: u64) -> Option<Range<u64>> {
    (from < len_bytes).then_some(from..len_bytes)
}

/// Makes sure that a disk in files can have this length.
///
/// # Errors
/// `Invalid`.
pub(crate) fn check_length(format: &str, len_bytes: u64) -> Result<()> {
    if (1..=LONGEST).contains(&len_bytes) && len_bytes.is_multiple_of(SECTOR) {
        return Ok(());
    }
    Err(invalid(format!(
        "{format} cannot have {len_bytes} bytes: use a multiple of {SECTOR} up to {LONGEST}"
    )))
}

/// Smallest band in bytes that is made: a page. (`hdiutil` makes none below 1 MiB.)
const SMALLEST_BAND: u64 = 4096;

/// Largest band in bytes: what `hdiutil` allows (16,777,216 sectors).
pub(crate) const LARGEST_BAND: u64 = 8 << 30;

/// Makes sure that an image can have bands of this size.
///
/// # Errors
/// `Invalid`.
pub(crate) fn check_band(format: &str, band_bytes: u64) -> Result<()> {
    if (SMALLEST_BAND..=LARGEST_BAND).contains(&band_bytes) && band_bytes.is_multiple_of(SECTOR) {
        return Ok(());
    }
    Err(invalid(format!(
        "{format} has no bands of {band_bytes} bytes: use a multiple of {SECTOR} from {SMALLEST_BAND} to {LARGEST_BAND}"
    )))
}

/// Checks that a range is within a disk.
///
/// # Errors
/// `Invalid`.
pub(crate) fn within(len_bytes: u64, offset: u64, length: u64) -> Result<()> {
    match offset.checked_add(length) {
        Some(end) if end <= len_bytes => Ok(()),
        _ => Err(invalid(format!(
            "{length} bytes at {offset} reach beyond the disk's end at {len_bytes}: correct the range"
        ))),
    }
}

/// Something that is wrong with an image: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage(pub String);
