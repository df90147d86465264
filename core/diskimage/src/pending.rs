//! Creates an image atomically: writes `.<name>.partial` beside its place, then renames it without replacing anything.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use system::file;
use system::rename;

use crate::disk::VirtualDisk;
use crate::error::{ImageError, Kind, Result, internal, invalid, of_new, taken};
use crate::open::{self, Opened, Spec};

/// A new image under a temporary name. Dropped without [`PendingImage::publish`], it is removed.
pub struct PendingImage {
    place: PathBuf,
    partial: PathBuf,
    /// None when it has got its name.
    opened: Option<Opened>,
}

impl PendingImage {
    /// Creates an image for this path.
    ///
    /// # Errors
    /// `Exists` when there is something, or another image with this temporary name, be it left of a killed process; else
    /// as [`open::create`].
    pub fn create(place: &Path, spec: &Spec) -> Result<Self> {
        let Some(name) = place.file_name() else {
            return Err(invalid("it is not the name of a file: give the new image a name"));
        };
        // Without the slash that a path may end with.
        let place = &file::folder_of(place).join(name);
        refuse_taken(place)?;
        let partial = partial(place);
        let opened = open::create(&partial, spec).inspect_err(|error| {
            // A partial bundle would be ours; an existing one is not.
            if error.kind() != Kind::Exists {
                remove(&partial);
            }
        });
        match opened {
            Ok(opened) => Ok(Self { place: place.to_owned(), partial, opened: Some(opened) }),
            Err(error) if error.kind() == Kind::Exists => Err(ImageError::new(
                Kind::Exists,
                format!(
                    "{} beside it is being made by another process, or is left of one that was killed: \
                     wait for it or remove that, then run again",
                    partial.file_name().unwrap_or_default().to_string_lossy()
                ),
            )),
            Err(error) => Err(error),
        }
    }

    /// The image, to be written.
    ///
    /// # Errors
    /// None in practice: publishing consumes the image.
    pub fn image(&mut self) -> Result<&mut dyn VirtualDisk> {
        match self.opened.as_mut() {
            Some(opened) => Ok(opened.image.as_mut()),
            None => Err(internal("the image already has its name")),
        }
    }

    /// Leaves its group, unless it is this one, only what all others may do: a new file need not have the group of the
    /// image that it is a copy of.
    ///
    /// # Errors
    /// Any error of the system.
    pub fn limit_other_groups(&self, group: u32) -> Result<()> {
        let found = fs::metadata(&self.partial)?;
        if found.gid() == group {
            return Ok(());
        }
        let mode = found.permissions().mode();
        let of_all = (mode & 0o007) << 3;
        let limited = fs::Permissions::from_mode(mode & (!0o070 | of_all));
        // A file system that refuses (FAT) has permissions of its own, whatever a file is made with.
        drop(fs::set_permissions(&self.partial, limited));
        Ok(())
    }

    /// Syncs all of it and renames it. Where that fails it is removed.
    ///
    /// # Errors
    /// `Exists` when the path exists by now; otherwise any error of the system.
    pub fn publish(mut self) -> Result<()> {
        self.image()?.make_last()?;
        rename::rename_new(&self.partial, &self.place).map_err(of_new)?;
        self.opened = None;
        Ok(file::sync_folder(file::folder_of(&self.place))?)
    }
}

impl Drop for PendingImage {
    fn drop(&mut self) {
        // Closed first: to remove a folder takes descriptors of its own, and a process may have used all it may have.
        if self.opened.take().is_some() {
            remove(&self.partial);
        }
    }
}

/// The name of an image that is being made: `.<name>.partial`. Of a name that leaves no room for that, the beginning
/// and a sum of it.
fn partial(place: &Path) -> PathBuf {
    let partial = file::temporary(place);
    let length = partial.file_name().map_or(0, |name| name.as_bytes().len());
    if length <= LONGEST_NAME {
        return partial;
    }
    let name = place.file_name().unwrap_or_default();
    let sum: String =
        Sha256::digest(name.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let start: String = name.to_string_lossy().chars().take(START_CHARS).collect();
    file::temporary(&place.with_file_name(format!("{start}-{sum}")))
}

/// Longest name of a file in bytes: `NAME_MAX`, on Linux and macOS alike.
const LONGEST_NAME: usize = 255;

/// Characters of a long name that are kept: so few that they fit also where each of them takes four bytes.
const START_CHARS: usize = 40;

/// Makes sure that nothing is there, not even a link that leads nowhere.
fn refuse_taken(place: &Path) -> Result<()> {
    match fs::symlink_metadata(place) {
        Ok(_) => Err(taken()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes what we made. A bundle is a folder that we made ourselves, so all that is in it is ours.
fn remove(partial: &Path) {
    // The error that counts is the one that led here.
    match fs::symlink_metadata(partial) {
        Ok(found) if found.is_dir() => drop(fs::remove_dir_all(partial)),
        _ => drop(fs::remove_file(partial)),
    }
}

#[cfg(test)]
mod tests {
    use super::PendingImage;
    use crate::error::Kind;
    use crate::format::ImageFormat;
    use crate::open::Spec;
    use crate::raw::RawDisk;
    use crate::testing::memory::MemoryStore;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    const SPEC: Spec = Spec::plain(ImageFormat::Udrw, 4096);

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn an_image_has_its_name_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut pending = PendingImage::create(&folder.path().join("x.dmg"), &SPEC).unwrap();
        pending.image().unwrap().write_at(b"abc", 1).unwrap();
        assert_eq!(names(folder.path()), [".x.dmg.partial"]);
        pending.publish().unwrap();
        assert_eq!(names(folder.path()), ["x.dmg"]);
        assert_eq!(&fs::read(folder.path().join("x.dmg")).unwrap()[..5], b"\0abc\0");
    }

    #[test]
    fn an_image_gets_its_name_after_a_flush_as_strong_as_its_file_system_can() {
        use system::flush::Durability::{Fsync, Full};
        let (full, weak) = (MemoryStore::default(), MemoryStore::default().without_full_flush());
        for (store, strength) in [(full, Full), (weak, Fsync)] {
            let folder = tempfile::tempdir().unwrap();
            let mut pending = PendingImage::create(&folder.path().join("x.dmg"), &SPEC).unwrap();
            let raw = RawDisk::create(Box::new(store.clone()), 4096).unwrap();
            pending.opened.as_mut().unwrap().image = Box::new(raw);
            store.flushes();
            pending.publish().unwrap();
            assert_eq!(store.flushes(), [strength]);
            assert_eq!(names(folder.path()), ["x.dmg"]);
        }
    }

    #[test]
    fn a_name_may_be_as_long_as_the_file_system_allows() {
        for name in ["x".repeat(255), "x".repeat(247), "\u{1f4be}".repeat(63), "x".repeat(246)] {
            let folder = tempfile::tempdir().unwrap();
            let pending = PendingImage::create(&folder.path().join(&name), &SPEC).unwrap();
            let [partial] = &names(folder.path())[..] else { panic!("one file") };
            assert!(partial.starts_with('.') && partial.ends_with(".partial"), "{partial}");
            pending.publish().unwrap();
            assert_eq!(names(folder.path()), [name]);
        }
        // Two long names that begin alike are two images.
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = ("x".repeat(255), format!("{}y", "x".repeat(254)));
        let _one = PendingImage::create(&folder.path().join(one), &SPEC).unwrap();
        drop(PendingImage::create(&folder.path().join(other), &SPEC).unwrap());
    }

    #[test]
    fn another_group_may_do_what_all_others_may() {
        let folder = tempfile::tempdir().unwrap();
        for (permissions, of_all) in [(0o640, 0), (0o644, 0o4)] {
            let spec = Spec { permissions, ..SPEC };
            let pending = PendingImage::create(&folder.path().join("x.dmg"), &spec).unwrap();
            let found = || fs::metadata(&pending.partial).unwrap();
            let before = found().mode() & 0o777;
            pending.limit_other_groups(found().gid()).unwrap();
            assert_eq!(found().mode() & 0o777, before);
            pending.limit_other_groups(found().gid() + 1).unwrap();
            assert_eq!(found().mode() & 0o777, 0o600 | before & (of_all << 3 | of_all));
        }
    }

    #[test]
    fn an_image_that_is_given_up_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        drop(PendingImage::create(&folder.path().join("x.dmg"), &SPEC).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_is_there_already_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("x.dmg");
        for taken in ["x.dmg", ".x.dmg.partial"] {
            fs::write(folder.path().join(taken), "thesis").unwrap();
            let refused = PendingImage::create(&place, &SPEC).err().unwrap();
            assert_eq!(refused.kind(), Kind::Exists);
            assert_eq!(fs::read(folder.path().join(taken)).unwrap(), b"thesis");
            fs::remove_file(folder.path().join(taken)).unwrap();
        }
        // Somebody quicker.
        let pending = PendingImage::create(&place, &SPEC).unwrap();
        fs::write(&place, "thesis").unwrap();
        assert_eq!(pending.publish().unwrap_err().kind(), Kind::Exists);
        assert_eq!(names(folder.path()), ["x.dmg"]);
        assert_eq!(fs::read(&place).unwrap(), b"thesis");
    }
}
