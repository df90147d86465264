//! What went wrong with an image, as one line and an exit code.

use std::io::{Error as IoError, ErrorKind};
use std::path::Path;

use diskimage::store::{Access, became_shorter};

use crate::error::{Error, Kind, plain};

/// The error for an image at this path that was read, or else made or changed.
#[must_use]
pub fn failure(path: &Path, access: Access, error: &IoError) -> Error {
    let (place, text) = (path.display(), plain(error));
    // The system's own errors carry a number; those of this crate say themselves what to do.
    let ours = error.raw_os_error().is_none();
    match error.kind() {
        _ if too_many_open(error) => Error::new(
            Kind::Internal,
            format!("cannot open {place}: {text}; raise the limit (ulimit -n), then run again"),
        ),
        // The system says nothing more than that a read came to an end.
        ErrorKind::UnexpectedEof if error.get_ref().is_none() => Error::new(
            Kind::Damaged,
            format!("{place} is damaged: {}; use a good copy of it", became_shorter("it")),
        ),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
            Error::new(Kind::Damaged, format!("{place} is damaged: {text}; use a good copy of it"))
        }
        ErrorKind::AlreadyExists if ours => Error::folder(format!("{place}: {text}")),
        ErrorKind::AlreadyExists => {
            Error::folder(format!("{place} is there already: choose another name, or move it away"))
        }
        ErrorKind::ResourceBusy => Error::new(Kind::Busy, format!("{place}: {text}")),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::new(
            Kind::NoSpace,
            format!("the disk is full at {place}: free some space and run again"),
        ),
        // The last is a passphrase that is missing or wrong.
        ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied if ours => {
            Error::input(format!("{place}: {text}"))
        }
        ErrorKind::NotFound | ErrorKind::PermissionDenied if access == Access::Read => {
            Error::unreadable(path, error)
        }
        _ if access == Access::Read && leads_nowhere(error) => Error::unreadable(path, error),
        ErrorKind::FileTooLarge => Error::folder(format!(
            "{place} would be a longer file than its file system, or a limit (ulimit -f), allows: choose another folder, \
             another format or a shorter disk"
        )),
        _ if access == Access::Write => Error::unwritable(path, error),
        _ => Error::new(
            Kind::Internal,
            format!("cannot read {place}: {text}; check the disk, then run again"),
        ),
    }
}

fn too_many_open(error: &IoError) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Whether it is the path itself that is wrong: through a file, in a circle, or too long.
fn leads_nowhere(error: &IoError) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOTDIR | libc::ELOOP | libc::ENAMETOOLONG))
}

#[cfg(test)]
mod tests {
    use super::failure;
    use crate::exit_code::ExitCode;
    use diskimage::store::Access::{self, Read, Write};
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    fn exit(access: Access, error: &Error) -> ExitCode {
        let error = failure(Path::new("x.dmg"), access, error);
        assert!(error.line().contains("x.dmg"), "{error}");
        error.exit()
    }

    #[test]
    fn every_kind_of_error_has_its_exit_code() {
        for (kind, expected) in [
            (ErrorKind::InvalidData, ExitCode::Damaged),
            (ErrorKind::UnexpectedEof, ExitCode::Damaged),
            (ErrorKind::PermissionDenied, ExitCode::BadInput),
            (ErrorKind::AlreadyExists, ExitCode::BadFolder),
            (ErrorKind::ResourceBusy, ExitCode::Busy),
            (ErrorKind::InvalidInput, ExitCode::BadInput),
            (ErrorKind::Unsupported, ExitCode::BadInput),
        ] {
            assert_eq!(exit(Read, &Error::new(kind, "so")), expected, "{kind}");
        }
        for (number, reading, writing) in [
            (libc::ENOENT, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::EACCES, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ENOTDIR, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ELOOP, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ENAMETOOLONG, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::EFBIG, ExitCode::BadFolder, ExitCode::BadFolder),
            (libc::EEXIST, ExitCode::BadFolder, ExitCode::BadFolder),
            (libc::ENOSPC, ExitCode::NoSpace, ExitCode::NoSpace),
            (libc::EDQUOT, ExitCode::NoSpace, ExitCode::NoSpace),
            (libc::EROFS, ExitCode::Unexpected, ExitCode::BadFolder),
            (libc::EIO, ExitCode::Unexpected, ExitCode::BadFolder),
            (libc::EMFILE, ExitCode::Unexpected, ExitCode::Unexpected),
            (libc::ENFILE, ExitCode::Unexpected, ExitCode::Unexpected),
        ] {
            let error = Error::from_raw_os_error(number);
            assert_eq!((exit(Read, &error), exit(Write, &error)), (reading, writing), "{error}");
        }
    }

    #[test]
    fn a_limit_and_a_file_that_was_cut_are_called_that() {
        let line = |error: &Error| failure(Path::new("x.dmg"), Write, error).line();
        for number in [libc::EMFILE, libc::ENFILE] {
            let line = line(&Error::from_raw_os_error(number));
            assert!(line.contains("ulimit -n") && !line.contains("writable"), "{line}");
        }
        let cut = std::io::Read::read_exact(&mut &b"abc"[..], &mut [0; 4]).unwrap_err();
        let line = line(&cut);
        assert!(
            line.starts_with("x.dmg is damaged: it became shorter while it was read"),
            "{line}"
        );
    }
}
