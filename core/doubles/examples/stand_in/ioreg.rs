//! `ioreg -r -c CLASS -l -w0 -a`: which image is which device.

use std::os::unix::ffi::OsStrExt;

use plist::{Dictionary, Value};

use crate::device::{Attached, Entity, Role};
use crate::said::{Outcome, Said};
use crate::world::World;

/// The class of every image that the engine of today serves, and that of the older one with what it is derived from.
const TODAY: &str = "AppleDiskImageDevice";
const OLDER: [&str; 2] = ["IOHDIXHDDrive", "IOHDIXHDDriveOutKernel"];

/// Tells which images are served by drivers of a class. Without any, nothing is printed.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    world.heed("ioreg", "ioreg")?;
    let class = arguments.iter().skip_while(|argument| *argument != "-c").nth(1);
    let class = class.map_or("", String::as_str);
    let is_shown = |one: &&Attached| {
        if one.by_older_engine { OLDER.contains(&class) } else { class == TODAY }
    };
    let devices: Vec<Value> = world.state.attached.iter().filter(is_shown).map(device).collect();
    world.state.attached.retain(|one| !(one.going && is_shown(&one)));
    if devices.is_empty() || world.is_ordered("registry-empty")? {
        return Ok(Said::text(""));
    }
    Ok(Said::plist(&Value::Array(devices))?)
}

/// The image's place as an address: bytes that may not stand in one are escaped.
fn url(attached: &Attached) -> String {
    let mut url = "file://".to_owned();
    for byte in attached.image.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(byte) {
            url.push(char::from(*byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    if attached.format.is_bundle() {
        url.push('/');
    }
    url
}

fn node(class: &str, name: &str, children: Vec<Value>) -> Dictionary {
    let mut keys = Dictionary::new();
    keys.insert("IOObjectClass".into(), class.into());
    keys.insert("IORegistryEntryName".into(), name.into());
    if !children.is_empty() {
        keys.insert("IORegistryEntryChildren".into(), Value::Array(children));
    }
    keys
}

fn device(attached: &Attached) -> Value {
    let above = |class: &str, below: Value| node(class, class, vec![below]);
    let driver = Value::Dictionary(above("IOBlockStorageDriver", media_tree(attached)));
    let mut keys;
    if attached.by_older_engine {
        let nub = Value::Dictionary(above("IODiskImageBlockStorageDeviceOutKernel", driver));
        keys = above("IOHDIXHDDriveOutKernel", nub);
        let path = attached.image.as_os_str().as_bytes().to_vec();
        keys.insert("image-path".into(), Value::Data(path));
    } else {
        keys = above(TODAY, driver);
        keys.insert("DiskImageURL".into(), url(attached).into());
        keys.insert("autodiskmount".into(), attached.mount_point.is_some().into());
        keys.insert("image-encrypted".into(), attached.encrypted.into());
    }
    Value::Dictionary(keys)
}

/// The image's disk, below it its slices, below the physical store its container and volume.
fn media_tree(attached: &Attached) -> Value {
    let entities = attached.entities();
    let is_synthesised = |entity: &&Entity| matches!(entity.role, Role::Container | Role::Volume);
    let mut above = entities.iter().filter(is_synthesised);
    let container = above.next().map(|container| {
        let volumes = above
            .map(|volume| Value::Dictionary(media("AppleAPFSVolume", volume, Vec::new())))
            .collect();
        let inner = node("AppleAPFSContainer", "AppleAPFSContainer", volumes);
        let disk = media("AppleAPFSMedia", container, vec![Value::Dictionary(inner)]);
        let scheme = vec![Value::Dictionary(disk)];
        Value::Dictionary(node("AppleAPFSContainerScheme", "AppleAPFSContainerScheme", scheme))
    });
    let mut slices = Vec::new();
    for entity in entities.iter().filter(|entity| matches!(entity.role, Role::Efi | Role::Slice(_)))
    {
        let holds = matches!(entity.role, Role::Slice(_));
        let below = container.clone().filter(|_| holds).into_iter().collect();
        slices.push(Value::Dictionary(media("IOMedia", entity, below)));
    }
    let below = if slices.is_empty() {
        Vec::new()
    } else {
        vec![Value::Dictionary(node("IOGUIDPartitionScheme", "IOGUIDPartitionScheme", slices))]
    };
    let Some(disk) = entities.first() else { return Value::Array(Vec::new()) };
    Value::Dictionary(media("IOMedia", disk, below))
}

fn media(class: &str, entity: &Entity, children: Vec<Value>) -> Dictionary {
    let mut keys = node(class, "Disk Image Media", children);
    keys.insert("BSD Name".into(), entity.device.clone().into());
    keys.insert("Content".into(), content(entity.role).into());
    keys.insert("Size".into(), entity.bytes.into());
    let whole = matches!(entity.role, Role::Disk | Role::BareDisk | Role::Container);
    keys.insert("Whole".into(), whole.into());
    keys
}

const fn content(role: Role) -> &'static str {
    match role {
        Role::Disk => "GUID_partition_scheme",
        Role::BareDisk => "",
        Role::Efi => "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
        Role::Slice(file_system) if file_system.is_apfs() => "7C3457EF-0000-11AA-AA11-00306543ECAC",
        Role::Slice(_) => "48465300-0000-11AA-AA11-00306543ECAC",
        Role::Container => "EF57347C-0000-11AA-AA11-00306543ECAC",
        Role::Volume => "41504653-0000-11AA-AA11-00306543ECAC",
    }
}
