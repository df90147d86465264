//! Blocks, offsets and halts, on a file in memory.

use super::{Halt, Mover, Target, slept};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::workload::FileSpec;
use std::io;

/// A file in memory that notes how it is called and hands out at most `portion` bytes at a time.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    calls: Vec<(u64, usize)>,
    portion: usize,
    flushes: u32,
}

impl Target for Memory {
    fn write_at(&mut self, block: &[u8], offset: u64) -> io::Result<()> {
        assert_eq!(offset, self.bytes.len() as u64);
        self.calls.push((offset, block.len()));
        self.bytes.extend_from_slice(block);
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = &self.bytes[usize::try_from(offset).unwrap()..];
        let count = rest.len().min(buffer.len()).min(self.portion);
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}

fn mover(stop: Stop) -> Mover {
    Mover::new(5, 4096, true, Meter::new(), stop)
}

fn file(size_bytes: u64) -> FileSpec {
    FileSpec { round: 1, set: 1, order: 1, size_bytes }
}

#[test]
fn a_file_is_written_in_blocks_the_last_one_partial_and_flushed_once() {
    let mut target = Memory::default();
    mover(Stop::never()).write(&mut target, file(10_000)).unwrap();
    assert_eq!(target.calls, [(0, 4096), (4096, 4096), (8192, 1808)]);
    assert_eq!(target.flushes, 1);
}

#[test]
fn a_file_is_read_whole_even_when_the_system_hands_it_out_in_small_portions() {
    for portion in [1, 1000, 4096, 100_000] {
        let mut target = Memory { portion, ..Memory::default() };
        let mut mover = mover(Stop::never());
        mover.write(&mut target, file(10_000)).unwrap();
        mover.read(&mut target, file(10_000)).unwrap();
    }
}

#[test]
fn a_flipped_byte_is_found_at_its_offset() {
    let mut target = Memory { portion: usize::MAX, ..Memory::default() };
    let mut mover = mover(Stop::never());
    mover.write(&mut target, file(10_000)).unwrap();
    target.bytes[9_999] ^= 0x40;
    assert!(matches!(mover.read(&mut target, file(10_000)), Err(Halt::Differs(9_999))));
}

#[test]
fn a_file_that_is_too_short_is_found() {
    let mut target = Memory { portion: usize::MAX, ..Memory::default() };
    let mut mover = mover(Stop::never());
    mover.write(&mut target, file(10_000)).unwrap();
    target.bytes.truncate(9_000);
    assert!(matches!(mover.read(&mut target, file(10_000)), Err(Halt::Short(9_000))));
}

#[test]
fn a_wish_to_stop_is_heard_before_the_next_block() {
    let stop = Stop::never();
    stop.request();
    let mut target = Memory::default();
    assert!(matches!(mover(stop).write(&mut target, file(1)), Err(Halt::Stopped)));
    assert!(target.calls.is_empty());
}

#[test]
fn a_sleep_is_told_apart_from_a_busy_machine() {
    assert!(!slept(1_000_000, 1_000_000));
    assert!(!slept(1_000_000, 90_000_000));
    assert!(slept(1_000_000, 1_500_000_000));
    assert!(!slept(5, 0));
}
