//! A file descriptor inherited from the parent process.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;

/// A second descriptor for what is open under this number. Both share one place to read from, so that what is read
/// here is not read again there. Not `/dev/fd/N`: on Linux that opens the file anew, from its start, and no socket.
///
/// # Errors
/// Any error of the system: `EBADF` when nothing is open under this number.
pub fn duplicate(number: libc::c_int) -> io::Result<File> {
    if number < 0 {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the number is not -1, and the borrow ends with the next call, which says whether anything is open there.
    let inherited = unsafe { BorrowedFd::borrow_raw(number) };
    Ok(rustix::io::fcntl_dupfd_cloexec(inherited, 0)?.into())
}

#[cfg(test)]
mod tests {
    use super::duplicate;
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_copy_goes_on_reading_where_the_last_one_stopped() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"ab").unwrap();
        file.rewind().unwrap();
        for expected in [b'a', b'b'] {
            let mut found = [0];
            duplicate(file.as_raw_fd()).unwrap().read_exact(&mut found).unwrap();
            assert_eq!(found, [expected]);
        }
    }

    #[test]
    fn a_number_that_is_not_open_is_an_error() {
        assert!(duplicate(-1).is_err());
    }
}
