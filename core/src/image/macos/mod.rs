//! The programs of macOS that know images: what they say and how an image is detached by them, whoever attached it.
//!
//! What they say is read in [`entities`] and [`complaint`]; who serves which image is asked of the system itself
//! ([`inventory`]), and asked again before any device is detached ([`detach`]).

pub mod answer;
pub mod complaint;
pub mod detach;
pub mod entities;
pub mod inventory;
pub mod probe;
#[cfg(test)]
pub(crate) mod testing;
