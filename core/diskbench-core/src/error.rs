//! Errors: one line that says what is wrong and what to do next, and the exit code that goes with it.

pub mod image;

use std::fmt;
use std::io;
use std::path::Path;

use crate::exit_code::ExitCode;

/// The result of everything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// One line for a person, and an exit code for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    exit: ExitCode,
    message: String,
    unsupported: bool,
}

impl Error {
    /// An error with this exit code; the message should end with what to do next.
    pub fn new(exit: ExitCode, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), unsupported: false }
    }

    /// Wrong input: exit code 2.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadInput, message)
    }

    /// A folder that cannot be used: exit code 4.
    pub fn folder(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadFolder, message)
    }

    /// A step of a cell failed: exit code 7. The message goes into the record, so it names no path.
    pub fn step(message: impl Into<String>) -> Self {
        Self::new(ExitCode::CellFailed, message)
    }

    /// What a step needs cannot be had on this machine: the cell is skipped, with this reason, and not failed. Names no
    /// path either.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { unsupported: true, ..Self::step(message) }
    }

    /// Whether this machine cannot do it at all.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        self.unsupported
    }

    /// The same at a place.
    #[must_use]
    pub fn placed(&self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.line()), ..self.clone() }
    }

    /// A signal asked to stop: exit code 130.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::new(
            ExitCode::Interrupted,
            "interrupted: temporary files are removed, finished records are kept; \
             run the same command again to go on",
        )
    }

    /// A file could not be read: exit code 2, since it is what the caller named.
    #[must_use]
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::input(format!("cannot read {}: {}; check the path", path.display(), plain(error)))
    }

    /// A file or folder could not be written: exit code 3 when the disk is full, else 4.
    #[must_use]
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        if is_full(error) {
            return Self::new(
                ExitCode::NoSpace,
                format!("the disk is full at {}: free some space and run again", path.display()),
            );
        }
        Self::folder(format!(
            "cannot write {}: {}; make it writable or choose another folder",
            path.display(),
            plain(error)
        ))
    }

    /// An operating-system error in the middle of a step; `doing` names no path.
    #[must_use]
    pub fn io_in_step(doing: &str, error: &io::Error) -> Self {
        let advice = match error.raw_os_error() {
            _ if is_full(error) => "the disk is full: free some space and run again",
            Some(libc::EDQUOT) => "a disk quota is used up: free some space and run again",
            Some(libc::EFBIG) => {
                "a limit on file sizes was reached: raise it (ulimit -f) and run again"
            }
            Some(libc::EROFS) => "the file system turned read-only: check the disk, then run again",
            Some(libc::EIO) => {
                "the device reported an error: check the disk and its cable, then run again"
            }
            _ => {
                return Self::step(format!(
                    "{doing}: {}: see to the cause, then run again",
                    plain(error)
                ));
            }
        };
        Self::step(format!("{doing}: {advice}"))
    }

    /// The same as the failure of a step, for a record: without the path that it names. That another diskbench uses the
    /// folder stays what it is: it may be measuring this very cell, and its record is not ours to write.
    #[must_use]
    pub fn in_record(&self) -> Self {
        Self::step(match self.exit {
            ExitCode::Busy => return self.clone(),
            ExitCode::NoSpace => "the disk is full: free some space and run again",
            _ => {
                "the folder cannot be used: make it writable or choose another one, then run again"
            }
        })
    }

    /// The exit code that belongs to this error.
    #[must_use]
    pub const fn exit(&self) -> ExitCode {
        self.exit
    }

    /// The message as one line, without control characters.
    #[must_use]
    pub fn line(&self) -> String {
        one_line(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line())
    }
}

impl std::error::Error for Error {}

/// The text of an operating-system error without its number.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text.get(..end).unwrap_or(&text).to_lowercase(),
        None => text,
    }
}

/// Whether the error says that the disk is full.
#[must_use]
pub fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOSPC)
}

/// Control characters (a line feed in a file name, say) become spaces, so that an error stays one line; so do those
/// that turn the direction of writing or are not seen, with which a name can look like another one.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_format(c) { ' ' } else { c }).collect()
}

/// Unicode's categories of format characters and of ends of lines and paragraphs (Cf, Zl, Zp; Unicode 16), as in
/// `workflow/scripts/console.py`.
const fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::{Error, one_line, plain};
    use crate::exit_code::ExitCode;
    use std::io;
    use std::path::Path;

    #[test]
    fn a_message_stays_one_line_whatever_is_in_a_name() {
        let error = Error::input("cannot read a\nb\u{1b}[31m\u{202e}c\u{2028}d: check the path");
        assert_eq!(error.line(), "cannot read a b [31m c d: check the path");
    }

    #[test]
    fn what_a_terminal_obeys_turns_round_or_hides_is_a_space() {
        let found: Vec<u64> = ('\0'..=char::MAX)
            .filter(|c| *c != ' ' && one_line(&c.to_string()) == " ")
            .map(|c| u64::from(u32::from(c)))
            .collect();
        // How many characters of the categories Cc, Cf, Zl and Zp there are by Python's unicodedata 15.1, and their sum.
        assert_eq!((found.len(), found.iter().sum::<u64>()), (237, 92_333_743));
    }

    #[test]
    fn a_full_disk_is_told_apart_from_a_folder_that_cannot_be_written() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let denied = io::Error::from_raw_os_error(libc::EROFS);
        assert_eq!(Error::unwritable(Path::new("x"), &full).exit(), ExitCode::NoSpace);
        assert_eq!(Error::unwritable(Path::new("x"), &denied).exit(), ExitCode::BadFolder);
    }

    #[test]
    fn every_error_inside_a_step_ends_with_what_to_do() {
        for number in [libc::ENOSPC, libc::EDQUOT, libc::EFBIG, libc::EROFS, libc::EIO, libc::EBADF]
        {
            let error = Error::io_in_step("writing", &io::Error::from_raw_os_error(number));
            assert!(error.line().ends_with("run again"), "{error}");
            assert_eq!(error.exit(), ExitCode::CellFailed);
        }
    }

    #[test]
    fn the_number_of_an_os_error_is_not_shown() {
        assert_eq!(plain(&io::Error::from_raw_os_error(libc::ENOENT)), "no such file or directory");
    }
}
