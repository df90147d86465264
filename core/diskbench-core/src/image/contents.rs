//! The contents of an image's folder: ours, noise that the system leaves in any folder, or foreign.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use system::allocation::allocated_bytes;
use system::file;

use crate::image::state_file;
use crate::workload::FileSpec;

/// The folder inside an image's folder that holds the files of the workload.
pub(crate) const FILES: &str = "files";

/// The folder in an image's folder that its volume is attached to.
pub(crate) const MOUNT_POINT: &str = "volume";

/// The results so far of a cell that waits for a restart of this machine; see `run::checkpoint`.
pub(crate) const CHECKPOINT: &str = ".diskbench-waiting.json";

/// The name of an image of ours in its folder.
pub(crate) fn image_name(format: ImageFormat) -> String {
    let extension = format.row().extensions.first().copied().unwrap_or_default();
    format!("image.{extension}")
}

/// The files in a sparse bundle, beside its bands.
const BUNDLE_FILES: [&str; 4] = ["Info.plist", "Info.bckup", "token", "lock"];

/// The folder of a bundle's bands, and one that macOS makes beside it: always seen empty, but files in it with names of
/// bands would be part of the image.
const BANDS: &str = "bands";
const MAPPED: &str = "mapped";

/// A band's name is its number in hexadecimal digits; no disk has more bands than a `u64` counts.
const LONGEST_BAND_NAME: usize = 16;

/// What a mount point is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MountPoint {
    /// Empty: a leftover, with nothing mounted.
    Empty,
    /// Something is mounted there, or it contains files.
    Taken,
}

/// Everything in an image's folder.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// The files of the workload.
    pub files: Vec<PathBuf>,
    /// The disk images: files, or the folder of a bundle. There is one at most, unless somebody copied one there.
    pub images: Vec<PathBuf>,
    /// The files that the images are made of.
    pub image_files: Vec<PathBuf>,
    /// The folder for the files, and those that images are made of, each before its subfolders.
    pub folders: Vec<PathBuf>,
    /// The results so far of a cell that waits for a restart, and an unfinished such file.
    pub checkpoint: Vec<PathBuf>,
    /// Files and folders that the Finder, Spotlight and others leave behind.
    pub noise: Vec<PathBuf>,
    /// Files written neither by us nor by the system.
    pub foreign: Vec<PathBuf>,
    /// The folder that an image's volume is attached to, if it is there.
    pub mount_point: Option<MountPoint>,
    /// Whether the folder for the files is there.
    pub has_files_folder: bool,
    /// Whether a note is there that was not written to its end.
    pub half_marked: bool,
}

impl Contents {
    /// Lists a folder. Links are not followed: they are foreign, whatever their name.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let checkpoint = folder.join(CHECKPOINT);
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let is_bundle = format_by_name(&entry.file_name()).map(ImageFormat::is_bundle);
            if path == folder.join(FILES) && kind.is_dir() {
                found.has_files_folder = true;
                found.folders.push(path);
            } else if path == folder.join(MOUNT_POINT) && kind.is_dir() {
                let state = found.mount_point_at(&path, folder)?;
                found.mount_point = Some(state);
                if state == MountPoint::Taken {
                    found.foreign.push(path);
                }
            } else if is_bundle == Some(true) && kind.is_dir() {
                found.add_bundle(&path)?;
            } else if is_bundle == Some(false) && kind.is_file() {
                found.images.push(path.clone());
                found.image_files.push(path);
            } else if path == file::temporary(&state_file::path(folder)) && kind.is_file() {
                found.half_marked = true;
            } else if (path == checkpoint || path == file::temporary(&checkpoint)) && kind.is_file()
            {
                found.checkpoint.push(path);
            } else if is_noise(&entry.file_name(), kind) {
                found.noise.push(path);
            } else if path != state_file::path(folder) || !kind.is_file() {
                found.foreign.push(path);
            }
        }
        if found.has_files_folder {
            found.add_files(&folder.join(FILES), FileSpec::is_name, |found| &mut found.files)?;
        }
        Ok(found)
    }

    /// The state of a mount point. A mounted volume is not searched; the system's own files may be below it.
    fn mount_point_at(&mut self, mount_point: &Path, folder: &Path) -> io::Result<MountPoint> {
        if fs::symlink_metadata(mount_point)?.dev() != fs::symlink_metadata(folder)?.dev() {
            return Ok(MountPoint::Taken);
        }
        let mut noise = Vec::new();
        for entry in fs::read_dir(mount_point)? {
            let entry = entry?;
            if !is_noise(&entry.file_name(), entry.file_type()?) {
                return Ok(MountPoint::Taken);
            }
            noise.push(entry.path());
        }
        self.noise.append(&mut noise);
        Ok(MountPoint::Empty)
    }

    fn add_bundle(&mut self, bundle: &Path) -> io::Result<()> {
        self.images.push(bundle.to_owned());
        self.folders.push(bundle.to_owned());
        for entry in fs::read_dir(bundle)? {
            let entry = entry?;
            let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
            let is_one_of = |names: &[&str]| names.iter().any(|known| name == *known);
            if kind.is_file() && is_one_of(&BUNDLE_FILES) {
                self.image_files.push(path);
            } else if kind.is_dir() && is_one_of(&[BANDS, MAPPED]) {
                self.folders.push(path.clone());
                self.add_files(&path, is_band, |found| &mut found.image_files)?;
            } else if is_noise(&name, kind) {
                self.noise.push(path);
            } else {
                self.foreign.push(path);
            }
        }
        Ok(())
    }

    /// Lists a folder of files: ours, as far as `is_ours` says so by their names, go to `ours`.
    fn add_files(
        &mut self,
        folder: &Path,
        is_ours: fn(&str) -> bool,
        ours: fn(&mut Self) -> &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, entry.file_name());
            let place = if kind.is_file() && name.to_str().is_some_and(is_ours) {
                ours(self)
            } else if is_noise(&name, kind) {
                &mut self.noise
            } else {
                &mut self.foreign
            };
            place.push(entry.path());
        }
        Ok(())
    }

    /// Allocated and apparent size of files and images in bytes.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn on_disk(&self) -> io::Result<(u64, u64)> {
        let (mut allocated, mut apparent) = (0_u64, 0_u64);
        for file in self.files.iter().chain(&self.image_files) {
            let found = fs::symlink_metadata(file)?;
            allocated = allocated.saturating_add(allocated_bytes(&found));
            apparent = apparent.saturating_add(found.len());
        }
        // Folders take space too; their own length is no content.
        for folder in &self.folders {
            allocated = allocated.saturating_add(allocated_bytes(&fs::symlink_metadata(folder)?));
        }
        Ok((allocated, apparent))
    }

    /// How many bands the images have.
    pub(crate) fn bands(&self) -> usize {
        let is_band = |file: &&PathBuf| {
            file.parent().and_then(Path::file_name).is_some_and(|name| name == BANDS)
        };
        self.image_files.iter().filter(is_band).count()
    }

    /// The name of the first thing that is somebody else's.
    pub(crate) fn first_foreign(&self) -> Option<String> {
        let first = self.foreign.iter().min()?;
        Some(first.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

/// The format that the name of an image of ours is of.
fn format_by_name(name: &OsStr) -> Option<ImageFormat> {
    ImageFormat::ALL.into_iter().find(|format| name == &*image_name(*format))
}

fn is_band(name: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    !name.is_empty() && name.len() <= LONGEST_BAND_NAME && name.bytes().all(digit)
}

/// What macOS leaves in folders that it shows, indexes or watches.
fn is_noise(name: &OsStr, kind: fs::FileType) -> bool {
    let name = name.to_string_lossy();
    let file = name == ".DS_Store" || name.starts_with("._");
    let folder = matches!(&*name, ".fseventsd" | ".Spotlight-V100" | ".Trashes");
    (kind.is_file() && file) || (kind.is_dir() && folder)
}

/// Removes noise; folders with their contents, without following links.
///
/// # Errors
/// Any error of the system.
pub(crate) fn remove_noise(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
