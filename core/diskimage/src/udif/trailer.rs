//! The last 512 bytes of a UDIF file, which begin with `koly`: where everything else lies.

use std::ops::Range;

use crate::bytes::{array_at, u32_at, u64_at};
use crate::error::{Result, damaged, unsupported};
use crate::store::Store;
use crate::udif::sum::Sum;

/// How they begin: the signature, version 4, their own length of 512 bytes.
const MARK: &[u8; 12] = b"koly\0\0\0\x04\0\0\x02\0";

/// Their length.
const SIZE: usize = 512;

/// What the trailer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trailer {
    /// The bytes that blocks are packed in, or those of the disk when there is no property list.
    pub data: Range<u64>,
    /// The property list with the maps of blocks; empty for none.
    pub list: Range<u64>,
    /// Sectors of the disk; 0 where it states none.
    pub sectors: u64,
    /// The checksum of `data`.
    pub data_sum: Sum,
    /// The checksum of the maps' checksums.
    pub master_sum: Sum,
}

/// Whether a file ends with one.
///
/// # Errors
/// Any error of the system.
pub(crate) fn is_there(store: &mut dyn Store) -> Result<bool> {
    let Some(place) = store.len_bytes().checked_sub(SIZE as u64) else { return Ok(false) };
    let mut mark = [0; MARK.len()];
    store.read_at(&mut mark, place)?;
    Ok(&mark == MARK)
}

impl Trailer {
    /// Reads it.
    ///
    /// # Errors
    /// `Damaged` when it names places that the file does not have; `Unsupported` for one of several files, and for a
    /// map in a resource fork.
    pub(crate) fn load(store: &mut dyn Store) -> Result<Self> {
        let place = store.len_bytes().saturating_sub(SIZE as u64);
        let mut bytes = [0; SIZE];
        store.read_at(&mut bytes, place)?;
        let range = |at, what| inside(place, u64_at(&bytes, at), u64_at(&bytes, at + 8), what);
        let (data, list) = (range(24, "data")?, range(216, "property list")?);
        let segments = u32_at(&bytes, 60);
        if segments > 1 {
            return Err(unsupported(format!(
                "it is one of {segments} segments of an image: join them on a Mac first (hdiutil convert -format UDRW)"
            )));
        }
        // Disk Copy before Mac OS X 10.2 kept the maps in a resource fork, and wrote it behind the data.
        if list.is_empty() && u64_at(&bytes, 48) > 0 {
            return Err(unsupported(
                "its map of blocks is in a resource fork: convert it on a Mac first (hdiutil convert -format UDRW)",
            ));
        }
        Ok(Self {
            data,
            list,
            sectors: u64_at(&bytes, 492),
            data_sum: Sum::decode(&array_at(&bytes, 80)),
            master_sum: Sum::decode(&array_at(&bytes, 352)),
        })
    }
}

/// A range before the trailer.
fn inside(place: u64, start: u64, length: u64, what: &str) -> Result<Range<u64>> {
    match start.checked_add(length) {
        Some(end) if end <= place => Ok(start..end),
        _ => Err(damaged(format!(
            "its last block states that the {what} are {length} bytes at {start}, but that block begins at {place}"
        ))),
    }
}
