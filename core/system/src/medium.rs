//! What a disk says that cannot read what is on it.

use std::io;

/// Whether an error tells of the medium, or of the file system on it, and not of the call: reading elsewhere may do.
/// Linux gives EIO, for some disks ENODATA, and for a damaged file system EUCLEAN; macOS gives EIO.
pub fn is_bad(error: &io::Error) -> bool {
    match error.raw_os_error() {
        Some(libc::EIO) => true,
        #[cfg(target_os = "linux")]
        Some(libc::ENODATA | libc::EUCLEAN) => true,
        _ => false,
    }
}
