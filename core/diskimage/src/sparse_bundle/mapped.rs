//! macOS's lists of the blocks in use: `mapped/<band>` beside the folder of bands, a bit for each 4096 bytes of the band.
//!
//! macOS sets the bits of what it writes, clears those of what is discarded, and removes a band when all of its bits are
//! clear. Of a band without a list all counts as in use. So the list of a band goes before the band is changed: with it,
//! macOS might one day remove the band with all that was written here. macOS reads a band without asking its list.
//! Source: `sparse_bundles::mapped_blocks_t` and `sparse_bundles::Band` of Apple's DiskImages2, read as machine code.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::sparse_bundle::names::{self, Name};

/// The folder of the lists in a bundle.
const MAPPED: &str = "mapped";

/// The lists that there are.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    folder: PathBuf,
    /// The bands that have one.
    there: BTreeSet<u64>,
    /// Whether one was removed since the folder was synced.
    pub dirty: bool,
}

impl Lists {
    /// Those of a bundle. A link is not followed.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn of(bundle: &Path) -> io::Result<Self> {
        let folder = bundle.join(MAPPED);
        let mut there = BTreeSet::new();
        if fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
            for entry in fs::read_dir(&folder)? {
                if let Name::Band(band) = names::of(&entry?.file_name().to_string_lossy()) {
                    there.insert(band);
                }
            }
        }
        Ok(Self { folder, there, dirty: false })
    }

    /// Whether a band has one.
    pub(crate) fn has(&self, band: u64) -> bool {
        self.there.contains(&band)
    }

    /// Removes that of a band.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn remove(&mut self, band: u64) -> io::Result<()> {
        match fs::remove_file(self.folder.join(names::usual(band))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.there.remove(&band);
        self.dirty = true;
        Ok(())
    }

    /// Their folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}
