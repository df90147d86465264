//! The machine of a record, and what went on on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::LONGEST_LIST;
use crate::units;

/// A machine. No serial number, no name of a user or machine, no path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The operating system.
    pub os: Os,
    /// Model, such as `Mac16,6`.
    pub model: Option<String>,
    /// Chip, such as `Apple M4 Pro`.
    pub chip: Option<String>,
    /// Architecture, such as `aarch64`.
    pub architecture: String,
    /// Cores by kind, the fastest first.
    #[schemars(length(max = LONGEST_LIST))]
    pub cores: Vec<Cores>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Page of memory in bytes.
    pub page_bytes: u64,
    /// Whether it is a virtual machine.
    pub virtual_machine: Option<bool>,
    /// The device that is measured.
    pub storage: Storage,
    /// The tools that serve images, with their versions.
    #[schemars(length(max = LONGEST_LIST))]
    pub tools: Vec<Tool>,
    /// Whether all of this is what programs say that stand in for those of macOS: a test, no measurement of a Mac. Only
    /// there when it is so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stand_in: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// An operating system. Name, version and build, joined by `-`, are a cell's `release`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Os {
    /// Name in lower case, such as `macos` or `debian`.
    pub name: String,
    /// Version, such as `26.4`.
    pub version: String,
    /// Build of macOS; elsewhere the kernel's version, digits and dots only.
    pub build: String,
    /// Kernel with its version.
    pub kernel: String,
}

impl Os {
    /// The release as in a cell and in paths.
    pub(crate) fn release(&self) -> String {
        format!("{}-{}-{}", self.name, self.version, self.build)
    }
}

/// Cores of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cores {
    /// `performance`, `efficiency` or what the system calls them, in lower case.
    pub kind: String,
    /// How many.
    pub count: u64,
}

/// The device that is measured, and the file system on it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Model of the device.
    pub device_model: Option<String>,
    /// How it is connected, such as `Apple Fabric`, `USB`, `nvme`, `virtio`.
    pub bus: Option<String>,
    /// Whether it is a solid-state drive.
    pub solid_state: Option<bool>,
    /// Size of the whole device in bytes.
    pub size_bytes: Option<u64>,
    /// File system, such as `apfs` or `ext4`.
    pub file_system: Option<String>,
    /// What encrypts it: `none`, `FileVault`, `LUKS`.
    pub encryption: Option<String>,
    /// Description in the study's settings, such as its case and cable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Storage {
    /// How another disk, or another file system on it, differs from this one, as far as both are known. Encryption may be
    /// turned on and off, and the description is free.
    pub(crate) fn other(&self, here: &Self) -> Vec<String> {
        let size = |storage: &Self| storage.size_bytes.map(units::gigabytes);
        [
            ("model", self.device_model.clone(), here.device_model.clone()),
            ("connection", self.bus.clone(), here.bus.clone()),
            ("size", size(self), size(here)),
            ("file system", self.file_system.clone(), here.file_system.clone()),
        ]
        .into_iter()
        .filter_map(|(what, before, now)| {
            let (before, now) = before.zip(now).filter(|(before, now)| before != now)?;
            Some(format!("{what} {before}, here {now}"))
        })
        .collect()
    }
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Effective noise suppression. Null: not tried here, or not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quiet {
    /// Whether the machine was kept from sleeping while idle.
    pub sleep_prevented: Option<bool>,
    /// Quality of service of the thread that measures, such as `user-initiated`.
    pub qos_class: Option<String>,
    /// I/O policy of the process, such as `important`.
    pub io_policy: Option<String>,
    /// Whether Spotlight indexing was turned off for the image's volume.
    pub indexing_off: Option<bool>,
    /// Whether the log of file system changes (`fseventsd`) was turned off for the image's volume when it was mounted;
    /// not known in the first mount of an image.
    pub event_log_off: Option<bool>,
    /// Whether the image, or the folder of native files, was excluded from Time Machine backups.
    pub backup_off: Option<bool>,
}

/// Load, power, heat, memory and free space at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Before the first step.
    pub before: Snapshot,
    /// After the last step.
    pub after: Snapshot,
}

/// What went on at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Load of the last minute, in thousandths.
    pub load_1min_milli: Option<u64>,
    /// Where the power comes from.
    pub power_source: Power,
    /// Whether the machine saves energy.
    pub low_power_mode: Option<bool>,
    /// How hot it is.
    pub thermal_state: Thermal,
    /// Free space where files are written, in bytes.
    pub free_bytes: Option<u64>,
    /// Memory that programs could still get, in bytes.
    pub memory_available_bytes: Option<u64>,
    /// How hard memory is to get.
    pub memory_pressure: Option<Pressure>,
}

/// Where the power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Power {
    /// The mains.
    Ac,
    /// A battery.
    Battery,
    /// Not known.
    Unknown,
}

/// Thermal state, in the words of macOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Thermal {
    /// Within limits.
    Nominal,
    /// Slightly raised.
    Fair,
    /// High: the machine slows down.
    Serious,
    /// Too high.
    Critical,
    /// Not known.
    Unknown,
}

/// Memory pressure, in the words of macOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pressure {
    /// Not hard.
    Normal,
    /// Programs wait for it now and then.
    Warning,
    /// Programs wait for it.
    Critical,
}

#[cfg(test)]
mod tests {
    use super::Storage;

    #[test]
    fn another_disk_has_another_model_connection_size_or_file_system() {
        let disk = Storage {
            device_model: Some("Samsung SSD 980 PRO 2TB".into()),
            bus: Some("PCI-Express".into()),
            solid_state: Some(true),
            size_bytes: Some(2_000_398_934_016),
            file_system: Some("apfs".into()),
            encryption: Some("none".into()),
            description: Some("in a case".into()),
        };
        let (encryption, description) = (Some("FileVault".into()), None);
        let same = Storage { encryption, description, ..disk.clone() };
        assert!(disk.other(&same).is_empty());
        // what is not known is not another
        assert!(disk.other(&Storage::default()).is_empty());
        assert!(Storage::default().other(&disk).is_empty());
        let usb = Storage { bus: Some("USB".into()), ..same.clone() };
        assert_eq!(disk.other(&usb), ["connection PCI-Express, here USB"]);
        let other = Storage {
            device_model: Some("CT1000P3SSD8".into()),
            size_bytes: Some(1_000_204_886_016),
            file_system: Some("exfat".into()),
            ..same
        };
        assert_eq!(
            disk.other(&other),
            [
                "model Samsung SSD 980 PRO 2TB, here CT1000P3SSD8",
                "size 2000.40 GB, here 1000.20 GB",
                "file system apfs, here exfat"
            ]
        );
    }
}
