//! `diskutil eject`, `unmountDisk` and `mount`.

use std::path::PathBuf;

use crate::said::{Outcome, Said};
use crate::serve;
use crate::volumes;
use crate::world::World;

/// Ejects an image, by any of its devices or its mount point.
pub fn eject(world: &mut World, arguments: &[String]) -> Outcome {
    let Some(what) = arguments.first() else { return Ok(usage("eject")) };
    let Some((index, _)) = world.state.find(what) else { return Ok(unknown(what)) };
    let disk = disk_of(world, index);
    if world.obeys("gone-after-detach")? {
        serve::detach(world, index)?;
        return Ok(dissented(&disk));
    }
    if world.obeys("eject-dissent")? || world.obeys("busy-detach")? || serve::is_held(world, index)
    {
        return Ok(dissented(&disk));
    }
    serve::detach(world, index)?;
    Ok(Said::text(format!("Disk {disk} ejected\n")))
}

/// `unmountDisk force DISK`: its image stays attached.
pub fn unmount_disk(world: &mut World, arguments: &[String]) -> Outcome {
    let [force, what] = arguments else { return Ok(usage("unmountDisk")) };
    if force != "force" {
        return Ok(usage("unmountDisk"));
    }
    let Some((index, _)) = world.state.find(what) else { return Ok(unknown(what)) };
    let disk = disk_of(world, index);
    serve::unmount(world, index)?;
    Ok(Said::text(format!("Forced unmount of all volumes on {disk} was successful\n")))
}

/// Mounts the volume of an attached image: `mount nobrowse -mountOptions O -mountPoint PATH DEVICE`.
pub fn mount(world: &mut World, arguments: &[String]) -> Outcome {
    let mut left = arguments.iter();
    let (mut at, mut what) = (None, None);
    while let Some(argument) = left.next() {
        match argument.as_str() {
            "-mountPoint" => at = left.next().map(PathBuf::from),
            "-mountOptions" => drop(left.next()),
            "nobrowse" => {}
            other => what = Some(other.to_owned()),
        }
    }
    let (Some(what), Some(at)) = (what, at) else { return Ok(usage("mount")) };
    let Some((index, entity)) = world.state.find(&what) else { return Ok(unknown(&what)) };
    let Some(attached) = world.state.attached.get_mut(index).filter(|_| entity.holds_volume) else {
        return Ok(Said::refused(1, format!("Volume on {what} failed to mount")));
    };
    if attached.mount_point.is_none() {
        if !at.exists() {
            std::fs::create_dir_all(&at)?;
            attached.made_mount_point = true;
        }
        attached.mount_point = Some(at.canonicalize()?);
        let attached = attached.clone();
        world.save()?;
        volumes::mount(&world.folder, &attached)?;
    }
    Ok(Said::text(format!("Volume on {what} mounted\n")))
}

fn disk_of(world: &World, index: usize) -> String {
    world.state.attached.get(index).map(crate::device::Attached::disk_name).unwrap_or_default()
}

/// Words for what is not there, made up.
fn unknown(what: &str) -> Said {
    Said::refused(1, format!("Unable to find disk for {what}"))
}

fn usage(verb: &str) -> Said {
    Said::refused(1, format!("Usage:  diskutil {verb} MountPoint|DiskIdentifier|DeviceNode"))
}

/// Somebody holds the volume: told on stdout, with who.
fn dissented(disk: &str) -> Said {
    let text = format!(
        "Unmount of {disk} failed: at least one volume could not be unmounted\n\
         Unmount was dissented by PID 20848 (/System/Library/Frameworks/CoreServices.framework/Versions/A/Frameworks/Metadata.framework/Versions/A/Support/mds)\n\
         Dissenter parent PPID 1 (/sbin/launchd)\n"
    );
    Said { code: 1, ..Said::text(text) }
}
