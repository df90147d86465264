//! `diskutil image`: attach and info; see `create` for making images.

use std::path::Path;

use diskimage::crypt::Passphrase;
use diskimage::format::ImageFormat;
use plist::{Dictionary, Value};

use super::create;
use crate::arguments::{Given, Known};
use crate::device::{Attached, Role};
use crate::label::{self, FileSystem};
use crate::passphrase;
use crate::release::Words;
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve::{self, Mount, Wanted};
use crate::world::World;

/// sysexits' code for a wrong call.
const USAGE: u8 = 64;

/// Does what a call asks for.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let Some((verb, rest)) = arguments.split_first() else { return Err(Reason::Invalid.into()) };
    if !world.release().knows_image_verb(verb) {
        // In the manner of section 0; made up.
        return Ok(Said::refused(
            USAGE,
            format!(
                "diskutil image: did not recognize verb \"{verb}\"; type \"diskutil image\" for a list"
            ),
        ));
    }
    if rest.iter().any(|argument| argument == "--help") {
        return Ok(help(world, verb));
    }
    let outcome = world.heed("diskutil-image", verb).and_then(|()| match verb.as_str() {
        "attach" => attach(world, rest),
        "create" => create::run(world, rest),
        _ => info(world, rest),
    });
    let words = world.words();
    match outcome {
        Err(Failure::For(reason)) => Ok(failed(verb, reason, words)),
        other => other,
    }
}

/// `Error: Failed to create disk image: The operation couldn’t be completed. <text>` (2.1).
fn failed(verb: &str, reason: Reason, words: Words) -> Said {
    let text = reason.words(words);
    let line = match (reason, words) {
        (Reason::Helper, Words::English) => format!("Error: {text}"),
        (Reason::Helper, Words::German) => format!("Fehler: {text}"),
        (_, Words::English) => format!(
            "Error: Failed to {verb} disk image: The operation couldn’t be completed. {text}"
        ),
        // Made up.
        (_, Words::German) => {
            format!("Fehler: Der Vorgang konnte nicht abgeschlossen werden. {text}")
        }
    };
    Said::refused(1, line)
}

/// Sorts a verb's options; one that is not known is refused in the words of Swift's parser, which are made up here.
pub fn sort(arguments: &[String], known: &Known) -> Outcome<Given> {
    Given::sort(arguments, known).map_err(|option| {
        Failure::With(Said::refused(USAGE, format!("Error: Unknown option '{option}'")))
    })
}

/// What came through stdin, if it is to be read.
pub fn read_passphrase(given: &Given) -> Outcome<(Option<Passphrase>, Option<String>)> {
    Ok(if given.has("stdinpassphrase") { passphrase::of_diskutil()? } else { None }.unzip())
}

fn attach(world: &mut World, arguments: &[String]) -> Outcome {
    const KNOWN: Known = Known {
        flags: &["plist", "nobrowse", "noMount", "stdinpassphrase"],
        valued: &["mountPoint", "mountOptions"],
    };
    let given = sort(arguments, &KNOWN)?;
    let image = given.first().ok_or(Reason::Invalid)?.to_owned();
    let (passphrase, kept) = read_passphrase(&given)?;
    let mount = if given.has("noMount") {
        Mount::Not
    } else {
        given.value("mountPoint").map_or(Mount::Anywhere, |at| Mount::At(at.into()))
    };
    let wanted = Wanted {
        image: image.into(),
        mount,
        must_mount: true,
        makes_mount_point: world.release().deprecates_hdiutil(),
        passphrase,
        kept,
        by_diskutil: true,
        foreign: false,
    };
    let attached = serve::attach(world, &wanted)?;
    let attached = serve::told(world, &attached)?;
    let shuffled = world.obeys("shuffle-entities")?;
    let mut root = Dictionary::new();
    root.insert("system-entities".into(), Value::Array(entities(&attached, shuffled)));
    Ok(Said::plist(&Value::Dictionary(root))?)
}

/// Bare names and friendly hints (2.2).
fn entities(attached: &Attached, shuffled: bool) -> Vec<Value> {
    let mut all: Vec<Value> = attached
        .entities()
        .iter()
        .map(|entity| {
            let hint = match entity.role {
                Role::Disk => "GUID_partition_scheme",
                Role::BareDisk => "",
                Role::Efi => "EFI",
                Role::Slice(FileSystem::Apfs) => "Apple_APFS",
                Role::Slice(FileSystem::Hfs) => "Apple_HFS",
                Role::Container => "Apple_APFS_Container",
                Role::Volume => "Apple_APFS_Volume",
            };
            let mut keys = Dictionary::new();
            keys.insert("content-hint".into(), hint.into());
            keys.insert("dev-entry".into(), entity.device.clone().into());
            if let (Some(file_system), true) = (attached.file_system, entity.holds_volume) {
                keys.insert("filesystem-name".into(), file_system.name().into());
                keys.insert("filesystem-type".into(), file_system.kind().into());
                if let Some(at) = &attached.mount_point {
                    keys.insert("mount-point".into(), at.to_string_lossy().into_owned().into());
                }
                keys.insert("volume-name".into(), attached.volume_name.clone().into());
            }
            keys.insert("size".into(), entity.bytes.into());
            Value::Dictionary(keys)
        })
        .collect();
    if shuffled {
        all.reverse();
    }
    all
}

/// What an image is. It is attached for it, and one that is attached remains so: diskutil(8) of macOS 14 to 27, `image
/// info`.
fn info(world: &mut World, arguments: &[String]) -> Outcome {
    const KNOWN: Known = Known { flags: &["plist", "stdinpassphrase"], valued: &[] };
    let given = sort(arguments, &KNOWN)?;
    let path = Path::new(given.first().ok_or(Reason::Invalid)?);
    let path = path.canonicalize().map_err(|_| Reason::NoEntry)?;
    let (passphrase, _) = read_passphrase(&given)?;
    let encrypted = label::is_encrypted(&path)?;
    if encrypted && passphrase.is_none() {
        return Err(serve::ask(world)?);
    }
    let found = serve::open(&path, passphrase.as_ref())?;
    if world.state.of_image(&path).is_none() && world.obeys("info-stays-attached")? {
        serve::leave(world, &path, &found);
    }
    let format = match found.format {
        ImageFormat::Udrw => "RAW".to_owned(),
        other => other.to_string(),
    };
    let mut root = Dictionary::new();
    root.insert("Image Format".into(), format.into());
    // The form of DiskImages2 (`EncryptionInfo::serialize_to_dict`).
    let is_encrypted = Dictionary::from_iter([("Is Encrypted", Value::Boolean(encrypted))]);
    root.insert("Encryption Info".into(), Value::Dictionary(is_encrypted));
    if world.release().makes_asif() {
        let mut size = Dictionary::new();
        size.insert("Sector Count".into(), (found.len_bytes / 512).into());
        size.insert("Total Bytes".into(), found.len_bytes.into());
        root.insert("Size Info".into(), Value::Dictionary(size));
    } else {
        root.insert("Size".into(), found.len_bytes.into());
    }
    Ok(Said::plist(&Value::Dictionary(root))?)
}

/// Help, composed of the manual's synopsis for this release (2.1).
fn help(world: &World, verb: &str) -> Said {
    let formats = if world.release().makes_asif() { "RAW|ASIF|UDSB" } else { "RAW|UDSB" };
    Said::text(match verb {
        "attach" => {
            "USAGE: diskutil image attach [--nobrowse] [--mountPoint P] [--mountOptions o[,o]] [--noMount] URL\n"
                .to_owned()
        }
        "create" => format!(
            "USAGE: diskutil image create [--encrypt] blank [--format {formats}] [--size S] [--volumeName N] PATH\n"
        ),
        other => format!("USAGE: diskutil image {other} URL\n"),
    })
}
