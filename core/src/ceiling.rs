//! What this harness reaches on this machine when no disk is in its way: its own limit.
//!
//! Two targets are driven by the very code that drives a disk. The *null* target takes blocks and forgets them: what
//! it shows is the cost of the harness (stamping pages, counting, looking for the wish to stop). The *memory* target
//! copies them: no disk can be seen to be faster than that. A measured rate close to the memory target's is a rate of
//! this machine's memory. Beside them stands what the processor can encrypt, for the images that are.

use std::io;

use serde::Serialize;

use crate::image::portable::crypt::limit::{self, Limit};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::platform::clock;
use crate::record::Ceiling;
use crate::transfer::{Mover, Target, Timing};
use crate::units::{self, rate};
use crate::workload::FileSpec;
use crate::workload::content::Aligned;

/// Block size of the measurement, in bytes: the study's default.
const BLOCK: u64 = 1 << 20;

/// Size of the file in memory, in bytes: larger than the caches of most chips, small enough to take a few
/// hundredths of a second.
const FILE: u64 = 64 << 20;

/// How often each is measured; the median counts.
const ROUNDS: usize = 5;

/// Pairs of clock readings that are timed.
const CLOCK_PAIRS: u64 = 10_000;

/// What `ceiling` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FullCeiling {
    /// Block size in bytes.
    pub block_bytes: u64,
    /// Size of the file in bytes.
    pub file_bytes: u64,
    /// Rounds of which the median counts.
    pub rounds: usize,
    /// Writing to nowhere, bytes per second.
    pub null_write_bytes_per_second: u64,
    /// Reading from nowhere, bytes per second.
    pub null_read_bytes_per_second: u64,
    /// Writing to memory, bytes per second.
    pub memory_write_bytes_per_second: u64,
    /// Reading from memory, bytes per second.
    pub memory_read_bytes_per_second: u64,
    /// Encryption and decryption without any disk.
    pub encryption: Limit,
    /// Starting and stopping the clock once, nanoseconds.
    pub clock_ns: u64,
}

impl FullCeiling {
    /// A few lines for people.
    #[must_use]
    pub fn text(&self) -> String {
        let per_block = |rate| units::rate(self.block_bytes, rate);
        format!(
            "memory   {}/s written, {}/s read: no disk can be seen to be faster\n\
             harness  {} ns for each block of {} bytes written, {} ns read\n\
             AES-256  {}/s encrypted, {}/s decrypted by one thread; {} threads: no encrypted image can be faster than \
             threads x that\n\
             clock    {} ns for each file\n",
            units::gigabytes(self.memory_write_bytes_per_second),
            units::gigabytes(self.memory_read_bytes_per_second),
            per_block(self.null_write_bytes_per_second),
            self.block_bytes,
            per_block(self.null_read_bytes_per_second),
            units::gigabytes(self.encryption.encrypt_bytes_per_second),
            units::gigabytes(self.encryption.decrypt_bytes_per_second),
            self.encryption.threads,
            self.clock_ns,
        )
    }
}

/// The ceiling with both targets.
#[must_use]
pub fn full() -> FullCeiling {
    let mut mover = mover();
    let (null_write, null_read) = rates(&mut mover, &mut Null);
    let (memory_write, memory_read) = rates(&mut mover, &mut Memory::new());
    FullCeiling {
        block_bytes: BLOCK,
        file_bytes: FILE,
        rounds: ROUNDS,
        null_write_bytes_per_second: null_write,
        null_read_bytes_per_second: null_read,
        memory_write_bytes_per_second: memory_write,
        memory_read_bytes_per_second: memory_read,
        encryption: limit::measured(),
        clock_ns: clock_ns(),
    }
}

/// The ceiling that is stored in every record: the memory target's.
#[must_use]
pub fn for_record() -> Ceiling {
    let (write, read) = rates(&mut mover(), &mut Memory::new());
    Ceiling { write_bytes_per_second: write, read_bytes_per_second: read, clock_ns: clock_ns() }
}

fn mover() -> Mover {
    Mover::new(1, BLOCK, false, Meter::new(), Stop::never())
}

fn rates(mover: &mut Mover, target: &mut impl Target) -> (u64, u64) {
    let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: FILE };
    let mut write = |mover: &mut Mover, target: &mut _| mover.write(target, file).ok();
    let mut read = |mover: &mut Mover, target: &mut _| mover.read(target, file).ok();
    (median_rate(mover, target, &mut write), median_rate(mover, target, &mut read))
}

fn median_rate<T>(
    mover: &mut Mover,
    target: &mut T,
    action: &mut impl FnMut(&mut Mover, &mut T) -> Option<Timing>,
) -> u64 {
    let mut times: Vec<u64> =
        (0..ROUNDS).filter_map(|_| action(mover, target)).map(|timing| timing.elapsed_ns).collect();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0, |time| rate(FILE, *time))
}

fn clock_ns() -> u64 {
    let start = clock::awake_ns();
    for _ in 0..CLOCK_PAIRS {
        std::hint::black_box((clock::awake_ns(), clock::awake_ns()));
    }
    clock::awake_ns().saturating_sub(start) / CLOCK_PAIRS
}

/// Takes everything and forgets it; gives nothing and says it did.
struct Null;

impl Target for Null {
    fn write_at(&mut self, block: &[u8], _offset: u64) -> io::Result<()> {
        std::hint::black_box(block);
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(std::hint::black_box(buffer).len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file in memory, all of it touched beforehand.
struct Memory {
    bytes: Aligned,
}

impl Memory {
    fn new() -> Self {
        Self { bytes: Aligned::new(usize::try_from(FILE).unwrap_or_default()) }
    }
}

impl Target for Memory {
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let place =
            self.bytes.bytes_mut().get_mut(start..).and_then(|rest| rest.get_mut(..block.len()));
        place.ok_or(io::ErrorKind::StorageFull)?.copy_from_slice(block);
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let rest = self.bytes.bytes().get(start..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Memory, full, mover};
    use crate::interrupt::Stop;
    use crate::meter::Meter;
    use crate::transfer::Mover;
    use crate::workload::FileSpec;

    #[test]
    fn the_memory_target_holds_what_was_written() {
        let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: FILE - 5 };
        let mut checking = Mover::new(1, 1 << 20, true, Meter::new(), Stop::never());
        let mut memory = Memory::new();
        mover().write(&mut memory, file).unwrap();
        checking.read(&mut memory, file).unwrap();
    }

    #[test]
    fn every_rate_is_there() {
        let found = full();
        assert!(found.null_write_bytes_per_second > 0 && found.null_read_bytes_per_second > 0);
        assert!(found.memory_write_bytes_per_second > 0 && found.memory_read_bytes_per_second > 0);
        assert!(found.encryption.encrypt_bytes_per_second > 0);
        assert!(found.encryption.decrypt_bytes_per_second > 0);
        assert!(found.text().lines().count() == 4, "{}", found.text());
    }
}
