//! The volume in an attached image, as the protocol sees it.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use system::flush::Durability;

use crate::error::{Error, Result};
use crate::image::Volume;
use crate::image::file_volume::{FileVolume, Stored};
use crate::image::volume::{FileIo, explain};
use crate::record::Op;
use crate::transfer::{Halt, Target, Timing};
use crate::workload::FileSpec;

/// What the driver and its volumes share.
pub(super) type Shared = Rc<RefCell<Attached>>;

/// The image's I/O, and its files while it is attached.
pub(super) struct Attached {
    /// Moves the files.
    pub io: FileIo,
    /// The files of the attached image.
    pub files: Option<FileVolume>,
}

impl Attached {
    /// The files of the attached image, and what moves them.
    ///
    /// # Errors
    /// `NotConnected` while it is detached.
    pub(super) fn files(&mut self) -> io::Result<(&mut FileVolume, &mut FileIo)> {
        let detached = || io::Error::new(io::ErrorKind::NotConnected, "the image is detached");
        Ok((self.files.as_mut().ok_or_else(detached)?, &mut self.io))
    }
}

fn try_write(
    files: &mut FileVolume,
    io: &mut FileIo,
    file: FileSpec,
) -> std::result::Result<Timing, Halt> {
    let durability = io.reached().durability;
    // Finding room is what opening a file is elsewhere: it comes before the clock.
    let stored = files.begin(file.id(), file.size_bytes)?;
    let mut target = FileTarget { files, stored, id: file.id(), durability };
    let result = io.mover.write(&mut target, file);
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

fn try_read(
    files: &mut FileVolume,
    io: &mut FileIo,
    file: FileSpec,
) -> std::result::Result<Timing, Halt> {
    let stored = files.find(file.id())?.clone();
    let durability = Durability::None;
    io.mover.read(&mut FileTarget { files, stored, id: file.id(), durability }, file)
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

impl PortableVolume {
    fn attempt(
        &self,
        op: Op,
        file: FileSpec,
        once: fn(&mut FileVolume, &mut FileIo, FileSpec) -> std::result::Result<Timing, Halt>,
    ) -> Result<Timing> {
        let mut attached = self.0.borrow_mut();
        let (files, io) = attached.files().map_err(|error| explain(op, file, &Halt::Io(error)))?;
        io.attempt(op, file, |io| once(files, io, file))
    }
}

impl Volume for PortableVolume {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        self.attempt(Op::Write, file, try_write)
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        self.attempt(Op::Read, file, try_read)
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
