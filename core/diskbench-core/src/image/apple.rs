//! The driver `apple`: disk images of macOS, through `hdiutil` and `diskutil`.
//!
//! The image is in its work folder, beside its state file, and is attached to a mount point in that folder. One table
//! ([`capabilities`]) says which program does what on which macOS; [`macos`](crate::image::macos) parses the programs'
//! output.
//!
//! Nothing here calls macOS directly: it runs, and is tested, wherever the programs or their stand-ins are available.

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

/// Whether no image inside this folder of ours is attached now. Also true if the system does not answer: an attached
/// image would be seen at the mount point.
pub(super) fn is_detached(folder: &Path) -> bool {
    if !tools::are_of_macos() {
        return true;
    }
    inventory::inside(&mut Programs::of_system(), folder).is_none_or(|inside| inside.is_empty())
}
