//! What makes written data last: three calls of different strength, each under its own name.

use std::fs::File;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must have happened to a written file before its clock stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Nothing: the data may still be in memory.
    None,
    /// `fsync`: handed to the device.
    Fsync,
    /// A barrier (`F_BARRIERFSYNC`): ordered on the device.
    Barrier,
    /// Everything the device can promise: `F_FULLFSYNC`; on Linux that is `fsync`.
    Full,
}

impl Durability {
    /// The name in messages and in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fsync => "fsync",
            Self::Barrier => "barrier",
            Self::Full => "full",
        }
    }
}

impl std::fmt::Display for Durability {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What [`flush`] really does when a durability is asked for.
///
/// Linux has no barrier, and its `fsync` already asks the device to empty its cache: so `barrier` is done, and
/// recorded, as `fsync`, and `full` is the same call under its right name.
pub const fn offered(asked: Durability) -> Durability {
    match asked {
        Durability::Barrier if cfg!(not(target_os = "macos")) => Durability::Fsync,
        other => other,
    }
}

/// Makes a file's data last.
///
/// # Errors
/// Any error of the system; see [`is_refusal`].
pub fn flush(file: &File, durability: Durability) -> io::Result<()> {
    match durability {
        Durability::None => Ok(()),
        Durability::Fsync => fsync(file),
        Durability::Barrier => barrier(file),
        Durability::Full => full(file),
    }
}

/// Flushes as strongly as the file system can: `full`, or `fsync` where that is refused, as SMB, FUSE and exFAT may.
///
/// # Errors
/// Whatever `flush` says, other than that `full` is refused.
pub fn strongest<E>(
    refused: impl FnOnce(&E) -> bool,
    mut flush: impl FnMut(Durability) -> Result<(), E>,
) -> Result<(), E> {
    match flush(Durability::Full) {
        Err(error) if refused(&error) => flush(Durability::Fsync),
        done => done,
    }
}

/// Whether an error means that the file system does not know what was asked of it: this strength of flushing, going
/// past its cache, or a name that must be free.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOTSUP | libc::ENOTTY | libc::EINVAL | libc::ENOSYS))
}

/// `fsync(2)`, not `File::sync_all`: on macOS that is `F_FULLFSYNC`.
fn fsync(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fsync(file)?)
}

#[cfg(target_os = "macos")]
fn barrier(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for as long as `file` is borrowed; the command takes no pointer.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_BARRIERFSYNC, 0) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(target_os = "macos")]
fn full(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fcntl_fullfsync(file)?)
}

#[cfg(not(target_os = "macos"))]
fn barrier(file: &File) -> io::Result<()> {
    fsync(file)
}

#[cfg(not(target_os = "macos"))]
fn full(file: &File) -> io::Result<()> {
    fsync(file)
}

#[cfg(test)]
mod tests {
    use super::{Durability, flush, is_refusal, offered, strongest};
    use std::io;

    #[test]
    fn every_durability_that_is_offered_works_on_an_ordinary_file() {
        let file = tempfile::tempfile().unwrap();
        for asked in [Durability::None, Durability::Fsync, Durability::Barrier, Durability::Full] {
            flush(&file, offered(asked)).unwrap();
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_calls_a_barrier_what_it_is_and_keeps_the_rest() {
        assert_eq!(offered(Durability::Barrier), Durability::Fsync);
        assert_eq!(offered(Durability::Full), Durability::Full);
    }

    #[test]
    fn the_strongest_flush_is_a_full_one_and_fsync_only_where_that_is_refused() {
        use Durability::{Fsync, Full};
        let cases: [(Option<i32>, &[Durability]); 3] =
            [(None, &[Full]), (Some(libc::ENOTSUP), &[Full, Fsync]), (Some(libc::EIO), &[Full])];
        for (error, expected) in cases {
            let mut calls = Vec::new();
            let done = strongest(is_refusal, |durability| {
                calls.push(durability);
                match error {
                    Some(number) if durability == Full => Err(io::Error::from_raw_os_error(number)),
                    _ => Ok(()),
                }
            });
            assert_eq!(calls, expected);
            assert_eq!(done.is_err(), error == Some(libc::EIO));
        }
    }

    #[test]
    fn an_fsync_that_fails_after_a_refusal_is_an_error() {
        let failing = |_| Err(io::Error::from_raw_os_error(libc::EINVAL));
        assert!(strongest(is_refusal, failing).is_err());
    }
}
