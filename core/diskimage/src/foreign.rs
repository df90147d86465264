//! Telling what we do not read from raw disks: the images of other programs, and archives with an image in them.
//!
//! A file without any mark of ours is `UDRW`: any of these would pass for one, and its bytes for a disk. So marks are
//! looked at first, at both ends, and before any length is judged: most of these files are no whole number of sectors.
//!
//! **A raw disk may begin with any bytes.** What shows a partition map or a file system where those lie is a disk,
//! whatever mark its first bytes happen to make. A mark at the end is different: a VHD image begins as its disk does.

mod disk;
mod table;

use crate::disk::SECTOR;
use crate::error::{ImageError, Kind, Result, unsupported};
use crate::format::ImageFormat;
use crate::store::Store;
use table::{FORMATS, Place};

/// What is looked at.
type Bytes<'a> = &'a mut dyn Store;

/// Makes sure that bytes that bear no mark of ours are no file of another kind.
///
/// # Errors
/// `Unsupported` when they are; else whatever the system says.
pub(crate) fn refuse(bytes: &mut dyn Store) -> Result<()> {
    match recognised(bytes)? {
        None => Ok(()),
        Some((name, advice)) => {
            let read = ImageFormat::ALL.map(ImageFormat::name).join(", ");
            Err(unsupported(format!("it is {name}, and only {read} and UDIF are read: {advice}")))
        }
    }
}

/// Makes sure that a file without any mark can be a raw disk. One that was cut short is one still; a text is none.
///
/// # Errors
/// `Unsupported` when it cannot; else whatever the system says.
pub(crate) fn refuse_what_is_no_disk(bytes: &mut dyn Store) -> Result<()> {
    let len_bytes = bytes.len_bytes();
    if (len_bytes > 0 && len_bytes.is_multiple_of(SECTOR)) || disk::is_one(bytes)? {
        return Ok(());
    }
    if len_bytes == 0 {
        return Err(ImageError::new(Kind::NotAnImage, "it is empty: give the path of an image"));
    }
    Err(ImageError::new(
        Kind::NotAnImage,
        format!(
            "it has no signature of an image, and its {len_bytes} bytes are not a whole number of sectors of {SECTOR}, as a raw disk has: give the path of an image; a compressed one (.dmg) that was cut short has none either, so get it again"
        ),
    ))
}

/// Whether bytes without any mark are a raw disk for sure: they begin as this volume does, or show a partition map or a
/// file system.
///
/// # Errors
/// Any error of the system.
pub(crate) fn shows_a_disk(bytes: &mut dyn Store, volume: &[u8]) -> Result<bool> {
    Ok(shows(bytes, 0, volume)? || disk::is_one(bytes)?)
}

/// The name of what it is, and what to do with it.
fn recognised(bytes: Bytes<'_>) -> Result<Option<(&'static str, &'static str)>> {
    for (place, name, mark, advice) in FORMATS {
        let (place, begins) = match place {
            Place::Start(offset) => (Some(offset), true),
            Place::End(before) => (bytes.len_bytes().checked_sub(before), false),
        };
        let Some(place) = place else { continue };
        if shows(bytes, place, mark)? {
            let disk = begins && disk::is_one(bytes)?;
            return Ok((!disk).then_some((name, advice)));
        }
    }
    Ok(None)
}

/// Whether these bytes lie there.
fn shows(bytes: Bytes<'_>, place: u64, mark: &[u8]) -> Result<bool> {
    let end = place.checked_add(mark.len() as u64);
    if end.is_none_or(|end| end > bytes.len_bytes()) {
        return Ok(false);
    }
    let mut found = vec![0; mark.len()];
    bytes.read_at(&mut found, place)?;
    Ok(found == mark)
}
