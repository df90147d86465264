//! The driver.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::host;
use crate::image::apple::calls::{self, Wanted};
use crate::image::apple::capabilities::Mac;
use crate::image::apple::session::Session;
use crate::image::apple::volume::Mount;
use crate::image::folder::ImageFolder;
use crate::image::macos::detach::Detached;
use crate::image::macos::inventory::place;
use crate::image::volume::{FileIo, FolderVolume, Shared};
use crate::image::{Done, ImageDriver, Reached, Volume, notes};
use crate::interrupt::Stop;
use crate::program::Programs;
use crate::record::{CommandRecord, ImageFacts, Quiet, Serving, SizeRecord};
use crate::serving::Watch;
use crate::transfer::Mover;

/// Why a cell cannot be measured by the programs of this machine, if so; with what to do.
pub(crate) fn refusal(cell: &Cell) -> Option<String> {
    Mac::this().refusal(cell)
}

/// The driver.
pub(crate) struct Apple {
    folder: Rc<RefCell<ImageFolder>>,
    session: Session,
    io: Shared,
    /// What was done so that nothing disturbs.
    quiet: Option<Quiet>,
    /// The processes that serve the image, during a pass.
    watch: Option<Watch>,
    /// Whether the volume's contents are known: it was created here, or has been checked.
    known: bool,
    volume_free_bytes: Option<u64>,
}

impl Apple {
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
        let wanted = Wanted::of(cell)?;
        let image = folder.borrow().image(wanted.format());
        let session = Session {
            cell: cell.clone(),
            wanted,
            // Absolute paths: diskutil takes other names for names of volumes.
            image: place::real(&image),
            mount_point: place::real(&folder.borrow().mount_point()),
            programs: Programs::of_system(),
            mac: Mac::this(),
            stop,
            facts: None,
            volume_facts: ImageFacts::default(),
        };
        let io = FileIo::new(mover, cell.io);
        Ok(Self {
            folder,
            session,
            io: Rc::new(RefCell::new(io)),
            quiet: None,
            watch: None,
            known: false,
            volume_free_bytes: None,
        })
    }

    /// What is done on a volume that was just attached.
    fn take_up(&mut self, is_new: bool) -> Result<Box<dyn Volume>> {
        let mount = Mount(&self.session.mount_point);
        if is_new {
            mount.make_files()?;
        } else if self.known {
            mount.check_files()?;
        } else {
            mount.check_that_it_holds(self.folder.borrow().marked_files())?;
        }
        self.known = true;
        let backup_off = match &self.quiet {
            Some(quiet) => quiet.backup_off,
            None => {
                let image = &self.session.image;
                let [keep, ask] =
                    [calls::keep_out_of_backups(image), calls::is_out_of_backups(image)];
                let _ = self.session.programs.run(&keep);
                let answer = self.session.programs.run(&ask);
                host::is_excluded(&answer.stdout).filter(|_| answer.is_good())
            }
        };
        self.quiet = Some(Quiet {
            indexing_off: Some(mount.forbid_indexing()),
            event_log_off: mount.forbid_event_log(),
            backup_off,
            ..Quiet::default()
        });
        Ok(Box::new(FolderVolume::new(mount.files(), Rc::clone(&self.io))))
    }

    /// The same, but detaches on failure: the engine detaches only what was returned to it.
    fn take_up_or_detach(&mut self, is_new: bool) -> Result<Box<dyn Volume>> {
        self.take_up(is_new).or_else(|error| self.session.leave_nothing_attached().and(Err(error)))
    }

    fn try_sizes(&self) -> io::Result<SizeRecord> {
        let folder = self.folder.borrow();
        let contents = folder.contents()?;
        if contents.images.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(SizeRecord {
            bands: self.session.wanted.format().is_bundle().then_some(contents.bands() as u64),
            volume_free_bytes: self.volume_free_bytes,
            ..folder.sizes(&contents)?
        })
    }
}

/// What detaching took, where it was not done at once.
fn detached(what: &Detached) -> Option<String> {
    let times = format!("asked {} times", what.asked);
    if what.forced {
        return Some(format!("the image was detached by force ({times})"));
    }
    if what.was_gone {
        return Some("the image was detached already, by somebody else".to_owned());
    }
    (what.asked > 1).then(|| format!("the image was detached ({times})"))
}

impl ImageDriver for Apple {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.folder.borrow_mut().create_for_image().map_err(|error| error.in_record())?;
        let made = self.session.create()?;
        let attached = self.session.attach()?;
        let volume = self.take_up_or_detach(true)?;
        Ok(Done { value: volume, note: notes(made.into_iter().chain(attached)) })
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        let note = self.session.attach()?;
        Ok(Done { value: self.take_up_or_detach(false)?, note })
    }

    fn detach(&mut self, volume: Box<dyn Volume>) -> Result<Done<bool>> {
        drop(volume);
        if let Some(free) = Mount(&self.session.mount_point).free_bytes() {
            self.volume_free_bytes = Some(free);
        }
        let what = self.session.detach()?;
        self.session.stop.check()?;
        let (folder, stop) = (self.folder.borrow(), &self.session.stop);
        let is_dropped = self.session.cell.io.cache.evicts();
        // Without that, detaching is all that the articles did. macOS may keep the image itself in memory.
        let found = match is_dropped {
            true => self.io.borrow_mut().evict(&folder, stop)?,
            false => self.io.borrow().left_in_memory(&folder, stop)?,
        };
        let (cold, cached) = found.after_detaching(is_dropped);
        Ok(Done { value: cold, note: notes(detached(&what).into_iter().chain(cached)) })
    }

    fn compact(&mut self) -> Result<Done<bool>> {
        self.session.compact()
    }

    fn delete(&mut self) -> Result<()> {
        let programs = Some(&mut self.session.programs);
        self.folder.borrow_mut().remove_by(programs).map_err(|error| error.in_record())
    }

    fn sizes(&mut self) -> Result<SizeRecord> {
        self.try_sizes().map_err(|error| Error::io_in_step("measuring the image", &error))
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        Ok(self.session.effective())
    }

    fn reached(&self) -> Reached {
        self.io.borrow().reached()
    }

    fn begin_pass(&mut self) {
        self.watch = Some(Watch::begin());
    }

    fn end_pass(&mut self) -> Option<Serving> {
        self.watch.take().map(Watch::end)
    }

    fn take_commands(&mut self) -> Vec<CommandRecord> {
        self.session.programs.take_log()
    }

    fn quiet(&self) -> Option<Quiet> {
        self.quiet.clone()
    }
}
