//! Facts about a Mac, from programs that every macOS has and that need no rights.

use std::path::Path;

use super::boot::{self, Boot};
use super::{leading_version, macos_text as text};
use crate::platform::facts;
use crate::program::{fact, fact_text, tools};
use crate::record::{Cores, Os, Pressure, Snapshot, Storage, Tool};

pub fn os() -> Os {
    let version = |flag: &str| fact_text("sw_vers", &[flag]).unwrap_or_else(|| "unknown".into());
    let kernel = leading_version(&sysctl("kern.osrelease").unwrap_or_default());
    Os {
        name: "macos".into(),
        version: version("-productVersion"),
        build: version("-buildVersion"),
        kernel: format!("Darwin {kernel}"),
    }
}

pub fn model() -> Option<String> {
    sysctl("hw.model")
}

pub fn chip() -> Option<String> {
    sysctl("machdep.cpu.brand_string")
}

pub fn cores() -> Vec<Cores> {
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

pub fn memory_bytes() -> Option<u64> {
    number("hw.memsize")
}

pub fn virtual_machine() -> Option<bool> {
    number("kern.hv_vmm_present").map(|present| present == 1)
}

/// By its name; `kern.boottime` alone moves when the clock is set.
pub fn boot() -> Option<Boot> {
    let name = sysctl("kern.bootsessionuuid").map(Boot::Session);
    name.or_else(|| boot::since(&sysctl("kern.boottime")?))
}

/// Rosetta; systems without it do not know the key.
pub fn is_translated() -> bool {
    number("sysctl.proc_translated") == Some(1)
}

pub fn tools() -> Vec<Tool> {
    fact("hdiutil", &["info", "-plist"])
        .and_then(|answer| text::framework_version(&answer))
        .map(|version| Tool { name: "hdiutil".into(), version })
        .into_iter()
        .collect()
}

pub fn file_system(path: &Path) -> Option<String> {
    info(mount_of(path)?.as_str())?.storage.file_system
}

/// From the volume through its physical store to the whole disk, which knows model, bus and size.
pub fn storage(folder: &Path) -> Storage {
    let Some(volume) = mount_of(folder).and_then(|mount| info(&mount)) else {
        return Storage::default();
    };
    let partition = volume.physical_store.as_deref().and_then(info);
    let whole = partition.as_ref().unwrap_or(&volume).whole_disk.as_deref().and_then(info);
    let Some(disk) = whole else { return volume.storage };
    Storage {
        file_system: volume.storage.file_system,
        encryption: volume.storage.encryption,
        ..disk.storage
    }
}

fn info(what: &str) -> Option<text::DiskInfo> {
    text::disk_info(&fact("diskutil", &["info", "-plist", what])?)
}

/// The mount point of a folder, from `df`: diskutil takes no other folder. The last column may hold spaces.
fn mount_of(folder: &Path) -> Option<String> {
    let answer = fact_text("df", &["-P", folder.to_str()?])?;
    let line = answer.lines().nth(1)?;
    let start = line.find("% ")?;
    line.get(start + 1..).map(|mount| mount.trim().to_owned())
}

/// What goes on on the machine now.
pub fn conditions(folder: &Path) -> Snapshot {
    let pmset = |what: &[&str]| fact_text("pmset", what).unwrap_or_default();
    let own = if tools::stand_in().is_some() { None } else { facts::thermal_level() };
    let thermal_state =
        own.map_or_else(|| text::thermal(&pmset(&["-g", "therm"])), text::thermal_level);
    Snapshot {
        load_1min_milli: sysctl("vm.loadavg").and_then(|load| text::load_milli(&load)),
        power_source: text::power(&pmset(&["-g", "batt"])),
        low_power_mode: text::low_power_mode(&pmset(&["-g"])),
        thermal_state,
        free_bytes: facts::space(folder).ok().map(|space| space.free_bytes),
        memory_available_bytes: fact_text("vm_stat", &[])
            .and_then(|answer| text::available_bytes(&answer)),
        memory_pressure: number("kern.memorystatus_vm_pressure_level").map(|level| match level {
            0..=1 => Pressure::Normal,
            2..=3 => Pressure::Warning,
            _ => Pressure::Critical,
        }),
    }
}

fn sysctl(name: &str) -> Option<String> {
    fact_text("sysctl", &["-n", name]).filter(|text| !text.is_empty())
}

fn number(name: &str) -> Option<u64> {
    sysctl(name)?.parse().ok()
}
