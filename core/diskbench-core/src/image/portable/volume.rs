//! The volume in an attached image, as the protocol sees it.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use system::flush::Durability;

use crate::error::{Error, Result};
use crate::image::Volume;
use crate::image::file_volume::{FileVolume, Stored};
use crate::image::modes::Modes;
use crate::image::volume::explain;
use crate::record::Op;
use crate::transfer::{Halt, Mover, Target, Timing};
use crate::workload::FileSpec;

/// What the driver and its volumes share.
pub(super) type Shared = Rc<RefCell<Attached>>;

/// The buffers, the effective modes, and the files while the image is attached.
pub(super) struct Attached {
    /// Moves the bytes.
    pub mover: Mover,
    /// The requested and effective modes.
    pub modes: Modes,
    /// The files of the attached image.
    pub files: Option<FileVolume>,
}

impl Attached {
    fn files(&mut self) -> io::Result<(&mut FileVolume, &mut Mover)> {
        let detached = || io::Error::new(io::ErrorKind::NotConnected, "the image is detached");
        Ok((self.files.as_mut().ok_or_else(detached)?, &mut self.mover))
    }

    fn try_write(&mut self, file: FileSpec) -> std::result::Result<Timing, Halt> {
        let durability = self.modes.reached().durability;
        let (files, mover) = self.files()?;
        // Finding room is what opening a file is elsewhere: it comes before the clock.
        let stored = files.begin(file.id(), file.size_bytes)?;
        let mut target = FileTarget { files, stored, id: file.id(), durability };
        let result = mover.write(&mut target, file);
        let FileTarget { files, stored, .. } = target;
        if let Err(halt) = &result {
            let gone = files.abandon(file.id(), stored);
            // Only a refused flush is retried, and only without other failures; else the first failure is reported.
            if matches!(halt, Halt::Flush(_)) {
                gone?;
            }
        }
        result
    }

    fn try_read(&mut self, file: FileSpec) -> std::result::Result<Timing, Halt> {
        let (files, mover) = self.files()?;
        let stored = files.find(file.id())?.clone();
        let durability = Durability::None;
        mover.read(&mut FileTarget { files, stored, id: file.id(), durability }, file)
    }
}

/// A file that is open.
struct FileTarget<'a> {
    files: &'a mut FileVolume,
    stored: Stored,
    id: u64,
    durability: Durability,
}

impl Target for FileTarget<'_> {
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()> {
        self.files.write_at(&self.stored, block, offset)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.files.read_at(&self.stored, buffer, offset)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.commit(self.id, &self.stored, self.durability)
    }
}

/// The volume.
pub(super) struct PortableVolume(pub Shared);

impl Volume for PortableVolume {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        let mut attached = self.0.borrow_mut();
        attached.modes.count_drop();
        loop {
            let result = attached.try_write(file);
            if let Err(Halt::Flush(error)) = &result
                && attached.modes.weakened_by(error)
            {
                continue;
            }
            return result.map_err(|halt| explain(Op::Write, file, &halt));
        }
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        let mut attached = self.0.borrow_mut();
        attached.modes.count_drop();
        attached.try_read(file).map_err(|halt| explain(Op::Read, file, &halt))
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        let ids: Vec<u64> = files.iter().map(FileSpec::id).collect();
        let mut attached = self.0.borrow_mut();
        attached
            .files()
            .and_then(|(volume, _)| volume.delete(&ids))
            .map_err(|error| Error::io_in_step(&format!("deleting {} files", ids.len()), &error))
    }
}
