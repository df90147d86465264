//! Errors: one line with the problem and the next step, and an exit code, by which code decides too.

pub(crate) mod image;
mod text;

use std::fmt;
use std::io;
use std::path::Path;

use crate::exit_code::ExitCode;

pub(crate) use text::{one_line, plain};

/// The result of everything that can fail here.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// What a record says in the place of a path: a path can name a user.
const PLACE_IN_RECORD: &str = "the work folder";

/// One line for a person, and an exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    exit: ExitCode,
    message: String,
    /// Whether this machine lacks what a step needs.
    unsupported: bool,
    /// The same without its path, for a record.
    recorded: Option<String>,
}

impl Error {
    /// An error with this exit code; the message should end with what to do next.
    pub(crate) fn new(exit: ExitCode, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), unsupported: false, recorded: None }
    }

    /// An error about a path, with the message for the name it is given: the path's, and in a record another one.
    pub(crate) fn at(exit: ExitCode, path: &Path, message: impl Fn(&str) -> String) -> Self {
        Self {
            recorded: Some(message(PLACE_IN_RECORD)),
            ..Self::new(exit, message(&path.display().to_string()))
        }
    }

    /// The same, with other words in a record.
    pub(crate) fn recorded_as(self, message: impl Into<String>) -> Self {
        Self { recorded: Some(message.into()), ..self }
    }

    /// Wrong input: exit code 2.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadInput, message)
    }

    /// A folder that cannot be used: exit code 4.
    pub(crate) fn folder(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadFolder, message)
    }

    /// A step of a cell failed: exit code 7. The message goes into the record, so it names no path.
    pub(crate) fn step(message: impl Into<String>) -> Self {
        Self::new(ExitCode::CellFailed, message)
    }

    /// This machine lacks something that a step needs: the cell is skipped with this reason. Contains no path either.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self { unsupported: true, ..Self::step(message) }
    }

    /// The same at a place.
    pub(crate) fn placed(&self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.line()), ..self.clone() }
    }

    /// A signal asked to stop: exit code 130.
    pub(crate) fn interrupted() -> Self {
        // Not "to resume": a study may have been told to measure every cell again.
        Self::stopped(
            "temporary files are removed, finished records are kept; run the same command again",
        )
    }

    /// The error of work that was cancelled: what that leaves, and what to do next.
    pub(crate) fn stopped(what: &str) -> Self {
        Self::new(ExitCode::Interrupted, format!("interrupted: {what}"))
    }

    /// The error of what cannot be unless this program is wrong.
    pub(crate) fn fault(what: impl fmt::Display) -> Self {
        Self::new(ExitCode::Unexpected, format!("{what}; please report this"))
    }

    /// A file could not be read: exit code 2, since it is what the caller named.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let step = match error.kind() {
            io::ErrorKind::PermissionDenied => "make it readable",
            _ => "check the path",
        };
        Self::at(ExitCode::BadInput, path, |place| {
            format!("cannot read {place}: {}", advice(error, step))
        })
    }

    /// A file or folder could not be written: exit code 3 when the disk is full or a quota used up, else 4.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let full = is_full(error) || error.raw_os_error() == Some(libc::EDQUOT);
        let exit = if full { ExitCode::NoSpace } else { ExitCode::BadFolder };
        let step = match error.kind() {
            io::ErrorKind::NotFound => "make its folder or choose another one",
            _ => "make it writable or choose another folder",
        };
        Self::at(exit, path, |place| format!("cannot write {place}: {}", advice(error, step)))
    }

    /// An operating-system error in the middle of a step; `doing` names no path.
    pub(crate) fn io_in_step(doing: &str, error: &io::Error) -> Self {
        Self::step(format!("{doing}: {}", advice(error, "see to the cause")))
    }

    /// The same as the failure of a step, without the path, for a record. An error because another diskbench uses the
    /// folder is unchanged: it may be measuring this cell, and writes its record.
    pub(crate) fn in_record(&self) -> Self {
        let message = match (self.exit, &self.recorded) {
            (ExitCode::Busy, _) => return self.clone(),
            (_, Some(recorded)) => recorded,
            (ExitCode::CellFailed, None) => &self.message,
            // It may name a path.
            (_, None) => {
                "the work folder cannot be used: make it writable or choose another one, then run again"
            }
        };
        Self::step(message)
    }

    /// Whether this machine cannot do what a step needs: the cell is skipped.
    pub(crate) const fn is_unsupported(&self) -> bool {
        self.unsupported
    }

    /// The exit code of a program that ends with this error.
    pub(crate) const fn exit(&self) -> ExitCode {
        self.exit
    }

    /// The message as one line, without control characters.
    pub(crate) fn line(&self) -> String {
        one_line(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line())
    }
}

/// What a Mac's privacy settings ask for.
pub(crate) const ALLOW_ACCESS: &str =
    "give your terminal Full Disk Access (System Settings, Privacy & Security)";

/// The meaning of a system error and the next step; `otherwise` for errors with only a text.
pub(crate) fn advice(error: &io::Error, otherwise: &str) -> String {
    let known = match error.raw_os_error() {
        _ if is_full(error) => "the disk is full: free some space and run again",
        Some(libc::EDQUOT) => "a disk quota is used up: free some space and run again",
        Some(libc::EFBIG) => {
            "the file system, or a limit (ulimit -f), allows no longer file: choose another folder or raise the limit, then run again"
        }
        Some(libc::EMFILE | libc::ENFILE) => {
            "too many open files: raise the limit (ulimit -n) and run again"
        }
        Some(libc::EROFS) => {
            "the file system is read-only: check the disk or choose another folder, then run again"
        }
        // a locked file; on a Mac also what its privacy settings keep the program out of
        Some(libc::EPERM) => {
            return format!(
                "{}: {otherwise}, or on a Mac {ALLOW_ACCESS}, then run again",
                plain(error)
            );
        }
        Some(libc::EIO) => {
            "the device reported an error: check the disk and its cable, then run again"
        }
        _ => return format!("{}: {otherwise}, then run again", plain(error)),
    };
    known.to_owned()
}

/// Whether the error says that the disk is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOSPC)
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::exit_code::ExitCode;
    use std::io;
    use std::path::Path;

    #[test]
    fn a_message_stays_one_line_whatever_is_in_a_name() {
        let error = Error::input("cannot read a\nb\u{1b}[31m\u{202e}c\u{2028}d: check the path");
        assert_eq!(error.line(), "cannot read a b [31m c d: check the path");
    }

    #[test]
    fn a_full_disk_is_told_apart_from_a_folder_that_cannot_be_written() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let quota = io::Error::from_raw_os_error(libc::EDQUOT);
        let denied = io::Error::from_raw_os_error(libc::EROFS);
        assert_eq!(Error::unwritable(Path::new("x"), &full).exit(), ExitCode::NoSpace);
        assert_eq!(Error::unwritable(Path::new("x"), &quota).exit(), ExitCode::NoSpace);
        assert_eq!(Error::unwritable(Path::new("x"), &denied).exit(), ExitCode::BadFolder);
    }

    #[test]
    fn every_error_inside_a_step_ends_with_what_to_do() {
        for number in [
            libc::ENOSPC,
            libc::EDQUOT,
            libc::EFBIG,
            libc::EROFS,
            libc::EPERM,
            libc::EIO,
            libc::EBADF,
            libc::EMFILE,
        ] {
            let cause = io::Error::from_raw_os_error(number);
            let path = Path::new("/Users/jane/work");
            for error in [
                Error::io_in_step("writing", &cause),
                Error::unwritable(path, &cause).in_record(),
                Error::unreadable(path, &cause).in_record(),
            ] {
                assert!(error.line().ends_with("run again"), "{error}");
                assert!(!error.line().contains('/'), "{error}");
                assert_eq!(error.exit(), ExitCode::CellFailed);
            }
        }
    }

    #[test]
    fn what_may_not_be_read_is_to_be_made_readable() {
        let denied = io::Error::from_raw_os_error(libc::EACCES);
        assert_eq!(
            Error::unreadable(Path::new("x.dmg"), &denied).line(),
            "cannot read x.dmg: permission denied: make it readable, then run again"
        );
    }

    #[test]
    fn what_is_not_permitted_may_be_locked_or_on_a_mac_private() {
        let forbidden = io::Error::from_raw_os_error(libc::EPERM);
        assert_eq!(
            Error::unreadable(Path::new("x.dmg"), &forbidden).line(),
            "cannot read x.dmg: operation not permitted: make it readable, or on a Mac give your terminal \
             Full Disk Access (System Settings, Privacy & Security), then run again"
        );
    }

    #[test]
    fn who_writes_into_a_folder_that_is_not_there_is_told_to_make_it() {
        let missing = io::Error::from_raw_os_error(libc::ENOENT);
        assert_eq!(
            Error::unwritable(Path::new("no/x.asif"), &missing).line(),
            "cannot write no/x.asif: no such file or directory: make its folder or choose another one, then run again"
        );
    }

    #[test]
    fn a_record_gets_the_message_without_the_path() {
        let path = Path::new("/Users/jane/work");
        let denied = Error::unwritable(path, &io::Error::from_raw_os_error(libc::EACCES));
        assert_eq!(
            denied.in_record().line(),
            "cannot write the work folder: permission denied: make it writable or choose another folder, then run again"
        );
        let attached = Error::at(ExitCode::BadFolder, path, |place| {
            format!("cannot remove {place}: the image stays attached as disk4")
        });
        assert_eq!(
            attached.in_record().line(),
            "cannot remove the work folder: the image stays attached as disk4"
        );
        // texts that may contain a path are not recorded, and neither are errors of another run
        let unknown =
            Error::folder("cannot use /Users/jane/work: choose another folder").in_record();
        assert!(!unknown.line().contains("jane"), "{unknown}");
        assert_eq!(unknown.exit(), ExitCode::CellFailed);
        assert_eq!(Error::new(ExitCode::Busy, "in use").in_record().exit(), ExitCode::Busy);
    }
}
