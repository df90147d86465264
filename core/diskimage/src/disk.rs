//! What every image is, whatever its format.

use std::ops::Range;

use system::flush::{self, Durability};

use crate::error::{ImageError, Result, invalid};

/// Unit of a disk in bytes: a sector. The length of every disk is a multiple of it; reads and writes need not be.
pub const SECTOR: u64 = 512;

/// Longest disk in bytes that lies in files: what a file's length can be, in whole sectors.
pub const LONGEST: u64 = i64::MAX as u64 / SECTOR * SECTOR;

/// A disk of a fixed length that is read and written anywhere. What was never written, or was discarded, is zeros.
pub trait VirtualDisk: Send {
    /// Length in bytes.
    fn len_bytes(&self) -> u64;

    /// Fills the buffer from this offset on.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end; else whatever the system says.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()>;

    /// The next part of the map of extents: the first range from this offset on that may hold something else than
    /// zeros, or a beginning of it; none when the rest is zeros. Without a map everything may.
    ///
    /// # Errors
    /// Any error of the system.
    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        Ok(rest(from, self.len_bytes()))
    }

    /// Writes all bytes at this offset. A disk that is only read has no need of this method and the next two.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end, or the disk is only read; else whatever the system says.
    fn write_at(&mut self, _bytes: &[u8], _offset: u64) -> Result<()> {
        Err(only_read())
    }

    /// Makes a range zeros, and gives back what the format can give back at once.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end, or the disk is only read; else whatever the system says.
    fn discard(&mut self, _offset: u64, _length: u64) -> Result<()> {
        Err(only_read())
    }

    /// Brings everything that was written or discarded into the image's files, and makes them last as asked. A process
    /// that is killed afterwards, or at any moment before the next flush, leaves all of that intact.
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
}

/// What an image can do beside being a disk.
pub trait DiskImage: VirtualDisk {
    /// Gives space that the image no longer needs back to the host's disk; flushes.
    ///
    /// # Errors
    /// `Invalid` when the image is only read; else whatever the system says.
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

    /// Gives the disk another length in bytes, which lasts from the next flush on. What is gained is zeros; what is
    /// lost was discarded and flushed before: [`crate::resize::resize`] sees to that.
    ///
    /// # Errors
    /// `Invalid` for a length that the format does not have, or when the image is only read; else whatever the system
    /// says.
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

    /// Begins to read a range that is wanted soon, as far as there is data in it. Images are read without the system's
    /// own reading ahead, which knows nothing of the files in them. One whose reader does not ask for that does nothing.
    ///
    /// # Errors
    /// `Invalid` when it reaches beyond the end; else whatever the system says.
    fn will_read(&mut self, _offset: u64, _length: u64) -> Result<()> {
        Ok(())
    }
}

/// Called again and again with the bytes done so far, and the bytes that there are.
pub type Advance<'a> = &'a mut dyn FnMut(u64, u64);

/// The pieces that a format allocates in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// Size of one in bytes.
    pub band_bytes: u64,
    /// How many hold data.
    pub count: u64,
}

/// What the header of an image says of its disk.
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

/// Makes sure that a range lies within a disk.
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
