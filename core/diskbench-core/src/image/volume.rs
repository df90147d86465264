//! A volume that is a folder: files opened before the clock starts and closed after it stops.
//!
//! **Direct I/O.** On Linux `O_DIRECT` wants whole units of 4096 bytes, and decimal sizes end in a part of one.
//! The whole units of a file go through a direct descriptor; the rest, less than 4096 bytes, goes through a second,
//! ordinary one, opened before the clock starts as well. The file has exactly its size at every moment, nothing is
//! cut off afterwards, and the flush at the end covers both, since it acts on the file. Reading needs no second
//! descriptor: a direct read of a whole unit at the end of a file ends where the file ends.
//!
//! **Refusals.** A file system that refuses a mode, be it when the file is opened or at the first block, is recorded
//! as such; the file is then written or read once more in the next weaker mode, with a new clock. One that accepts
//! direct I/O and fills the cache all the same is detected when the clock has stopped.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::replace;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use system::calls::{Calls, is_cold};
use system::flush::{self, Durability};
use system::memory::in_memory;
use system::open;

use crate::cell::Io;
use crate::error::{Error, Result};
use crate::image::eviction::Eviction;
use crate::image::folder::ImageFolder;
use crate::image::modes::Modes;
use crate::image::{Reached, Volume};
use crate::interrupt::Stop;
use crate::record::Op;
use crate::transfer::{Halt, Mover, Target, Timing};
use crate::workload::FileSpec;

/// Shared by a driver and all volumes of its image.
pub(super) type Shared = Rc<RefCell<FileIo>>;

/// What every driver moves files with, one at a time: the buffers, the effective modes, and the system's calls.
#[derive(Debug)]
pub(super) struct FileIo {
    /// Moves the bytes.
    pub mover: Mover,
    /// The requested and effective modes.
    pub modes: Modes,
    calls: Calls,
}

impl FileIo {
    /// File I/O that tries for these modes.
    pub(super) const fn new(mover: Mover, io: Io) -> Self {
        Self { mover, modes: Modes::new(io.cache, io.durability), calls: Calls::MACHINE }
    }

    /// Asks this system from now on.
    #[cfg(test)]
    pub(crate) const fn call(&mut self, calls: Calls) {
        self.calls = calls;
    }

    /// The effective modes so far.
    pub(super) const fn reached(&self) -> Reached {
        self.modes.reached()
    }

    /// Evicts the contents of an image's folder from the page cache.
    ///
    /// # Errors
    /// As [`Eviction::of`].
    pub(super) fn evict(&mut self, folder: &ImageFolder, stop: &Stop) -> Result<Eviction> {
        let eviction = Eviction::of(folder, self.calls, stop)?;
        self.modes.evicted(eviction.is_cold());
        Ok(eviction)
    }

    /// Counts what the page cache holds of the contents of an image's folder, and evicts nothing.
    ///
    /// # Errors
    /// As [`Eviction::of`].
    pub(super) fn left_in_memory(&self, folder: &ImageFolder, stop: &Stop) -> Result<Eviction> {
        Eviction::only_looked_for(folder, self.calls, stop)
    }

    /// Moves a file; where a mode is refused, once more in the next weaker one.
    ///
    /// # Errors
    /// When it is not moved to its end.
    pub(super) fn attempt(
        &mut self,
        op: Op,
        file: FileSpec,
        mut once: impl FnMut(&mut Self) -> std::result::Result<Timing, Halt>,
    ) -> Result<Timing> {
        self.modes.count_drop();
        loop {
            let result = once(self);
            if !self.weakened_by(&result) {
                return result.map_err(|halt| explain(op, file, &halt));
            }
        }
    }

    fn write(&mut self, path: &Path, file: FileSpec) -> Result<Timing> {
        let mut is_refused = false;
        self.attempt(Op::Write, file, |io| {
            // The refusal may have come before or after the file was made.
            if replace(&mut is_refused, true)
                && let Err(error) = fs::remove_file(path)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(Halt::Io(error));
            }
            io.try_write(path, file)
        })
    }

    fn read(&mut self, path: &Path, file: FileSpec) -> Result<Timing> {
        self.attempt(Op::Read, file, |io| io.try_read(path, file))
    }

    fn try_write(&mut self, path: &Path, file: FileSpec) -> std::result::Result<Timing, Halt> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let Reached { cache, durability } = self.reached();
        let flush = self.calls.flush;
        let mut target = if cache.bypasses() {
            let whole = open::direct_part(file.size_bytes);
            // Asked how much of it is in memory, the system wants to see that it may be read.
            let main = (self.calls.bypassing)(options.read(true), path)?;
            let tail = if whole < file.size_bytes {
                Some(OpenOptions::new().write(true).open(path)?)
            } else {
                None
            };
            FileTarget { main, tail, whole, durability, flush }
        } else {
            FileTarget { main: options.open(path)?, tail: None, whole: u64::MAX, durability, flush }
        };
        let timing = self.mover.write(&mut target, file)?;
        self.find_out_cached(&target.main, open::direct_part(file.size_bytes), Ok(0));
        Ok(timing)
    }

    fn try_read(&mut self, path: &Path, file: FileSpec) -> std::result::Result<Timing, Halt> {
        let mut options = OpenOptions::new();
        options.read(true);
        let (main, before) = if self.reached().cache.bypasses() {
            let main = (self.calls.bypassing)(&options, path)?;
            let before = self.calls.cached_all_the_same(&main, file.size_bytes);
            (main, before)
        } else {
            (options.open(path)?, Ok(0))
        };
        let flush = self.calls.flush;
        let mut target =
            FileTarget { main, tail: None, whole: u64::MAX, durability: Durability::None, flush };
        let timing = self.mover.read(&mut target, file)?;
        self.find_out_cached(&target.main, file.size_bytes, before);
        Ok(timing)
    }

    /// Checks whether a file was uncached as requested: no more of it is in memory than before. Unknown counts as
    /// cached.
    fn find_out_cached(&mut self, file: &File, size: u64, before: io::Result<u64>) {
        if self.reached().cache.bypasses() {
            let now = self.calls.cached_all_the_same(file, size);
            let cached = before.and_then(|before| Ok(now?.saturating_sub(before))).unwrap_or(size);
            if !is_cold(cached, size) {
                self.modes.without_bypass();
            }
        }
    }

    /// Whether a failure was a refusal of a mode; if so, the mode is given up and the file can be tried again.
    fn weakened_by(&mut self, result: &std::result::Result<Timing, Halt>) -> bool {
        match result {
            Err(Halt::Io(error)) if self.reached().cache.bypasses() && flush::is_refusal(error) => {
                self.modes.without_bypass();
                true
            }
            Err(Halt::Flush(error)) => self.modes.weakened_by(error),
            _ => false,
        }
    }
}

/// A file that is open.
struct FileTarget {
    main: File,
    /// The ordinary descriptor for the end of a file that is written past the cache.
    tail: Option<File>,
    /// All bytes before this go through `main`.
    whole: u64,
    durability: Durability,
    flush: fn(&File, Durability) -> io::Result<()>,
}

impl Target for FileTarget {
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()> {
        let left = in_memory(self.whole.saturating_sub(offset));
        match (&self.tail, block.split_at_checked(left)) {
            (Some(tail), Some((head, rest))) => {
                if !head.is_empty() {
                    self.main.write_all_at(head, offset)?;
                }
                tail.write_all_at(rest, offset + head.len() as u64)
            }
            _ => self.main.write_all_at(block, offset),
        }
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.main.read_at(buffer, offset)
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.flush)(&self.main, self.durability)
    }
}

/// The folder as a volume.
pub(super) struct FolderVolume {
    files: PathBuf,
    io: Shared,
}

impl FolderVolume {
    /// The volume in this folder.
    pub(super) const fn new(files: PathBuf, io: Shared) -> Self {
        Self { files, io }
    }
}

impl Volume for FolderVolume {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        self.io.borrow_mut().write(&self.files.join(file.name()), file)
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        self.io.borrow_mut().read(&self.files.join(file.name()), file)
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        for file in files {
            fs::remove_file(self.files.join(file.name()))
                .map_err(|error| Error::io_in_step(&format!("deleting {}", file.name()), &error))?;
        }
        Ok(())
    }
}

/// The error for a file that was not moved to its end.
pub(super) fn explain(op: Op, file: FileSpec, halt: &Halt) -> Error {
    let name = file.name();
    let doing = match op {
        Op::Write => "writing",
        Op::Read => "reading",
    };
    match halt {
        Halt::Stopped => Error::interrupted(),
        Halt::Io(error) => Error::io_in_step(&format!("{doing} {name}"), error),
        Halt::Flush(error) => Error::io_in_step(&format!("flushing {name}"), error),
        Halt::Short(offset) => Error::step(format!(
            "reading {name}: it ends at byte {offset}, but {} bytes were written: check the disk, then run again",
            file.size_bytes
        )),
        Halt::Differs(offset) => Error::step(format!(
            "reading {name}: byte {offset} is not what was written: check the disk and the memory, then run again"
        )),
    }
}

#[cfg(test)]
mod tests;
