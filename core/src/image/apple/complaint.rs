//! What a program's failure means: by its exit code first, then by its words, without the warnings among them.

use crate::program::Answer;

/// What a failure means for what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something uses the image or its volume: try again.
    Busy,
    /// The image is held by somebody else for the moment: try again.
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
    /// The program's last words that are no warning, as one line without paths of ours; or how it ended.
    pub words: String,
}

/// What a program that did not end well complains of.
#[must_use]
pub fn of(_answer: &Answer) -> Complaint {
    Complaint { kind: Kind::Unknown, words: String::new() }
}
