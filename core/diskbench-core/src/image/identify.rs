//! Identifies an image by its bytes on the disk, whatever program made it or has it open.
//!
//! Nothing here takes part in making or serving images: the fields are read at the places where the formats have them. What
//! stands nowhere stays unknown: without its passphrase an encrypted image tells its cipher and nothing of what is inside,
//! unless it is a bundle. A raw disk has no mark of its own: it is one when a partition table or a volume of ours is where
//! a disk has it, in the clear.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use diskimage::crypt::{self, HEADER, Passphrase};
use diskimage::disk::SECTOR;
use diskimage::format::ImageFormat;
use diskimage::small::read_small;
use diskimage::sparse_bundle::TOKEN;
use diskimage::sparse_bundle::info::{INFO, Info, LONGEST_INFO};
use diskimage::{asif, sparse_image};
use system::memory::in_memory;

use crate::image::file_volume::table;
use crate::record::{AES, ImageFacts};

/// Bytes of a file's beginning that hold all the fields, in whole blocks of every cipher.
const START: usize = 4096;

/// A sector in bytes.
const SECTOR_LEN: usize = 512;

/// How a GUID partition table begins, in the second sector of a disk (UEFI specification, 5.3.2).
const PARTITIONS: &[u8] = b"EFI PART";

/// How a packed image ends: its last 512 bytes begin so.
const PACKED: &[u8] = b"koly";

/// Reads what an image is.
///
/// # Errors
/// `InvalidData` when its description makes no sense; `PermissionDenied` when the passphrase does not open it; else
/// whatever the system says.
pub(super) fn identify(image: &Path, passphrase: Option<&Passphrase>) -> io::Result<ImageFacts> {
    if fs::metadata(image)?.is_dir() { bundle(image) } else { file(image, passphrase) }
}

fn bundle(image: &Path) -> io::Result<ImageFacts> {
    let info = Info::parse(&read_small(&image.join(INFO), LONGEST_INFO)?)?;
    let token = match File::open(image.join(TOKEN)) {
        Ok(token) => start_of(&token)?.1,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    Ok(ImageFacts {
        on_image: Some(true),
        format: Some(ImageFormat::Udsb.to_string()),
        band_bytes: Some(info.band_bytes),
        nominal_bytes: Some(info.len_bytes),
        // A plain bundle's token is empty or missing.
        ..encryption(&token).unwrap_or_else(|| plain(token.is_empty()))
    })
}

fn file(image: &Path, passphrase: Option<&Passphrase>) -> io::Result<ImageFacts> {
    let file = File::open(image)?;
    let (length, start) = start_of(&file)?;
    let Some(encryption) = encryption(&start) else {
        let packed = length.checked_sub(SECTOR).is_some_and(|at| {
            let mut end = [0; PACKED.len()];
            file.read_exact_at(&mut end, at).is_ok() && end == PACKED
        });
        let disk = if packed { None } else { disk(&start, length) };
        let known = disk.is_some();
        return Ok(disk
            .unwrap_or_default()
            .or(ImageFacts { on_image: Some(true), ..plain(known) }));
    };
    let around = ImageFacts { on_image: Some(true), ..encryption };
    // What is inside is encrypted too.
    let (Some(_), Some(bytes), Some(at)) = (passphrase, long(&start, 0x38), long(&start, 0x40))
    else {
        return Ok(around);
    };
    let mut header = vec![0; HEADER];
    file.read_exact_at(&mut header, 0)?;
    let mut inside = vec![0; START];
    let there = in_memory(length.saturating_sub(at)).min(START);
    if let Some(there) = inside.get_mut(..there) {
        file.read_exact_at(there, at)?;
    }
    crypt::decrypt_start(&header, &mut inside, passphrase)?;
    Ok(around.or(disk(&inside, bytes).unwrap_or_default()))
}

/// Length of a file and its first bytes, as far as there are any.
fn start_of(file: &File) -> io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let mut start = vec![0; in_memory(length).min(START)];
    file.read_exact_at(&mut start, 0)?;
    Ok((length, start))
}

/// What the header of a container says, if there is one.
fn encryption(start: &[u8]) -> Option<ImageFacts> {
    /// The cipher's number for AES.
    const IS_AES: u64 = 0x8000_0001;
    start.starts_with(crypt::MAGIC).then(|| ImageFacts {
        encrypted: Some(true),
        cipher: int(start, 0x14).filter(|cipher| *cipher == IS_AES).map(|_| AES.to_owned()),
        key_bits: int(start, 0x18),
        ..ImageFacts::default()
    })
}

/// An image that is known not to be encrypted, or one of which nothing is known.
fn plain(known: bool) -> ImageFacts {
    ImageFacts { encrypted: known.then_some(false), ..ImageFacts::default() }
}

/// What a disk's first bytes say: the fields of a sparse image or an ASIF image, or that it is a raw disk; none where they
/// say nothing.
fn disk(start: &[u8], length: u64) -> Option<ImageFacts> {
    let of = |format: ImageFormat| ImageFacts {
        format: Some(format.to_string()),
        ..ImageFacts::default()
    };
    if start.starts_with(sparse_image::MAGIC) {
        return Some(ImageFacts {
            band_bytes: int(start, 8).and_then(|sectors| sectors.checked_mul(SECTOR)),
            nominal_bytes: long(start, 28).and_then(|sectors| sectors.checked_mul(SECTOR)),
            ..of(ImageFormat::Udsp)
        });
    }
    if start.starts_with(asif::MAGIC) {
        let sector_bytes = number(start, 0x44, 2);
        let sectors = long(start, 0x30);
        return Some(ImageFacts {
            band_bytes: int(start, 0x40),
            sector_bytes,
            nominal_bytes: sectors.zip(sector_bytes).and_then(|(a, b)| a.checked_mul(b)),
            ..of(ImageFormat::Asif)
        });
    }
    if let Some(format) = ImageFormat::of_mark(start) {
        return Some(of(format));
    }
    let second = start.get(SECTOR_LEN..).unwrap_or_default();
    (start.starts_with(&table::MAGIC) || second.starts_with(PARTITIONS))
        .then(|| ImageFacts { nominal_bytes: Some(length), ..of(ImageFormat::Udrw) })
}

fn int(bytes: &[u8], at: usize) -> Option<u64> {
    number(bytes, at, 4)
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    number(bytes, at, 8)
}

/// A big-endian number.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(length)?)?;
    Some(field.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests;
