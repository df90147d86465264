//! The work folder of an image: created, locked, resumed and removed, without touching foreign files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use system::{facts, file};

use crate::cell::Cell;
use crate::error::{Error, Result, advice};
use crate::exit_code::ExitCode;
use crate::image::contents::{self, Contents, FILES, MOUNT_POINT, MountPoint};
use crate::image::macos::detach::detach_all_in;
use crate::image::state_file::{self, MarkedFile, StateFile};
use crate::program::{Programs, tools};
use crate::record::SizeRecord;
use crate::workload::ledger::Ledger;

/// What exists at the path of an image's folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or a folder that was made and not yet marked.
    Nothing,
    /// A folder of ours.
    Ours(StateFile),
    /// Something else.
    Foreign,
}

/// The work folder of one image, held by this process from its making or resuming on.
#[derive(Debug)]
pub(crate) struct ImageFolder {
    path: PathBuf,
    /// The folder itself, locked: the kernel lets go of it when the process ends, however it ends.
    hold: Option<File>,
    state_file: Option<StateFile>,
    /// The state file to make the folder with; none if it is of no known cell.
    new: Option<StateFile>,
}

/// Whether a cell's image, or its folder, contains exactly the files of state file and ledger, apart from noise.
pub(crate) type Holds = fn(&ImageFolder, &Cell, &StateFile, &Ledger) -> bool;

impl ImageFolder {
    /// The place for a cell's image below a folder for work.
    pub(crate) fn of(cell: &Cell, work: &Path) -> Self {
        Self { new: StateFile::new(cell).ok(), ..Self::at(work.join(cell.image_key())) }
    }

    /// An image's folder at this place.
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path, hold: None, state_file: None, new: None }
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the files of the workload are.
    pub(crate) fn files(&self) -> PathBuf {
        self.path.join(FILES)
    }

    /// The path of our image of this format.
    pub(crate) fn image(&self, format: ImageFormat) -> PathBuf {
        self.path.join(contents::image_name(format))
    }

    /// The path of a cell's image; none for a cell without one.
    pub(crate) fn image_of(&self, cell: &Cell) -> Option<PathBuf> {
        cell.format.image().map(|format| self.image(format))
    }

    /// Where the volume of an image that macOS serves is attached.
    pub(crate) fn mount_point(&self) -> PathBuf {
        self.path.join(MOUNT_POINT)
    }

    /// The files of earlier phases on the volume of a resumed image.
    pub(crate) fn marked_files(&self) -> &[MarkedFile] {
        self.state_file.as_ref().map_or(&[], |state_file| state_file.files.as_slice())
    }

    /// Removes an unfinished image, so that it can be created again; the folder and its state file stay.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn remove_image(&self) -> io::Result<()> {
        let contents = self.contents()?;
        for file in &contents.image_files {
            fs::remove_file(file)?;
        }
        for folder in contents.folders.iter().rev() {
            fs::remove_dir(folder)?;
        }
        Ok(())
    }

    /// All of its contents.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn contents(&self) -> io::Result<Contents> {
        Contents::of(&self.path)
    }

    /// The size of its files or its image, and the free space of its disk.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn sizes(&self, contents: &Contents) -> io::Result<SizeRecord> {
        let (allocated_bytes, apparent_bytes) = contents.on_disk()?;
        let free_bytes = facts::space(&self.path)?.free_bytes;
        Ok(SizeRecord { allocated_bytes, apparent_bytes, free_bytes, ..SizeRecord::default() })
    }

    /// The bytes of the disk that a kept image already takes: those of its files, or more, since the image keeps the
    /// space of deleted files until the system trims it.
    pub(crate) fn taken_bytes(&self, state_file: &StateFile) -> u64 {
        let on_disk = self.contents().and_then(|contents| contents.on_disk());
        // an unreadable folder is refused where it is resumed, with the reason
        state_file.bytes().max(on_disk.map_or(0, |(allocated_bytes, _)| allocated_bytes))
    }

    /// What is there.
    ///
    /// # Errors
    /// Exit code 4 when it cannot be looked at.
    pub(crate) fn look(&self) -> Result<Found> {
        match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(self.unusable(&error)),
            Ok(found) if !found.is_dir() => return Ok(Found::Foreign),
            Ok(_) => {}
        }
        if self.is_led_away() {
            return Ok(Found::Foreign);
        }
        if let Some(state_file) = StateFile::read(&self.path) {
            return Ok(Found::Ours(state_file));
        }
        Ok(if self.is_unmarked()? { Found::Nothing } else { Found::Foreign })
    }

    /// Makes the folder for files.
    ///
    /// # Errors
    /// Exit code 3, 4 or 5 when it cannot be made or is held by another process.
    pub(crate) fn create(&mut self) -> Result<()> {
        self.create_for_image()?;
        fs::create_dir(self.files()).map_err(|error| self.unusable(&error))
    }

    /// Makes the folder for a disk image, which is not made.
    ///
    /// # Errors
    /// Exit code 3, 4 or 5 when it cannot be made or is held by another process.
    pub(crate) fn create_for_image(&mut self) -> Result<()> {
        if let Err(error) = fs::create_dir(&self.path)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(self.unusable(&error));
        }
        // There was nothing when this run began: another run began at the same moment.
        let claimed = self.claim();
        claimed.map_err(|error| if self.is_another_s() { self.in_use() } else { error })
    }

    /// Takes a new folder, or an unmarked one.
    fn claim(&mut self) -> Result<()> {
        let new = self.new.clone();
        let state_file = new.ok_or_else(|| Error::fault("the image is of no cell"))?;
        // A link or a pipe is not opened.
        if self.look()? == Found::Foreign {
            return Err(self.foreign());
        }
        self.hold()?;
        match self.look()? {
            Found::Nothing => {}
            Found::Ours(_) => return Err(self.in_use()),
            Found::Foreign => return Err(self.foreign()),
        }
        state_file.write(&self.path)?;
        self.state_file = Some(state_file);
        Ok(())
    }

    /// Whether another process holds the folder, or has taken it away.
    fn is_another_s(&mut self) -> bool {
        self.hold = None;
        match File::open(&self.path) {
            Err(error) => error.kind() == io::ErrorKind::NotFound,
            Ok(folder) => matches!(folder.try_lock(), Err(TryLockError::WouldBlock)),
        }
    }

    /// Resumes an image of an earlier run if it is in the state that the cell's phase needs.
    ///
    /// # Errors
    /// Exit code 5 when another process holds it.
    pub(crate) fn resume(&mut self, cell: &Cell, ledger: &Ledger, holds: Holds) -> Result<bool> {
        let Found::Ours(mut state_file) = self.look()? else { return Ok(false) };
        self.hold()?;
        if !state_file.fits(cell, ledger) || !holds(self, cell, &state_file, ledger) {
            self.hold = None;
            return Ok(false);
        }
        state_file.busy = Some(cell.phase.clone());
        state_file.write(&self.path)?;
        self.state_file = Some(state_file);
        Ok(true)
    }

    /// Resumes an image in the middle of a phase, where a run waits for a restart, if it contains exactly these files.
    ///
    /// # Errors
    /// Exit code 5 when another process holds it.
    pub(crate) fn take_up(&mut self, cell: &Cell, ledger: &Ledger, holds: Holds) -> Result<bool> {
        let Found::Ours(state_file) = self.look()? else { return Ok(false) };
        self.hold()?;
        if !state_file.is_of(cell) || !holds(self, cell, &state_file.holding(ledger), ledger) {
            self.hold = None;
            return Ok(false);
        }
        self.state_file = Some(state_file);
        Ok(true)
    }

    /// Deletes the checkpoint for a restart: its record is written, or it is useless.
    ///
    /// # Errors
    /// Exit code 3 or 4 when it cannot be removed.
    pub(crate) fn forget_waiting(&self) -> Result<()> {
        let checkpoint = self.path.join(contents::CHECKPOINT);
        remove_if_there(&file::temporary(&checkpoint))
            .and_then(|()| remove_if_there(&checkpoint))
            .map_err(|error| self.unusable(&error))
    }

    /// Records that a phase has begun, in which there is an image or one is made: until it is finished, the image cannot
    /// be resumed.
    ///
    /// # Errors
    /// Exit code 3 or 4 when the note cannot be written.
    pub(crate) fn begin(&mut self, phase: &str) -> Result<()> {
        for state_file in self.new.iter_mut().chain(&mut self.state_file) {
            state_file.busy = Some(phase.to_owned());
        }
        self.state_file.as_ref().map_or(Ok(()), |state_file| state_file.write(&self.path))
    }

    /// Notes that a phase is finished.
    ///
    /// # Errors
    /// Exit code 3 or 4 when the note cannot be written.
    pub(crate) fn finish(&mut self, phase: &str, ledger: &Ledger) -> Result<()> {
        let Some(state_file) = &mut self.state_file else { return Ok(()) };
        state_file.finish(phase, ledger);
        state_file.write(&self.path)
    }

    /// Removes the folder, if it is ours, and everything in it that we wrote. On a Mac its image is detached first.
    ///
    /// # Errors
    /// Exit code 4 when it is not ours, holds something that we did not write, or its image stays attached (then
    /// nothing is removed); exit code 5 when another process holds it.
    pub(crate) fn remove(&mut self) -> Result<()> {
        let mut programs = tools::are_of_macos().then(Programs::of_system);
        self.remove_by(programs.as_mut())
    }

    /// The same with these programs, which record their calls; without programs, no image can be attached.
    ///
    /// # Errors
    /// As [`ImageFolder::remove`].
    pub(crate) fn remove_by(&mut self, programs: Option<&mut Programs>) -> Result<()> {
        let is_ours = match self.look()? {
            Found::Foreign => return Err(self.foreign()),
            Found::Nothing if fs::symlink_metadata(&self.path).is_err() => return Ok(()),
            Found::Nothing => false,
            Found::Ours(_) => true,
        };
        self.hold()?;
        self.state_file = None;
        let detached = match programs {
            Some(programs) if is_ours => self.detach(programs),
            _ => Ok(()),
        };
        let removed = detached.and_then(|()| self.remove_ours());
        self.hold = None;
        removed
    }

    /// Detaches the image. Without an image and a mount point in the folder, nothing can be attached.
    fn detach(&self, programs: &mut Programs) -> Result<()> {
        let contents = Contents::of(&self.path).map_err(|error| self.unusable(&error))?;
        if contents.images.is_empty() && contents.mount_point.is_none() {
            return Ok(());
        }
        detach_all_in(programs, &self.path)
            .map_err(|error| self.about(|place| format!("cannot remove {place}: {}", error.line())))
    }

    /// The error for a place that is taken by something else.
    pub(crate) fn foreign(&self) -> Error {
        self.about(|place| {
            format!("{place} was not made by diskbench: move it away or choose another folder, then run \
                 again")
        })
    }

    /// Removes our files; if there are foreign ones, these and the state file stay.
    fn remove_ours(&self) -> Result<()> {
        let doing = |error: io::Error| {
            self.about(|place| {
                format!("cannot remove {place}: {}", advice(&error, "see to the cause"))
            })
        };
        let contents = Contents::of(&self.path).map_err(doing)?;
        // The files of an image beneath a mounted volume are not removed.
        if contents.mount_point == Some(MountPoint::Taken) {
            return Err(self.about(|place| {
                format!(
                    "cannot remove {place}: its folder {MOUNT_POINT} is not empty or has something mounted: detach it or move the files away, then run again"
                )
            }));
        }
        // The checkpoint first: without all files it is useless.
        for file in contents.checkpoint.iter().chain(&contents.files).chain(&contents.image_files) {
            fs::remove_file(file).map_err(doing)?;
        }
        if let Some(name) = contents.first_foreign() {
            // The name of somebody's file is in no record.
            return Err(Error::folder(format!(
                "cannot remove {}: it holds {name}; move away what diskbench did not write there, then run again",
                self.path.display()
            ))
            .recorded_as(
                "cannot remove the work folder: it contains files that diskbench did not write; move them away, then run again",
            ));
        }
        for noise in &contents.noise {
            contents::remove_noise(noise).map_err(doing)?;
        }
        if contents.mount_point.is_some() {
            fs::remove_dir(self.path.join(MOUNT_POINT)).map_err(doing)?;
        }
        for folder in contents.folders.iter().rev() {
            fs::remove_dir(folder).map_err(doing)?;
        }
        // The state file last, so that an interrupted removal can be resumed.
        remove_if_there(&file::temporary(&state_file::path(&self.path))).map_err(doing)?;
        remove_if_there(&state_file::path(&self.path)).map_err(doing)?;
        fs::remove_dir(&self.path).map_err(doing)
    }

    /// Whether the folder is one that a run was killed in before it could mark it.
    fn is_unmarked(&self) -> Result<bool> {
        let contents = Contents::of(&self.path).map_err(|error| self.unusable(&error))?;
        let marked = state_file::is_marked(&self.path)?;
        let empty = !contents.has_files_folder
            && contents.images.is_empty()
            && contents.mount_point.is_none()
            && contents.checkpoint.is_empty();
        Ok(!marked && empty && contents.foreign.is_empty())
    }

    /// Whether something else is at the path of the files or the volume: a link would lead out of our folder.
    fn is_led_away(&self) -> bool {
        let is_no_folder =
            |path| fs::symlink_metadata(path).is_ok_and(|found: fs::Metadata| !found.is_dir());
        is_no_folder(self.files()) || is_no_folder(self.path.join(MOUNT_POINT))
    }

    /// Whether these contents are the files of this state file, with their sizes, and no image.
    pub(crate) fn holds_files(&self, contents: &Contents, state_file: &StateFile) -> bool {
        contents.has_files_folder
            && contents.images.is_empty()
            && contents.files.len() == state_file.files.len()
            && state_file.files.iter().all(|file| {
                fs::symlink_metadata(self.files().join(&file.name))
                    .is_ok_and(|found| found.is_file() && found.len() == file.size_bytes)
            })
    }

    fn hold(&mut self) -> Result<()> {
        if self.hold.is_some() {
            return Ok(());
        }
        let folder = File::open(&self.path).map_err(|error| self.unusable(&error))?;
        match system::lock::patiently(|| folder.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(self.in_use()),
            Err(TryLockError::Error(error)) => return Err(self.unusable(&error)),
        }
        if !is_still(&folder, &self.path).map_err(|error| self.unusable(&error))? {
            // Another process held it first, and has removed it meanwhile.
            return Err(self.in_use());
        }
        self.hold = Some(folder);
        Ok(())
    }

    fn in_use(&self) -> Error {
        let path = self.path.display();
        Error::new(
            ExitCode::Busy,
            format!("{path} is in use by another diskbench: wait for it to end, then run again"),
        )
    }

    /// An error about this folder, which a record names by its part and not by its path.
    fn about(&self, message: impl Fn(&str) -> String) -> Error {
        Error::at(ExitCode::BadFolder, &self.path, message)
    }

    fn unusable(&self, error: &io::Error) -> Error {
        Error::unwritable(&self.path, error)
    }
}

/// Whether an open folder is the one at this path.
fn is_still(folder: &File, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(there) => Ok(file::identity(&folder.metadata()?) == file::identity(&there)),
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod attached;
#[cfg(test)]
mod tests;
