//! `hdiutil info`, `imageinfo` and `isencrypted`.

use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use plist::{Dictionary, Value};

use super::attach::{entities, read_passphrase};
use super::sort;
use crate::arguments::{Given, Known};
use crate::device::Attached;
use crate::label;
use crate::said::{Outcome, Reason, Said};
use crate::serve;
use crate::world::World;

const KNOWN: Known = Known { flags: &["plist", "stdinpass"], valued: &[] };

/// A sector in bytes.
const SECTOR: u64 = 512;

/// What is attached. Without anything there is no key `images`; it may lack some of them (1.4).
pub fn info(world: &mut World, arguments: &[String]) -> Outcome {
    sort("info", arguments, &KNOWN)?;
    let framework = world.release().framework();
    let mut shown: Vec<&Attached> = world.state.attached.iter().collect();
    if world.obeys("truncate-info")? {
        // The newest ones are missing, at least one.
        shown.truncate(shown.len() / 2);
    }
    let mut root = Dictionary::new();
    root.insert("framework".into(), framework.into());
    if !shown.is_empty() {
        let images: Vec<Value> = shown.iter().map(|one| image(world, one)).collect();
        root.insert("images".into(), Value::Array(images));
    }
    root.insert("revision".into(), framework.into());
    root.insert("vendor".into(), "Apple".into());
    Ok(Said::plist(&Value::Dictionary(root))?)
}

fn image(world: &World, attached: &Attached) -> Value {
    let mut keys = Dictionary::new();
    keys.insert("autodiskmount".into(), attached.mount_point.is_some().into());
    keys.insert("blockcount".into(), (attached.len_bytes / SECTOR).into());
    keys.insert("blocksize".into(), SECTOR.into());
    keys.insert("diskimages2".into(), (!attached.by_older_engine).into());
    keys.insert("hdid-pid".into(), u64::from(attached.pid).into());
    let icon = "/System/Library/PrivateFrameworks/DiskImages.framework/Resources/CDiskImage.icns";
    keys.insert("icon-path".into(), icon.into());
    keys.insert("image-encrypted".into(), attached.encrypted.into());
    keys.insert("image-path".into(), attached.image.to_string_lossy().into_owned().into());
    keys.insert("image-type".into(), kind(attached.format).into());
    let user = system::facts::user_id();
    keys.insert("owner-uid".into(), u64::from(user).into());
    keys.insert("removable".into(), true.into());
    let shuffled = world.is_ordered("shuffle-entities").unwrap_or(false);
    keys.insert("system-entities".into(), Value::Array(entities(attached, false, shuffled)));
    keys.insert("writeable".into(), true.into());
    Value::Dictionary(keys)
}

/// What `image-type` calls a format; seen were those of UDSP and UDRW.
const fn kind(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Udsp => "sparse disk image",
        ImageFormat::Udsb => "sparse bundle disk image",
        ImageFormat::Udrw => "read/write",
        ImageFormat::Asif => "disk image",
    }
}

fn image_of(given: &Given) -> Outcome<PathBuf> {
    let path = Path::new(given.first().ok_or(Reason::Invalid)?);
    Ok(path.canonicalize().map_err(|_| Reason::NoEntry)?)
}

/// What an image is. Keys and names are those of 1.5; of the table's keys those that are known for every format.
pub fn image_info(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("imageinfo", arguments, &KNOWN)?;
    let path = image_of(&given)?;
    if world.state.of_image(&path).is_some() {
        return Err(Reason::Again.into());
    }
    let (passphrase, _) = read_passphrase(&given)?;
    let encrypted = label::is_encrypted(&path)?;
    if encrypted && passphrase.is_none() {
        return Err(serve::ask(world)?);
    }
    let found = serve::open(&path, passphrase.as_ref())?;
    let (description, class) = match found.format {
        ImageFormat::Udrw => ("raw read/write", "CRawDiskImage"),
        ImageFormat::Udsp => ("sparse", "CSparseDiskImage"),
        ImageFormat::Udsb => ("sparse", "CSparseBundleDiskImage"),
        ImageFormat::Asif => return Err(Reason::NotRecognized.into()),
    };
    let mut sizes = Dictionary::new();
    sizes.insert("Sector Count".into(), (found.len_bytes / SECTOR).into());
    sizes.insert("Total Bytes".into(), found.len_bytes.into());
    let mut properties = Dictionary::new();
    properties.insert("Encrypted".into(), encrypted.into());
    properties.insert("Checksummed".into(), false.into());
    properties.insert("Compressed".into(), false.into());
    let mut root = Dictionary::new();
    root.insert("Class Name".into(), class.into());
    root.insert("Format".into(), found.format.to_string().into());
    root.insert("Format Description".into(), description.into());
    root.insert("Properties".into(), Value::Dictionary(properties));
    root.insert("Size Information".into(), Value::Dictionary(sizes));
    Ok(Said::plist(&Value::Dictionary(root))?)
}

/// Whether an image is encrypted; asked of an attached one it is busy.
pub fn is_encrypted(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("isencrypted", arguments, &KNOWN)?;
    let path = image_of(&given)?;
    if world.state.of_image(&path).is_some() {
        return Err(Reason::Again.into());
    }
    let encrypted = label::is_encrypted(&path)?;
    let mut root = Dictionary::new();
    if encrypted {
        root.insert("blocksize".into(), SECTOR.into());
    }
    root.insert("encrypted".into(), encrypted.into());
    if encrypted {
        root.insert("passphrase-count".into(), 1_u64.into());
        root.insert("private-key-count".into(), 0_u64.into());
    }
    Ok(Said::plist(&Value::Dictionary(root))?)
}
