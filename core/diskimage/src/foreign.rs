//! Distinguishes unsupported files from raw disks: images of other programs, and archives with an image.
//!
//! A file without a known signature is `UDRW`: any of these would be taken for one, and its bytes for a disk. So
//! signatures are checked first, at both ends, before the length: most of these files are not a multiple of the sector
//! size.
//!
//! **A raw disk may begin with any bytes.** A file with a partition map or file system at the usual position is a disk,
//! whatever its first bytes. A signature at the end is different: a VHD image begins like its disk.

mod disk;
mod table;

use crate::disk::SECTOR;
use crate::error::{ImageError, Kind, Result, unsupported};
use crate::format::ImageFormat;
use crate::store::Store;
use table::{FORMATS, Place};

/// The examined bytes.
type Bytes<'a> = &'a mut dyn Store;

/// Checks that bytes without our signatures are not a file of another kind.
///
/// # Errors
/// `Unsupported` when they are; otherwise any error of the system.
pub(crate) fn refuse(bytes: &mut dyn Store) -> Result<()> {
    match recognised(bytes)? {
        None => Ok(()),
        Some((name, advice)) => {
            let read = ImageFormat::ALL.map(ImageFormat::name).join(", ");
            Err(unsupported(format!("it is {name}, and only {read} and UDIF are read: {advice}")))
        }
    }
}

/// Checks that a file without a signature can be a raw disk: a truncated one can, a text cannot.
///
/// # Errors
/// `Unsupported` when it cannot; otherwise any error of the system.
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
            "it is no disk image: it has no known signature, and its length, {len_bytes} bytes, is not a multiple of {SECTOR}; give the path of an image (a .dmg that was cut short looks the same: get it again)"
        ),
    ))
}

/// Whether bytes without any signature are a raw disk for sure: they begin as this volume does, or show a partition map
/// or a file system.
///
/// # Errors
/// Any error of the system.
pub(crate) fn shows_a_disk(bytes: &mut dyn Store, volume: &[u8]) -> Result<bool> {
    Ok(shows(bytes, 0, volume)? || disk::is_one(bytes)?)
}

/// Its kind, and the next step.
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

/// Whether these bytes are at this position.
fn shows(bytes: Bytes<'_>, place: u64, mark: &[u8]) -> Result<bool> {
    let end = place.checked_add(mark.len() as u64);
    if end.is_none_or(|end| end > bytes.len_bytes()) {
        return Ok(false);
    }
    let mut found = vec![0; mark.len()];
    bytes.read_at(&mut found, place)?;
    Ok(found == mark)
}
