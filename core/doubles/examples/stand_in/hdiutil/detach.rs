//! `hdiutil detach`.

use super::sort;
use crate::arguments::Known;
use crate::device::Role;
use crate::release::Words;
use crate::said::{Outcome, Reason, Said};
use crate::serve;
use crate::world::World;

const KNOWN: Known = Known { flags: &["force"], valued: &[] };

/// Exit code of what is busy: EBUSY.
const BUSY: u8 = 16;

/// Detaches an image, by one of its devices or its mount point.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let given = sort("detach", arguments, &KNOWN)?;
    let what = given.first().ok_or(Reason::Invalid)?;
    let Some((index, entity)) = world.state.find(what) else { return Err(Reason::NoEntry.into()) };
    let disk = world.state.attached.get(index).map(crate::device::Attached::disk_name);
    let disk = disk.unwrap_or_default();
    if world.obeys("detach-timeout")? {
        return Ok(Said::refused(1, "hdiutil: detach: timeout for DiskArbitration expired"));
    }
    if world.is_ordered("always-busy-hdiutil-detach")? {
        // As autopkg saw it on 27, with a container's number in it.
        return Ok(busy(world, "unmount", &disk));
    }
    if world.obeys("gone-after-detach")? {
        serve::detach(world, index)?;
        return Ok(busy(world, "eject", &disk));
    }
    if !given.has("force") && (world.obeys("busy-detach")? || serve::is_held(world, index)) {
        return Ok(busy(world, "eject", &disk));
    }
    if entity.role == Role::Container {
        // Its volumes are unmounted; the image stays attached.
        serve::unmount(world, index)?;
        return Ok(Said::text(format!("\"{}\" unmounted.\n", entity.device)));
    }
    serve::detach(world, index)?;
    Ok(Said::text(format!("\"{disk}\" ejected.\n")))
}

fn busy(world: &World, verb: &str, disk: &str) -> Said {
    let words = world.words();
    let why = Reason::Busy.words(words);
    let line = match words {
        Words::English => format!("hdiutil: couldn't {verb} \"{disk}\" - {why}"),
        // Made up but for its end.
        Words::German => format!("hdiutil: \"{disk}\" konnte nicht ausgeworfen werden - {why}"),
    };
    Said::refused(BUSY, line)
}
