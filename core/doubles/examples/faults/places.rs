//! The absolute path of the file or folder of a call.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What an open descriptor belongs to; nothing for a pipe or what else has no path.
pub fn of_descriptor(descriptor: c_int) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{descriptor}")).ok().filter(|path| path.is_absolute())
}

/// A path in the folder of a descriptor. An empty one is the descriptor's own.
///
/// # Safety
/// `path` is null or a C string, as the call demands anyway.
pub unsafe fn of_path(folder: c_int, path: *const c_char) -> Option<PathBuf> {
    if path.is_null() {
        return of_descriptor(folder);
    }
    // SAFETY: not null, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(path) };
    let path = Path::new(OsStr::from_bytes(text.to_bytes()));
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    let folder = match folder {
        libc::AT_FDCWD => std::env::current_dir().ok(),
        descriptor => of_descriptor(descriptor),
    };
    folder.map(|folder| if path.as_os_str().is_empty() { folder } else { folder.join(path) })
}
