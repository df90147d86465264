//! `diskutil apfs list -plist`: the containers of attached images.

use plist::{Dictionary, Value};

use crate::device::{Attached, Role};
use crate::said::{Outcome, Said};
use crate::volumes;
use crate::world::World;

/// Lists containers: all of them, or the one that is named.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    if arguments.first().map(String::as_str) != Some("list") {
        return Ok(Said::refused(1, "diskutil apfs: only list is played by the stand-in"));
    }
    if !arguments.iter().any(|argument| argument.trim_start_matches('-') == "plist") {
        return Ok(Said::refused(1, "diskutil apfs list: only -plist is played by the stand-in"));
    }
    let asked = arguments.iter().skip(1).find(|argument| !argument.starts_with('-'));
    let asked = asked.map(|name| name.strip_prefix("/dev/").unwrap_or(name));
    let shown = world.state.attached.iter().filter(|attached| {
        let reference = attached.container.map(|number| format!("disk{number}"));
        reference.is_some_and(|name| asked.is_none_or(|asked| asked == name))
    });
    let containers: Vec<Value> = shown.filter_map(|attached| container(world, attached)).collect();
    let mut root = Dictionary::new();
    root.insert("Containers".into(), Value::Array(containers));
    Ok(Said::plist(&Value::Dictionary(root))?)
}

fn container(world: &World, attached: &Attached) -> Option<Value> {
    let entities = attached.entities();
    let bytes = entities.iter().find(|entity| entity.role == Role::Container)?.bytes;
    let home = volumes::home(&world.folder, attached.volume.as_ref()?);
    let content = volumes::content_bytes(attached.mount_point.as_deref().unwrap_or(&home)).ok()?;
    let on = attached.store_device().unwrap_or_else(|| attached.disk_name());
    let mut store = Dictionary::new();
    store.insert("DeviceIdentifier".into(), on.clone().into());
    store.insert("Size".into(), bytes.into());
    let mut volume = Dictionary::new();
    volume.insert("CapacityInUse".into(), content.into());
    volume.insert("CapacityQuota".into(), 0_u64.into());
    volume.insert("CapacityReserve".into(), 0_u64.into());
    volume.insert("CryptoMigrationOn".into(), false.into());
    volume.insert("DeviceIdentifier".into(), attached.volume_device()?.into());
    volume.insert("Encryption".into(), false.into());
    volume.insert("FileVault".into(), false.into());
    volume.insert("Locked".into(), false.into());
    volume.insert("Name".into(), attached.volume_name.clone().into());
    volume.insert("Roles".into(), Value::Array(Vec::new()));
    let mut keys = Dictionary::new();
    keys.insert("CapacityCeiling".into(), bytes.into());
    keys.insert("CapacityFree".into(), bytes.saturating_sub(content).into());
    keys.insert("ContainerReference".into(), format!("disk{}", attached.container?).into());
    keys.insert("DesignatedPhysicalStore".into(), on.into());
    keys.insert("Fusion".into(), false.into());
    keys.insert("PhysicalStores".into(), Value::Array(vec![Value::Dictionary(store)]));
    keys.insert("Volumes".into(), Value::Array(vec![Value::Dictionary(volume)]));
    Some(Value::Dictionary(keys))
}
