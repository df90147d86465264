//! Volumes: plain folders in `state/volumes` while not mounted, renamed onto their mount
//! point.
//!
//! Attaching first remembers the mount, then renames; detaching first renames, then forgets. So a call that was
//! killed in between leaves a volume that is recorded as mounted but is in `state/volumes`: the next call mounts it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::device::Attached;
use crate::world::{State, World};

/// Unit in which files take space, in bytes.
const PAGE: u64 = 4096;

/// Where a volume lies while it is not mounted.
pub fn home(folder: &Path, volume: &str) -> PathBuf {
    folder.join("state/volumes").join(volume)
}

/// Mounts a volume that is remembered as mounted.
pub fn mount(folder: &Path, attached: &Attached) -> io::Result<()> {
    let (Some(volume), Some(at)) = (&attached.volume, &attached.mount_point) else { return Ok(()) };
    let home = home(folder, volume);
    fs::create_dir_all(&home)?;
    // What macOS leaves on every volume that may be written: its log of changes, unless it is told to keep none.
    fs::create_dir_all(home.join(".fseventsd"))?;
    fs::rename(home, at)
}

/// Takes a volume back; the mount point is there again, empty, unless it was made for the volume.
pub fn unmount(folder: &Path, attached: &Attached) -> io::Result<()> {
    let (Some(volume), Some(at)) = (&attached.volume, &attached.mount_point) else { return Ok(()) };
    match fs::rename(at, home(folder, volume)) {
        // Somebody removed the mount point with all that was on it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return fs::create_dir_all(home(folder, volume));
        }
        other => other?,
    }
    if attached.made_mount_point { Ok(()) } else { fs::create_dir(at) }
}

/// Finishes what a call that was killed has begun.
pub fn put_right(world: &World) -> io::Result<()> {
    for attached in &world.state.attached {
        let Some(volume) = attached.volume.as_ref().filter(|_| attached.mount_point.is_some())
        else {
            continue;
        };
        if home(&world.folder, volume).exists() {
            // It can be in the way only of what somebody has put there meanwhile: then it stays where it is.
            drop(mount(&world.folder, attached));
        }
    }
    Ok(())
}

/// Throws away the volumes of images that are gone.
pub fn forget_lost(world: &mut World) -> io::Result<()> {
    let State { attached, images, .. } = &mut world.state;
    let is_lost = |volume: &String, image: &PathBuf| {
        !image.exists() && !attached.iter().any(|one| one.volume.as_ref() == Some(volume))
    };
    for (volume, _) in images.iter().filter(|(volume, image)| is_lost(volume, image)) {
        remove(&home(&world.folder, volume))?;
    }
    images.retain(|volume, image| !is_lost(volume, image));
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Bytes that the files in a folder take, in whole pages.
pub fn content_bytes(folder: &Path) -> io::Result<u64> {
    let mut total = 0_u64;
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let found = entry.metadata()?;
        let bytes = if found.is_dir() {
            content_bytes(&entry.path())?
        } else {
            found.len().next_multiple_of(PAGE)
        };
        total = total.saturating_add(bytes);
    }
    Ok(total)
}
