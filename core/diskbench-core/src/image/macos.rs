//! The programs of macOS that serve disk images: what they print, which images are attached, and how one is detached.
//!
//! What they say is read in [`entities`] and [`command_error`]; who serves which image is asked of the system itself
//! ([`inventory`]), and asked again before any device is detached ([`detach`]).

pub(crate) mod answer;
pub(crate) mod command_error;
pub(crate) mod detach;
pub(crate) mod entities;
pub(crate) mod inventory;
#[cfg(test)]
pub(crate) mod testing;
