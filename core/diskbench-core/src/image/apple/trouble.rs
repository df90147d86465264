//! What goes wrong when programs serve an image, whether it is worth another try, and in which words it is told.

use crate::error::Error;
use crate::image::macos::complaint::{self, Kind};
use crate::program::Answer;

/// What keeps a program from doing what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// This program cannot do it here: ask the next one.
    Unknown(String),
    /// It may work in a moment. With what was complained of, for a note, and the error when it does not.
    Passing(String, Error),
    /// It will not.
    Lasting(Error),
}

impl Trouble {
    /// What an answer means that is not good. `doing` is what was tried, such as "attaching the image".
    #[must_use]
    pub fn of(doing: &str, answer: &Answer) -> Self {
        let complaint = complaint::of(answer);
        let words = &complaint.words;
        let lasting =
            |advice: &str| Self::Lasting(Error::step(format!("{doing}: {words}: {advice}")));
        match complaint.kind {
            Kind::Unsupported => Self::Unknown(complaint.words),
            Kind::Stopped => Self::Lasting(Error::interrupted()),
            Kind::NoSpace => Self::Lasting(Error::step(format!(
                "{doing}: the disk is full: free some space and run again"
            ))),
            Kind::Passphrase => lasting("throw the image away (diskbench sweep) and run again"),
            Kind::NotPermitted => lasting(
                "allow your terminal full disk access in the system settings, or choose a folder in your home, \
                 then run again",
            ),
            Kind::TimedOut => {
                passing(doing, words, "see whether a window asks for something, then run again")
            }
            Kind::Busy | Kind::Locked => passing(
                doing,
                words,
                "close what looks at the image (Finder, backup, virus scanner), then run again",
            ),
            Kind::Gone | Kind::Exists | Kind::Unknown => {
                passing(doing, words, "see to the cause, then run again")
            }
        }
    }

    /// An answer that is good and cannot be understood, or is not true.
    #[must_use]
    pub fn strange(doing: &str, what: &str) -> Self {
        passing(doing, what, "run again; if it stays so, restart the Mac")
    }
}

fn passing(doing: &str, words: &str, advice: &str) -> Trouble {
    Trouble::Passing(words.to_owned(), Error::step(format!("{doing}: {words}: {advice}")))
}
