//! Images and the volumes on them: two small traits, so that everything above is tested without a Mac.

mod apple;
pub(crate) mod contents;
mod eviction;
pub mod file_volume;
pub(crate) mod folder;
mod identify;
pub(crate) mod macos;
mod modes;
pub(crate) mod native;
mod passphrase;
pub(crate) mod portable;
pub(crate) mod stand_in;
pub(crate) mod state_file;
mod volume;

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use system::flush::Durability;

use crate::cell::{Cache, Cell, Driver};
use crate::error::{Error, Result};
use crate::image::apple::Apple;
use crate::image::folder::ImageFolder;
use crate::image::native::Native;
use crate::image::portable::Portable;
use crate::image::state_file::StateFile;
use crate::interrupt::Stop;
use crate::program::tools;
use crate::record::{CommandRecord, ImageFacts, Quiet, Serving, SizeRecord};
use crate::transfer::{Mover, Timing};
use crate::workload::FileSpec;
use crate::workload::ledger::Ledger;

/// Why a cell cannot be measured by this program on this machine, if so; with what to do.
pub(crate) fn refusal(cell: &Cell) -> Option<String> {
    match cell.driver {
        Driver::Native => native::refusal(cell),
        Driver::Portable => portable::refusal(cell),
        Driver::Apple if !tools::are_of_macos() => {
            Some("driver apple needs macOS: measure this cell on a Mac".to_owned())
        }
        Driver::Apple => apple::refusal(cell),
    }
}

/// Why the files of a cell do not fit into its image, if so, given the peak use of its volume.
pub(crate) fn too_small(cell: &Cell, peaks: &[Peak]) -> Option<String> {
    match cell.driver {
        Driver::Portable => portable::too_small(cell, peaks),
        // The volume of a folder is as large as its disk, and macOS says itself that an image is full.
        Driver::Native | Driver::Apple => None,
    }
}

/// Whether the files are there, with their sizes, and nothing else but noise: in the folder, or in the one image that
/// takes its place.
pub(crate) fn holds_exactly(
    folder: &ImageFolder,
    cell: &Cell,
    state_file: &StateFile,
    ledger: &Ledger,
) -> bool {
    let Ok(contents) = folder.contents() else { return false };
    if !contents.foreign.is_empty() {
        return false;
    }
    let image = folder.image_of(cell).filter(|image| contents.images == [image.clone()]);
    let image = image.filter(|_| !contents.has_files_folder);
    match cell.driver {
        Driver::Native => folder.holds_files(&contents, state_file),
        Driver::Portable => {
            image.is_some_and(|image| portable::holds_exactly(cell, &image, ledger))
        }
        // Its contents are checked when it is attached.
        Driver::Apple => image.is_some() && apple::is_detached(folder.path()),
    }
}

/// The driver of a cell.
///
/// # Errors
/// When there is none: call [`refusal`] first.
pub(crate) fn driver(
    cell: &Cell,
    folder: Rc<RefCell<ImageFolder>>,
    mover: Mover,
    stop: Stop,
) -> Result<Box<dyn ImageDriver>> {
    if let Some(reason) = refusal(cell) {
        return Err(Error::input(reason));
    }
    Ok(match cell.driver {
        Driver::Apple => Box::new(Apple::new(cell, folder, mover, stop)?),
        Driver::Portable => Box::new(Portable::new(cell, folder, mover, stop)?),
        Driver::Native => Box::new(Native::new(cell, folder, mover, stop)),
    })
}

/// The peak use of a volume.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Bytes of files.
    pub bytes: u64,
    /// The same with each file in whole pages of 4096 bytes.
    pub paged_bytes: u64,
    /// All that was written since the image was made, in whole pages; files deleted since count too.
    pub written_bytes: u64,
    /// Number of files.
    pub files: u64,
}

/// Upper bound of an image's allocated size in bytes, for this peak use of its volume.
pub(crate) fn most_bytes(cell: &Cell, peak: Peak) -> u64 {
    match cell.driver {
        Driver::Portable => portable::most_bytes(cell, peak),
        Driver::Apple => apple::most_bytes(cell, peak),
        Driver::Native => peak.bytes,
    }
}

/// Makes one image and serves it.
pub(crate) trait ImageDriver {
    /// Makes the image, attaches it and gives its volume.
    ///
    /// # Errors
    /// When the image cannot be made.
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>>;

    /// Attaches the image and gives its volume.
    ///
    /// # Errors
    /// When the image cannot be attached.
    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>>;

    /// Takes the volume back and detaches the image. The value says whether the next reads are cold, that is, not from
    /// memory.
    ///
    /// # Errors
    /// When the image cannot be detached.
    fn detach(&mut self, volume: Box<dyn Volume>) -> Result<Done<bool>>;

    /// Gives space that the image no longer needs back to the disk; true unless a program of the system failed to, which
    /// does not concern what was timed before.
    ///
    /// # Errors
    /// Any other failure.
    fn compact(&mut self) -> Result<Done<bool>>;

    /// Restarts the guest that the image belongs to; the image is detached before and after.
    ///
    /// # Errors
    /// When there is no guest; with the exit code
    /// [`ExitCode::RestartNeeded`](crate::exit_code::ExitCode::RestartNeeded) when the guest is this machine: the phase
    /// continues after its restart.
    fn restart(&mut self) -> Result<()> {
        Err(Error::step("this driver has no guest to restart: leave the step out"))
    }

    /// Resumes after a restart of the machine: these modes were effective before, and nothing is in memory any more.
    fn restarted(&mut self, _before: Reached) {}

    /// Throws the image away.
    ///
    /// # Errors
    /// When it cannot be deleted.
    fn delete(&mut self) -> Result<()>;

    /// How large the image is now; the state that it is in has no name here.
    ///
    /// # Errors
    /// When its sizes cannot be read.
    fn sizes(&mut self) -> Result<SizeRecord>;

    /// The properties of the attached image, read back from the image itself, never from the request.
    ///
    /// # Errors
    /// When the image cannot be read. Unknown properties are not an error.
    fn effective(&mut self) -> Result<ImageFacts>;

    /// The effective modes of I/O so far.
    fn reached(&self) -> Reached;

    /// A pass of writing or reading begins: from now on the processes that serve the image are watched.
    fn begin_pass(&mut self) {}

    /// It has ended, well or not: what those processes used meanwhile, where other processes serve the image.
    fn end_pass(&mut self) -> Option<Serving> {
        None
    }

    /// The programs run since the last call.
    fn take_commands(&mut self) -> Vec<CommandRecord> {
        Vec::new()
    }

    /// What was done on the image and its volume so that nothing disturbs; nothing where there is nothing to do.
    fn quiet(&self) -> Option<Quiet> {
        None
    }
}

/// A place that files are written to and read from.
pub(crate) trait Volume {
    /// Writes a new file. Opened before the clock starts, closed after it stops.
    ///
    /// # Errors
    /// When it cannot be written, or a signal asked to stop.
    fn write(&mut self, file: FileSpec) -> Result<Timing>;

    /// Reads a file from start to end. Opened before the clock starts, closed after it stops.
    ///
    /// # Errors
    /// When it cannot be read, or a signal asked to stop.
    fn read(&mut self, file: FileSpec) -> Result<Timing>;

    /// Deletes files.
    ///
    /// # Errors
    /// When one cannot be deleted.
    fn delete(&mut self, files: &[FileSpec]) -> Result<()>;
}

/// A result, with a note on how it was reached.
#[derive(Debug)]
pub(crate) struct Done<T> {
    /// The result.
    pub value: T,
    /// A note for the record.
    pub note: Option<String>,
}

/// Notes of one step as one; none of none.
fn notes(all: impl IntoIterator<Item = String>) -> Option<String> {
    all.into_iter().reduce(|one, next| format!("{one}; {next}"))
}

impl<T> Done<T> {
    /// A result without a note.
    pub(crate) const fn plain(value: T) -> Self {
        Self { value, note: None }
    }

    /// A result with a note.
    pub(crate) fn noted(value: T, note: impl Into<String>) -> Self {
        Self { value, note: Some(note.into()) }
    }
}

/// The modes of I/O that were reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reached {
    /// What was done about the cache.
    pub cache: Cache,
    /// What had happened to a file when its clock stopped.
    pub durability: Durability,
}
