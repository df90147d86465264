//! The programs of macOS for disk images: their output, the attached images, and detaching.
//!
//! [`entities`] and [`command_error`] parse their output. The [`inventory`] lists attached images by the system, and is
//! queried again before any device is detached ([`detach`]).

pub(crate) mod answer;
pub(crate) mod command_error;
pub(crate) mod detach;
pub(crate) mod entities;
pub(crate) mod inventory;
#[cfg(test)]
pub(crate) mod testing;

/// The program that does something with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// `hdiutil`.
    Hdiutil,
    /// `diskutil`, mostly `diskutil image`.
    Diskutil,
}
