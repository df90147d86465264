//! Which images are attached, as which devices: asked of the I/O Registry and of `hdiutil info`.

use std::path::{Path, PathBuf};

use crate::program::Programs;

/// An attached image, whoever attached it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The image's path, as the system has resolved it.
    pub image: PathBuf,
    /// The device of the whole image, such as `disk4`.
    pub disk: String,
}

/// Every image that is attached; nothing when the system gives no answer that can be trusted.
#[must_use]
pub fn all(_programs: &mut Programs) -> Option<Vec<Attached>> {
    None
}

/// The devices that serve this image now (none: it is not attached); nothing when the system gives no answer.
#[must_use]
pub fn of_image(_programs: &mut Programs, _image: &Path) -> Option<Vec<String>> {
    None
}
