//! What a program's failure means: by its exit code first, then by its words, without the warnings among them.
//!
//! Words are a weak ground: they change with releases and, where `LC_ALL=C` is not heeded, with the language. So the
//! exit code goes first where it says anything, only words that were really seen are looked for, and what is not known
//! stays [`Kind::Unknown`]. A program may fail and have done its work, or end well and have done nothing: what is true
//! of an image is asked of the [`super::inventory`], not concluded from here.

mod meaning;
mod words;

use crate::program::{Answer, End};

/// What a failure means for what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something uses the image or its volume: try again.
    Busy,
    /// The image, or the helper that serves the program, is not to be had for the moment: try again.
    Locked,
    /// The device or image is not there (any more).
    Gone,
    /// This system's program does not know how.
    Unsupported,
    /// The disk is full.
    NoSpace,
    /// Something is there already under that name.
    Exists,
    /// The passphrase does not fit, or there is none.
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

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// What it means.
    pub kind: Kind,
    /// The program's last words that are no warning, as one line without paths; or how it ended. Who kept a volume from
    /// being unmounted is named in them where `diskutil` tells.
    pub words: String,
}

/// What a program that did not end well complains of.
#[must_use]
pub fn of(answer: &Answer) -> Complaint {
    let said = words::of(answer);
    let or_else = |ending: String| if said.is_empty() { ending } else { said.clone() };
    match &answer.end {
        End::Exited(code) => Complaint {
            kind: meaning::of_code(*code).unwrap_or_else(|| meaning::of_words(answer)),
            words: or_else(format!("it ended with exit code {code} and said nothing")),
        },
        End::Killed(signal) => Complaint {
            kind: Kind::Unknown,
            words: or_else(format!("it was ended by signal {signal}")),
        },
        End::TimedOut => Complaint { kind: Kind::TimedOut, words: "its time was up".into() },
        End::Stopped => Complaint { kind: Kind::Stopped, words: "it was stopped".into() },
        End::NotStarted(reason) => Complaint {
            // A program that this system does not have cannot do it; anything else may pass.
            kind: if reason.to_lowercase().starts_with(meaning::MISSING) {
                Kind::Unsupported
            } else {
                Kind::Unknown
            },
            words: words::plain(&format!("it could not be started: {reason}")),
        },
    }
}

#[cfg(test)]
mod tests;
