//! `hdiutil attach`.

use std::path::PathBuf;

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
    flags: &[
        "plist",
        "nobrowse",
        "noverify",
        "verify",
        "noautofsck",
        "autofsck",
        "noautoopen",
        "autoopen",
        "nomount",
        "readonly",
        "readwrite",
        "stdinpass",
        "quiet",
        "noidme",
        "puppetstrings",
        "kernel",
        "notremovable",
    ],
    valued: &["mount", "mountpoint", "mountroot", "mountrandom", "owners", "imagekey", "section"],
};

/// Attaches an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("attach", arguments, &KNOWN)?;
    let Some(image) = given.first() else { return Err(Reason::Invalid.into()) };
    let (passphrase, kept) = read_passphrase(&given)?;
    let policy = given.value("mount").unwrap_or("required");
    let suppressed = given.has("nomount") || policy == "suppressed";
    let mount = if suppressed {
        Mount::Not
    } else if let Some(at) = given.value("mountpoint") {
        Mount::At(at.into())
    } else if let Some(folder) = given.value("mountroot") {
        Mount::In(folder.into())
    } else if let Some(folder) = given.value("mountrandom") {
        Mount::At(PathBuf::from(folder).join(format!("dmg.{:06}", world.state.next_pid)))
    } else {
        Mount::Anywhere
    };
    let wanted = Wanted {
        image: image.into(),
        mount,
        must_mount: policy == "required",
        makes_mount_point: given.has("mountrandom"),
        read_only: given.has("readonly"),
        browsable: !given.has("nobrowse"),
        passphrase,
        kept,
        by_diskutil: false,
        foreign: false,
    };
    let attached = serve::attach(world, &wanted)?;
    let shuffled = world.obeys("shuffle-entities")?;
    if given.has("plist") {
        let mut root = Dictionary::new();
        root.insert("system-entities".into(), Value::Array(entities(&attached, true, shuffled)));
        return Ok(Said::plist(&Value::Dictionary(root))?);
    }
    Ok(Said::text(table(&attached)))
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
    const BASIC: &str = "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7";
    const CONTAINER: &str = "EF57347C-0000-11AA-AA11-00306543ECAC";
    const VOLUME: &str = "41504653-0000-11AA-AA11-00306543ECAC";
    match role {
        Role::Disk => ("GUID_partition_scheme", "GUID_partition_scheme"),
        Role::BareDisk => ("", ""),
        Role::Efi => (EFI, EFI),
        Role::Slice(FileSystem::Apfs | FileSystem::CaseSensitiveApfs) => {
            ("Apple_APFS", "7C3457EF-0000-11AA-AA11-00306543ECAC")
        }
        Role::Slice(FileSystem::Hfs) => ("Apple_HFS", HFS),
        Role::Slice(FileSystem::ExFat | FileSystem::MsDos) => ("Microsoft Basic Data", BASIC),
        Role::Container => (CONTAINER, CONTAINER),
        Role::Volume => (VOLUME, VOLUME),
    }
}

/// One line for each device; hints are cut to 31 characters.
fn table(attached: &Attached) -> String {
    let mut text = String::new();
    for entity in attached.entities() {
        let (hint, _) = hints(entity.role);
        let hint: String = hint.chars().take(31).collect();
        let at = attached.mount_point.as_ref().filter(|_| entity.holds_volume);
        let at = at.map(|at| at.to_string_lossy().into_owned()).unwrap_or_default();
        text.push_str(&format!("/dev/{:<16}\t{hint:<32}\t{at}\n", entity.device));
    }
    text
}

/// What a warning of macOS 27 calls this call, and what it names instead.
pub fn named(arguments: &[String]) -> (String, String) {
    const FLAGS: [(&str, &str); 3] = [
        ("-nobrowse", "--mountOptions nobrowse"),
        ("-nomount", "--noMount"),
        ("-readonly", "--readOnly"),
    ];
    let given = FLAGS.iter().filter(|(old, _)| arguments.iter().any(|argument| argument == old));
    let (mut old, mut new) = ("attach".to_owned(), "diskutil image attach".to_owned());
    for (flag, instead) in given {
        old = format!("{old} {flag}");
        new = format!("{new} {instead}");
    }
    (format!("{old} ..."), format!("{new} ..."))
}
