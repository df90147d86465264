//! The driver `native`: no image, a folder on this machine's own disk. In format VM the machine is a macOS guest.
//!
//! There is nothing to detach. So that reads are as cold as after detaching and attaching an image, every `detach` step
//! evicts the files from memory, whatever the cell's cache mode, with a note.

use std::cell::{OnceCell, RefCell};
use std::io;
use std::rc::Rc;

#[cfg(test)]
use system::calls::Calls;
use system::file;

use crate::cell::{Cell, Encryption, Format};
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::host;
use crate::image::folder::ImageFolder;
use crate::image::volume::{FileIo, FolderVolume, Shared};
use crate::image::{Done, ImageDriver, Reached, Volume};
use crate::interrupt::Stop;
use crate::record::{ImageFacts, Quiet, SizeRecord, Storage};
use crate::transfer::Mover;

/// Why a cell cannot be served by a folder, if so; with what to do.
pub(crate) fn refusal(cell: &Cell) -> Option<String> {
    if !matches!(cell.format, Format::Native | Format::Vm) {
        return Some(format!(
            "driver native does not measure images ({}): use driver apple or portable",
            cell.format
        ));
    }
    if !matches!(cell.encryption, Encryption::None | Encryption::FileVault) {
        return Some(format!(
            "driver native cannot encrypt with {}: only the disk it lies on can (none, FileVault)",
            cell.encryption
        ));
    }
    if cell.format == Format::Vm {
        return guest_refusal(cell.restarts());
    }
    cell.restarts().then(|| {
        "driver native restarts only the guest that it runs in: measure format VM inside a guest, or leave the restart out"
            .to_owned()
    })
}

/// Why the disk of a guest cannot be measured here, if so.
fn guest_refusal(restarts: bool) -> Option<String> {
    if host::os().name != "macos" || host::virtual_machine() != Some(true) {
        return Some(
            "format VM is the disk of a macOS guest, and this machine is not a guest: run `bash workflow/run.sh --config study=vm-2026` inside one"
                .to_owned(),
        );
    }
    (restarts && host::boot().is_none()).then(|| {
        "this guest does not identify its boot, so a restart cannot be detected: make sure that `sysctl kern.bootsessionuuid` works"
            .to_owned()
    })
}

/// The driver.
#[derive(Debug)]
pub(crate) struct Native {
    folder: Rc<RefCell<ImageFolder>>,
    io: Shared,
    stop: Stop,
    /// The disk of the folder, once queried.
    facts: Option<ImageFacts>,
    /// Whether Time Machine was kept away, once that was tried; nothing where there is none, or it is not known.
    backup_off: OnceCell<Option<bool>>,
}

impl Native {
    /// A driver for this folder.
    pub(crate) fn new(
        cell: &Cell,
        folder: Rc<RefCell<ImageFolder>>,
        mover: Mover,
        stop: Stop,
    ) -> Self {
        Self {
            folder,
            io: Rc::new(RefCell::new(FileIo::new(mover, cell.io))),
            stop,
            facts: None,
            backup_off: OnceCell::new(),
        }
    }

    /// The same on a system that answers otherwise.
    #[cfg(test)]
    pub(crate) fn calling(self, calls: Calls) -> Self {
        self.io.borrow_mut().call(calls);
        self
    }

    fn volume(&mut self) -> Done<Box<dyn Volume>> {
        let files = self.folder.borrow().files();
        self.backup_off.get_or_init(|| host::keep_out_of_backups(&files));
        Done::plain(Box::new(FolderVolume::new(files, Rc::clone(&self.io))))
    }
}

impl ImageDriver for Native {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.folder.borrow_mut().create().map_err(|error| error.in_record())?;
        Ok(self.volume())
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        Ok(self.volume())
    }

    fn detach(&mut self, volume: Box<dyn Volume>) -> Result<Done<bool>> {
        drop(volume);
        let eviction = self.io.borrow_mut().evict(&self.folder.borrow(), &self.stop)?;
        if eviction.is_empty() {
            return Ok(Done::noted(true, "nothing to detach, and no files to drop from the cache"));
        }
        Ok(Done::noted(eviction.is_cold(), format!("nothing to detach: {}", eviction.note())))
    }

    fn compact(&mut self) -> Result<Done<bool>> {
        Ok(Done::noted(true, "nothing to compact: a folder frees space at once".to_owned()))
    }

    fn restart(&mut self) -> Result<()> {
        // The files were flushed by the detach before; their names are not to be lost either.
        let files = self.folder.borrow().files();
        file::sync_folder(&files)
            .map_err(|error| Error::io_in_step("flushing the folder", &error))?;
        Err(Error::new(
            ExitCode::RestartNeeded,
            "restart this machine, then run the same command again",
        ))
    }

    fn restarted(&mut self, before: Reached) {
        self.io.borrow_mut().modes.restarted(before);
    }

    fn delete(&mut self) -> Result<()> {
        self.folder.borrow_mut().remove().map_err(|error| error.in_record())
    }

    fn sizes(&mut self) -> Result<SizeRecord> {
        let folder = self.folder.borrow();
        let sizes = folder.contents().and_then(|contents| match contents.has_files_folder {
            true => folder.sizes(&contents),
            // A folder that is gone has no size, not one of 0.
            false => Err(io::ErrorKind::NotFound.into()),
        });
        sizes.map_err(|error| Error::io_in_step("measuring the folder", &error))
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        if self.facts.is_none() {
            self.facts = Some(facts_of(&host::storage(&self.folder.borrow().files())));
        }
        Ok(self.facts.clone().unwrap_or_default())
    }

    fn reached(&self) -> Reached {
        self.io.borrow().reached()
    }

    fn quiet(&self) -> Option<Quiet> {
        let backup_off = self.backup_off.get().copied().flatten();
        backup_off.map(|_| Quiet { backup_off, ..Quiet::default() })
    }
}

/// The system's facts about the disk of a folder.
fn facts_of(storage: &Storage) -> ImageFacts {
    ImageFacts {
        on_image: storage.bus.as_deref().and_then(host::is_image),
        encrypted: match storage.encryption.as_deref() {
            Some("FileVault") => Some(true),
            Some("none") => Some(false),
            // Disk encryption of other systems is not a layer of the study.
            _ => None,
        },
        file_system: storage.file_system.clone(),
        ..ImageFacts::default()
    }
}

#[cfg(test)]
mod tests;
