//! Replacing a file as a whole: its temporary name, and the folder synced after a rename. And which file one is.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::flush;

/// The temporary file that stands in for `path` while it is written.
pub fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder_of(path).join(format!(".{name}.partial"))
}

/// Makes a file last, as strongly as the file system can.
///
/// # Errors
/// Any error of the system.
pub fn sync(file: &File) -> io::Result<()> {
    flush::strongest(flush::is_refusal, |durability| flush::flush(file, durability))
}

/// Makes the names in a folder last, as strongly as the file system can.
///
/// # Errors
/// Any error of the system.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match sync(&File::open(path)?) {
        // Some network file systems cannot sync a folder; their servers see to it.
        Err(error) if flush::is_refusal(&error) => Ok(()),
        other => other,
    }
}

/// The numbers of a file system and of a file on it: no other file has them while that one is there.
pub fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// The folder that a path is in; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
