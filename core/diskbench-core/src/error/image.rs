//! What went wrong with an image, as one line and an exit code.

use std::io::{Error as IoError, ErrorKind};
use std::path::Path;

use diskimage::error::{ImageError, Kind as ImageKind};
use diskimage::store::Access;
use system::medium;

use crate::error::{Error, plain};
use crate::exit_code::ExitCode;

/// The error for an image at this path that was read, or else made or changed.
pub(crate) fn failure(path: &Path, access: Access, error: &ImageError) -> Error {
    let place = path.display();
    let exit = match (error.kind(), error.io()) {
        (ImageKind::Io, Some(source)) => {
            let part = error.part().map_or_else(|| path.to_owned(), |part| path.join(part));
            return of_system(&part, access, source);
        }
        (ImageKind::Damaged, _) => {
            return Error::new(
                ExitCode::Damaged,
                format!(
                    "{place} is damaged: {error}; use a good copy of it, or copy what can be read (image convert --salvage)"
                ),
            );
        }
        (ImageKind::PassphraseNeeded, _) => {
            let message = format!("{place}: {error} (--passphrase-stdin or --passphrase-fd)");
            return Error::new(ExitCode::BadInput, message);
        }
        (ImageKind::NotAnImage | ImageKind::Unsupported, _)
        | (ImageKind::WrongPassphrase | ImageKind::Invalid, _) => ExitCode::BadInput,
        (ImageKind::InUse, _) => ExitCode::Busy,
        (ImageKind::Exists, _) => ExitCode::BadFolder,
        (ImageKind::Internal | ImageKind::Io, _) => ExitCode::Unexpected,
    };
    Error::new(exit, format!("{place}: {error}"))
}

/// The error for an image that is entirely unreadable.
pub(crate) fn not_to_be_salvaged(path: &Path, error: &ImageError) -> Error {
    match error.kind() {
        ImageKind::Damaged => Error::new(
            ExitCode::Damaged,
            format!("nothing of {} can be read: {error}; use a good copy of it", path.display()),
        ),
        ImageKind::Io if error.io().is_some_and(medium::is_bad) => Error::folder(format!(
            "nothing of {} can be read: {}; check the disk and its cable, use a good copy of it, or copy the file around its bad \
             sectors (ddrescue) and salvage that copy",
            path.display(),
            error.io().map_or_else(String::new, plain)
        )),
        _ => failure(path, Access::Read, error),
    }
}

/// The system's error.
fn of_system(path: &Path, access: Access, error: &IoError) -> Error {
    let (place, text) = (path.display(), plain(error));
    match error.kind() {
        _ if too_many_open(error) => Error::new(
            ExitCode::Unexpected,
            format!("cannot open {place}: {text}; raise the limit (ulimit -n), then run again"),
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::new(
            ExitCode::NoSpace,
            format!("the disk is full at {place}: free some space and run again"),
        ),
        ErrorKind::NotFound | ErrorKind::PermissionDenied if access == Access::Read => {
            Error::unreadable(path, error)
        }
        _ if access == Access::Read && leads_nowhere(error) => Error::unreadable(path, error),
        ErrorKind::FileTooLarge => Error::folder(format!(
            "{place} would be a longer file than its file system, or a limit (ulimit -f), allows: choose another folder, \
             another format or a shorter disk"
        )),
        _ if access == Access::Write => Error::unwritable(path, error),
        _ if medium::is_bad(error) => Error::folder(format!(
            "cannot read {place}: {text}; check the disk and its cable, or copy what can be read (image convert --salvage)"
        )),
        _ => Error::new(
            ExitCode::Unexpected,
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
    use super::{failure, not_to_be_salvaged};
    use crate::exit_code::ExitCode;
    use diskimage::error::{ImageError, Kind};
    use diskimage::store::Access::{self, Read, Write};
    use std::io;
    use std::path::Path;

    fn exit(access: Access, error: &ImageError) -> ExitCode {
        let error = failure(Path::new("x.dmg"), access, error);
        assert!(error.line().contains("x.dmg"), "{error}");
        error.exit()
    }

    #[test]
    fn every_kind_of_error_has_its_exit_code() {
        for (kind, expected) in [
            (Kind::NotAnImage, ExitCode::BadInput),
            (Kind::Unsupported, ExitCode::BadInput),
            (Kind::Damaged, ExitCode::Damaged),
            (Kind::PassphraseNeeded, ExitCode::BadInput),
            (Kind::WrongPassphrase, ExitCode::BadInput),
            (Kind::InUse, ExitCode::Busy),
            (Kind::Exists, ExitCode::BadFolder),
            (Kind::Invalid, ExitCode::BadInput),
            (Kind::Internal, ExitCode::Unexpected),
        ] {
            assert_eq!(exit(Read, &ImageError::new(kind, "so")), expected, "{kind:?}");
        }
        for (number, reading, writing) in [
            (libc::ENOENT, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::EACCES, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ENOTDIR, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ELOOP, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::ENAMETOOLONG, ExitCode::BadInput, ExitCode::BadFolder),
            (libc::EFBIG, ExitCode::BadFolder, ExitCode::BadFolder),
            (libc::ENOSPC, ExitCode::NoSpace, ExitCode::NoSpace),
            (libc::EDQUOT, ExitCode::NoSpace, ExitCode::NoSpace),
            (libc::EROFS, ExitCode::Unexpected, ExitCode::BadFolder),
            (libc::EIO, ExitCode::BadFolder, ExitCode::BadFolder),
            (libc::EMFILE, ExitCode::Unexpected, ExitCode::Unexpected),
            (libc::ENFILE, ExitCode::Unexpected, ExitCode::Unexpected),
        ] {
            let error = ImageError::from(io::Error::from_raw_os_error(number));
            assert_eq!((exit(Read, &error), exit(Write, &error)), (reading, writing), "{error}");
        }
    }

    #[test]
    fn of_a_bad_sector_the_rest_can_be_copied_unless_that_was_tried() {
        let error = io::Error::from_raw_os_error(libc::EIO).into();
        let line = failure(Path::new("x.dmg"), Read, &error).line();
        assert!(line.contains("check the disk") && line.contains("--salvage"), "{line}");
        let line = not_to_be_salvaged(Path::new("x.dmg"), &error).line();
        assert!(line.contains("check the disk") && !line.contains("--salvage"), "{line}");
        assert!(line.ends_with("(ddrescue) and salvage that copy"), "{line}");
    }
}
