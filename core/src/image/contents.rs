//! What lies in an image's folder: ours, noise that the system leaves in any folder, or somebody else's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::image::marker;
use crate::record::store;
use crate::workload::FileSpec;

/// The folder inside an image's folder that holds the files of the workload.
pub const FILES: &str = "files";

/// Everything in an image's folder.
#[derive(Debug, Default)]
pub struct Contents {
    /// The files of the workload.
    pub files: Vec<PathBuf>,
    /// Files and folders that the Finder, Spotlight and others leave behind.
    pub noise: Vec<PathBuf>,
    /// What was neither written by us nor left by the system.
    pub foreign: Vec<PathBuf>,
    /// Whether the folder for the files is there.
    pub has_files_folder: bool,
    /// Whether a note is there that was not written to its end.
    pub half_marked: bool,
}

impl Contents {
    /// Lists a folder. Nothing is followed: a link is somebody else's, whatever it is called.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if path == folder.join(FILES) && kind.is_dir() {
                found.has_files_folder = true;
            } else if path == store::temporary(&marker::path(folder)) && kind.is_file() {
                found.half_marked = true;
            } else if is_noise(&entry.file_name(), kind) {
                found.noise.push(path);
            } else if path != marker::path(folder) || !kind.is_file() {
                found.foreign.push(path);
            }
        }
        if found.has_files_folder {
            for entry in fs::read_dir(folder.join(FILES))? {
                let entry = entry?;
                let kind = entry.file_type()?;
                let ours = entry.file_name().to_str().is_some_and(FileSpec::is_name);
                let place = if ours && kind.is_file() {
                    &mut found.files
                } else if is_noise(&entry.file_name(), kind) {
                    &mut found.noise
                } else {
                    &mut found.foreign
                };
                place.push(entry.path());
            }
        }
        Ok(found)
    }

    /// The name of the first thing that is somebody else's.
    #[must_use]
    pub fn first_foreign(&self) -> Option<String> {
        let first = self.foreign.iter().min()?;
        Some(first.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

/// What macOS leaves in folders that it shows, indexes or watches.
fn is_noise(name: &std::ffi::OsStr, kind: fs::FileType) -> bool {
    let name = name.to_string_lossy();
    let file = name == ".DS_Store" || name.starts_with("._");
    let folder = matches!(&*name, ".fseventsd" | ".Spotlight-V100" | ".Trashes");
    (kind.is_file() && file) || (kind.is_dir() && folder)
}

/// Removes noise; a folder with all that is in it, without following links.
///
/// # Errors
/// Whatever the system says.
pub fn remove_noise(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
