//! Volumes: plain folders in `state/volumes` while not mounted, renamed onto their mount
//! point.
//!
//! Attaching first remembers the mount, then renames; detaching first renames, then forgets. So a call that was
//! killed in between leaves a volume that is recorded as mounted but is in `state/volumes`: the next call mounts it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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

/// Throws away the volumes of images that are gone. One that was only renamed is found again by its inode.
pub fn forget_lost(world: &mut World) -> io::Result<()> {
    let State { attached, images, .. } = &mut world.state;
    let mut kept = BTreeMap::new();
    for (volume, mut image) in std::mem::take(images) {
        let in_use = attached.iter().any(|one| one.volume.as_ref() == Some(&volume));
        if in_use || image.is_there() {
            kept.insert(volume, image);
        } else {
            remove(&home(&world.folder, &volume))?;
        }
    }
    *images = kept;
    Ok(())
}

/// Where an image was seen last.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Seen {
    path: PathBuf,
    inode: u64,
}

impl Seen {
    /// An image that is there.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), inode: fs::metadata(path)?.ino() })
    }

    /// Whether it still is, in the same folder.
    fn is_there(&mut self) -> bool {
        let is_it = |path: &Path| fs::metadata(path).is_ok_and(|found| found.ino() == self.inode);
        if is_it(&self.path) {
            return true;
        }
        let entries = self.path.parent().and_then(|folder| fs::read_dir(folder).ok());
        let renamed = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .find(|path| is_it(path));
        renamed.is_some_and(|path| {
            self.path = path;
            true
        })
    }
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
