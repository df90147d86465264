//! The driver `portable`: disk images written and read by this program, on any machine.
//!
//! The image is in its work folder. `create` makes it with an empty volume; `attach` opens it and reads the table of
//! files; `detach` flushes it, evicts all its files from memory, so that reads are as cold as after macOS detached an
//! image, and closes it; `compact` frees unused bands or chunks.
//!
//! **The cache.** Images use cached I/O, since a format's structures are smaller than the blocks of direct I/O.
//! `cache: bypass` is not supported, and recorded as not effective; every detach does what `drop` requests.
//!
//! **Read-ahead.** To the system an image is one file (or one for each band), so its read-ahead would include the next
//! files of the volume, and small files would come from memory, unlike native ones. So it is turned off, and the volume
//! requests read-ahead itself, up to the end of each file.
//!
//! **What can be compared.** A cell measures the format, its encryption and the machine, in this program, not in macOS.

mod volume;
mod wanted;

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use diskimage::crypt::{self, Facts};
use diskimage::disk::VirtualDisk;
use diskimage::open::{Spec, create};
use diskimage::store::Access;
#[cfg(test)]
use system::calls::Calls;
use system::flush::Durability;

use crate::cell::{Cache, Cell, Encryption, Io};
use crate::error::{Error, Result};
use crate::image::eviction::Eviction;
use crate::image::file_volume::FileVolume;
use crate::image::folder::ImageFolder;
use crate::image::identify::identify;
use crate::image::portable::volume::{Attached, PortableVolume, Shared};
use crate::image::portable::wanted::{open, wanted};
use crate::image::volume::FileIo;
use crate::image::{Done, ImageDriver, Reached, Volume, notes};
use crate::interrupt::Stop;
use crate::record::{ImageFacts, OWN_FILE_SYSTEM, SizeRecord};
use crate::transfer::Mover;
use crate::workload::ledger::Ledger;

pub(crate) use wanted::{most_bytes, refusal, too_small};

/// The note if uncached I/O was requested.
const NO_BYPASS: &str = "uncached I/O is not supported: images use the system's cache";

/// The driver.
pub(crate) struct Portable {
    folder: Rc<RefCell<ImageFolder>>,
    attached: Shared,
    wanted: Spec,
    asked: Cache,
    stop: Stop,
    /// What the image is, once it was read before it was opened.
    facts: Option<ImageFacts>,
}

impl Portable {
    /// A driver for the image in this folder.
    ///
    /// # Errors
    /// Never for cells that are not refused.
    pub(crate) fn new(
        cell: &Cell,
        folder: Rc<RefCell<ImageFolder>>,
        mover: Mover,
        stop: Stop,
    ) -> Result<Self> {
        let asked = cell.io.cache;
        let offered = if asked.bypasses() { Cache::None } else { asked };
        let io = FileIo::new(mover, Io { cache: offered, ..cell.io });
        if cell.encryption != Encryption::None {
            // Starting the ciphers' threads must not be timed with the first file.
            crypt::threads();
        }
        Ok(Self {
            folder,
            attached: Rc::new(RefCell::new(Attached { io, files: None })),
            wanted: wanted(cell)?,
            asked,
            stop,
            facts: None,
        })
    }

    /// The same on a system that answers otherwise.
    #[cfg(test)]
    pub(crate) fn calling(self, calls: Calls) -> Self {
        self.attached.borrow_mut().io.call(calls);
        self
    }

    fn path(&self) -> PathBuf {
        self.folder.borrow().image(self.wanted.format)
    }

    fn serve(&self, files: FileVolume, note: Option<String>) -> Done<Box<dyn Volume>> {
        self.attached.borrow_mut().files = Some(files);
        let bypass = self.asked.bypasses().then(|| NO_BYPASS.to_owned());
        let value = Box::new(PortableVolume(Rc::clone(&self.attached)));
        Done { value, note: notes(note.into_iter().chain(bypass)) }
    }

    fn open(&self, access: Access) -> io::Result<Box<dyn VirtualDisk>> {
        Ok(open(&self.wanted, &self.path(), access)?.image)
    }

    /// Drops the image, which is closed, from the cache.
    fn evict(&self) -> Result<Eviction> {
        self.attached.borrow_mut().io.evict(&self.folder.borrow(), &self.stop)
    }

    /// The error of a step, or cancellation if that was requested meanwhile.
    fn failed(&self, doing: &str, error: &io::Error) -> Error {
        match self.stop.check() {
            Ok(()) => Error::io_in_step(doing, error),
            Err(interrupted) => interrupted,
        }
    }

    fn make(&self) -> io::Result<Option<Facts>> {
        let opened = create(&self.path(), &self.wanted)?;
        let mut files = FileVolume::format(opened.image)?;
        // Writes of its creation must not be timed with the first file.
        files.flush(Durability::Fsync)?;
        Ok(opened.encryption)
    }

    /// Opens the image after its properties are read: while it is open, no other process can.
    fn take_up(&mut self) -> io::Result<FileVolume> {
        if self.facts.is_none() {
            self.facts = Some(identify(&self.path(), self.wanted.passphrase())?);
        }
        FileVolume::mount(self.open(Access::Write)?)
    }

    fn try_compact(&self) -> io::Result<(u64, u64)> {
        let (before, _) = self.folder.borrow().contents()?.on_disk()?;
        self.open(Access::Write)?.compact()?;
        let (after, _) = self.folder.borrow().contents()?.on_disk()?;
        Ok((before, after))
    }

    /// From the image's headers, once for each image; the volume's from the disk inside.
    fn try_effective(&self) -> io::Result<ImageFacts> {
        let mut attached = self.attached.borrow_mut();
        let (files, _) = attached.files()?;
        let file_system = if files.is_marked()? { OWN_FILE_SYSTEM } else { OTHER_FILE_SYSTEM };
        // They were read before it was opened.
        let facts = self.facts.clone().unwrap_or_default();
        Ok(ImageFacts { file_system: Some(file_system.to_owned()), ..facts })
    }

    fn try_sizes(&self) -> io::Result<SizeRecord> {
        let folder = self.folder.borrow();
        let sizes = folder.sizes(&folder.contents()?)?;
        let attached = self.attached.borrow();
        let bands = match &attached.files {
            Some(files) => files.image().bands(),
            None => self.open(Access::Read)?.bands(),
        };
        Ok(SizeRecord { bands: bands.map(|bands| bands.count), ..sizes })
    }
}

/// The file system of a disk that does not begin as a volume of ours.
const OTHER_FILE_SYSTEM: &str = "other";

/// What is worth knowing about a new image.
fn made(wanted: &Spec, encryption: Option<&Facts>) -> String {
    let image = format!("{} image of {} bytes", wanted.format, wanted.len_bytes);
    let Some(facts) = encryption else { return image };
    let cipher = format!(
        "{image}, AES-{} CBC with HMAC-SHA1 vectors for each 512 bytes, PBKDF2-HMAC-SHA1 of {} rounds",
        facts.cipher.bits(),
        facts.iterations
    );
    notes([cipher].into_iter().chain(wanted.format.own_encryption())).unwrap_or_default()
}

/// Whether an image holds just these files, with their sizes.
pub(crate) fn holds_exactly(cell: &Cell, image: &Path, ledger: &Ledger) -> bool {
    let Ok(wanted) = wanted(cell) else { return false };
    let opened = open(&wanted, image, Access::Read)
        .map_err(io::Error::from)
        .and_then(|open| FileVolume::mount(open.image));
    let Ok(files) = opened else { return false };
    let mut found: Vec<(u64, u64)> = files.list().collect();
    let mut expected: Vec<(u64, u64)> =
        ledger.alive().iter().map(|file| (file.id(), file.size_bytes)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    found == expected
}

impl ImageDriver for Portable {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.folder.borrow_mut().create_for_image().map_err(|error| error.in_record())?;
        self.facts = None;
        let failed = |driver: &Self, error| driver.failed("making the image", &error);
        let encryption = self.make().map_err(|error| failed(self, error))?;
        let files = self.take_up().map_err(|error| failed(self, error))?;
        Ok(self.serve(files, Some(made(&self.wanted, encryption.as_ref()))))
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        let files = self.take_up().map_err(|error| self.failed("attaching the image", &error))?;
        Ok(self.serve(files, None))
    }

    fn detach(&mut self, volume: Box<dyn Volume>) -> Result<Done<bool>> {
        drop(volume);
        // From here on it is closed, however this ends.
        let Some(mut files) = self.attached.borrow_mut().files.take() else {
            return Ok(Done::plain(false));
        };
        self.stop.check()?;
        files
            .flush(Durability::Fsync)
            .map_err(|error| self.failed("detaching the image", &error))?;
        drop(files);
        let eviction = self.evict()?;
        Ok(Done::noted(eviction.is_cold(), eviction.note()))
    }

    fn compact(&mut self) -> Result<Done<bool>> {
        let (before, after) =
            self.try_compact().map_err(|error| self.failed("compacting the image", &error))?;
        // What was moved is in memory now.
        self.evict()?;
        Ok(Done::noted(true, format!("{before} bytes allocated before, {after} after")))
    }

    fn delete(&mut self) -> Result<()> {
        self.folder.borrow_mut().remove().map_err(|error| error.in_record())
    }

    fn sizes(&mut self) -> Result<SizeRecord> {
        self.try_sizes().map_err(|error| self.failed("measuring the image", &error))
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        self.try_effective().map_err(|error| self.failed("reading what the image is", &error))
    }

    fn reached(&self) -> Reached {
        self.attached.borrow().io.reached()
    }
}

#[cfg(test)]
mod effective;
#[cfg(test)]
mod tests;
