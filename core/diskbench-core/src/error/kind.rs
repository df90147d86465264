//! What went wrong, for code that decides by it; the exit code follows from the kind, here alone.

use crate::exit_code::ExitCode;

/// The kind of an [`Error`](super::Error).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A broken invariant, or a system error without its own kind.
    Internal,
    /// The command line, a configuration, a cell's description or a file that the caller named is wrong.
    BadInput,
    /// There is not enough free space.
    NoSpace,
    /// A folder cannot be used.
    BadFolder,
    /// Another process measures on this machine, or uses the image.
    Busy,
    /// A record or an image is damaged.
    Damaged,
    /// A step of a cell failed.
    StepFailed,
    /// This machine cannot do what a step needs: the cell is skipped.
    Unsupported,
    /// The protocol resumes after a restart of this machine.
    RestartNeeded,
    /// The machine is in no state to measure.
    NotQuiet,
    /// A signal asked to stop.
    Interrupted,
}

impl Kind {
    /// The exit code of a program that ends with an error of this kind.
    pub(crate) const fn exit(self) -> ExitCode {
        match self {
            Self::Internal => ExitCode::Unexpected,
            Self::BadInput => ExitCode::BadInput,
            Self::NoSpace => ExitCode::NoSpace,
            Self::BadFolder => ExitCode::BadFolder,
            Self::Busy => ExitCode::Busy,
            Self::Damaged => ExitCode::Damaged,
            Self::StepFailed | Self::Unsupported => ExitCode::CellFailed,
            Self::RestartNeeded => ExitCode::RestartNeeded,
            Self::NotQuiet => ExitCode::NotQuiet,
            Self::Interrupted => ExitCode::Interrupted,
        }
    }
}
