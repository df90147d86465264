//! `hdiutil create`.

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
    flags: &["plist", "stdinpass"],
    valued: &["size", "sectors", "type", "fs", "volname", "imagekey", "encryption"],
};

/// A sector in bytes: sizes without a suffix are sectors, and so are sizes of bands.
const SECTOR: u64 = 512;

/// Makes an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
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
    if path.exists() {
        return Err(Reason::Exists.into());
    }
    serve::refuse_without_room(world, &path, len_bytes)?;
    volumes::forget_lost(world)?;
    if given.value("fs").is_some_and(|name| name != "APFS") {
        return Err(Reason::Invalid.into());
    }
    let label = Label {
        volume: world.new_volume()?,
        name: given.value("volname").unwrap_or("untitled").to_owned(),
        file_system: FileSystem::Apfs,
        high: 0,
    };
    let new = New {
        format: kind.format,
        len_bytes,
        band_bytes: band_bytes(&given, kind.format)?,
        key: key.zip(passphrase.as_ref()),
        label,
    }
    .mistaken(world)?;
    label::create(&path, &new).map_err(|error| Reason::of(&error))?;
    let path = path.canonicalize()?;
    world.state.images.insert(new.label.volume, Seen::at(&path)?);
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
