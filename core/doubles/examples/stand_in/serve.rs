//! Attaching and detaching, for all programs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use diskimage::crypt::Passphrase;
use diskimage::format::ImageFormat;
use system::cache;

use crate::device::Attached;
use crate::foreign;
use crate::label::{self, Found};
use crate::said::{Failure, Outcome, Reason};
use crate::volumes;
use crate::world::{World, revealed};

/// Where a volume is to be mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// Nowhere.
    Not,
    /// In the folder for volumes, under its name: `/Volumes/NAME` on a Mac, `state/Volumes/NAME` here.
    Anywhere,
    /// Here.
    At(PathBuf),
}

/// What is to be attached, and how.
#[derive(Debug)]
pub struct Wanted {
    /// The image.
    pub image: PathBuf,
    /// Where its volume goes.
    pub mount: Mount,
    /// Whether attaching fails when there is nothing to mount.
    pub must_mount: bool,
    /// Whether a mount point that is not there is made.
    pub makes_mount_point: bool,
    /// What was given to open it.
    pub passphrase: Option<Passphrase>,
    /// The bytes of that.
    pub kept: Option<String>,
    /// Whether the program is `diskutil`.
    pub by_diskutil: bool,
    /// Whether somebody else asks.
    pub foreign: bool,
}

/// Attaches an image. One that is attached already is given as it is.
pub fn attach(world: &mut World, wanted: &Wanted) -> Outcome<Attached> {
    let image = wanted.image.canonicalize().map_err(|_| Reason::NoEntry)?;
    if let Some(attached) = world.state.of_image(&image) {
        return Ok(attached.clone());
    }
    if world.obeys("locked-attach")? {
        return Err(Reason::Again.into());
    }
    if label::is_encrypted(&image)? && wanted.passphrase.is_none() {
        return Err(ask(world)?);
    }
    let found = open(&image, wanted.passphrase.as_ref())?;
    let recognizes = match found.format {
        ImageFormat::Udrw | ImageFormat::Udsp | ImageFormat::Udsb => true,
        // hdiutil knows no ASIF (0); what it says of one is made up.
        ImageFormat::Asif => wanted.by_diskutil && world.release().attaches_asif(),
    };
    if !recognizes {
        return Err(Reason::NotRecognized.into());
    }
    let attached = become_device(world, &image, &found, wanted);
    if wanted.by_diskutil && world.obeys("helper-error")? {
        // The device stays attached behind it (2.1).
        world.state.attached.push(attached);
        return Err(Reason::Helper.into());
    }
    if world.obeys("leave-attached")? {
        world.state.attached.push(attached);
        return Err(Reason::Busy.into());
    }
    let attached = mounted(world, attached, wanted)?;
    if let Some(volume) = &attached.volume {
        world.state.images.insert(volume.clone(), image);
    }
    world.state.attached.push(attached.clone());
    // Remembered first, mounted then: see `volumes`.
    world.save()?;
    volumes::mount(&world.folder, &attached)?;
    Ok(attached)
}

/// Opens an image as far as needed to look at it.
pub fn open(image: &Path, passphrase: Option<&Passphrase>) -> Outcome<Found> {
    label::look(image, passphrase).map_err(|error| Reason::of(&error).into())
}

/// What comes of touching an encrypted image without a passphrase: a refusal, or a dialog that nobody answers (1.2).
pub fn ask(world: &World) -> io::Result<Failure> {
    Ok(if world.is_ordered("ask-password")? {
        Failure::Never
    } else {
        Reason::Authentication.into()
    })
}

fn become_device(world: &mut World, image: &Path, found: &Found, wanted: &Wanted) -> Attached {
    let disk = world.state.free_number(&[]);
    let label = found.label.as_ref();
    let apfs = label.is_some_and(|label| label.file_system.is_apfs());
    let container = apfs.then(|| world.state.free_number(&[disk]));
    let pid = world.state.next_pid;
    world.state.next_pid = pid.saturating_add(1);
    // Known are raw images and UDSP by hdiutil of 15, UDSP of 26 and raw ones of 27 (1.4, 3).
    let by_older_engine = !wanted.by_diskutil
        && match found.format {
            ImageFormat::Udrw => true,
            ImageFormat::Udsp => world.release().major() < 26,
            ImageFormat::Udsb | ImageFormat::Asif => false,
        };
    Attached {
        image: image.to_owned(),
        format: found.format,
        len_bytes: found.len_bytes,
        disk,
        container,
        file_system: label.map(|label| label.file_system),
        volume: label.map(|label| label.volume.clone()),
        volume_name: label.map(|label| label.name.clone()).unwrap_or_default(),
        mount_point: None,
        made_mount_point: false,
        encrypted: found.key_bits.is_some(),
        kept: found.key_bits.and_then(|_| wanted.kept.clone()),
        by_older_engine,
        foreign: wanted.foreign,
        going: false,
        pid,
    }
}

/// Leaves the device behind of a program that has attached an image to look at it: it goes when it was listed.
pub fn leave(world: &mut World, image: &Path, found: &Found) {
    let wanted = Wanted {
        image: image.to_owned(),
        mount: Mount::Not,
        must_mount: false,
        makes_mount_point: false,
        passphrase: None,
        kept: None,
        by_diskutil: true,
        foreign: false,
    };
    let left = Attached { going: true, ..become_device(world, image, found, &wanted) };
    world.state.attached.push(left);
}

/// Finds its mount point.
fn mounted(world: &World, mut attached: Attached, wanted: &Wanted) -> Outcome<Attached> {
    if wanted.mount == Mount::Not || world.obeys("not-mounted")? {
        return Ok(attached);
    }
    if attached.volume.is_none() {
        // The image is detached again before that is said (1.9).
        return if wanted.must_mount { Err(Reason::NoFileSystem.into()) } else { Ok(attached) };
    }
    let elsewhere = world.obeys("mounts-elsewhere")?;
    let mount = if elsewhere { &Mount::Anywhere } else { &wanted.mount };
    let (at, make) = match mount {
        Mount::At(at) => (at.clone(), wanted.makes_mount_point),
        _ => (world.folder.join("state/Volumes").join(&attached.volume_name), true),
    };
    if make && !at.exists() {
        if *mount == Mount::Anywhere {
            fs::create_dir_all(world.folder.join("state/Volumes"))?;
        }
        // Only when its parent is there (2.1).
        fs::create_dir(&at).map_err(|_| Reason::NoEntry)?;
        attached.made_mount_point = true;
    }
    let at = at.canonicalize().map_err(|_| Reason::NoEntry)?;
    if fs::read_dir(&at)?.next().is_some() {
        // A Mac would cover what is there; a rename cannot.
        return Err(Reason::Busy.into());
    }
    attached.made_mount_point |= world.is_ordered("removes-mount-point")?;
    attached.mount_point = Some(at);
    Ok(attached)
}

/// Whether a process holds something open on the volume of an attached image. Only Linux tells that here.
pub fn is_held(world: &World, index: usize) -> bool {
    let Some(at) = world.state.attached.get(index).and_then(|one| one.mount_point.as_ref()) else {
        return false;
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let open =
        processes.flat_map(|process| fs::read_dir(process.path().join("fd")).into_iter().flatten());
    open.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|held| held.starts_with(at)))
}

/// Refuses a new image on the volume of another one that has no room for all of it.
pub fn refuse_without_room(world: &World, path: &Path, len_bytes: u64) -> Outcome<()> {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let Some(holding) = world.state.holding(&folder) else { return Ok(()) };
    let used = holding.mount_point.as_deref().map_or(Ok(0), volumes::content_bytes)?;
    if used.saturating_add(len_bytes) > holding.len_bytes {
        return Err(Reason::NoSpace.into());
    }
    Ok(())
}

/// Unmounts the volume of an attached image and lets the image grow as its content did.
pub fn unmount(world: &mut World, index: usize) -> io::Result<()> {
    let Some(attached) = world.state.attached.get(index).cloned() else { return Ok(()) };
    if attached.mount_point.is_none() {
        return Ok(());
    }
    // First taken back, then forgotten: see `volumes`.
    volumes::unmount(&world.folder, &attached)?;
    if let Some(volume) = &attached.volume {
        let content = volumes::content_bytes(&volumes::home(&world.folder, volume))?;
        let passphrase = attached.kept.as_deref().map(revealed).transpose()?;
        match label::grow(&attached.image, passphrase.as_ref(), content) {
            // Somebody deleted the image while it was attached: a Mac lets that happen too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    if let Some(known) = world.state.attached.get_mut(index) {
        known.mount_point = None;
        known.made_mount_point = false;
    }
    world.save()
}

/// What an attach says of its devices.
pub fn told(world: &World, attached: &Attached) -> io::Result<Attached> {
    let mut told = attached.clone();
    if world.obeys("names-other-device")? {
        told.disk = told.disk.saturating_add(70);
    }
    if world.obeys("unsaid-mount-point")? {
        told.mount_point = None;
    }
    Ok(told)
}

/// Drops an image from memory. Whether a Mac does so when it detaches one is not known.
fn drop_from_memory(image: &Path) -> io::Result<()> {
    if image.is_dir() {
        return fs::read_dir(image)?.try_for_each(|entry| drop_from_memory(&entry?.path()));
    }
    // It may have been deleted while it was attached.
    let Ok(file) = fs::File::open(image) else { return Ok(()) };
    file.sync_all()?;
    cache::drop_pages(&file, file.metadata()?.len())
}

/// Detaches an image.
pub fn detach(world: &mut World, index: usize) -> io::Result<()> {
    unmount(world, index)?;
    if index >= world.state.attached.len() {
        return Ok(());
    }
    let gone = world.state.attached.remove(index);
    world.save()?;
    if !world.is_ordered("keeps-in-memory")? {
        drop_from_memory(&gone.image)?;
    }
    if !gone.foreign && world.obeys("reuse-numbers")? {
        foreign::take_over(world, &gone)?;
    }
    Ok(())
}
