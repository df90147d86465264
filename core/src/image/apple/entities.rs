//! What `hdiutil attach -plist` and `diskutil image attach --plist` answer: the devices that an image became.

use std::path::PathBuf;

/// An attached image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The device of the whole image, such as `disk4`: what is detached. Never the container's, which has a number of
    /// its own.
    pub disk: String,
    /// Its one volume; none where nothing on it can be mounted.
    pub volume: Option<VolumeDevice>,
}

/// The volume on an attached image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeDevice {
    /// Its device, such as `disk5s1`.
    pub device: String,
    /// Where it is mounted, if the answer says so.
    pub mount_point: Option<PathBuf>,
    /// Its file system, such as `apfs`.
    pub file_system: Option<String>,
}

/// Reads an answer of either program.
///
/// # Errors
/// What is wrong with it, in words for a message.
pub fn read(_stdout: &[u8]) -> Result<Attachment, String> {
    Err("not built yet".to_owned())
}
