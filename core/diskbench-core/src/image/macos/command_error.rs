//! The meaning of a program's error: by its exit code first, then by its message, without warnings.
//!
//! Messages are weak evidence: they change with releases and, if `LC_ALL=C` is ignored, with the language. So a
//! specific exit code takes precedence, only observed messages are matched, and all others are [`Kind::Unknown`]. A
//! program may fail after doing its work, or succeed without doing it: the state of an image comes from the
//! [`super::inventory`].

mod meaning;
mod message;

use crate::program::{Answer, End};

/// The meaning of a failure for the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something uses the image or its volume, or the helper that serves the program does not answer for the moment:
    /// try again.
    Busy,
    /// The device or image is not there (any more).
    Gone,
    /// This system's program does not support it.
    Unsupported,
    /// The disk is full.
    NoSpace,
    /// Something is there already under that name.
    Exists,
    /// The passphrase is wrong or missing.
    Passphrase,
    /// The system does not permit it.
    NotPermitted,
    /// Its time was up.
    TimedOut,
    /// A signal asked to stop.
    Stopped,
    /// Anything else.
    Unknown,
}

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandError {
    /// What it means.
    pub kind: Kind,
    /// The last line that is not a warning, without paths; or how the program ended. With the process that blocks
    /// unmounting, if `diskutil` names it.
    pub message: String,
}

/// Reads the error of a program that did not end well.
pub(crate) fn of(answer: &Answer) -> CommandError {
    let said = message::of(answer);
    let or_else = |ending: String| if said.is_empty() { ending } else { said.clone() };
    match &answer.end {
        End::Exited(code) => CommandError {
            kind: meaning::of_code(*code).unwrap_or_else(|| meaning::of_message(answer)),
            message: or_else(format!("it ended with exit code {code} and said nothing")),
        },
        End::Killed(signal) => CommandError {
            kind: Kind::Unknown,
            message: or_else(format!("it was ended by signal {signal}")),
        },
        End::TimedOut => CommandError { kind: Kind::TimedOut, message: "it timed out".into() },
        End::Stopped => CommandError { kind: Kind::Stopped, message: "it was stopped".into() },
        End::NotStarted(reason) => CommandError {
            // A program that this system does not have cannot do it; anything else may pass.
            kind: if reason.to_lowercase().starts_with(meaning::MISSING) {
                Kind::Unsupported
            } else {
                Kind::Unknown
            },
            message: message::plain(&format!("it could not be started: {reason}")),
        },
    }
}

#[cfg(test)]
mod tests;
