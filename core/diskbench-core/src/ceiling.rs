//! The speed of this harness on this machine without a disk: its own limit.
//!
//! Two targets are driven by the code that drives a disk. The *null* target discards blocks: it shows the cost of the
//! harness (waiting for content, counting, polling the cancellation flag). The *memory* target copies them, as a
//! system's cache does. If copying and storing are sequential, the share of copying in a measured time is the measured
//! rate divided by the memory target's: see [`is_near`]. Also measured: how fast one thread generates content, and, for
//! encrypted images, how fast the processor encrypts.

mod encryption;

use std::io;
use std::time::Instant;

use serde_json::{Value, json};
use system::aligned::Aligned;
use system::clock;
use system::memory::in_memory;

use crate::error::{Error, Result};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::record::{Ceiling, Op, Sample};
use crate::transfer::{Halt, Mover, Target, Timing};
use crate::units::{self, rate};
use crate::workload::FileSpec;
use crate::workload::content::Content;

/// Block size of the measurement, in bytes, unless a cell has another: the study's default.
const BLOCK: u64 = 1 << 20;

/// Size of the file in memory, in bytes: larger than the caches of most chips, small enough to take a few
/// hundredths of a second. Programs without optimisation are there for tests, which start them very often and quote no
/// figure of theirs.
const FILE: u64 = if cfg!(debug_assertions) { 4 << 20 } else { 64 << 20 };

/// Rounds of each measurement; the fastest counts, since slower rounds are not due to the harness.
const ROUNDS: usize = 5;

/// From this percentage of the memory target's rate on, a measured rate depends more on the harness than on the disk,
/// which has at most a fifth of the measured time.
const NEAR_PERCENT: u64 = 80;

/// Pairs of clock readings that are timed.
const CLOCK_PAIRS: u64 = 10_000;

/// What `ceiling` prints: that of the records at the study's block size, and what encrypting costs.
#[derive(Debug)]
pub(crate) struct FullCeiling {
    ceiling: Ceiling,
    encryption: encryption::Limit,
}

impl FullCeiling {
    /// For programs.
    pub(crate) fn tree(&self) -> Value {
        json!({
            "block_bytes": BLOCK,
            "file_bytes": FILE,
            "rounds": ROUNDS,
            "null_write_bytes_per_second": self.ceiling.null_write_bytes_per_second,
            "null_read_bytes_per_second": self.ceiling.null_read_bytes_per_second,
            "memory_write_bytes_per_second": self.ceiling.write_bytes_per_second,
            "memory_read_bytes_per_second": self.ceiling.read_bytes_per_second,
            "content_bytes_per_second": self.ceiling.content_bytes_per_second,
            "encryption": self.encryption,
            "clock_ns": self.ceiling.clock_ns,
        })
    }

    /// A few lines for people.
    pub(crate) fn text(&self) -> String {
        let Self { ceiling, encryption } = self;
        let per_block = |rate: Option<u64>| units::rate(BLOCK, rate.unwrap_or_default());
        format!(
            "memory   {}/s written, {}/s read: no disk behind a cache can be seen to be faster\n\
             harness  {} ns for each block of {BLOCK} bytes written, {} ns read\n\
             content  {}/s made by one thread, before the clock runs or beside it\n\
             AES-256  {}/s encrypted, {}/s decrypted by {} threads at once: no encrypted image can be faster\n\
             clock    {} ns for each file\n",
            units::gigabytes(ceiling.write_bytes_per_second),
            units::gigabytes(ceiling.read_bytes_per_second),
            per_block(ceiling.null_write_bytes_per_second),
            per_block(ceiling.null_read_bytes_per_second),
            units::gigabytes(ceiling.content_bytes_per_second.unwrap_or_default()),
            units::gigabytes(encryption.encrypt_bytes_per_second),
            units::gigabytes(encryption.decrypt_bytes_per_second),
            encryption.threads,
            ceiling.clock_ns,
        )
    }
}

/// The ceiling for people, with what encrypting costs.
///
/// # Errors
/// When it cannot be measured.
pub(crate) fn full() -> Result<FullCeiling> {
    Ok(FullCeiling { ceiling: for_record(BLOCK)?, encryption: encryption::measured() })
}

/// The ceiling that is stored in every record, at its cell's block size.
///
/// # Errors
/// When it cannot be measured: without it no figure could be marked as too near to it.
pub(crate) fn for_record(block_bytes: u64) -> Result<Ceiling> {
    let mut mover = Mover::new(1, block_bytes, false, Meter::new(), Stop::never());
    let null = rates(&mut mover, &mut Null)?;
    let memory = rates(&mut mover, &mut Memory::new())?;
    Ok(Ceiling {
        write_bytes_per_second: memory.0,
        read_bytes_per_second: memory.1,
        null_write_bytes_per_second: Some(null.0),
        null_read_bytes_per_second: Some(null.1),
        content_bytes_per_second: Some(content_rate()),
        clock_ns: clock_ns(),
    })
}

/// Whether files were written (read) so fast that the rate may be that of the harness and of memory.
pub(crate) fn is_near(ceiling: &Ceiling, op: Op, samples: &[Sample]) -> bool {
    let limit = match op {
        Op::Write => ceiling.write_bytes_per_second,
        Op::Read => ceiling.read_bytes_per_second,
    };
    let files = samples.iter().filter(|sample| sample.op == op && !sample.slept);
    let (bytes, time) = files.fold((0_u64, 0_u64), |(bytes, time), sample| {
        (bytes.saturating_add(sample.size_bytes), time.saturating_add(sample.elapsed_ns))
    });
    let reached = u128::from(rate(bytes, time)) * 100;
    limit > 0 && reached >= u128::from(limit) * u128::from(NEAR_PERCENT)
}

fn rates<T: Target>(mover: &mut Mover, target: &mut T) -> Result<(u64, u64)> {
    Ok((fastest(mover, target, Mover::write)?, fastest(mover, target, Mover::read)?))
}

/// The rate of the fastest round.
fn fastest<T>(
    mover: &mut Mover,
    target: &mut T,
    action: fn(&mut Mover, &mut T, FileSpec) -> std::result::Result<Timing, Halt>,
) -> Result<u64> {
    let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: FILE };
    let mut least = u64::MAX;
    for _ in 0..ROUNDS {
        least = least.min(action(mover, target, file).map_err(unmeasured)?.elapsed_ns);
    }
    Ok(rate(FILE, least))
}

fn unmeasured(halt: Halt) -> Error {
    let doing = "measuring what diskbench itself reaches";
    match halt {
        Halt::Io(error) | Halt::Flush(error) => Error::io_in_step(doing, &error),
        Halt::Stopped => Error::interrupted(),
        Halt::Short(_) | Halt::Differs(_) => Error::fault(format_args!("{doing}: {halt:?}")),
    }
}

fn content_rate() -> u64 {
    let content = Content::new(0);
    let mut room = Aligned::new(in_memory(BLOCK));
    let made = (1..=ROUNDS as u64).map(|file| {
        let start = Instant::now();
        for offset in (0..FILE).step_by(room.bytes().len()) {
            content.fill(file, offset, std::hint::black_box(room.bytes_mut()));
        }
        rate(FILE, u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    });
    made.max().unwrap_or_default()
}

fn clock_ns() -> u64 {
    let start = clock::awake_ns();
    for _ in 0..CLOCK_PAIRS {
        std::hint::black_box((clock::awake_ns(), clock::awake_ns()));
    }
    (clock::awake_ns() - start) / CLOCK_PAIRS
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
        Self { bytes: Aligned::new(in_memory(FILE)) }
    }
}

impl Target for Memory {
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()> {
        let start = in_memory(offset);
        let place =
            self.bytes.bytes_mut().get_mut(start..).and_then(|rest| rest.get_mut(..block.len()));
        place.ok_or(io::ErrorKind::StorageFull)?.copy_from_slice(block);
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = in_memory(offset);
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
    use super::{FILE, Memory, for_record, full, is_near, rates};
    use crate::exit_code::ExitCode;
    use crate::interrupt::Stop;
    use crate::meter::Meter;
    use crate::record::{Ceiling, Op, Sample};
    use crate::transfer::{Mover, Target};
    use crate::workload::FileSpec;
    use std::io;

    fn mover(check: bool) -> Mover {
        Mover::new(1, 1 << 20, check, Meter::new(), Stop::never())
    }

    #[test]
    fn the_memory_target_holds_what_was_written() {
        let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: FILE - 5 };
        let mut memory = Memory::new();
        mover(false).write(&mut memory, file).unwrap();
        mover(true).read(&mut memory, file).unwrap();
    }

    #[test]
    fn every_rate_is_there() {
        let found = full().unwrap();
        let tree = found.tree();
        for key in [
            "null_write",
            "null_read",
            "memory_write",
            "memory_read",
            "content",
            "encryption/encrypt",
            "encryption/decrypt",
        ] {
            let rate = tree.pointer(&format!("/{key}_bytes_per_second")).unwrap();
            assert!(rate.as_u64().unwrap() > 0, "{key}: {rate}");
        }
        assert!(found.text().lines().count() == 5, "{}", found.text());
    }

    #[test]
    fn a_record_has_all_of_it_and_small_blocks_cost_more() {
        let found = |block| {
            let found = for_record(block).unwrap();
            assert!(found.write_bytes_per_second > 0 && found.read_bytes_per_second > 0);
            assert!(found.content_bytes_per_second > Some(0));
            found.null_read_bytes_per_second.unwrap()
        };
        // Reading from nowhere is nothing but the work that is done for each block: 256 times as much of it.
        assert!(found(4096) * 8 < found(1 << 20));
    }

    #[test]
    fn a_round_that_fails_is_an_error_and_no_rate() {
        struct Broken;
        impl Target for Broken {
            fn write_at(&mut self, _: &[u8], _: u64) -> io::Result<()> {
                Ok(())
            }
            fn read_at(&mut self, _: &mut [u8], _: u64) -> io::Result<usize> {
                Ok(0)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = rates(&mut mover(false), &mut Broken).unwrap_err();
        assert_eq!(error.exit(), ExitCode::Unexpected);
    }

    const LIMIT: Ceiling = Ceiling {
        write_bytes_per_second: 10_000_000_000,
        read_bytes_per_second: 20_000_000_000,
        null_write_bytes_per_second: None,
        null_read_bytes_per_second: None,
        content_bytes_per_second: None,
        clock_ns: 50,
    };

    fn sample(op: Op, size_bytes: u64, elapsed_ns: u64) -> Sample {
        Sample { op, order: 1, set: 1, size_bytes, elapsed_ns, slept: false }
    }

    #[test]
    fn a_pass_is_near_the_limit_from_80_percent_of_it_on_by_all_bytes_and_all_time() {
        let near = |op, samples: &[Sample]| is_near(&LIMIT, op, samples);
        assert!(near(Op::Write, &[sample(Op::Write, 8_000_000, 1_000_000)]));
        assert!(!near(Op::Write, &[sample(Op::Write, 7_999_000, 1_000_000)]));
        assert!(!near(Op::Read, &[sample(Op::Read, 8_000_000, 1_000_000)]));
        assert!(near(Op::Read, &[sample(Op::Read, 16_000_000, 1_000_000)]));
        // The mean of their rates is 9 GB/s, their combined rate 2.
        let files =
            [sample(Op::Write, 16_000_000, 1_000_000), sample(Op::Write, 2_000_000, 8_000_000)];
        assert!(!near(Op::Write, &files));
    }

    #[test]
    fn files_of_the_other_direction_or_of_a_sleep_and_no_files_at_all_are_never_near_it() {
        let slept = Sample { slept: true, ..sample(Op::Write, 9_000_000, 1_000_000) };
        for samples in [&[][..], &[slept], &[sample(Op::Read, 9_000_000, 1_000_000)]] {
            assert!(!is_near(&LIMIT, Op::Write, samples), "{samples:?}");
        }
        let unknown = Ceiling { write_bytes_per_second: 0, ..LIMIT };
        assert!(!is_near(&unknown, Op::Write, &[sample(Op::Write, 1, 1)]));
    }
}
