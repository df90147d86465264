//! The driver `apple`: disk images of macOS, through `hdiutil` and `diskutil`.
//!
//! The image lies in the folder of the cell's image, beside its state file, and is attached to a mount point of its own in
//! that folder. Which program does what on which macOS is one table ([`capabilities`]); what the programs say is read in
//! [`macos`](crate::image::macos).
//!
//! Nothing in here calls into macOS: all of it runs, and is tested, wherever the programs or what stands in for them are
//! at hand.

mod attach;
mod calls;
pub(super) mod capabilities;
#[cfg(test)]
mod captures;
mod compact;
mod create;
mod driver;
mod failure;
mod identify;
mod session;
mod size_estimate;
mod volume;

use std::path::Path;

use crate::image::macos::inventory;
use crate::program::{Programs, tools};

pub(super) use driver::{Apple, refusal};
pub(super) use size_estimate::most_bytes;

/// Whether nothing serves an image inside this folder of ours now. Where the system gives no answer, nothing does: what is
/// attached would be seen at the mount point.
pub(super) fn is_detached(folder: &Path) -> bool {
    if !tools::are_of_macos() {
        return true;
    }
    inventory::inside(&mut Programs::of_system(), folder).is_none_or(|inside| inside.is_empty())
}
