//! One measurement at a time: two would measure each other.
//!
//! The lock is one for each user and folder for temporary files (`TMPDIR`), since that is where every user may make a
//! file: two users, or two values of `TMPDIR`, do not see each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use system::facts;
use system::lock::patiently;

use crate::error::{Error, Result};
use crate::exit_code::ExitCode;

/// The lock; given back when dropped, and by the kernel when the process dies.
#[derive(Debug)]
pub(crate) struct MeasuringLock {
    _file: File,
}

impl MeasuringLock {
    /// Takes the lock of this user and folder for temporary files.
    ///
    /// # Errors
    /// Exit code 5 when somebody holds it; exit code 4 when its file cannot be made.
    pub(crate) fn take() -> Result<Self> {
        Self::take_at(&path())
    }

    /// Takes the lock that is this file.
    ///
    /// # Errors
    /// Exit code 5 when somebody holds it; exit code 4 when its file cannot be made.
    pub(crate) fn take_at(path: &Path) -> Result<Self> {
        // The folder may be everybody's: a link that somebody put there is not followed, and a pipe not waited for.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
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

/// The lock file of this user's measurements. It is never removed, or two processes could lock two different files.
pub(crate) fn path() -> PathBuf {
    std::env::temp_dir().join(format!("diskbench-measuring-{}.lock", facts::user_id()))
}

#[cfg(test)]
mod tests {
    use super::MeasuringLock;
    use crate::exit_code::ExitCode;
    use std::process::Command;

    #[test]
    fn a_pipe_in_the_place_of_the_lock_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(MeasuringLock::take_at(&pipe).unwrap_err().exit(), ExitCode::BadFolder);
    }
}
