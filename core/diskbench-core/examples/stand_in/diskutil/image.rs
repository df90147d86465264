//! `diskutil image`: attach, info, resize, chpass; see `create` for making images.

use std::path::{Path, PathBuf};

use diskimage::crypt::Passphrase;
use diskimage::format::ImageFormat;
use plist::{Dictionary, Value};

use super::create;
use crate::arguments::{Given, Known};
use crate::device::{Attached, Role};
use crate::label;
use crate::passphrase;
use crate::release::Words;
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve::{self, Mount, Wanted};
use crate::world::World;

/// sysexits' code for a wrong call.
const USAGE: u8 = 64;

/// Options that go before the verb or after it.
const COMMON: &[&str] = &["stdinpassphrase", "stdinpass", "verbose", "plist", "help"];

/// Does what a call asks for.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    // Options may stand before the verb (2.1).
    let is_option = |argument: &&String| argument.starts_with('-');
    let before: Vec<String> = arguments.iter().take_while(is_option).cloned().collect();
    let mut rest = arguments.iter().skip(before.len()).cloned();
    let Some(verb) = rest.next() else { return Ok(usage(world)) };
    let rest: Vec<String> = before.into_iter().chain(rest).collect();
    if !world.release().knows_image_verb(&verb) {
        // In the manner of section 0; made up.
        return Ok(Said::refused(
            USAGE,
            format!(
                "diskutil image: did not recognize verb \"{verb}\"; type \"diskutil image\" for a list"
            ),
        ));
    }
    if rest.iter().any(|argument| argument == "--help" || argument == "-help") {
        return Ok(help(world, &verb));
    }
    let outcome = world.heed("diskutil-image", &verb).and_then(|()| match verb.as_str() {
        "attach" => attach(world, &rest),
        "create" => create::run(world, &rest),
        "info" => info(world, &rest),
        "resize" => resize(world, &rest),
        _ => chpass(world, &rest),
    });
    let words = world.words();
    match outcome {
        Err(Failure::For(reason)) => Ok(failed(&verb, reason, words)),
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
pub fn sort(world: &World, arguments: &[String], known: &Known) -> Outcome<Given> {
    let unknown = |option: &str| {
        Failure::With(Said::refused(USAGE, format!("Error: Unknown option '{option}'")))
    };
    let newer: &[&str] =
        if world.release().makes_asif() { &[] } else { &["stdinpass", "fs", "shadow"] };
    for argument in arguments.iter().filter(|argument| argument.starts_with('-')) {
        if newer.contains(&argument.trim_start_matches('-')) {
            return Err(unknown(argument));
        }
    }
    let (common, own): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| {
            argument
                .strip_prefix('-')
                .is_some_and(|name| COMMON.contains(&name.trim_start_matches('-')))
        });
    let mut given = Given::sort(&own, known).map_err(|option| unknown(&option))?;
    given.add(common.iter().map(|argument| argument.trim_start_matches('-')));
    Ok(given)
}

/// What came through stdin, if it is to be read.
pub fn read_passphrase(given: &Given) -> Outcome<(Option<Passphrase>, Option<String>)> {
    let asked = given.has_any(&["stdinpassphrase", "stdinpass"]);
    Ok(if asked { passphrase::of_diskutil()? } else { None }.unzip())
}

fn attach(world: &mut World, arguments: &[String]) -> Outcome {
    const KNOWN: Known = Known {
        flags: &["readOnly", "nobrowse", "noMount", "nomount"],
        valued: &["mountPoint", "mountOptions", "mountPolicy", "shadow"],
    };
    let given = sort(world, arguments, &KNOWN)?;
    let image = given.first().ok_or(Reason::Invalid)?.to_owned();
    if given.has("shadow") {
        return Err(Reason::NotSupported.into());
    }
    let (passphrase, kept) = read_passphrase(&given)?;
    let policy = given.value("mountPolicy").unwrap_or("forceMount");
    let mount = if given.has_any(&["noMount", "nomount"]) || policy == "noMount" {
        Mount::Not
    } else {
        given.value("mountPoint").map_or(Mount::Anywhere, |at| Mount::At(at.into()))
    };
    let options = given.value("mountOptions").unwrap_or_default();
    let has = |option: &str| options.split(',').any(|one| one == option);
    let wanted = Wanted {
        image: image.strip_prefix("file://").unwrap_or(&image).into(),
        mount,
        must_mount: policy == "forceMount",
        makes_mount_point: world.release().deprecates_hdiutil(),
        read_only: given.has("readOnly") || has("rdonly"),
        browsable: !given.has("nobrowse") && !has("nobrowse"),
        passphrase,
        kept,
        by_diskutil: true,
        foreign: false,
    };
    let attached = serve::attach(world, &wanted)?;
    let shuffled = world.obeys("shuffle-entities")?;
    if !given.has("plist") {
        return Ok(Said::text(format!("/dev/{}\n", attached.disk_name())));
    }
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
                Role::Slice(file_system) if file_system.is_apfs() => "Apple_APFS",
                Role::Slice(file_system) if file_system.kind() == "hfs" => "Apple_HFS",
                Role::Slice(_) => "Microsoft Basic Data",
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

fn path_of(given: &Given) -> Outcome<PathBuf> {
    let path = Path::new(given.first().ok_or(Reason::Invalid)?);
    Ok(path.canonicalize().map_err(|_| Reason::NoEntry)?)
}

const ALONE: Known = Known { flags: &["extra", "image-only"], valued: &["s", "size"] };

/// What an image is. It is attached for it: one that is held is refused (2.3).
fn info(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort(world, arguments, &ALONE)?;
    let path = path_of(&given)?;
    if world.state.of_image(&path).is_some() {
        return Err(Reason::Again.into());
    }
    let (passphrase, _) = read_passphrase(&given)?;
    let encrypted = label::is_encrypted(&path)?;
    if encrypted && passphrase.is_none() {
        return Err(serve::ask(world)?);
    }
    let found = serve::open(&path, passphrase.as_ref())?;
    // What it calls a raw image is made up.
    let format = match found.format {
        ImageFormat::Udrw => "RAW".to_owned(),
        other => other.to_string(),
    };
    if !given.has("plist") {
        return Ok(Said::text(format!(
            "Image Format: {format}\nTotal Bytes: {}\n",
            found.len_bytes
        )));
    }
    let mut root = Dictionary::new();
    root.insert("Image Format".into(), format.into());
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

/// The limits; resizing itself is not played.
fn resize(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort(world, arguments, &ALONE)?;
    let path = path_of(&given)?;
    if world.state.of_image(&path).is_some() {
        return Err(Reason::Again.into());
    }
    if given.has_any(&["s", "size"]) {
        return Err(Reason::NotSupported.into());
    }
    let (passphrase, _) = read_passphrase(&given)?;
    let found = serve::open(&path, passphrase.as_ref())?;
    // Those of the capture (2.1), for every format.
    let limits =
        [("current", found.len_bytes), ("max", 4_503_599_626_321_920), ("min", 20_971_520)];
    if !given.has("plist") {
        let lines: String =
            limits.iter().map(|(name, bytes)| format!("{name}: {bytes}\n")).collect();
        return Ok(Said::text(lines));
    }
    let mut root = Dictionary::new();
    for (name, bytes) in limits {
        root.insert(name.into(), bytes.into());
    }
    Ok(Said::plist(&Value::Dictionary(root))?)
}

/// Of an image that is not encrypted "Invalid argument" (2.1); of another one it is not played.
fn chpass(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort(world, arguments, &ALONE)?;
    let path = path_of(&given)?;
    Err(if label::is_encrypted(&path)? { Reason::NotSupported } else { Reason::Invalid }.into())
}

fn usage(world: &World) -> Said {
    let known = ["attach", "info", "chpass", "create", "resize"];
    let verbs: String = known
        .into_iter()
        .filter(|verb| world.release().knows_image_verb(verb))
        .map(|verb| format!("  {verb}\n"))
        .collect();
    Said { err: format!("Usage: diskutil image <verb>\n{verbs}"), code: USAGE, ..Said::default() }
}

/// Help, composed of the manual's synopsis for this release (2.1).
fn help(world: &World, verb: &str) -> Said {
    let newer = world.release().makes_asif();
    let text = match verb {
        "attach" => {
            let shadow = if newer { " [--shadow F]" } else { "" };
            format!(
                "USAGE: diskutil image attach [--readOnly] [--nobrowse] [--mountPoint P] [--mountOptions o[,o]] \
                 [--mountPolicy noMount|autoMount|forceMount] [--noMount]{shadow} URL\n"
            )
        }
        "create" if newer => {
            "USAGE: diskutil image create [-e|--encrypt] blank [--format RAW|ASIF|UDSB] \
                              [--size S] [--volumeName N] [-fs|--fs APFS|ExFAT|MS-DOS|None] PATH\n"
                .to_owned()
        }
        "create" => {
            "USAGE: diskutil image create [-e|--encrypt] blank [--format RAW|UDSB] [--size S] \
                     [--volumeName N] PATH\n"
                .to_owned()
        }
        other => format!("USAGE: diskutil image {other} URL\n"),
    };
    Said::text(text)
}
