//! Locks on files that are held for a moment longer than they should be.

use std::fs::TryLockError;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// How long a lock that is held is asked for again. A program that is just being started holds what its parent has open
/// until it has begun: what the parent gave back is then still held for some milliseconds.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// Tries to lock until it succeeds, for a moment.
///
/// # Errors
/// `WouldBlock` when somebody really holds it; otherwise any error of the system.
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

/// Whether an error means that the file system has no locks, as some network and FUSE file systems.
pub fn is_missing(error: &io::Error) -> bool {
    // On a Mac ENOTSUP is another number.
    let numbers = [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOTSUP, libc::ENOSYS];
    error.raw_os_error().is_some_and(|number| numbers.contains(&number))
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
