//! `diskutil`.

mod create;
mod eject;
mod image;
mod info;

use crate::said::{Outcome, Said};
use crate::world::World;

pub use info::device_of;

/// Does what a call asks for.
pub fn run(world: &mut World, arguments: &[String]) -> Outcome {
    let Some((verb, rest)) = arguments.split_first() else {
        return Ok(Said::text("Disk Utility Tool\nUsage:  diskutil [quiet] <verb> <options>\n"));
    };
    if verb == "image" && world.release().knows_image_verb("attach") {
        return image::run(world, rest);
    }
    world.heed("diskutil", verb)?;
    match verb.as_str() {
        "info" => info::run(world, rest),
        "eject" => eject::eject(world, rest),
        "unmountDisk" => eject::unmount_disk(world, rest),
        "mount" => eject::mount(world, rest),
        // Section 0; where it is printed and with which code is made up.
        _ => Ok(Said::refused(
            1,
            format!("diskutil did not recognize verb \"{verb}\"; type \"diskutil\" for a list"),
        )),
    }
}
