//! Opening a file so that its data goes past the system's cache.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// How much of a file of this size can be written past the cache: whole units of 4096 bytes, which is a multiple of
/// every device's logical block. What is left at the file's end goes through an ordinary descriptor.
#[cfg(target_os = "linux")]
pub const fn direct_part(size: u64) -> u64 {
    size - size % 4096
}

/// How much of a file of this size can be written past the cache: all of it, `F_NOCACHE` takes any length.
#[cfg(target_os = "macos")]
pub const fn direct_part(size: u64) -> u64 {
    size
}

/// Writes shorter than this go through the cache even when it is bypassed: XNU's `MIN_DIRECT_WRITE_SIZE`
/// (bsd/vfs/vfs_cluster.c). Linux has no such limit: its direct writes are direct or refused.
pub const SMALLEST_DIRECT_WRITE: Option<u64> =
    if cfg!(target_os = "macos") { Some(16_384) } else { None };

/// Opens a file past the cache (`O_DIRECT`).
///
/// # Errors
/// Any error of the system; see [`flush::is_refusal`](crate::flush::is_refusal).
#[cfg(target_os = "linux")]
pub(crate) fn bypassing(options: &OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    options.clone().custom_flags(libc::O_DIRECT).open(path)
}

/// Opens a file past the cache (`F_NOCACHE`). Pages that are cached already are still served from the cache.
///
/// # Errors
/// Any error of the system; see [`flush::is_refusal`](crate::flush::is_refusal).
#[cfg(target_os = "macos")]
pub(crate) fn bypassing(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.open(path)?;
    rustix::fs::fcntl_nocache(&file, true)?;
    Ok(file)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::bypassing;
    use std::fs::{self, OpenOptions};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_file_opened_past_the_cache_carries_the_flag() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let file = match bypassing(&options, &folder.path().join("x")) {
            Err(error) if crate::flush::is_refusal(&error) => return,
            other => other.unwrap(),
        };
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).unwrap();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
        let flags = i32::from_str_radix(flags, 8).unwrap();
        assert_ne!(flags & libc::O_DIRECT, 0, "{info}");
    }
}
