//! The devices that an attached image becomes.
//!
//! ```text
//! disk4      GUID_partition_scheme            the image: what is detached
//! disk4s1      C12A7328-... (EFI)             only in images of 1 GiB and more
//! disk4s2      Apple_APFS                     physical store
//! disk5      EF57347C-... (container)         a disk with a number of its own
//! disk5s1      41504653-... (volume)          mounted
//! ```

use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use serde::{Deserialize, Serialize};

use crate::label::FileSystem;
use crate::world::State;

/// From this size on an image gets an EFI slice. That there is such a size is known, which it is is made
/// up.
const EFI_FROM: u64 = 1 << 30;

/// The numbers below are those of the disks in the Mac and beside it.
pub const FIRST_DISK: u32 = 4;

/// Bytes before the first slice, and of an EFI slice: what `gpt` lays out on a Mac.
const HEAD: u64 = 20_480;
const EFI: u64 = 209_715_200;

/// An attached image.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attached {
    /// Its path, resolved.
    pub image: PathBuf,
    /// What it is.
    pub format: ImageFormat,
    /// Length of its disk in bytes.
    pub len_bytes: u64,
    /// Number of its disk.
    pub disk: u32,
    /// Number of its APFS container.
    pub container: Option<u32>,
    /// The file system on it, if any; with one there is a partition table.
    pub file_system: Option<FileSystem>,
    /// Its volume.
    pub volume: Option<String>,
    /// The volume's name.
    pub volume_name: String,
    /// Where that is mounted.
    pub mount_point: Option<PathBuf>,
    /// Whether the mount point was made for it, and goes with it.
    pub made_mount_point: bool,
    /// Whether it is encrypted.
    pub encrypted: bool,
    /// Its passphrase, as [`crate::world::hidden`].
    pub kept: Option<String>,
    /// Whether the older of the two engines serves it.
    pub by_older_engine: bool,
    /// Whether somebody else attached it.
    pub foreign: bool,
    /// Whether it goes by itself once it was listed.
    pub going: bool,
    /// Number of the process that serves it.
    pub pid: u32,
}

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The image's disk, with a partition table.
    Disk,
    /// The image's disk, without one.
    BareDisk,
    /// The slice for EFI.
    Efi,
    /// A slice with a file system, or the physical store of one.
    Slice(FileSystem),
    /// An APFS container.
    Container,
    /// An APFS volume.
    Volume,
}

/// One device of an attached image.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name, such as `disk4s1`.
    pub device: String,
    /// What it is.
    pub role: Role,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is (or could be) mounted.
    pub holds_volume: bool,
}

impl Attached {
    /// The name of its disk.
    pub fn disk_name(&self) -> String {
        format!("disk{}", self.disk)
    }

    /// Its devices, in the order in which they come into being.
    pub fn entities(&self) -> Vec<Entity> {
        let disk = self.disk_name();
        let Some(file_system) = self.file_system else {
            let role = Role::BareDisk;
            return vec![Entity { device: disk, role, bytes: self.len_bytes, holds_volume: false }];
        };
        let mut all = vec![Entity {
            device: disk.clone(),
            role: Role::Disk,
            bytes: self.len_bytes,
            holds_volume: false,
        }];
        let mut bytes = self.len_bytes;
        let mut slice = 1;
        if self.len_bytes >= EFI_FROM {
            bytes = bytes.saturating_sub(EFI);
            all.push(Entity {
                device: format!("{disk}s{slice}"),
                role: Role::Efi,
                bytes: EFI,
                holds_volume: false,
            });
            slice += 1;
        }
        bytes = bytes.saturating_sub(2 * HEAD);
        all.push(Entity {
            device: format!("{disk}s{slice}"),
            role: Role::Slice(file_system),
            bytes,
            holds_volume: !file_system.is_apfs(),
        });
        if let Some(container) = self.container {
            let device = format!("disk{container}");
            let volume = format!("{device}s1");
            all.push(Entity { device, role: Role::Container, bytes, holds_volume: false });
            all.push(Entity { device: volume, role: Role::Volume, bytes, holds_volume: true });
        }
        all
    }

    /// The device of its volume.
    pub fn volume_device(&self) -> Option<String> {
        self.entities().into_iter().find(|entity| entity.holds_volume).map(|entity| entity.device)
    }

    /// The physical store of its container.
    pub fn store_device(&self) -> Option<String> {
        self.entities()
            .into_iter()
            .find(|entity| matches!(entity.role, Role::Slice(_)))
            .map(|entity| entity.device)
    }
}

impl State {
    /// The attached image that this names: a device, with or without `/dev/`, or a mount point; and which of its
    /// devices.
    pub fn find(&self, what: &str) -> Option<(usize, Entity)> {
        let name = what.strip_prefix("/dev/").unwrap_or(what);
        let name = name.strip_prefix("rdisk").map_or(name.to_owned(), |rest| format!("disk{rest}"));
        // What is no whole path is the name of a volume (diskutil(8), DEVICES), which nobody here goes by.
        let place = Some(Path::new(what)).filter(|path| path.is_absolute());
        let place = place.and_then(|path| path.canonicalize().ok());
        for (index, attached) in self.attached.iter().enumerate() {
            let mounted = attached.mount_point.is_some() && attached.mount_point == place;
            for entity in attached.entities() {
                if entity.device == name || (mounted && entity.holds_volume) {
                    return Some((index, entity));
                }
            }
        }
        None
    }

    /// The attached image of this path.
    pub fn of_image(&self, image: &Path) -> Option<&Attached> {
        self.attached.iter().find(|attached| attached.image == image)
    }

    /// The attached image whose volume holds this path.
    pub fn holding(&self, path: &Path) -> Option<&Attached> {
        self.attached
            .iter()
            .find(|attached| attached.mount_point.as_ref().is_some_and(|at| path.starts_with(at)))
    }

    /// The lowest number that no disk has, as macOS gives them; beside these.
    pub fn free_number(&self, beside: &[u32]) -> u32 {
        (FIRST_DISK..)
            .find(|number| {
                let taken = |attached: &Attached| {
                    attached.disk == *number || attached.container == Some(*number)
                };
                !beside.contains(number) && !self.attached.iter().any(taken)
            })
            .unwrap_or(u32::MAX)
    }
}
