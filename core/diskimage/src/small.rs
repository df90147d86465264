//! Small files of an image, read whole: its property list, its token.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::error::{Result, damaged};

/// Reads a small file whole.
///
/// # Errors
/// `Damaged` when it is not a regular file, or longer than `at_most_bytes`; otherwise any error of the system.
pub(crate) fn read_small(path: &Path, at_most_bytes: u64) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !fs::metadata(path)?.is_file() {
        // Opening a FIFO would block forever.
        return Err(damaged(format!("{name} is not a regular file")));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(at_most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > at_most_bytes {
        return Err(damaged(format!("{name} is longer than {at_most_bytes} bytes")));
    }
    Ok(bytes)
}
