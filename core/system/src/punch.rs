//! Giving a range of a file back to the file system: it then reads as zeros and takes no space.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

#[cfg(target_os = "linux")]
use rustix::fs::{FallocateFlags, fallocate};

use crate::memory::in_memory;

/// Zeros that are written where a hole cannot be punched, in bytes.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// Makes a range zeros. Whole units of the file system are given back where it can do that; all else is written.
///
/// # Errors
/// Any error of the system.
pub fn punch(file: &File, offset: u64, length: u64) -> io::Result<()> {
    if length == 0 {
        return Ok(());
    }
    match system_punch(file, offset, length) {
        Err(error) if is_refusal(&error) => write_zeros(file, offset, length),
        done => done,
    }
}

fn is_refusal(error: &io::Error) -> bool {
    // EPERM: `fallocate` on a file that the file system marks as not to be punched.
    matches!(
        error.raw_os_error(),
        Some(libc::ENOTSUP | libc::ENOSYS | libc::EINVAL | libc::EPERM | libc::ENOTTY)
    )
}

#[cfg(target_os = "linux")]
fn system_punch(file: &File, offset: u64, length: u64) -> io::Result<()> {
    // Parts of a unit at the ends are zeroed by the call itself.
    let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(fallocate(file, mode, offset, length)?)
}

/// `F_PUNCHHOLE` takes whole units only: the ends are written.
#[cfg(target_os = "macos")]
fn system_punch(file: &File, offset: u64, length: u64) -> io::Result<()> {
    // The unit of APFS.
    const UNIT: u64 = 4096;
    let end = offset.saturating_add(length);
    let (first, last) = (offset.next_multiple_of(UNIT).min(end), end / UNIT * UNIT);
    if last <= first {
        return write_zeros(file, offset, length);
    }
    let hole = libc::fpunchhole_t {
        fp_flags: 0,
        reserved: 0,
        fp_offset: libc::off_t::try_from(first).map_err(io::Error::other)?,
        fp_length: libc::off_t::try_from(last - first).map_err(io::Error::other)?,
    };
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for as long as `file` is borrowed; `hole` outlives the call.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_PUNCHHOLE, &raw const hole) };
    if result == -1 {
        return Err(io::Error::last_os_error());
    }
    write_zeros(file, offset, first - offset)?;
    write_zeros(file, last, end - last)
}

fn write_zeros(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        let left = in_memory(length - done).min(ZEROS.len());
        file.write_all_at(ZEROS.split_at(left).0, offset + done)?;
        done += left as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{punch, write_zeros};
    use std::os::unix::fs::FileExt;

    #[test]
    fn a_punched_range_is_zeros_and_its_neighbours_are_not() {
        for way in [punch, write_zeros] {
            let file = tempfile::tempfile().unwrap();
            file.write_all_at(&[7; 300_000], 0).unwrap();
            way(&file, 1_000, 200_001).unwrap();
            let mut found = vec![0; 300_000];
            file.read_exact_at(&mut found, 0).unwrap();
            assert!(found[..1_000].iter().all(|byte| *byte == 7));
            assert!(found[1_000..201_001].iter().all(|byte| *byte == 0));
            assert!(found[201_001..].iter().all(|byte| *byte == 7));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_punched_range_takes_no_space() {
        use std::os::unix::fs::MetadataExt;
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&vec![7; 1 << 20], 0).unwrap();
        let before = file.metadata().unwrap().blocks();
        punch(&file, 0, 1 << 20).unwrap();
        assert!(file.metadata().unwrap().blocks() < before);
        assert_eq!(file.metadata().unwrap().len(), 1 << 20);
    }
}
