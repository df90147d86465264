//! `hdiutil create`.

use std::fs;
use std::path::Path;

use diskimage::crypt::KeySize;
use diskimage::format::ImageFormat;
use plist::Value;

use super::attach::read_passphrase;
use super::sort;
use crate::arguments::{Given, Known};
use crate::label::{self, FileSystem, Label, New};
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve;
use crate::volumes;
use crate::world::World;

const KNOWN: Known = Known {
    flags: &["plist", "stdinpass"],
    // The probe gives -size with an unknown type, which is refused: no image gets its length from it.
    valued: &["size", "sectors", "type", "fs", "volname", "imagekey", "encryption"],
};

/// A sector in bytes.
const SECTOR: u64 = 512;

/// Makes an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("create", arguments, &KNOWN)?;
    let format = format(world, &given)?;
    let sectors = given.value("sectors").and_then(|sectors| sectors.parse::<u64>().ok());
    let len_bytes = sectors.and_then(|sectors| sectors.checked_mul(SECTOR));
    let len_bytes = len_bytes.ok_or(Reason::Invalid)?;
    let path = Path::new(given.first().ok_or(Reason::Invalid)?);
    let (passphrase, _) = read_passphrase(&given)?;
    let key = match given.value("encryption") {
        None => None,
        Some(_) if passphrase.is_none() => return Err(serve::ask(world)?),
        Some("AES-256") => Some(KeySize::Aes256),
        Some("AES-128") => Some(KeySize::Aes128),
        Some(_) => return Err(Reason::Invalid.into()),
    };
    if path.exists() {
        return Err(Reason::Exists.into());
    }
    serve::refuse_without_room(world, path, len_bytes)?;
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
        format,
        len_bytes,
        band_bytes: band_bytes(&given, format)?,
        key: key.zip(passphrase.as_ref()),
        label,
    }
    .mistaken(world)?;
    label::create(path, &new).map_err(|error| Reason::of(&error))?;
    let path = path.canonicalize()?;
    if world.obeys("resource-busy-create")? {
        return Err(Reason::Busy.into());
    }
    if world.obeys("makes-nothing")? {
        fs::remove_file(&path)?;
    }
    let name = path.to_string_lossy().into_owned();
    world.state.images.insert(new.label.volume, path);
    Ok(Said::plist(&Value::Array(vec![name.into()]))?)
}

/// What `-type` calls a format. `UDRW` and the like are no types.
fn name(world: &World, format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Udrw => Some("UDIF"),
        // What a release without it says is made up.
        ImageFormat::Udsp => (!world.state.setup.without_udsp).then_some("SPARSE"),
        ImageFormat::Udsb => Some("SPARSEBUNDLE"),
        ImageFormat::Asif => None,
    }
}

/// The format that `-type` names.
fn format(world: &World, given: &Given) -> Outcome<ImageFormat> {
    let asked = given.value("type").ok_or(Reason::Invalid)?;
    let found = ImageFormat::ALL.into_iter().find(|format| name(world, *format) == Some(asked));
    found.ok_or_else(|| {
        let line = format!("hdiutil: create: invalid argument for -type: {asked}");
        Failure::With(Said::refused(1, line))
    })
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
    Ok(format.row().band_bytes.map(|_| sectors.saturating_mul(SECTOR)))
}
