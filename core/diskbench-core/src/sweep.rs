//! Cleans up after interrupted runs: only unlocked folders with our state file.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::image::contents::Contents;
use crate::image::folder::{Found, ImageFolder};
use crate::image::state_file;
use crate::program::{Programs, tools};
use crate::run::checkpoint::{self, Kept};
use crate::space;

/// What a sweep did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Names of the folders that were removed.
    pub removed: Vec<String>,
    /// Why marked folders were left alone, one line each.
    pub kept: Vec<String>,
}

impl Swept {
    /// One line for every folder that was removed, and their number.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        for name in &self.removed {
            text.push_str(&format!("removed {name}\n"));
        }
        text.push_str(&format!("{} removed, {} left\n", self.removed.len(), self.kept.len()));
        text
    }
}

/// Removes every image folder below `folder` that an interrupted run left. On a Mac the images in them are detached
/// first, and no others.
///
/// # Errors
/// Exit code 4 when the folder cannot be read.
pub(crate) fn sweep(folder: &Path) -> Result<Swept> {
    let mut programs = tools::are_of_macos().then(Programs::of_system);
    sweep_by(folder, programs.as_mut())
}

fn sweep_by(folder: &Path, mut programs: Option<&mut Programs>) -> Result<Swept> {
    space::existing_folder(folder)?;
    let entries = fs::read_dir(folder).map_err(|error| Error::unwritable(folder, &error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::unwritable(folder, &error))?;
        // Links are not followed, as they lead elsewhere.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let mut swept = Swept::default();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut image = ImageFolder::at(path.clone());
        match image.look() {
            Ok(Found::Ours(_)) if waits(&path) => swept.kept.push(format!(
                "{name} waits for a restart of this machine: kept; remove it by hand if its cell is no longer needed"
            )),
            Ok(Found::Ours(_)) => match image.remove_by(programs.as_deref_mut()) {
                Ok(()) => swept.removed.push(name),
                Err(error) if error.exit() == ExitCode::Busy => {
                    swept.kept.push(format!("{name} is in use: kept"));
                }
                Err(error) => swept.kept.push(error.line()),
            },
            // Without a state file it is foreign; with that of another folder it may be a copy.
            _ if state_file::is_marked(&path).unwrap_or(false) => {
                swept.kept.push(format!(
                    "{name} has a state file that is damaged or another folder's, or its files are a link: kept; remove it by hand if it is not needed"
                ));
            }
            Ok(Found::Nothing) if looks_unfinished(&path, &name) => swept.kept.push(format!(
                "{name} is not marked and may be left over from a killed run: kept; remove it by hand if it is not needed"
            )),
            _ => {}
        }
    }
    Ok(swept)
}

/// Whether a folder has a checkpoint that no record contains yet.
fn waits(path: &Path) -> bool {
    matches!(checkpoint::kept(path), Kept::Whole(checkpoint) if !checkpoint.is_recorded())
}

/// Whether a folder that holds nothing of anybody's was probably made by a run that was killed at once: it holds half
/// a state file, or it is called like an image.
fn looks_unfinished(path: &Path, name: &str) -> bool {
    let half_marked = Contents::of(path).is_ok_and(|contents| contents.half_marked);
    let words: Vec<&str> = name.split('-').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let like_an_image = has(&["gold", "half", "tenth", "smoke"])
        && has(&["native", "portable", "apple"])
        && words.last().is_some_and(|word| word.parse::<u32>().is_ok());
    half_marked || like_an_image
}

#[cfg(test)]
mod attached;
#[cfg(test)]
mod tests {
    use super::sweep;
    use crate::image::folder::ImageFolder;
    use crate::image::state_file::StateFile;
    use crate::record::{Record, store};
    use crate::run::checkpoint::tests::{checkpoint, restart_cell};
    use crate::run::checkpoint::{Checkpoint, whole_path};
    use crate::testing::{cell, record};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_waits_for_a_restart_is_left_until_its_record_is_there() {
        let work = tempfile::tempdir().unwrap();
        let cell = restart_cell();
        let mut image = ImageFolder::of(&cell, work.path());
        image.create().unwrap();
        let path = work.path().join("fresh.json");
        let checkpoint = Checkpoint { record: whole_path(&path), ..checkpoint() };
        checkpoint.write(image.path()).unwrap();
        drop(image);
        let swept = sweep(work.path()).unwrap();
        assert_eq!((swept.removed.len(), swept.kept.len()), (0, 1), "{swept:?}");
        assert!(swept.kept[0].contains("waits for a restart of this machine"), "{swept:?}");
        // A run that was killed between its record and putting the image away.
        let record = Record { cell, started_utc: checkpoint.known.started_utc, ..record() };
        store::save(&record, &path).unwrap();
        assert_eq!(sweep(work.path()).unwrap().removed.len(), 1);
    }

    #[test]
    fn what_can_no_longer_be_gone_on_with_after_a_restart_is_removed() {
        let work = tempfile::tempdir().unwrap();
        let mut image = ImageFolder::of(&restart_cell(), work.path());
        image.create().unwrap();
        fs::write(image.path().join(".diskbench-waiting.json"), "{").unwrap();
        fs::write(image.path().join("..diskbench-waiting.json.partial"), "{").unwrap();
        drop(image);
        assert_eq!(sweep(work.path()).unwrap().removed, [restart_cell().image_key()]);
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
    }

    #[test]
    fn look_alikes_are_never_touched() {
        let work = tempfile::tempdir().unwrap();
        let name = cell().image_key();
        // The right name, and somebody's files.
        fs::create_dir(work.path().join(&name)).unwrap();
        fs::write(work.path().join(&name).join("thesis.txt"), "x").unwrap();
        // A copy of one of ours under another name.
        let other = work.path().join("backup");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("r01-s01-0001.bin"), "x").unwrap();
        StateFile::new(&cell()).unwrap().write(&other).unwrap();
        // A state file that is damaged.
        let damaged = work.path().join("damaged");
        fs::create_dir(&damaged).unwrap();
        fs::write(damaged.join(".diskbench-image.json"), "{\"marker_version\": 1").unwrap();
        // A link to one of ours elsewhere.
        let elsewhere = tempfile::tempdir().unwrap();
        let mut image = ImageFolder::of(&cell(), elsewhere.path());
        image.create().unwrap();
        let target = elsewhere.path().join(&name);
        drop(image);
        symlink(&target, work.path().join("link")).unwrap();
        // An empty folder and a plain file.
        fs::create_dir(work.path().join("empty")).unwrap();
        fs::write(work.path().join("file"), "x").unwrap();

        let swept = sweep(work.path()).unwrap();
        assert!(swept.removed.is_empty(), "{swept:?}");
        assert_eq!(swept.kept.len(), 2, "{swept:?}");
        assert!(work.path().join(&name).join("thesis.txt").exists());
        assert!(other.join("r01-s01-0001.bin").exists());
        assert!(damaged.join(".diskbench-image.json").exists());
        assert!(target.join("files").exists());
        assert!(work.path().join("empty").exists() && work.path().join("file").exists());
    }

    #[test]
    fn what_a_run_left_before_it_could_mark_it_is_named_and_left() {
        let work = tempfile::tempdir().unwrap();
        fs::create_dir(work.path().join(cell().image_key())).unwrap();
        fs::create_dir(work.path().join("half")).unwrap();
        fs::write(work.path().join("half/..diskbench-image.json.partial"), "{").unwrap();
        let swept = sweep(work.path()).unwrap();
        assert_eq!((swept.removed.len(), swept.kept.len()), (0, 2), "{swept:?}");
        assert!(swept.kept.iter().all(|line| line.contains("is not marked")), "{swept:?}");
    }

    #[test]
    fn what_lies_behind_a_link_is_not_swept() {
        let work = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let theirs = elsewhere.path().join("r01-s01-0001.bin");
        fs::write(&theirs, "x").unwrap();
        let mut image = ImageFolder::of(&cell(), work.path());
        image.create().unwrap();
        fs::remove_dir(image.files()).unwrap();
        symlink(elsewhere.path(), image.files()).unwrap();
        drop(image);
        let swept = sweep(work.path()).unwrap();
        assert_eq!((swept.removed.len(), swept.kept.len()), (0, 1), "{swept:?}");
        assert!(theirs.exists());
    }

    #[test]
    fn a_marker_that_is_no_file_or_is_huge_keeps_nobody_waiting() {
        let work = tempfile::tempdir().unwrap();
        for name in ["fifo", "huge"] {
            fs::create_dir(work.path().join(name)).unwrap();
        }
        let state_file = |name: &str| work.path().join(name).join(".diskbench-image.json");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(state_file("fifo"))
                .status()
                .unwrap()
                .success()
        );
        fs::File::create(state_file("huge")).unwrap().set_len(1 << 40).unwrap();
        let swept = sweep(work.path()).unwrap();
        assert_eq!((swept.removed.len(), swept.kept.len()), (0, 2), "{swept:?}");
    }
}
