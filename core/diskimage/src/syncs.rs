//! Syncs of an image's files, of which none succeeds after one that failed.

use std::io;

use system::flush;

/// The syncs of an image. After one that failed, Linux takes what it could not write for written, and the next one
/// succeeds: so as not to say that all is there, every later one fails with the error of the first.
#[derive(Debug, Default)]
pub(crate) struct Syncs {
    failed: Option<io::Error>,
}

impl Syncs {
    /// The result of a sync, or of one that failed before.
    pub(crate) fn after(&mut self, sync: io::Result<()>) -> io::Result<()> {
        if let Some(first) = &self.failed {
            return Err(same(first));
        }
        sync.inspect_err(|error| {
            // What is only refused, after which a weaker sync follows, or interrupted by a signal lost nothing.
            if !flush::is_refusal(error) && error.kind() != io::ErrorKind::Interrupted {
                self.failed = Some(same(error));
            }
        })
    }
}

/// An error again, which cannot be copied.
fn same(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::Syncs;
    use std::io;

    #[test]
    fn after_a_sync_that_failed_no_later_one_succeeds() {
        let error = |number| Err(io::Error::from_raw_os_error(number));
        let mut syncs = Syncs::default();
        // A file system that does not know this strength, and a signal.
        for passing in [libc::EINVAL, libc::EINTR] {
            assert!(syncs.after(error(passing)).is_err());
            syncs.after(Ok(())).unwrap();
        }
        assert!(syncs.after(error(libc::EIO)).is_err());
        for sync in [Ok(()), error(libc::ENOSPC)] {
            let again = syncs.after(sync).unwrap_err();
            assert_eq!(again.raw_os_error(), Some(libc::EIO));
        }
    }
}
