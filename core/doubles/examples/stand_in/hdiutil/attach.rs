//! `hdiutil attach`.

use plist::{Dictionary, Value};

use super::sort;
use crate::arguments::{Given, Known};
use crate::device::{Attached, Entity, Role};
use crate::label::FileSystem;
use crate::passphrase;
use crate::said::{Outcome, Reason, Said};
use crate::serve::{self, Mount, Wanted};
use crate::world::World;

const KNOWN: Known = Known {
    flags: &["plist", "nobrowse", "noverify", "noautofsck", "noautoopen", "nomount", "stdinpass"],
    valued: &["mountpoint", "owners"],
};

/// Attaches an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("attach", arguments, &KNOWN)?;
    let Some(image) = given.first() else { return Err(Reason::Invalid.into()) };
    let (passphrase, kept) = read_passphrase(&given)?;
    let mount = if given.has("nomount") {
        Mount::Not
    } else {
        given.value("mountpoint").map_or(Mount::Anywhere, |at| Mount::At(at.into()))
    };
    let wanted = Wanted {
        image: image.into(),
        mount,
        must_mount: true,
        makes_mount_point: false,
        passphrase,
        kept,
        by_diskutil: false,
        foreign: false,
    };
    let attached = serve::attach(world, &wanted)?;
    let attached = serve::told(world, &attached)?;
    let shuffled = world.obeys("shuffle-entities")?;
    let mut root = Dictionary::new();
    root.insert("system-entities".into(), Value::Array(entities(&attached, true, shuffled)));
    Ok(Said::plist(&Value::Dictionary(root))?)
}

/// What `-stdinpass` gives; nothing without it, or when nothing comes.
pub fn read_passphrase(
    given: &Given,
) -> Outcome<(Option<diskimage::crypt::Passphrase>, Option<String>)> {
    Ok(if given.has("stdinpass") { passphrase::of_hdiutil()? } else { None }.unzip())
}

/// The entities as `attach -plist` has them, or shorter, as `info -plist` does. Their order is not guaranteed, and the
/// first may lack its hint.
pub fn entities(attached: &Attached, long: bool, shuffled: bool) -> Vec<Value> {
    let mut all: Vec<Dictionary> =
        attached.entities().iter().map(|entity| one(attached, entity, long)).collect();
    if shuffled {
        all.reverse();
        if let Some(first) = all.first_mut() {
            first.remove("content-hint");
        }
    }
    all.into_iter().map(Value::Dictionary).collect()
}

fn one(attached: &Attached, entity: &Entity, long: bool) -> Dictionary {
    let (mapped, raw) = hints(entity.role);
    let mut keys = Dictionary::new();
    keys.insert("content-hint".into(), if long { mapped } else { raw }.into());
    keys.insert("dev-entry".into(), format!("/dev/{}", entity.device).into());
    let at = attached.mount_point.as_ref().filter(|_| entity.holds_volume);
    if let Some(at) = at {
        keys.insert("mount-point".into(), at.to_string_lossy().into_owned().into());
    }
    if long {
        let mountable = matches!(entity.role, Role::Volume | Role::Slice(_));
        keys.insert("potentially-mountable".into(), mountable.into());
        keys.insert("unmapped-content-hint".into(), raw.into());
        if let (Some(file_system), true) = (attached.file_system, entity.holds_volume) {
            keys.insert("volume-kind".into(), file_system.kind().into());
        }
    }
    keys
}

/// The content hint of a device: as it is mapped, and as it stands in the partition table.
const fn hints(role: Role) -> (&'static str, &'static str) {
    const EFI: &str = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";
    const HFS: &str = "48465300-0000-11AA-AA11-00306543ECAC";
    const CONTAINER: &str = "EF57347C-0000-11AA-AA11-00306543ECAC";
    const VOLUME: &str = "41504653-0000-11AA-AA11-00306543ECAC";
    match role {
        Role::Disk => ("GUID_partition_scheme", "GUID_partition_scheme"),
        Role::BareDisk => ("", ""),
        Role::Efi => (EFI, EFI),
        Role::Slice(FileSystem::Apfs) => ("Apple_APFS", "7C3457EF-0000-11AA-AA11-00306543ECAC"),
        Role::Slice(FileSystem::Hfs) => ("Apple_HFS", HFS),
        Role::Container => (CONTAINER, CONTAINER),
        Role::Volume => (VOLUME, VOLUME),
    }
}

/// What a warning of macOS 27 calls this call, and what it names instead.
pub fn named(arguments: &[String]) -> (String, String) {
    const FLAGS: [(&str, &str); 2] =
        [("-nobrowse", "--mountOptions nobrowse"), ("-nomount", "--noMount")];
    let given = FLAGS.iter().filter(|(old, _)| arguments.iter().any(|argument| argument == old));
    let (mut old, mut new) = ("attach".to_owned(), "diskutil image attach".to_owned());
    for (flag, instead) in given {
        old = format!("{old} {flag}");
        new = format!("{new} {instead}");
    }
    (format!("{old} ..."), format!("{new} ..."))
}
