//! The volume in an attached image, as the protocol sees it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::rc::Rc;

use crate::cell::Durability;
use crate::error::{Error, Result};
use crate::image::Volume;
use crate::image::modes::Modes;
use crate::image::portable::disk::Image;
use crate::image::portable::volume::extents::Extent;
use crate::image::portable::volume::{FileVolume, Stored};
use crate::image::volume::explain;
use crate::platform::cache;
use crate::record::Op;
use crate::transfer::{Halt, Mover, Target, Timing};
use crate::workload::FileSpec;

/// What the driver and its volumes share.
pub type Shared = Rc<RefCell<Serving>>;

/// The buffers, what was reached, and the files, as long as the image is attached.
pub struct Serving {
    /// Moves the bytes.
    pub mover: Mover,
    /// What was asked for and reached.
    pub modes: Modes,
    /// The files of the attached image.
    pub files: Option<FileVolume>,
    /// What of it may be in memory.
    pub warmth: Warmth,
}

/// What of an attached image may be in memory.
#[derive(Debug, Default)]
pub struct Warmth {
    /// Whether it had left memory when it was attached.
    pub(super) attached_cold: bool,
    /// The files that were written or read since.
    moved: HashSet<u64>,
}

impl Warmth {
    /// The image was detached (or, detached, compacted); `cold` says whether it has left memory.
    pub fn detached(&mut self, cold: bool) {
        self.attached_cold = cold;
        self.moved.clear();
    }

    /// A file is about to be moved. Gives whether it should come from the disk, but may have been read ahead.
    fn moves(&mut self, id: u64) -> bool {
        self.moved.insert(id) && self.attached_cold
    }
}

impl Serving {
    fn files(&mut self) -> io::Result<(&mut FileVolume, &mut Mover)> {
        let detached = || io::Error::new(io::ErrorKind::NotConnected, "the image is detached");
        Ok((self.files.as_mut().ok_or_else(detached)?, &mut self.mover))
    }

    fn try_write(&mut self, file: FileSpec) -> std::result::Result<Timing, Halt> {
        self.warmth.moves(file.id());
        let durability = self.modes.reached().durability;
        let (files, mover) = self.files()?;
        // Finding room is what opening a file is elsewhere: it comes before the clock.
        let stored = files.begin(file.id(), file.size_bytes)?;
        let mut target = FileTarget { files, stored, id: file.id(), durability };
        let result = mover.write(&mut target, file);
        let FileTarget { files, stored, .. } = target;
        if let Err(halt) = &result {
            let gone = files.abandon(file.id(), stored);
            // Only a refused flush is tried again, and only when nothing is left. Else the first failure is told.
            if matches!(halt, Halt::Flush(_)) {
                gone?;
            }
        }
        result
    }

    fn try_read(&mut self, file: FileSpec) -> std::result::Result<Timing, Halt> {
        let forget = self.warmth.moves(file.id());
        let (files, mover) = self.files()?;
        let stored = files.find(file.id())?.clone();
        if forget {
            forget_read_ahead(files.image(), &stored)?;
        }
        let durability = Durability::None;
        mover.read(&mut FileTarget { files, stored, id: file.id(), durability }, file)
    }
}

/// Drops what the system has read ahead of this file. With files it stops at their ends, but an image is one file to it
/// (or one for each band), and it goes on into the next files of the volume: those would be timed as reads from memory.
///
/// Of a bundle only the bands that the file lies in are looked at: a used one of 53 GB has more than 6000.
fn forget_read_ahead(image: &dyn Image, stored: &Stored) -> io::Result<()> {
    let starts = stored.extents.iter().map(|extent| extent.offset);
    let ends = stored.extents.iter().map(Extent::end);
    let (Some(start), Some(end)) = (starts.min(), ends.max()) else { return Ok(()) };
    image.for_each_file_of(start, end.saturating_sub(start), &mut cache::drop_pages)
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
pub struct PortableVolume(pub Shared);

impl Volume for PortableVolume {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        let mut serving = self.0.borrow_mut();
        serving.modes.count_drop();
        loop {
            let result = serving.try_write(file);
            if let Err(Halt::Flush(error)) = &result
                && serving.modes.weakened_by(error)
            {
                continue;
            }
            return result.map_err(|halt| explain(Op::Write, file, &halt));
        }
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        let mut serving = self.0.borrow_mut();
        serving.modes.count_drop();
        serving.try_read(file).map_err(|halt| explain(Op::Read, file, &halt))
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        let ids: Vec<u64> = files.iter().map(FileSpec::id).collect();
        let mut serving = self.0.borrow_mut();
        serving
            .files()
            .and_then(|(volume, _)| volume.delete(&ids))
            .map_err(|error| Error::io_in_step(&format!("deleting {} files", ids.len()), &error))
    }
}

#[cfg(test)]
mod tests {
    use super::{Serving, Warmth};
    use crate::cell::{Cache, Durability};
    use crate::image::modes::Modes;
    use crate::image::portable::disk::{Bands, Image, VirtualDisk};
    use crate::image::portable::memory::MemoryStore;
    use crate::image::portable::raw::RawDisk;
    use crate::image::portable::volume::FileVolume;
    use crate::interrupt::Stop;
    use crate::meter::Meter;
    use crate::transfer::Mover;
    use crate::workload::FileSpec;
    use std::fs::File;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// A disk that notes of which ranges the files are asked for.
    struct Watched {
        disk: RawDisk,
        asked: Arc<Mutex<Vec<(u64, u64)>>>,
    }

    impl VirtualDisk for Watched {
        fn len_bytes(&self) -> u64 {
            self.disk.len_bytes()
        }
        fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            self.disk.read_at(buffer, offset)
        }
        fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
            self.disk.write_at(bytes, offset)
        }
        fn discard(&mut self, offset: u64, length: u64) -> io::Result<()> {
            self.disk.discard(offset, length)
        }
        fn flush(&mut self, durability: Durability) -> io::Result<()> {
            self.disk.flush(durability)
        }
        fn allocated_bytes(&self) -> io::Result<u64> {
            self.disk.allocated_bytes()
        }
    }

    impl Image for Watched {
        fn compact(&mut self) -> io::Result<()> {
            self.disk.compact()
        }
        fn bands(&self) -> Option<Bands> {
            None
        }
        fn for_each_file(
            &self,
            _action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
        ) -> io::Result<()> {
            Ok(())
        }
        fn for_each_file_of(
            &self,
            offset: u64,
            length: u64,
            _action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
        ) -> io::Result<()> {
            self.asked.lock().unwrap().push((offset, length));
            Ok(())
        }
    }

    #[test]
    fn what_was_read_ahead_is_forgotten_once_for_each_file_of_an_image_that_left_memory() {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let disk = RawDisk::create(Box::new(MemoryStore::default()), 2 << 20).unwrap();
        let watched = Watched { disk, asked: Arc::clone(&asked) };
        let mut serving = Serving {
            mover: Mover::new(1, 4096, true, Meter::new(), Stop::never()),
            modes: Modes::new(Cache::None, Durability::None),
            files: Some(FileVolume::format(Box::new(watched)).unwrap()),
            warmth: Warmth::default(),
        };
        let [one, other, third] =
            [1, 2, 3].map(|order| FileSpec { round: 1, set: 1, order, size_bytes: 10_000 });
        let asked = || std::mem::take(&mut *asked.lock().unwrap());
        // Behind the table of 4096 + 2 x 65,536 bytes, in whole pages.
        let place = |number: u64| (135_168 + number * 12_288, 12_288);
        serving.try_write(one).unwrap();
        serving.try_write(other).unwrap();
        serving.try_read(one).unwrap();
        assert_eq!(asked(), [], "what was just written may come from memory");
        serving.warmth.detached(false);
        serving.try_read(one).unwrap();
        assert_eq!(asked(), [], "the image was in memory anyway");
        serving.warmth.detached(true);
        for file in [other, one, other, one] {
            serving.try_read(file).unwrap();
        }
        assert_eq!(asked(), [place(1), place(0)], "once each, and its own place only");
        serving.try_write(third).unwrap();
        serving.try_read(third).unwrap();
        assert_eq!(asked(), [], "written since");
        serving.warmth.detached(true);
        serving.try_read(third).unwrap();
        assert_eq!(asked(), [place(2)]);
    }
}
