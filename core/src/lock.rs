//! One measurement at a time: two would measure each other.
//!
//! The lock is one for each user and folder for temporary files (`TMPDIR`), since that is where every user may make a
//! file: two users, or two values of `TMPDIR`, do not see each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::platform::facts;

/// The lock; given back when dropped, and by the kernel when the process dies.
#[derive(Debug)]
pub struct MeasuringLock {
    _file: File,
}

impl MeasuringLock {
    /// Takes the lock of this user and folder for temporary files.
    ///
    /// # Errors
    /// Exit code 5 when somebody holds it; exit code 4 when its file cannot be made.
    pub fn take() -> Result<Self> {
        Self::take_at(&path())
    }

    /// Takes the lock that is this file.
    ///
    /// # Errors
    /// Exit code 5 when somebody holds it; exit code 4 when its file cannot be made.
    pub fn take_at(path: &Path) -> Result<Self> {
        // The folder may be everybody's: a link that somebody put there is not followed.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path)
            .map_err(|error| Error::unwritable(path, &error))?;
        match patiently(|| file.try_lock()) {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::new(
                ExitCode::Busy,
                "another study of this user is measuring on this machine: wait for it to end, then run again",
            )),
            Err(TryLockError::Error(error)) => Err(Error::unwritable(path, &error)),
        }
    }
}

/// How long a lock that is held is asked for again. A program that is just being started holds what its parent has open
/// until it has begun: what the parent gave back is then still held for some milliseconds.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// Tries to lock until it succeeds, for a moment.
///
/// # Errors
/// `WouldBlock` when somebody really holds it; else whatever the system says.
pub fn patiently(
    lock: impl Fn() -> std::result::Result<(), TryLockError>,
) -> std::result::Result<(), TryLockError> {
    let start = Instant::now();
    loop {
        match lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => thread::sleep(PAUSE),
            done => return done,
        }
    }
}

/// The file that stands for this user's measuring. It stays: removing it would let two processes lock two different files.
#[must_use]
pub fn path() -> PathBuf {
    std::env::temp_dir().join(format!("diskbench-measuring-{}.lock", facts::user_id()))
}

#[cfg(test)]
mod tests {
    use super::patiently;
    use std::cell::Cell;
    use std::fs::TryLockError;

    #[test]
    fn what_is_held_for_a_moment_is_waited_for_and_what_is_held_on_is_refused() {
        let tries = Cell::new(0);
        let given_back_later = || {
            tries.set(tries.get() + 1);
            if tries.get() < 4 { Err(TryLockError::WouldBlock) } else { Ok(()) }
        };
        assert!(patiently(given_back_later).is_ok());
        assert_eq!(tries.get(), 4);
        assert!(matches!(
            patiently(|| Err(TryLockError::WouldBlock)),
            Err(TryLockError::WouldBlock)
        ));
    }
}
