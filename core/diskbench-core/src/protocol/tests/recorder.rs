//! The stand-in with its own clock, recording every call.

use std::cell::RefCell;
use std::rc::Rc;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::image::stand_in::StandIn;
use crate::image::{Done, ImageDriver, Reached, Volume};
use crate::record::{ImageFacts, SizeRecord};
use crate::transfer::Timing;
use crate::units::SECOND_NS;
use crate::workload::FileSpec;

/// What every operation that is not about a file takes, in nanoseconds.
pub(super) const OPERATION_NS: u64 = 1000;

/// What every file takes in addition to one nanosecond a byte, in nanoseconds.
pub(super) const FILE_NS: u64 = 10;

/// A clock that only moves when something is done.
#[derive(Debug, Clone, Default)]
pub(super) struct FakeClock {
    now_ns: Rc<std::cell::Cell<u64>>,
}

impl FakeClock {
    fn advance(&self, ns: u64) {
        self.now_ns.set(self.now_ns.get() + ns);
    }
}

impl Clock for FakeClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn settle(&self, seconds: u64) -> Result<()> {
        self.advance(seconds * SECOND_NS);
        Ok(())
    }
}

/// The recorded calls, and the test's settings.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Every call in order, in words.
    pub calls: Vec<String>,
    /// The call that fails, and how.
    pub fault: Option<(String, Error)>,
    /// What the image says that it is.
    pub effective: ImageFacts,
    /// Whether the system's program does not compact.
    pub compacts_nothing: bool,
}

/// The driver, and its volume. Clones share their notes.
#[derive(Debug, Clone)]
pub(super) struct Recorder {
    clock: FakeClock,
    notes: Rc<RefCell<Notes>>,
    stand_in: StandIn,
}

impl Recorder {
    pub(super) fn new(clock: FakeClock) -> Self {
        Self { clock, notes: Rc::default(), stand_in: StandIn::default() }
    }

    pub(super) fn notes(&self) -> Rc<RefCell<Notes>> {
        Rc::clone(&self.notes)
    }

    fn note(&self, call: &str) -> Result<()> {
        let mut notes = self.notes.borrow_mut();
        notes.calls.push(call.to_owned());
        match &notes.fault {
            Some((place, error)) if place == call => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn operation(&self, name: &str) -> Result<()> {
        self.clock.advance(OPERATION_NS);
        self.note(name)
    }

    fn moved(&self, op: &str, file: FileSpec) -> Result<Timing> {
        self.note(&format!("{op} {}", file.name()))?;
        let elapsed_ns = file.size_bytes + FILE_NS;
        self.clock.advance(elapsed_ns);
        Ok(Timing { elapsed_ns, slept: false })
    }
}

impl ImageDriver for Recorder {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.operation("create")?;
        Ok(Done::plain(Box::new(self.clone())))
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        self.operation("attach")?;
        Ok(Done::plain(Box::new(self.clone())))
    }

    fn detach(&mut self, _volume: Box<dyn Volume>) -> Result<Done<bool>> {
        self.operation("detach").map(|()| Done::plain(true))
    }

    fn compact(&mut self) -> Result<Done<bool>> {
        let compacted = !self.notes.borrow().compacts_nothing;
        self.operation("compact").map(|()| Done::plain(compacted))
    }

    fn restart(&mut self) -> Result<()> {
        self.operation("restart")
    }

    fn delete(&mut self) -> Result<()> {
        self.operation("discard")?;
        ImageDriver::delete(&mut self.stand_in)
    }

    fn sizes(&mut self) -> Result<SizeRecord> {
        self.operation("sizes")?;
        self.stand_in.sizes()
    }

    fn effective(&mut self) -> Result<ImageFacts> {
        Ok(self.notes.borrow().effective.clone())
    }

    fn reached(&self) -> Reached {
        self.stand_in.reached()
    }
}

impl Volume for Recorder {
    fn write(&mut self, file: FileSpec) -> Result<Timing> {
        let timing = self.moved("write", file)?;
        self.stand_in.write(file)?;
        Ok(timing)
    }

    fn read(&mut self, file: FileSpec) -> Result<Timing> {
        self.moved("read", file)
    }

    fn delete(&mut self, files: &[FileSpec]) -> Result<()> {
        for file in files {
            self.note(&format!("delete {}", file.name()))?;
        }
        Volume::delete(&mut self.stand_in, files)
    }
}
