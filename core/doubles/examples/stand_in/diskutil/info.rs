//! `diskutil info`.

use std::path::Path;

use plist::{Dictionary, Value};
use system::facts;

use crate::device::{Attached, Entity, Role};
use crate::mac::Disk;
use crate::said::{Outcome, Said};
use crate::volumes;
use crate::world::World;

/// Tells what a disk, slice, container or volume is. A failure is the key `Error`, with exit code 0 before macOS 26.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let what = arguments.iter().find(|argument| !argument.starts_with('-'));
    let mut what = what.map_or("/", String::as_str);
    if world.state.holding(Path::new(what)).is_some() && world.obeys("tells-other-volume")? {
        what = "disk3s5";
    }
    if world.state.holding(Path::new(what)).is_some() && world.obeys("tells-no-volume")? {
        what = "nothing";
    }
    if let Some(keys) = keys(world, what) {
        return Ok(Said::plist(&Value::Dictionary(keys))?);
    }
    let mut keys = Dictionary::new();
    keys.insert("Error".into(), true.into());
    keys.insert("ErrorMessage".into(), format!("Could not find disk: {what}").into());
    keys.insert("ExitCode".into(), 1_u64.into());
    let code = u8::from(world.release().major() >= 26);
    Ok(Said { code, ..Said::plist(&Value::Dictionary(keys))? })
}

/// The volume that a path lies on: its device and its mount point.
pub fn device_of(world: &World, path: &Path) -> (String, String) {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(attached) = world.state.holding(&path) {
        let device = attached.volume_device().unwrap_or_default();
        let at = attached.mount_point.as_ref().map(|at| at.to_string_lossy().into_owned());
        return (device, at.unwrap_or_default());
    }
    ("disk3s5".to_owned(), "/System/Volumes/Data".to_owned())
}

fn keys(world: &World, what: &str) -> Option<Dictionary> {
    if let Some((index, entity)) = world.state.find(what) {
        return Some(of_image(world, world.state.attached.get(index)?, &entity));
    }
    let mac = world.mac();
    let name = what.strip_prefix("/dev/").unwrap_or(what);
    let file_vault = world.state.setup.file_vault;
    Some(match name {
        "disk0" => whole(&mac.disk, "disk0"),
        "disk0s2" => store(&mac.disk, "disk0s2", "disk0"),
        "disk3" => container(&mac.disk, "disk3", "disk0s2"),
        "/" | "disk3s1" | "disk3s1s1" => volume(&mac.disk, "disk3s1s1", "disk0s2", "/", file_vault),
        "disk3s5" | "/System/Volumes/Data" => {
            volume(&mac.disk, "disk3s5", "disk0s2", "/System/Volumes/Data", file_vault)
        }
        _ => return None,
    })
}

fn device(disk: &Disk, name: &str, whole: &str) -> Dictionary {
    let mut keys = Dictionary::new();
    keys.insert("BusProtocol".into(), disk.bus.into());
    keys.insert("DeviceBlockSize".into(), 4096_u64.into());
    keys.insert("DeviceIdentifier".into(), name.into());
    keys.insert("DeviceNode".into(), format!("/dev/{name}").into());
    keys.insert("Ejectable".into(), (!disk.internal).into());
    keys.insert("IORegistryEntryName".into(), format!("{} Media", disk.model).into());
    keys.insert("Internal".into(), disk.internal.into());
    keys.insert("ParentWholeDisk".into(), whole.into());
    keys.insert("Removable".into(), false.into());
    keys.insert("SMARTStatus".into(), "Verified".into());
    keys.insert("Size".into(), disk.bytes.into());
    keys.insert("SolidState".into(), true.into());
    keys.insert("TotalSize".into(), disk.bytes.into());
    keys.insert("WholeDisk".into(), (name == whole).into());
    keys
}

fn whole(disk: &Disk, name: &str) -> Dictionary {
    let mut keys = device(disk, name, name);
    keys.insert("Content".into(), "GUID_partition_scheme".into());
    keys.insert("MediaName".into(), disk.model.into());
    keys.insert("VirtualOrPhysical".into(), "Physical".into());
    keys
}

fn store(disk: &Disk, name: &str, whole: &str) -> Dictionary {
    let mut keys = device(disk, name, whole);
    keys.insert("Content".into(), "Apple_APFS".into());
    keys.insert("MediaName".into(), "".into());
    keys
}

fn container(disk: &Disk, name: &str, on: &str) -> Dictionary {
    let mut keys = device(disk, name, name);
    keys.insert("APFSPhysicalStores".into(), stores(on));
    keys.insert("Content".into(), "EF57347C-0000-11AA-AA11-00306543ECAC".into());
    keys.insert("MediaName".into(), "AppleAPFSMedia".into());
    keys.insert("VirtualOrPhysical".into(), "Virtual".into());
    keys
}

fn stores(on: &str) -> Value {
    let mut one = Dictionary::new();
    one.insert("APFSPhysicalStore".into(), on.into());
    Value::Array(vec![Value::Dictionary(one)])
}

/// A volume of this Mac. What is free is what is free on the machine that plays it.
fn volume(disk: &Disk, name: &str, on: &str, at: &str, file_vault: bool) -> Dictionary {
    let container = name.get(..5).unwrap_or(name);
    let mut keys = device(disk, name, container);
    let free = facts::space(Path::new("/")).map_or(0, |space| space.free_bytes);
    keys.insert("APFSContainerFree".into(), free.into());
    keys.insert("APFSContainerReference".into(), container.into());
    keys.insert("APFSContainerSize".into(), disk.bytes.into());
    keys.insert("APFSPhysicalStores".into(), stores(on));
    keys.insert("Encryption".into(), true.into());
    keys.insert("FileVault".into(), file_vault.into());
    keys.insert("FilesystemName".into(), "APFS".into());
    keys.insert("FilesystemType".into(), "apfs".into());
    keys.insert("FilesystemUserVisibleName".into(), "APFS".into());
    keys.insert("FreeSpace".into(), 0_u64.into());
    keys.insert("GlobalPermissionsEnabled".into(), true.into());
    keys.insert("MediaName".into(), "".into());
    keys.insert("MountPoint".into(), at.into());
    // Of a volume, and of nothing below it, the registry has the name that its user gave it.
    let (volume_name, registry_name) = if name == "disk3s1s1" {
        ("Macintosh HD", "Macintosh HD")
    } else {
        ("Data", "Macintosh HD - Data")
    };
    keys.insert("IORegistryEntryName".into(), registry_name.into());
    keys.insert("VolumeName".into(), volume_name.into());
    keys.insert("VolumeUUID".into(), "7D9C0B10-5A0E-4A30-9E4B-57A0D1A90000".into());
    keys.insert("WritableVolume".into(), (at != "/").into());
    keys
}

/// A device of an attached image. `SolidState` may be missing on images, and is.
fn of_image(world: &World, attached: &Attached, entity: &Entity) -> Dictionary {
    let disk =
        Disk { model: "Disk Image", bus: "Disk Image", bytes: entity.bytes, internal: false };
    let container = attached.container.map(|number| format!("disk{number}"));
    let whole = match (entity.role, &container) {
        (Role::Container | Role::Volume, Some(container)) => container.clone(),
        _ => attached.disk_name(),
    };
    let mut keys = device(&disk, &entity.device, &whole);
    keys.remove("SolidState");
    // Of a volume it is the unit of its file system, which is not played.
    let sector_bytes =
        if world.is_ordered("tells-large-sectors").unwrap_or(false) { 4096 } else { 512_u64 };
    keys.insert("DeviceBlockSize".into(), sector_bytes.into());
    keys.insert("Removable".into(), true.into());
    keys.insert("SMARTStatus".into(), "Not Supported".into());
    keys.insert("VirtualOrPhysical".into(), "Virtual".into());
    keys.insert("WritableMedia".into(), true.into());
    let file_system = attached.file_system.filter(|_| entity.holds_volume);
    keys.insert("MediaName".into(), if file_system.is_some() { "" } else { disk.model }.into());
    if let (Some(container), Some(on), true) = (
        container.filter(|_| matches!(entity.role, Role::Container | Role::Volume)),
        attached.store_device().or_else(|| Some(attached.disk_name())),
        attached.container.is_some(),
    ) {
        keys.insert("APFSContainerFree".into(), free_bytes(world, attached, entity.bytes).into());
        keys.insert("APFSContainerReference".into(), container.into());
        keys.insert("APFSContainerSize".into(), entity.bytes.into());
        keys.insert("APFSPhysicalStores".into(), stores(&on));
    }
    let Some(file_system) = file_system else { return keys };
    let free = free_bytes(world, attached, entity.bytes);
    keys.insert("FilesystemName".into(), file_system.name().into());
    keys.insert("FilesystemType".into(), file_system.kind().into());
    keys.insert("FilesystemUserVisibleName".into(), file_system.name().into());
    keys.insert("FileVault".into(), false.into());
    keys.insert("Encryption".into(), false.into());
    keys.insert("FreeSpace".into(), if file_system.is_apfs() { 0 } else { free }.into());
    keys.insert("GlobalPermissionsEnabled".into(), false.into());
    let at = attached.mount_point.as_ref().map(|at| at.to_string_lossy().into_owned());
    keys.insert("MountPoint".into(), at.unwrap_or_default().into());
    keys.insert("IORegistryEntryName".into(), attached.volume_name.clone().into());
    keys.insert("VolumeName".into(), attached.volume_name.clone().into());
    keys.insert("WritableVolume".into(), true.into());
    keys
}

/// What its content leaves free.
fn free_bytes(world: &World, attached: &Attached, bytes: u64) -> u64 {
    let Some(volume) = &attached.volume else { return bytes };
    let home = volumes::home(&world.folder, volume);
    let content = volumes::content_bytes(attached.mount_point.as_deref().unwrap_or(&home));
    bytes.saturating_sub(content.unwrap_or_default())
}
