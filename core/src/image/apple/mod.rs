//! The driver `apple`: disk images of macOS, through `hdiutil` and `diskutil`.
//!
//! The image lies in the folder of the cell's image, beside its marker, and is attached to a mount point of its own in
//! that folder. Which program does what on which macOS is one table ([`abilities`]); what the programs say is read in
//! [`entities`] and [`complaint`]; who serves which image is asked of the system itself ([`inventory`]), and asked again
//! before any device is detached ([`detach`]).
//!
//! Nothing in here calls into macOS: all of it runs, and is tested, wherever the programs or what stands in for them are
//! at hand.

pub mod abilities;
mod answer;
pub mod complaint;
pub mod detach;
mod driver;
pub mod entities;
pub mod inventory;
#[cfg(test)]
pub(crate) mod testing;

pub use driver::{Apple, most_bytes, refusal};

/// The folder in an image's folder that its volume is attached to.
pub const MOUNT_POINT: &str = "volume";
