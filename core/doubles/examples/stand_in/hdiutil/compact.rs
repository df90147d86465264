//! `hdiutil compact`.

use diskimage::format::ImageFormat;

use super::attach::read_passphrase;
use super::sort;
use crate::arguments::Known;
use crate::label;
use crate::said::{Failure, Outcome, Reason, Said};
use crate::serve;
use crate::volumes;
use crate::world::World;

const KNOWN: Known = Known { flags: &["batteryallowed", "stdinpass"], valued: &[] };

/// Compacts an image.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("compact", arguments, &KNOWN)?;
    let image = std::path::Path::new(given.first().ok_or(Reason::Invalid)?);
    let image = image.canonicalize().map_err(|_| Reason::NoEntry)?;
    if world.state.of_image(&image).is_some() {
        return Err(Reason::Again.into());
    }
    if world.state.setup.on_battery && !given.has("batteryallowed") {
        // That it refuses is in the manual; its words and code are made up (8).
        return Err(Failure::With(Said::refused(
            1,
            "hdiutil: compact failed - the system is on battery power: use -batteryallowed to compact anyway",
        )));
    }
    let (passphrase, _) = read_passphrase(&given)?;
    if label::is_encrypted(&image)? && passphrase.is_none() {
        return Err(serve::ask(world)?);
    }
    let found = serve::open(&image, passphrase.as_ref())?;
    match found.format {
        ImageFormat::Udsp | ImageFormat::Udsb => {}
        // Made up: seen was only that it does not work.
        ImageFormat::Udrw | ImageFormat::Asif => return Err(Reason::NotSupported.into()),
    }
    let content = match &found.label {
        Some(label) => volumes::content_bytes(&volumes::home(&world.folder, &label.volume))?,
        None => 0,
    };
    let possible = found.len_bytes.saturating_sub(content);
    if world.obeys("stingy-compact")? {
        return Ok(said(0, possible));
    }
    let reclaimed =
        label::compact(&image, passphrase.as_ref(), content).map_err(|error| Reason::of(&error))?;
    Ok(said(reclaimed, possible))
}

fn said(reclaimed: u64, possible: u64) -> Said {
    let dots = ".".repeat(65);
    Said::text(format!(
        "Starting to compact…\nReclaiming free space…\n{dots}\nFinishing compaction…\n{dots}\n\
         Reclaimed {} out of {} possible.\n",
        size(reclaimed),
        size(possible)
    ))
}

/// A size as people read it, with one digit behind the point.
fn size(bytes: u64) -> String {
    let units = [(1_u64 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    for (unit, name) in units {
        if bytes >= unit {
            let tenths = u128::from(bytes).saturating_mul(10) / u128::from(unit);
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} bytes")
}
