//! Blocks, offsets and halts, on a file in memory.

use super::{Clocks, Halt, Mover, Target, slept};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::workload::FileSpec;
use crate::workload::content::Content;
use crate::workload::supply::Supply;
use std::cell::Cell;
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

/// A target of which each call does this; a read says how many bytes of so many it has read.
struct Acts {
    write: Box<dyn FnMut()>,
    read: Box<dyn FnMut(usize) -> usize>,
    flush: Box<dyn FnMut()>,
}

impl Default for Acts {
    fn default() -> Self {
        Self { write: Box::new(|| {}), read: Box::new(|length| length), flush: Box::new(|| {}) }
    }
}

impl Target for Acts {
    fn write_at(&mut self, _block: &[u8], _offset: u64) -> io::Result<()> {
        (self.write)();
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok((self.read)(buffer.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.flush)();
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
#[should_panic(expected = "were read into a buffer of 4096")]
fn a_read_of_more_than_there_is_room_for_is_no_file_that_is_too_short() {
    let read = Box::new(|length| length + 1);
    let mut mover = Mover::new(5, 4096, false, Meter::new(), Stop::never());
    drop(mover.read(&mut Acts { read, ..Acts::default() }, file(10_000)));
}

#[test]
fn a_file_whose_content_stops_coming_fails_and_does_not_end_early() {
    let mut mover = mover(Stop::never());
    mover.supply = Some(Supply::ending(Content::new(5), 4096).unwrap());
    let mut target = Memory { portion: usize::MAX, ..Memory::default() };
    let halt = mover.write(&mut target, file(32 << 20)).unwrap_err();
    assert!(matches!(halt, Halt::Io(error) if error.to_string().contains("has ended")));
}

#[test]
fn a_cancellation_is_heard_before_the_next_block() {
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

thread_local! {
    /// The times of these tests' clocks: the one that stops during sleep, and the other one.
    static NOW: Cell<(u64, u64)> = const { Cell::new((1_000, 5_000)) };
}

fn pass(awake: u64, always: u64) {
    NOW.set((NOW.get().0 + awake, NOW.get().1 + always));
}

const FAKE: Clocks = Clocks { awake_ns: || NOW.get().0, always_ns: || NOW.get().1 };

fn on_fake_clocks(stop: Stop) -> Mover {
    let mut mover = Mover::new(5, 4096, false, Meter::new(), stop);
    mover.clocks = FAKE;
    mover
}

#[test]
fn the_time_of_a_written_file_is_that_of_all_its_blocks_and_of_its_flush() {
    let (write, flush) = (Box::new(|| pass(10, 10)), Box::new(|| pass(7_000, 7_000)));
    let mut slow = Acts { write, flush, ..Acts::default() };
    let timing = on_fake_clocks(Stop::never()).write(&mut slow, file(10_000)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (3 * 10 + 7_000, false));
}

#[test]
fn the_time_of_a_read_file_is_that_of_all_its_blocks() {
    let read = Box::new(|length| {
        pass(10, 10);
        length
    });
    let mut slow = Acts { read, flush: Box::new(|| pass(7_000, 7_000)), ..Acts::default() };
    let timing = on_fake_clocks(Stop::never()).read(&mut slow, file(10_000)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (3 * 10, false));
}

#[test]
fn a_sleep_marks_the_file_and_does_not_count() {
    let read = Box::new(|length| {
        pass(0, 8_000_000_000);
        length
    });
    let (write, flush) = (Box::new(|| pass(10, 10)), Box::new(|| pass(5, 8_000_000_005)));
    let (mut sleepy, mut awake) = (Acts { write, read, flush }, Acts::default());
    let mut mover = on_fake_clocks(Stop::never());
    let timing = mover.write(&mut sleepy, file(4096)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (15, true));
    assert!(mover.read(&mut sleepy, file(4096)).unwrap().slept);
    assert!(!mover.read(&mut awake, file(4096)).unwrap().slept, "the next file did not sleep");
}

#[test]
fn a_file_during_which_the_program_was_stopped_is_marked_and_its_neighbours_are_not() {
    let stop = Stop::never();
    stop.note_continued();
    let mut mover = on_fake_clocks(stop.clone());
    let flush = Box::new(move || stop.note_continued());
    let mut target = Acts { flush, ..Acts::default() };
    assert!(!mover.read(&mut target, file(4096)).unwrap().slept, "stopped before it");
    assert!(mover.write(&mut target, file(4096)).unwrap().slept);
    assert!(!mover.read(&mut target, file(4096)).unwrap().slept);
}

#[test]
fn the_machine_s_own_clocks_see_the_flush_too() {
    let flush = Box::new(|| std::thread::sleep(std::time::Duration::from_millis(50)));
    let mut dozing = Acts { flush, ..Acts::default() };
    let timing = mover(Stop::never()).write(&mut dozing, file(1)).unwrap();
    assert!(timing.elapsed_ns >= 50_000_000, "{timing:?}");
}
