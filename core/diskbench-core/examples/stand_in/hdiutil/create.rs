//! `hdiutil create`.

use std::fs;
use std::path::{Path, PathBuf};

use diskimage::crypt::KeySize;
use diskimage::format::ImageFormat;
use plist::Value;

use super::attach::read_passphrase;
use super::sort;
use crate::arguments::{Given, Known};
use crate::label::{self, FileSystem, Label, New};
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve;
use crate::volumes::{self, Seen};
use crate::world::World;

const KNOWN: Known = Known {
    flags: &["plist", "nospotlight", "ov", "stdinpass", "quiet", "puppetstrings", "verbose"],
    valued: &[
        "size",
        "sectors",
        "megabytes",
        "type",
        "fs",
        "volname",
        "imagekey",
        "layout",
        "uid",
        "gid",
        "mode",
        "partitionType",
    ],
};

/// A sector in bytes: sizes without a suffix are sectors, and so are sizes of bands.
const SECTOR: u64 = 512;

/// Makes an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "-help") {
        return Ok(usage(world, arguments.is_empty()));
    }
    let given = sort("create", arguments, &KNOWN)?;
    let kind = kind(world, &given)?;
    let Some(len_bytes) = len_bytes(&given) else { return Err(Reason::Invalid.into()) };
    let path = complete(given.first().ok_or(Reason::Invalid)?, kind.extension);
    let (passphrase, _) = read_passphrase(&given)?;
    let key = match given.value("encryption") {
        None => None,
        Some(_) if passphrase.is_none() => return Err(serve::ask(world)?),
        Some("AES-256") => Some(KeySize::Aes256),
        Some("AES-128") => Some(KeySize::Aes128),
        Some(_) => return Err(Reason::Invalid.into()),
    };
    if world.obeys("resource-busy-create")? {
        return Err(Reason::Busy.into());
    }
    make_room(&path, given.has("ov"))?;
    serve::refuse_without_room(world, &path, len_bytes)?;
    volumes::forget_lost(world)?;
    let label = label(world, &given)?;
    let new = New {
        format: kind.format,
        len_bytes,
        band_bytes: band_bytes(&given, kind.format)?,
        key: key.zip(passphrase.as_ref()),
        label: label.clone(),
    }
    .mistaken(world)?;
    label::create(&path, &new).map_err(|error| Reason::of(&error))?;
    let path = path.canonicalize()?;
    if let Some(label) = label {
        world.state.images.insert(label.volume, Seen::at(&path)?);
    }
    let name = path.to_string_lossy().into_owned();
    if given.has("plist") {
        return Ok(Said::plist(&Value::Array(vec![name.into()]))?);
    }
    Ok(Said::text(format!("created: {name}\n")))
}

/// A kind of image that `-type` names.
struct Kind {
    format: ImageFormat,
    extension: &'static str,
}

/// The kind that is asked for: by `-type`, or by the name's extension. `UDRW` and the like are no types.
fn kind(world: &World, given: &Given) -> Outcome<Kind> {
    let extension = given.first().and_then(|name| Path::new(name).extension());
    let implied = match extension.map(|extension| extension.to_string_lossy()).as_deref() {
        Some("sparseimage") => "SPARSE",
        Some("sparsebundle") => "SPARSEBUNDLE",
        _ => "UDIF",
    };
    let name = given.value("type").unwrap_or(implied);
    match name {
        "UDIF" => Ok(Kind { format: ImageFormat::Udrw, extension: "dmg" }),
        // What a release without it says is made up.
        "SPARSE" if !world.state.setup.without_udsp => {
            Ok(Kind { format: ImageFormat::Udsp, extension: "sparseimage" })
        }
        "SPARSEBUNDLE" => Ok(Kind { format: ImageFormat::Udsb, extension: "sparsebundle" }),
        _ => Err(Failure::With(Said::refused(
            1,
            format!("hdiutil: create: invalid argument for -type: {name}"),
        ))),
    }
}

fn len_bytes(given: &Given) -> Option<u64> {
    if let Some(sectors) = given.value("sectors") {
        return sectors.parse::<u64>().ok()?.checked_mul(SECTOR);
    }
    if let Some(megabytes) = given.value("megabytes") {
        return megabytes.parse::<u64>().ok()?.checked_mul(1 << 20);
    }
    let size = given.value("size")?;
    let digits = size.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match size.get(digits.len()..)? {
        "" | "b" => SECTOR,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        "p" => 1 << 50,
        "e" => 1 << 60,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// What `-imagekey sparse-band-size=S` asks for, S in sectors: 1 MB to 8 GB.
fn band_bytes(given: &Given, format: ImageFormat) -> Outcome<Option<u64>> {
    let mut keys = given.values("imagekey");
    let Some(asked) = keys.find_map(|key| key.strip_prefix("sparse-band-size=")) else {
        return Ok(None);
    };
    let sectors: u64 = asked.parse().map_err(|_| Reason::Invalid)?;
    if !(2048..=16_777_216).contains(&sectors) {
        return Err(Reason::Invalid.into());
    }
    Ok((format != ImageFormat::Udrw).then(|| sectors.saturating_mul(SECTOR)))
}

/// The name with its proper extension.
fn complete(name: &str, extension: &str) -> PathBuf {
    let path = PathBuf::from(name);
    if path.extension().is_some_and(|known| known.eq_ignore_ascii_case(extension)) {
        return path;
    }
    PathBuf::from(format!("{name}.{extension}"))
}

fn make_room(path: &Path, overwrite: bool) -> Outcome<()> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(_) if !overwrite => Err(Reason::Exists.into()),
        Ok(found) if found.is_dir() => Ok(fs::remove_dir_all(path)?),
        Ok(_) => Ok(fs::remove_file(path)?),
    }
}

/// The volume: of APFS unless another file system is asked for; none with a layout and no file system.
fn label(world: &mut World, given: &Given) -> Outcome<Option<Label>> {
    let asked = given.value("fs");
    if asked.is_none() && given.has_any(&["layout", "partitionType"]) {
        return Ok(None);
    }
    let file_system = FileSystem::of(asked.unwrap_or("APFS")).ok_or(Reason::Invalid)?;
    Ok(Some(Label {
        volume: world.new_volume()?,
        name: given.value("volname").unwrap_or("untitled").to_owned(),
        file_system,
        has_slices: given.value("layout") != Some("NONE"),
        high: 0,
    }))
}

/// The usage, shortened; composed of the manual. Asked for, it is an answer.
fn usage(world: &World, unasked: bool) -> Said {
    let sparse = if world.state.setup.without_udsp { "" } else { "SPARSE|" };
    let text = format!(
        "hdiutil create: create a disk image image\n\
         Usage:\thdiutil create <sizespec> <imagepath>\n\n\
         \x20   Size specifiers:\n\
         \x20       -size <??b|??k|??m|??g|??t|??p|??e>\n\
         \x20       -sectors <count>\n\
         \x20       -megabytes <count>\n\n\
         \x20   Image options:\n\
         \x20       -layout <layout>\n\
         \x20       -type <UDIF|{sparse}SPARSEBUNDLE>\n\
         \x20       -fs <filesystem>\n\
         \x20       -volname <volumename>\n\
         \x20       -imagekey <key>=<value>\n\
         \x20       -encryption <crypto method>\n\
         \x20       -stdinpass\n"
    );
    if unasked { Said { err: text, code: 1, ..Said::default() } } else { Said::text(text) }
}
