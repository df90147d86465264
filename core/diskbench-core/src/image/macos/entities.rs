//! The answers of `hdiutil attach -plist` and `diskutil image attach --plist`: the devices of an attached image.
//!
//! The two tools name devices differently (`/dev/disk4`, `disk4`), describe their content differently (a GUID, a
//! friendly name, nothing), and list them in any order. So the kind of a device is derived from certain facts: an APFS
//! volume is always in a container, and a container's disk is never the image's.

use std::path::PathBuf;

use plist::{Dictionary, Value};

use super::answer;

/// What is on a device, as far as it matters here: our images hold one APFS volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    /// A slice that a container is stored in.
    Store,
    /// A disk that is made of such slices.
    Container,
    /// A volume in a container.
    Volume,
    /// Anything else, or nothing.
    Other,
}

/// GUIDs of APFS (`hdiutil attach -plist`), names (`diskutil image attach --plist`, and mapped hints of hdiutil), as in
/// the captured outputs in `fixtures`.
const HINTS: [(&str, Hint); 6] = [
    ("7c3457ef-0000-11aa-aa11-00306543ecac", Hint::Store),
    ("apple_apfs", Hint::Store),
    ("ef57347c-0000-11aa-aa11-00306543ecac", Hint::Container),
    ("apple_apfs_container", Hint::Container),
    ("41504653-0000-11aa-aa11-00306543ecac", Hint::Volume),
    ("apple_apfs_volume", Hint::Volume),
];

/// An attached image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attachment {
    /// The device of the whole image, such as `disk4`, to detach. Never the container's, which has another number.
    pub disk: String,
    /// Its one volume; none where nothing on it can be mounted.
    pub volume: Option<VolumeDevice>,
}

/// The volume on an attached image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VolumeDevice {
    /// Its device, such as `disk5s1`.
    pub device: String,
    /// Where it is mounted, if the answer says so.
    pub mount_point: Option<PathBuf>,
}

/// Reads an answer of either program.
///
/// # Errors
/// What is wrong with it, in words for a message.
pub(crate) fn read(stdout: &[u8]) -> Result<Attachment, String> {
    of(&answer::dictionary(stdout)?)
}

/// The devices in a dictionary that lists them: an answer, or an image in `hdiutil info -plist`.
///
/// # Errors
/// As [`read`].
pub(crate) fn of(dictionary: &Dictionary) -> Result<Attachment, String> {
    let list = dictionary.get("system-entities").and_then(Value::as_array);
    let mut entities: Vec<Entity> = list
        .ok_or("it lists no devices")?
        .iter()
        .filter_map(|value| Entity::of(value.as_dictionary()?))
        .collect();
    // By number, so that the order of the answer means nothing; a device that is listed twice is one.
    entities.sort_by_key(|entity| entity.place);
    entities.dedup_by_key(|entity| entity.place);
    let disk = image_disk(&entities)?;
    Ok(Attachment { disk: format!("disk{disk}"), volume: volume(&entities) })
}

/// One device.
#[derive(Debug)]
struct Entity {
    /// The number of its disk, and of its slice of that.
    place: (u32, Option<u32>),
    hint: Hint,
    mount_point: Option<PathBuf>,
    file_system: Option<String>,
}

impl Entity {
    fn of(dictionary: &Dictionary) -> Option<Self> {
        let file_system = answer::text(dictionary, "volume-kind")
            .or_else(|| answer::text(dictionary, "filesystem-type"))
            .map(str::to_lowercase);
        let hint = ["content-hint", "unmapped-content-hint"]
            .into_iter()
            .filter_map(|key| answer::text(dictionary, key))
            .find_map(|text| HINTS.iter().find(|(known, _)| text.eq_ignore_ascii_case(known)))
            .map_or(Hint::Other, |(_, hint)| *hint);
        Some(Self {
            place: place(answer::text(dictionary, "dev-entry")?)?,
            hint,
            mount_point: answer::text(dictionary, "mount-point").map(PathBuf::from),
            file_system,
        })
    }

    const fn is_whole(&self) -> bool {
        self.place.1.is_none()
    }

    /// Whether it is a volume of a container; without a hint, a file system shows it.
    fn is_apfs_volume(&self) -> bool {
        match self.hint {
            Hint::Volume => true,
            Hint::Other => !self.is_whole() && self.file_system.as_deref() == Some("apfs"),
            _ => false,
        }
    }
}

/// The numbers in `disk4`, `/dev/disk4`, `disk5s1`; of a snapshot (`disk5s1s1`) those of its volume.
fn place(device: &str) -> Option<(u32, Option<u32>)> {
    let numbers = device.strip_prefix("/dev/").unwrap_or(device).strip_prefix("disk")?;
    let mut numbers = numbers.split('s');
    let disk = number(numbers.next()?)?;
    let slice = numbers.next().map(|text| number(text).ok_or(())).transpose().ok()?;
    Some((disk, slice))
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Number of the disk that the whole image is.
fn image_disk(entities: &[Entity]) -> Result<u32, String> {
    let is_container = |disk: &Entity| {
        disk.hint == Hint::Container
            || entities.iter().any(|other| other.place.0 == disk.place.0 && other.is_apfs_volume())
    };
    let mut disks = entities.iter().filter(|entity| entity.is_whole() && !is_container(entity));
    match (disks.next(), disks.next()) {
        (Some(disk), None) => Ok(disk.place.0),
        (None, _) => Err("it lists no disk that could be the image".into()),
        (Some(_), Some(_)) => Err("it lists several disks that could be the image".into()),
    }
}

/// The volume: one that is mounted before others.
fn volume(entities: &[Entity]) -> Option<VolumeDevice> {
    let mounted = entities.iter().find(|entity| entity.mount_point.is_some());
    let entity = mounted.or_else(|| entities.iter().find(|entity| entity.is_apfs_volume()))?;
    let (disk, slice) = entity.place;
    Some(VolumeDevice {
        device: slice.map_or_else(|| format!("disk{disk}"), |slice| format!("disk{disk}s{slice}")),
        mount_point: entity.mount_point.clone(),
    })
}

#[cfg(test)]
mod tests;
