//! The last 512 bytes of a UDIF file, which begin with `koly`: where everything else lies.

use std::ops::Range;

use system::memory::in_memory;

use crate::bytes::{array_at, u32_at, u64_at};
use crate::error::{Result, damaged, unsupported};
use crate::store::Store;
use crate::udif::sum::Sum;

/// How they begin: the signature, version 4, their own length of 512 bytes.
const MARK: &[u8; 12] = b"koly\0\0\0\x04\0\0\x02\0";

/// How a property list begins.
const LIST: &[u8; 5] = b"<?xml";

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

/// How many of a file's last bytes are searched for a trailer that does not end it.
const SEARCHED: u64 = 64 << 10;

/// Refuses a file that has more bytes behind its trailer, as one that was padded, or carved out of a disk: it would pass
/// for a raw disk. The list of maps must be where the trailer says, since a raw disk may hold a whole UDIF.
///
/// # Errors
/// `Unsupported` when it is one.
pub(crate) fn refuse_one_that_goes_on(store: &mut dyn Store) -> Result<()> {
    let len_bytes = store.len_bytes();
    let start = len_bytes.saturating_sub(SEARCHED);
    let mut bytes = vec![0; in_memory(len_bytes - start)];
    if store.read_at(&mut bytes, start).is_err() {
        // A raw disk with bad sectors at its end is read around them.
        return Ok(());
    }
    for (at, trailer) in bytes.windows(SIZE).enumerate().rev() {
        let place = start + at as u64;
        if trailer.starts_with(MARK) && names_a_list(store, trailer, place) {
            let end = place + SIZE as u64;
            return Err(unsupported(format!(
                "its last block, which shows that it is a UDIF, lies {} bytes before the end: cut the file to {end} bytes \
                 (truncate -s {end})",
                len_bytes - end
            )));
        }
    }
    Ok(())
}

/// Whether a property list lies where this trailer says.
fn names_a_list(store: &mut dyn Store, trailer: &[u8], place: u64) -> bool {
    let mut begins = [0; LIST.len()];
    let range = |at| inside(place, u64_at(trailer, at), u64_at(trailer, at + 8), "place");
    let (data, list) = (range(24), range(216));
    let Ok(list) = data.and(list) else { return false };
    store.read_at(&mut begins, list.start).is_ok() && begins == *LIST
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
