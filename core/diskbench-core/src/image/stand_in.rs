//! An image that holds nothing but sizes, on a clock of its own.
//!
//! It runs a protocol in no time and with exact numbers: for the plan (how many bytes, how much space at once), for
//! checking records against their protocol, and for testing everything above the driver.

use std::cell::RefCell;
use std::rc::Rc;

use system::flush::Durability;

use crate::cell::Cache;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::image::file_volume::paged;
use crate::image::{Done, ImageDriver, Peak, Reached, Sizes, Volume};
use crate::record::ImageFacts;
use crate::transfer::Timing;
use crate::workload::FileSpec;

/// What every operation that is not about a file takes, in nanoseconds.
pub(crate) const OPERATION_NS: u64 = 1000;

/// What every file takes in addition to one nanosecond a byte, in nanoseconds.
pub(crate) const FILE_NS: u64 = 10;

/// A clock that only moves when something is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeClock {
    now_ns: Rc<std::cell::Cell<u64>>,
}

impl FakeClock {
    fn advance(&self, ns: u64) {
        self.now_ns.set(self.now_ns.get().saturating_add(ns));
    }
}

impl Clock for FakeClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn settle(&self, seconds: u64) -> Result<()> {
        self.advance(seconds.saturating_mul(crate::units::SECOND_NS));
        Ok(())
    }
}

/// What has been done to the stand-in.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Every call in order, in words.
    pub calls: Vec<String>,
    /// Bytes written so far.
    pub bytes_written: u64,
    /// Bytes read so far.
    pub bytes_read: u64,
    /// Files written so far.
    pub files_written: u64,
    /// Files read so far.
    pub files_read: u64,
    /// Bytes on the volume.
    pub bytes: u64,
    /// The same with each file in whole pages.
    pub paged_bytes: u64,
    /// Files on the volume.
    pub files: u64,
    /// The most that was on the volume at once, each for itself.
    pub peak: Peak,
    /// The call that fails, and how.
    pub fault: Option<(String, Error)>,
    /// What the image says that it is: nothing, unless a test sets it.
    pub effective: ImageFacts,
}

impl Tally {
    /// From here on the peak is counted anew.
    pub(crate) fn begin_peak(&mut self) {
        self.peak = Peak::default();
        self.count_peak();
    }

    fn count_peak(&mut self) {
        self.peak = Peak {
            bytes: self.peak.bytes.max(self.bytes),
            paged_bytes: self.peak.paged_bytes.max(self.paged_bytes),
            files: self.peak.files.max(self.files),
        };
    }

    fn call(&mut self, call: &str, keep: bool) -> Result<()> {
        if keep {
            self.calls.push(call.to_owned());
        }
        match &self.fault {
            Some((place, error)) if place == call => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

/// The stand-in driver.
#[derive(Debug)]
pub(crate) struct StandIn {
    clock: FakeClock,
    tally: Rc<RefCell<Tally>>,
    keep_calls: bool,
}

impl StandIn {
    /// A stand-in that counts.
    pub(crate) fn new(clock: FakeClock) -> Self {
        Self { clock, tally: Rc::default(), keep_calls: false }
    }

    /// A stand-in that counts and writes down every call.
    #[cfg(test)]
    pub(crate) fn recording(clock: FakeClock) -> Self {
        Self { keep_calls: true, ..Self::new(clock) }
    }

    /// What has been done to it; shared, so it can be looked at while the stand-in is in use.
    pub(crate) fn tally(&self) -> Rc<RefCell<Tally>> {
        Rc::clone(&self.tally)
    }

    fn operation(&self, name: &str) -> Result<()> {
        self.clock.advance(OPERATION_NS);
        self.tally.borrow_mut().call(name, self.keep_calls)
    }

    fn volume(&self) -> Box<dyn Volume> {
        Box::new(StandInVolume {
            clock: self.clock.clone(),
            tally: self.tally(),
            keep_calls: self.keep_calls,
        })
    }
}

impl ImageDriver for StandIn {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.operation("create")?;
        Ok(Done::plain(self.volume()))
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.operation("attach")?;
        Ok(Done::plain(self.volume()))
    }

    fn detach(&mut self, volume: Box<dyn Volume>) -> Result<Done<bool>> {
        drop(volume);
        self.operation("detach")?;
        Ok(Done::plain(true))
    }

    fn compact(&mut self) -> Result<Done<()>> {
        self.operation("compact").map(Done::plain)
    }

    fn restart(&mut self) -> Result<Done<()>> {
        self.operation("restart").map(Done::plain)
    }

    fn delete(&mut self) -> Result<Done<()>> {
        {
            let mut tally = self.tally.borrow_mut();
            (tally.bytes, tally.paged_bytes, tally.files) = (0, 0, 0);
        }
        self.operation("discard").map(Done::plain)
    }

    fn sizes(&mut self) -> Result<Sizes> {
        self.operation("sizes")?;
        let bytes = self.tally.borrow().bytes;
        Ok(Sizes {
            allocated_bytes: bytes,
            apparent_bytes: bytes,
            bands: None,
            free_bytes: 0,
            volume_free_bytes: None,
        })
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        Ok(self.tally.borrow().effective.clone())
    }

    fn reached(&self) -> Reached {
        Reached { cache: Cache::None, durability: Durability::None }
    }
}

struct StandInVolume {
    clock: FakeClock,
    tally: Rc<RefCell<Tally>>,
    keep_calls: bool,
}

impl StandInVolume {
    fn moved(&self, op: &str, file: FileSpec) -> Result<Timing> {
        let mut tally = self.tally.borrow_mut();
        // Names are only made when somebody wants them: forecasts run through hundreds of thousands of files.
        if self.keep_calls {
            tally.call(&format!("{op} {}", file.name()), true)?;
        }
        let elapsed_ns = file.size_bytes.saturating_add(FILE_NS);
        self.clock.advance(elapsed_ns);
        if op == "write" {
            tally.bytes_written += file.size_bytes;
            tally.files_written += 1;
            tally.bytes += file.size_bytes;
            tally.paged_bytes = tally.paged_bytes.saturating_add(paged(file.size_bytes));
            tally.files += 1;
            tally.count_peak();
        } else {
            tally.bytes_read += file.size_bytes;
            tally.files_read += 1;
        }
        Ok(Timing { elapsed_ns, slept: false })
    }
}

impl Volume for StandInVolume {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        self.moved("write", file)
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        self.moved("read", file)
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        let mut tally = self.tally.borrow_mut();
        for file in files {
            if self.keep_calls {
                tally.call(&format!("delete {}", file.name()), true)?;
            }
            tally.bytes -= file.size_bytes;
            tally.paged_bytes -= paged(file.size_bytes);
            tally.files -= 1;
        }
        Ok(())
    }
}
