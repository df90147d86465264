//! Facts about a Linux machine, from files that anyone may read.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use system::facts;

use super::{clean, leading_version, linux_text as text};
use crate::record::{Cores, Os, Snapshot, Storage, Thermal, Tool};

/// Unit of `/sys/block/*/size` in bytes, independent of the device's block size.
const SECTOR: u64 = 512;

/// Layers of devices (encryption on RAID on partitions ...) to follow at most.
const DEEPEST: usize = 8;

pub(super) fn os() -> Os {
    let release =
        read("/etc/os-release").or_else(|| read("/usr/lib/os-release")).unwrap_or_default();
    let (name, version) = text::os_release(&release);
    let build = leading_version(&read("/proc/sys/kernel/osrelease").unwrap_or_default());
    Os { name, version, kernel: format!("Linux {build}"), build }
}

pub(super) fn model() -> Option<String> {
    read("/sys/class/dmi/id/product_name")
        .or_else(|| read("/proc/device-tree/model"))
        .map(|model| model.trim_end_matches('\0').to_owned())
}

pub(super) fn chip() -> Option<String> {
    let info = read("/proc/cpuinfo")?;
    ["model name", "Model", "Hardware", "cpu"]
        .iter()
        .find_map(|key| text::cpuinfo(&info, key))
        .map(str::to_owned)
}

pub(super) fn cores() -> Vec<Cores> {
    let count = |path: &str| read(path).map_or(0, |list| text::list_length(&list));
    // Hybrid processors have a folder for each kind.
    let performance = count("/sys/devices/cpu_core/cpus");
    let efficiency = count("/sys/devices/cpu_atom/cpus");
    let found = if performance > 0 {
        vec![("performance", performance), ("efficiency", efficiency)]
    } else {
        vec![("performance", count("/sys/devices/system/cpu/online"))]
    };
    found
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| Cores { kind: kind.to_owned(), count })
        .collect()
}

pub(super) fn memory_bytes() -> Option<u64> {
    facts::memory_bytes()
}

pub(super) fn virtual_machine() -> Option<bool> {
    let info = read("/proc/cpuinfo")?;
    match text::cpuinfo(&info, "flags") {
        Some(flags) => Some(flags.split(' ').any(|flag| flag == "hypervisor")),
        // Other architectures have no such flag.
        None => Path::new("/sys/hypervisor/type").exists().then_some(true),
    }
}

/// See random(4).
pub(super) fn boot() -> Option<String> {
    let name = read("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// Linux has emulators, but they cannot be detected.
pub(super) const fn is_translated() -> bool {
    false
}

pub(super) fn tools() -> Vec<Tool> {
    Vec::new()
}

pub(super) fn storage(folder: &Path) -> Storage {
    let Some((file_system, source)) = mount(folder) else { return Storage::default() };
    if matches!(file_system.as_str(), "tmpfs" | "ramfs") {
        let size_bytes = facts::space(folder).ok().map(|space| space.total_bytes);
        let bus = Some("memory".to_owned());
        return Storage { bus, size_bytes, file_system: Some(file_system), ..Storage::default() };
    }
    let mut storage = Storage { file_system: Some(file_system), ..Storage::default() };
    let Some(volume) = block_device(folder, &source) else { return storage };
    let (disk, encrypted) = physical(volume);
    let value = |name: &str| read(disk.join(name));
    storage.encryption = Some(if encrypted { "LUKS" } else { "none" }.to_owned());
    storage.device_model = value("device/model").and_then(|model| clean(&model));
    storage.bus = disk.to_str().and_then(text::bus).map(str::to_owned);
    storage.solid_state = value("queue/rotational").map(|flag| flag.trim() == "0");
    storage.size_bytes =
        value("size").and_then(|sectors| sectors.trim().parse::<u64>().ok()?.checked_mul(SECTOR));
    storage
}

/// File system and source of the mount of a path.
fn mount(path: &Path) -> Option<(String, String)> {
    let path = fs::canonicalize(path).ok()?;
    let info = read("/proc/self/mountinfo")?;
    let (kind, source) = text::mount(&info, path.to_str()?)?;
    Some((kind.to_owned(), source.to_owned()))
}

/// The block device of a folder in /sys: by number, or, for file systems with their own numbers (btrfs, overlays), by
/// the source of the mount.
fn block_device(folder: &Path, source: &str) -> Option<PathBuf> {
    let in_sys = |device: u64| {
        let (major, minor) = (libc::major(device), libc::minor(device));
        fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
    };
    let by_number = fs::metadata(folder).ok().and_then(|found| in_sys(found.dev()));
    by_number.or_else(|| fs::metadata(source).ok().and_then(|found| in_sys(found.rdev())))
}

/// The whole device below partitions and mapped devices, and whether something on the way encrypts.
fn physical(mut device: PathBuf) -> (PathBuf, bool) {
    let mut encrypted = false;
    for _ in 0..DEEPEST {
        if device.join("partition").exists() {
            device.pop();
        }
        // The identifier of a device mapper begins with the kind of mapping; only that word is read.
        encrypted |= read(device.join("dm/uuid")).is_some_and(|id| id.starts_with("CRYPT-"));
        let below = fs::read_dir(device.join("slaves"))
            .ok()
            .and_then(|mut entries| entries.next()?.ok())
            .and_then(|entry| fs::canonicalize(entry.path()).ok());
        match below {
            Some(below) => device = below,
            None => break,
        }
    }
    (device, encrypted)
}

/// The current state of the machine.
pub(super) fn conditions(folder: &Path) -> Snapshot {
    let profile = read("/sys/firmware/acpi/platform_profile");
    Snapshot {
        load_1min_milli: read("/proc/loadavg").and_then(|load| text::load_milli(&load)),
        power_source: text::power(&supplies()),
        low_power_mode: profile.map(|profile| profile.trim() == "low-power"),
        thermal_state: thermal(),
        free_bytes: facts::space(folder).ok().map(|space| space.free_bytes),
        memory_available_bytes: read("/proc/meminfo")
            .and_then(|info| text::meminfo(&info, "MemAvailable")),
        memory_pressure: read("/proc/pressure/memory")
            .and_then(|info| text::memory_pressure(&info)),
    }
}

fn supplies() -> Vec<(String, String, String)> {
    let value = |path: PathBuf| read(path).unwrap_or_default().trim().to_owned();
    entries("/sys/class/power_supply")
        .map(|supply| {
            (value(supply.join("type")), value(supply.join("online")), value(supply.join("status")))
        })
        .collect()
}

/// Hot when a zone has reached the temperature at which the kernel slows the machine down.
fn thermal() -> Thermal {
    let number = |path: PathBuf| read(path)?.trim().parse::<i64>().ok();
    let mut state = Thermal::Unknown;
    for zone in entries("/sys/class/thermal") {
        let Some(now) = number(zone.join("temp")) else { continue };
        if state == Thermal::Unknown {
            state = Thermal::Nominal;
        }
        let slowing = (0..16).any(|trip| {
            let kind = read(zone.join(format!("trip_point_{trip}_type"))).unwrap_or_default();
            let limit = number(zone.join(format!("trip_point_{trip}_temp"))).unwrap_or(i64::MAX);
            matches!(kind.trim(), "passive" | "hot" | "critical") && limit > 0 && now >= limit
        });
        if slowing {
            state = Thermal::Serious;
        }
    }
    state
}

fn entries(folder: &str) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
