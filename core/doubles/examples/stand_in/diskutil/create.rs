//! `diskutil image create blank`.

use std::path::Path;

use diskimage::crypt::KeySize;
use diskimage::format::ImageFormat;

use super::image::{read_passphrase, sort};
use crate::arguments::Known;
use crate::label::{self, FileSystem, Label, New};
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve;
use crate::volumes;
use crate::world::World;

const KNOWN: Known =
    Known { flags: &["encrypt", "stdinpassphrase"], valued: &["format", "size", "volumeName"] };

/// The disk of an ASIF image is a multiple of so many bytes.
const ASIF_UNIT: u64 = 4096;

/// What `--format` calls a format.
fn name(world: &World, format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Udrw => Some("RAW"),
        ImageFormat::Udsb => Some("UDSB"),
        ImageFormat::Asif => world.release().makes_asif().then_some("ASIF"),
        ImageFormat::Udsp => None,
    }
}

/// Makes an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort(arguments, &KNOWN)?;
    let [kind, path] = given.rest.as_slice() else { return Err(Reason::Invalid.into()) };
    if kind != "blank" {
        return Err(Failure::With(Said::refused(64, "Error: the stand-in imitates blank alone")));
    }
    let asked = given.value("format").unwrap_or("RAW");
    let found = ImageFormat::ALL.into_iter().find(|format| name(world, *format) == Some(asked));
    let format = found.ok_or_else(|| {
        // In the words of Swift's parser; made up.
        let line = format!("Error: The value '{asked}' is invalid for '--format <format>'");
        Failure::With(Said::refused(64, line))
    })?;
    // Units behind the number are not played.
    let len_bytes: u64 =
        given.value("size").and_then(|size| size.parse().ok()).ok_or(Reason::Invalid)?;
    let len_bytes = if format == ImageFormat::Asif {
        len_bytes.next_multiple_of(ASIF_UNIT)
    } else {
        len_bytes.next_multiple_of(512)
    };
    let path = Path::new(path);
    let (passphrase, _) = read_passphrase(&given)?;
    let encrypt = given.has("encrypt");
    if encrypt && passphrase.is_none() {
        return Err(serve::ask(world)?);
    }
    if world.obeys("helper-error")? {
        return Err(Reason::Helper.into());
    }
    if path.exists() {
        return Err(Reason::Exists.into());
    }
    serve::refuse_without_room(world, path, len_bytes)?;
    volumes::forget_lost(world)?;
    let label = Label {
        volume: world.new_volume()?,
        name: given.value("volumeName").unwrap_or("Untitled").to_owned(),
        file_system: FileSystem::Apfs,
        high: 0,
    };
    let new = New {
        format,
        len_bytes,
        band_bytes: None,
        // AES-256 only.
        key: passphrase.as_ref().filter(|_| encrypt).map(|one| (KeySize::Aes256, one)),
        label,
    }
    .mistaken(world)?;
    label::create(path, &new).map_err(|error| Reason::of(&error))?;
    let path = path.canonicalize()?;
    let done = format!("[100% completed]\n{} created\n", path.display());
    world.state.images.insert(new.label.volume, path);
    Ok(Said::text(done))
}
