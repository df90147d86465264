//! Why a program of macOS did not do what was requested, and whether to retry.

use crate::error::{ALLOW_ACCESS, Error};
use crate::image::macos::command_error::{self, Kind};
use crate::program::Answer;

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// This program cannot do it here: ask the next one.
    Unsupported(String),
    /// It may work in a moment: the message for a note, and the error when it does not.
    Transient(String, Error),
    /// It will not work.
    Permanent(Error),
}

impl Failure {
    /// Classifies an answer that is an error. `doing` is what was tried, such as "attaching the image".
    pub(super) fn of(doing: &str, answer: &Answer) -> Self {
        let error = command_error::of(answer);
        let message = &error.message;
        let permanent =
            |advice: &str| Self::Permanent(Error::step(format!("{doing}: {message}: {advice}")));
        match error.kind {
            Kind::Unsupported => Self::Unsupported(error.message),
            Kind::Stopped => Self::Permanent(Error::interrupted()),
            Kind::NoSpace => Self::Permanent(Error::step(format!(
                "{doing}: the disk is full: free some space and run again"
            ))),
            Kind::Passphrase => permanent("remove the image (diskbench sweep) and run again"),
            Kind::NotPermitted => permanent(&format!(
                "{ALLOW_ACCESS}, or choose a folder in your home, then run again"
            )),
            Kind::TimedOut => transient(
                doing,
                message,
                "check whether a window waits for an answer, then run again",
            ),
            Kind::Busy => transient(
                doing,
                message,
                "close what uses the image (Finder, backup, virus scanner), then run again",
            ),
            Kind::Gone | Kind::Exists | Kind::Unknown => {
                transient(doing, message, "see to the cause, then run again")
            }
        }
    }

    /// The error for a successful answer that cannot be parsed or is wrong.
    pub(super) fn strange(doing: &str, what: &str) -> Self {
        transient(doing, what, "run again; if that does not help, restart the Mac")
    }
}

fn transient(doing: &str, message: &str, advice: &str) -> Failure {
    Failure::Transient(message.to_owned(), Error::step(format!("{doing}: {message}: {advice}")))
}
