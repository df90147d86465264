//! Facts about a Mac, from programs that every macOS has and that need no rights.

use std::path::Path;

use system::facts;

use super::{leading_version, macos_text as text};
use crate::program::{fact, fact_text, state_text, tools};
use crate::record::{Cores, Os, Pressure, Snapshot, Storage, Tool};

/// Queried again without an answer: a cell must be measured on the release that it was planned for.
pub(super) fn os() -> Os {
    let version =
        |flag: &str| fact_text("sw_vers", &[flag]).unwrap_or_else(|| super::UNKNOWN.to_owned());
    let kernel = leading_version(&sysctl("kern.osrelease").unwrap_or_default());
    Os {
        name: "macos".into(),
        version: version("-productVersion"),
        build: version("-buildVersion"),
        kernel: format!("Darwin {kernel}"),
    }
}

pub(super) fn model() -> Option<String> {
    sysctl("hw.model")
}

pub(super) fn chip() -> Option<String> {
    sysctl("machdep.cpu.brand_string")
}

pub(super) fn cores() -> Vec<Cores> {
    let levels = number("hw.nperflevels").unwrap_or_default();
    let mut cores: Vec<Cores> = (0..levels)
        .filter_map(|level| {
            let kind = sysctl(&format!("hw.perflevel{level}.name"))?.to_lowercase();
            let count = number(&format!("hw.perflevel{level}.physicalcpu"))?;
            Some(Cores { kind, count })
        })
        .collect();
    if cores.is_empty() {
        // Intel: one kind.
        cores.extend(
            number("hw.physicalcpu").map(|count| Cores { kind: "performance".into(), count }),
        );
    }
    cores
}

pub(super) fn memory_bytes() -> Option<u64> {
    number("hw.memsize")
}

/// Whether this is a guest; a system without this key is not, unless it has the model of Apple's guests.
pub(super) fn virtual_machine() -> Option<bool> {
    let says = number("kern.hv_vmm_present").map(|present| present == 1);
    says.or_else(|| model().map(|model| model.starts_with("VirtualMac")))
}

/// The boot by its UUID, since `kern.boottime` changes when the clock is set.
pub(super) fn boot() -> Option<String> {
    fact_text("sysctl", &["-n", "kern.bootsessionuuid"])
}

/// Whether Rosetta translates this process; systems without it lack the key.
pub(super) fn is_translated() -> bool {
    number("sysctl.proc_translated") == Some(1)
}

pub(super) fn tools() -> Vec<Tool> {
    fact("hdiutil", &["info", "-plist"])
        .and_then(|answer| text::framework_version(&answer))
        .map(|version| Tool { name: "hdiutil".into(), version })
        .into_iter()
        .collect()
}

/// From the volume through its physical store to the whole disk, which has model, bus and size. The same for an
/// external drive, and for a partition without APFS, which is its own store.
pub(super) fn storage(folder: &Path) -> Storage {
    let Some(mount) = mount_of(folder) else { return Storage::default() };
    let Some(volume) = info(&mount) else { return Storage::default() };
    let encryption = volume.storage.encryption.clone().or_else(|| file_vault(&mount));
    let file_system = volume.storage.file_system.clone();
    Storage { file_system, encryption, ..whole_disk(volume, info).storage }
}

/// Layers between a volume and its disk to follow at most: a snapshot, its container, a store, a disk, and one to
/// spare.
const DEEPEST: usize = 5;

/// Follows the devices below in answers, to the lowest. If one of them has no answer, nothing is known of the disk: the size
/// of a partition would look like that of another disk.
fn whole_disk(
    volume: text::DiskInfo,
    info: impl Fn(&str) -> Option<text::DiskInfo>,
) -> text::DiskInfo {
    let mut now = volume;
    let mut asked = Vec::new();
    for _ in 0..DEEPEST {
        let Some(next) = now.physical_store.clone().or_else(|| now.whole_disk.clone()) else {
            break;
        };
        // A whole disk names itself.
        if asked.contains(&next) {
            break;
        }
        let Some(below) = info(&next) else { return text::DiskInfo::default() };
        asked.push(next);
        now = below;
    }
    now
}

/// Whether FileVault is on, for the volumes that this system runs from.
fn file_vault(mount: &str) -> Option<String> {
    ["/", "/System/Volumes/Data"]
        .contains(&mount)
        .then(|| fact_text("fdesetup", &["status"]))
        .flatten()
        .and_then(|answer| text::file_vault(&answer))
        .map(str::to_owned)
}

fn info(what: &str) -> Option<text::DiskInfo> {
    text::disk_info(&fact("diskutil", &["info", "-plist", what])?)
}

/// Whether one is listed for a folder's volume, such as `com.apple.TimeMachine.2026-07-26-151656.local`.
pub(super) fn has_snapshots(folder: &Path) -> bool {
    let listed = mount_of(folder)
        .and_then(|mount| fact_text("tmutil", &["listlocalsnapshots", &mount]))
        .unwrap_or_default();
    listed.lines().any(|line| line.starts_with("com.apple.TimeMachine."))
}

/// The mount point of a folder, from `df`: diskutil takes no other folder. The last column may hold spaces.
fn mount_of(folder: &Path) -> Option<String> {
    let answer = fact_text("df", &["-P", folder.to_str()?])?;
    let line = answer.lines().nth(1)?;
    let start = line.find("% ")?;
    line.get(start + 1..).map(|mount| mount.trim().to_owned())
}

/// What goes on on the machine now.
pub(super) fn conditions(folder: &Path) -> Snapshot {
    let pmset = |what: &[&str]| state_text("pmset", what).unwrap_or_default();
    let kernel = |name: &str| state_text("sysctl", &["-n", name]);
    let own = if tools::stand_in().is_some() { None } else { facts::thermal_level() };
    let thermal_state =
        own.map_or_else(|| text::thermal(&pmset(&["-g", "therm"])), text::thermal_level);
    Snapshot {
        load_1min_milli: kernel("vm.loadavg").and_then(|load| text::load_milli(&load)),
        power_source: text::power(&pmset(&["-g", "batt"])),
        low_power_mode: text::low_power_mode(&pmset(&["-g"])),
        thermal_state,
        free_bytes: facts::space(folder).ok().map(|space| space.free_bytes),
        memory_available_bytes: state_text("vm_stat", &[])
            .and_then(|answer| text::available_bytes(&answer)),
        memory_pressure: kernel("kern.memorystatus_vm_pressure_level")
            .and_then(|level| level.parse().ok())
            .map(|level: u64| match level {
                0..=1 => Pressure::Normal,
                2..=3 => Pressure::Warning,
                _ => Pressure::Critical,
            }),
    }
}

fn sysctl(name: &str) -> Option<String> {
    fact_text("sysctl", &["-n", name])
}

fn number(name: &str) -> Option<u64> {
    sysctl(name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::text::DiskInfo;
    use super::whole_disk;
    use crate::record::Storage;

    fn answer(model: Option<&str>, store: Option<&str>, whole: Option<&str>) -> DiskInfo {
        DiskInfo {
            storage: Storage { device_model: model.map(str::to_owned), ..Storage::default() },
            physical_store: store.map(str::to_owned),
            whole_disk: whole.map(str::to_owned),
        }
    }

    /// The devices of a Mac with an external drive, in the format of `diskutil info`.
    fn mac(device: &str) -> Option<DiskInfo> {
        Some(match device {
            // The sealed snapshot that the system runs from names its container only.
            "/" => answer(None, None, Some("disk3")),
            "disk3" | "/System/Volumes/Data" => answer(None, Some("disk0s2"), Some("disk3")),
            "disk0s2" | "disk0" => answer(Some("APPLE SSD AP1024Z"), None, Some("disk0")),
            "/Volumes/Fast" => answer(None, Some("disk8s2"), Some("disk9")),
            "disk8s2" => answer(None, None, Some("disk8")),
            "disk8" => answer(Some("Samsung SSD 980 PRO 2TB"), None, Some("disk8")),
            "/Volumes/EXFAT" => answer(None, None, Some("disk8")),
            "loop" => answer(None, Some("loop"), None),
            _ => return None,
        })
    }

    #[test]
    fn every_volume_leads_to_the_disk_that_it_lies_on() {
        let model = |mount: &str| whole_disk(mac(mount).unwrap(), mac).storage.device_model;
        for mount in ["/", "/System/Volumes/Data"] {
            assert_eq!(model(mount).as_deref(), Some("APPLE SSD AP1024Z"), "{mount}");
        }
        for mount in ["/Volumes/Fast", "/Volumes/EXFAT"] {
            assert_eq!(model(mount).as_deref(), Some("Samsung SSD 980 PRO 2TB"), "{mount}");
        }
        assert_eq!(model("loop"), None);
    }

    #[test]
    fn the_size_of_a_partition_is_not_taken_for_that_of_a_disk_without_an_answer() {
        let mut partition = answer(None, None, Some("gone"));
        partition.storage.size_bytes = Some(994_662_584_320);
        assert_eq!(whole_disk(partition, mac).storage, Storage::default());
    }
}
