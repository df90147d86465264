//! Moving the bytes of one file: the only code that runs while a sample's clock runs.
//!
//! Beside what [`TIMED_REGION`] says, each block costs two relaxed operations on memory (progress, the cancellation
//! flag). What is written comes from the [`Supply`].

use std::io;

use system::aligned::Aligned;
use system::clock;
use system::memory::in_memory;

use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::workload::FileSpec;
use crate::workload::content::Content;
use crate::workload::supply::Supply;

/// What the time of a file covers. Records, tables and pages say it in these words, and a traced run holds it to them
/// (`tests/program/timed_region.rs`).
pub(crate) const TIMED_REGION: &str = "Time of one file in nanoseconds, between opening and closing it. Writing: from just before its first block to \
the return of the flush that the cell's durability asks for. Reading: from just before its first block to just after its last. \
In an image of driver portable, finding the file's place stands for opening it, and the flush covers all that the file changed in \
the image, the volume's table of files included";

/// Two clocks that differ by more than this have slept in between, in nanoseconds. They are read one after the
/// other, so a busy machine parts them by some milliseconds; no machine sleeps and wakes in under a second.
const SLEEP_THRESHOLD_NS: u64 = 250_000_000;

/// Where the bytes of one file go or come from.
pub(crate) trait Target {
    /// Writes the whole block at this offset.
    ///
    /// # Errors
    /// Any error of the system.
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()>;

    /// Reads up to the buffer's length at this offset; 0 is the end.
    ///
    /// # Errors
    /// Any error of the system.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Flushes with the cell's durability.
    ///
    /// # Errors
    /// Any error of the system.
    fn flush(&mut self) -> io::Result<()>;
}

/// How long one file took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    /// Nanoseconds on a clock that stops while the machine sleeps.
    pub elapsed_ns: u64,
    /// Whether the machine slept or the program was suspended (Ctrl-Z) during the file.
    pub slept: bool,
}

/// Why a file was not moved to its end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A signal asked to stop.
    Stopped,
    /// The system refused to open, write or read.
    Io(io::Error),
    /// The system refused to flush.
    Flush(io::Error),
    /// The file ends at this offset, too early.
    Short(u64),
    /// The file holds something else from this offset on.
    Differs(u64),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Moves files, one at a time, through one set of buffers.
#[derive(Debug)]
pub(crate) struct Mover {
    content: Content,
    /// What is written; there from the first file that is written on.
    supply: Option<Supply>,
    buffer: Aligned,
    block_bytes: usize,
    check: bool,
    meter: Meter,
    stop: Stop,
    clocks: Clocks,
}

impl Mover {
    /// A mover for files of this seed in blocks of this size; `check` compares what is read.
    pub(crate) fn new(seed: u64, block_bytes: u64, check: bool, meter: Meter, stop: Stop) -> Self {
        let block_bytes = in_memory(block_bytes);
        Self {
            content: Content::new(seed),
            supply: None,
            buffer: Aligned::new(block_bytes),
            block_bytes,
            check,
            meter,
            stop,
            clocks: Clocks::MACHINE,
        }
    }

    /// A mover on a machine that sleeps a second whenever a clock runs.
    #[cfg(test)]
    pub(crate) fn dozing(mut self) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static SLEPT_NS: AtomicU64 = AtomicU64::new(0);
        self.clocks.always_ns =
            || clock::always_ns() + SLEPT_NS.fetch_add(1_000_000_000, Ordering::Relaxed);
        self
    }

    /// Writes a file and flushes it.
    ///
    /// # Errors
    /// When a signal asks to stop, or the target refuses.
    pub(crate) fn write(
        &mut self,
        target: &mut impl Target,
        file: FileSpec,
    ) -> Result<Timing, Halt> {
        let mut supply = match self.supply.take() {
            Some(supply) => supply,
            None => Supply::new(self.content.clone(), self.block_bytes)?,
        };
        supply.begin(file)?;
        self.forget_stops();
        let stopwatch = Stopwatch::start(self.clocks);
        let mut offset = 0;
        while offset < file.size_bytes {
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
            let block = supply.block(offset, self.length_at(offset, file.size_bytes))?;
            target.write_at(block, offset)?;
            offset += block.len() as u64;
            self.meter.add_bytes(block.len() as u64);
        }
        target.flush().map_err(Halt::Flush)?;
        let timing = self.timed(&stopwatch);
        // A supply that a failure left in the middle of a file cannot be reused.
        self.supply = Some(supply);
        Ok(timing)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When a signal asks to stop, the target refuses, the file is too short, or, when checking, differs.
    pub(crate) fn read(
        &mut self,
        target: &mut impl Target,
        file: FileSpec,
    ) -> Result<Timing, Halt> {
        let id = file.id();
        self.forget_stops();
        let stopwatch = Stopwatch::start(self.clocks);
        let mut offset = 0;
        while offset < file.size_bytes {
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
            let length = self.length_at(offset, file.size_bytes);
            let read = fill_block(target, self.buffer.bytes_mut(), offset, length)?;
            let found = self.buffer.bytes().split_at(read.min(length)).0;
            if self.check
                && let Some(place) = self.content.difference(id, offset, found)
            {
                return Err(Halt::Differs(place));
            }
            offset += found.len() as u64;
            self.meter.add_bytes(found.len() as u64);
            if found.len() < length {
                return Err(Halt::Short(offset));
            }
        }
        Ok(self.timed(&stopwatch))
    }

    /// Resets suspensions from before the file.
    fn forget_stops(&self) {
        self.stop.take_continued();
    }

    fn timed(&self, stopwatch: &Stopwatch) -> Timing {
        let timing = stopwatch.stop();
        Timing { slept: timing.slept || self.stop.take_continued(), ..timing }
    }

    fn length_at(&self, offset: u64, size: u64) -> usize {
        in_memory(size - offset).min(self.block_bytes)
    }
}

/// Reads until `length` bytes are there or the file ends. The whole buffer is offered each time: direct I/O
/// takes no partial block, and reads no further than the file's end.
fn fill_block(
    target: &mut impl Target,
    buffer: &mut [u8],
    offset: u64,
    length: usize,
) -> io::Result<usize> {
    let mut done = 0;
    while done < length {
        let rest = buffer.split_at_mut(done).1;
        let most = rest.len();
        match target.read_at(rest, offset + done as u64) {
            Ok(0) => break,
            Ok(read) => {
                assert!(read <= most, "{read} bytes were read into a buffer of {most}");
                done += read;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Two clocks, one of which continues while the machine sleeps.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    awake_ns: fn() -> u64,
    always_ns: fn() -> u64,
}

impl Clocks {
    const MACHINE: Self = Self { awake_ns: clock::awake_ns, always_ns: clock::always_ns };
}

/// Both clocks, read when it was started.
#[derive(Debug)]
struct Stopwatch {
    clocks: Clocks,
    awake_ns: u64,
    always_ns: u64,
}

impl Stopwatch {
    fn start(clocks: Clocks) -> Self {
        // The clock that counts is read last here and first at the end: the other one is not timed.
        let always_ns = (clocks.always_ns)();
        Self { clocks, always_ns, awake_ns: (clocks.awake_ns)() }
    }

    fn stop(&self) -> Timing {
        let elapsed_ns = (self.clocks.awake_ns)() - self.awake_ns;
        let passed_ns = (self.clocks.always_ns)() - self.always_ns;
        Timing { elapsed_ns, slept: slept(elapsed_ns, passed_ns) }
    }
}

fn slept(awake_ns: u64, always_ns: u64) -> bool {
    always_ns.saturating_sub(awake_ns) > SLEEP_THRESHOLD_NS
}

#[cfg(test)]
mod tests;
