//! A driver that stores only sizes and runs a protocol instantly: for the plan (peak space), and to check records
//! against their protocol.

use std::cell::RefCell;
use std::rc::Rc;

use system::flush::Durability;

use crate::cell::Cache;
use crate::error::Result;
use crate::image::file_volume::paged;
use crate::image::{Done, ImageDriver, Peak, Reached, Volume};
use crate::record::{ImageFacts, SizeRecord};
use crate::transfer::Timing;
use crate::workload::FileSpec;

/// The driver and its volume. Clones share its contents.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandIn(Rc<RefCell<Tally>>);

#[derive(Debug, Default)]
struct Tally {
    now: Peak,
    most: Peak,
}

impl StandIn {
    /// From here on the peak is counted anew.
    pub(crate) fn begin_peak(&self) {
        let mut tally = self.0.borrow_mut();
        tally.most = tally.now;
    }

    /// The most that was on the volume at once, each for itself.
    pub(crate) fn peak(&self) -> Peak {
        self.0.borrow().most
    }

    fn volume(&self) -> Done<Box<dyn Volume>> {
        Done::plain(Box::new(self.clone()))
    }
}

impl ImageDriver for StandIn {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        Ok(self.volume())
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        Ok(self.volume())
    }

    fn detach(&mut self, _volume: Box<dyn Volume>) -> Result<Done<bool>> {
        Ok(Done::plain(true))
    }

    fn compact(&mut self) -> Result<Done<bool>> {
        Ok(Done::plain(true))
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }

    fn delete(&mut self) -> Result<()> {
        self.0.borrow_mut().now = Peak::default();
        Ok(())
    }

    fn sizes(&mut self) -> Result<SizeRecord> {
        let bytes = self.0.borrow().now.bytes;
        Ok(SizeRecord { allocated_bytes: bytes, apparent_bytes: bytes, ..SizeRecord::default() })
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        Ok(ImageFacts::default())
    }

    fn reached(&self) -> Reached {
        Reached { cache: Cache::None, durability: Durability::None }
    }
}

/// No file takes time.
const DONE: Timing = Timing { elapsed_ns: 0, slept: false };

impl Volume for StandIn {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        let Tally { now, most } = &mut *self.0.borrow_mut();
        now.bytes += file.size_bytes;
        now.paged_bytes = now.paged_bytes.saturating_add(paged(file.size_bytes));
        now.written_bytes = now.written_bytes.saturating_add(paged(file.size_bytes));
        now.files += 1;
        *most = Peak {
            bytes: most.bytes.max(now.bytes),
            paged_bytes: most.paged_bytes.max(now.paged_bytes),
            written_bytes: most.written_bytes.max(now.written_bytes),
            files: most.files.max(now.files),
        };
        Ok(DONE)
    }

    fn read(&mut self, _file: FileSpec) -> Result<Timing> {
        Ok(DONE)
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        let now = &mut self.0.borrow_mut().now;
        for file in files {
            now.bytes -= file.size_bytes;
            now.paged_bytes -= paged(file.size_bytes);
            now.files -= 1;
        }
        Ok(())
    }
}
