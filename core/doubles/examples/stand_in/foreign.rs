//! Foreign images, which must not be touched.

use std::fs;
use std::io;
use std::path::Path;

use diskimage::format::ImageFormat;

use crate::device::Attached;
use crate::label::{self, FileSystem, Label, New};
use crate::said::Outcome;
use crate::serve::{self, Mount, Wanted};
use crate::world::World;

/// Length of such an image in bytes.
const LENGTH: u64 = 64 << 20;

/// Attaches somebody else's image; it is made when it is not there, of the kind that its name says.
pub fn attach(world: &mut World, path: &Path) -> Outcome<Attached> {
    if !path.exists() {
        make(world, path)?;
    }
    serve::attach(world, &wanted(path, Mount::Anywhere))
}

/// Gives the numbers of an image that was just detached to somebody else's: they are reused quickly.
pub fn take_over(world: &mut World, gone: &Attached) -> io::Result<()> {
    let folder = world.folder.join("state/foreign");
    fs::create_dir_all(&folder)?;
    let place = folder.join(format!("somebody-elses-{}.dmg", world.state.next_volume));
    make(world, &place)?;
    if serve::attach(world, &wanted(&place, Mount::Not)).is_err() {
        return Err(io::Error::other("somebody else's image could not be attached"));
    }
    let place = place.canonicalize()?;
    if let Some(other) = world.state.attached.iter_mut().find(|other| other.image == place) {
        (other.disk, other.container) = (gone.disk, gone.container.or(other.container));
    }
    world.save()
}

fn wanted(image: &Path, mount: Mount) -> Wanted {
    Wanted {
        image: image.to_owned(),
        mount,
        must_mount: false,
        makes_mount_point: true,
        passphrase: None,
        kept: None,
        by_diskutil: true,
        foreign: true,
    }
}

fn make(world: &mut World, path: &Path) -> io::Result<()> {
    let name = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let format = match name.as_str() {
        "sparsebundle" => ImageFormat::Udsb,
        "sparseimage" => ImageFormat::Udsp,
        "asif" => ImageFormat::Asif,
        _ => ImageFormat::Udrw,
    };
    let label = Label {
        volume: world.new_volume()?,
        name: "Somebody else’s".to_owned(),
        file_system: FileSystem::Apfs,
        high: 0,
    };
    label::create(path, &New { format, len_bytes: LENGTH, band_bytes: None, key: None, label })
}
