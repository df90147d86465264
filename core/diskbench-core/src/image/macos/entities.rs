//! The answers of `hdiutil attach -plist` and `diskutil image attach --plist`: the devices of an attached image.
//!
//! The two tools name devices differently (`/dev/disk4`, `disk4`), describe their content differently (a GUID, a
//! friendly name, nothing), and list them in any order. So the kind of a device is derived from certain facts: an APFS
//! volume is always in a container, and a container's disk is never the image's.

mod hint;

use std::path::PathBuf;

use plist::{Dictionary, Value};

use super::answer;
use hint::Hint;

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
    mountable: bool,
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
            .map(Hint::of)
            .find(|hint| *hint != Hint::Other)
            .unwrap_or(Hint::Other);
        Some(Self {
            place: place(answer::text(dictionary, "dev-entry")?)?,
            hint,
            mountable: dictionary.get("potentially-mountable").and_then(Value::as_boolean)
                == Some(true),
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
            Hint::ApfsVolume => true,
            Hint::Other => !self.is_whole() && self.file_system.as_deref() == Some("apfs"),
            _ => false,
        }
    }

    /// How likely it is the wanted volume; none if it is not a volume.
    fn rank(&self) -> Option<u8> {
        if self.hint.is_never_a_volume() {
            return None;
        }
        let is_volume = self.hint.is_volume() || self.file_system.is_some();
        match (&self.mount_point, is_volume) {
            (Some(_), _) => Some(0),
            (None, true) => Some(1),
            (None, false) if self.mountable => Some(2),
            (None, false) => None,
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
    let ranked = entities.iter().filter_map(|entity| Some((entity.rank()?, entity)));
    let (_, entity) = ranked.min_by_key(|(rank, _)| *rank)?;
    let (disk, slice) = entity.place;
    Some(VolumeDevice {
        device: slice.map_or_else(|| format!("disk{disk}"), |slice| format!("disk{disk}s{slice}")),
        mount_point: entity.mount_point.clone(),
    })
}

#[cfg(test)]
mod tests;
