//! Facts about an image: all if it can be opened, and without its passphrase those in the unencrypted header.

use std::fs;
use std::path::Path;

use serde::Serialize;
use system::allocation::allocated_bytes;

use crate::crypt::{Facts, Passphrase};
use crate::error::{Kind, Result};
use crate::findings::unless_damaged;
use crate::format::{AnyFormat, ImageFormat};
use crate::open::{self, Opened};
use crate::partition::{self, PartitionMap};
use crate::sparse_bundle;
use crate::store::Access;
use crate::udif;

/// Facts about an image. None means unknown without the passphrase, or not part of the format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageInfo {
    /// Its format.
    pub format: Option<AnyFormat>,
    /// Length of the disk.
    pub disk_bytes: Option<u64>,
    /// The allocated size of the image.
    pub allocated_bytes: u64,
    /// What the lengths of its files say.
    pub apparent_bytes: u64,
    /// Size of a band or chunk.
    pub band_bytes: Option<u64>,
    /// Bands or chunks that hold data.
    pub bands: Option<u64>,
    /// Size of a block, for formats that have more than one.
    pub block_bytes: Option<u64>,
    /// How it is encrypted, if it is.
    pub encryption: Option<Facts>,
    /// The partitions of the disk, if it has any.
    pub partition_map: Option<PartitionMap>,
    /// The file system of a disk without partitions, if its signature is known.
    pub file_system: Option<&'static str>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// Finds out about an image.
///
/// # Errors
/// As [`open::open`]; a missing passphrase is not an error.
pub fn info(path: &Path, passphrase: Option<&Passphrase>) -> Result<ImageInfo> {
    match open::open(path, Access::Read, passphrase) {
        Ok(opened) => of_opened(path, opened),
        Err(error) if error.kind() == Kind::PassphraseNeeded => of_locked(path),
        Err(error) => Err(error),
    }
}

fn of_opened(path: &Path, mut opened: Opened) -> Result<ImageInfo> {
    let disk = opened.image.as_mut();
    // What an image is can be told even if its content is damaged.
    let partition_map = unless_damaged(partition::map(disk))?.flatten();
    let file_system = match &partition_map {
        Some(_) => None,
        None => unless_damaged(partition::file_system(disk, 0))?.flatten(),
    };
    let cut = match (&partition_map, file_system) {
        (None, None) if opened.format == ImageFormat::Udrw => {
            unless_damaged(udif::looks_cut_short(disk))?.flatten()
        }
        _ => None,
    };
    let cut = cut.map(str::to_owned);
    let beyond =
        partition_map.iter().flat_map(partition::PartitionMap::missing).collect::<Vec<_>>();
    let of_map = partition_map.iter().flat_map(|map| map.notes.clone());
    let of_map = of_map.collect::<Vec<_>>();
    let bands = opened.image.bands();
    let found = footprint(path)?;
    let own = opened.encryption.as_ref().and_then(|_| opened.format.own_encryption());
    Ok(ImageInfo {
        format: Some(opened.format),
        disk_bytes: Some(opened.image.len_bytes()),
        allocated_bytes: found.allocated_bytes,
        apparent_bytes: found.apparent_bytes,
        band_bytes: bands.map(|bands| bands.band_bytes),
        bands: bands.map(|bands| bands.count),
        block_bytes: opened.image.block_bytes(),
        encryption: opened.encryption,
        partition_map,
        file_system,
        notes: own.into_iter().chain(cut).chain(of_map).chain(beyond).collect(),
    })
}

/// What everybody may know: lengths, and what the header says in clear.
fn of_locked(path: &Path) -> Result<ImageInfo> {
    let bundle = fs::metadata(path)?.is_dir();
    let header = if bundle { path.join(sparse_bundle::TOKEN) } else { path.to_owned() };
    let found = footprint(path)?;
    // A bundle has these in the clear; elsewhere they are encrypted with all the rest.
    let clear = bundle.then(|| sparse_bundle::public_facts(path)).transpose()?;
    let note = "give the passphrase to see the format inside and the disk's length";
    Ok(ImageInfo {
        format: bundle.then_some(AnyFormat::Image(ImageFormat::Udsb)),
        disk_bytes: clear.map(|(len_bytes, _)| len_bytes),
        allocated_bytes: found.allocated_bytes,
        apparent_bytes: found.apparent_bytes,
        band_bytes: clear.map(|(_, bands)| bands.band_bytes),
        bands: clear.map(|(_, bands)| bands.count),
        block_bytes: None,
        encryption: Some(open::public_facts(&header)?),
        partition_map: None,
        file_system: None,
        notes: if bundle { Vec::new() } else { vec![note.to_owned()] },
    })
}

/// What the files of an image take and say.
#[derive(Debug, Clone, Copy)]
pub struct Footprint {
    /// Their allocated size.
    pub allocated_bytes: u64,
    /// What their lengths say.
    pub apparent_bytes: u64,
}

/// Adds up a file, or the files in and below a folder; a folder uses space too, but its own length is not content. The
/// path itself may be a link; those in the folder are not followed.
///
/// # Errors
/// Any error of the system.
pub fn footprint(path: &Path) -> Result<Footprint> {
    let found = fs::metadata(path)?;
    if !found.is_dir() {
        return Ok(Footprint {
            allocated_bytes: allocated_bytes(&found),
            apparent_bytes: found.len(),
        });
    }
    let mut sum = Footprint { allocated_bytes: allocated_bytes(&found), apparent_bytes: 0 };
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() || kind.is_file() {
            let part = footprint(&entry.path())?;
            sum.allocated_bytes = sum.allocated_bytes.saturating_add(part.allocated_bytes);
            sum.apparent_bytes = sum.apparent_bytes.saturating_add(part.apparent_bytes);
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::footprint;
    use std::fs;

    #[test]
    fn the_lengths_of_a_folder_are_those_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bands")).unwrap();
        fs::write(folder.path().join("Info.plist"), [1; 10]).unwrap();
        fs::write(folder.path().join("bands/0"), [1; 1000]).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("astray")).unwrap();
        let found = footprint(folder.path()).unwrap();
        assert_eq!(found.apparent_bytes, 1010);
        let link = folder.path().with_extension("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        assert_eq!(footprint(&link).unwrap().apparent_bytes, 1010);
        fs::remove_file(link).unwrap();
        assert!(found.allocated_bytes >= 1010 && found.allocated_bytes < 1 << 20);
    }
}
