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
    struct Boasting;
    impl Target for Boasting {
        fn write_at(&mut self, _: &[u8], _: u64) -> io::Result<()> {
            Ok(())
        }
        fn read_at(&mut self, buffer: &mut [u8], _: u64) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut mover = Mover::new(5, 4096, false, Meter::new(), Stop::never());
    drop(mover.read(&mut Boasting, file(10_000)));
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

/// A slow target, on the clocks of these tests.
#[derive(Default)]
struct Slow {
    write_ns: u64,
    read_ns: u64,
    flush_ns: u64,
    sleep_ns: u64,
}

impl Target for Slow {
    fn write_at(&mut self, _block: &[u8], _offset: u64) -> io::Result<()> {
        pass(self.write_ns, self.write_ns);
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        pass(self.read_ns, self.read_ns + self.sleep_ns);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        pass(self.flush_ns, self.flush_ns + self.sleep_ns);
        Ok(())
    }
}

fn on_fake_clocks(stop: Stop) -> Mover {
    let mut mover = Mover::new(5, 4096, false, Meter::new(), stop);
    mover.clocks = FAKE;
    mover
}

#[test]
fn the_time_of_a_written_file_is_that_of_all_its_blocks_and_of_its_flush() {
    let mut slow = Slow { write_ns: 10, flush_ns: 7_000, ..Slow::default() };
    let timing = on_fake_clocks(Stop::never()).write(&mut slow, file(10_000)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (3 * 10 + 7_000, false));
}

#[test]
fn the_time_of_a_read_file_is_that_of_all_its_blocks() {
    let mut slow = Slow { read_ns: 10, flush_ns: 7_000, ..Slow::default() };
    let timing = on_fake_clocks(Stop::never()).read(&mut slow, file(10_000)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (3 * 10, false));
}

#[test]
fn a_sleep_marks_the_file_and_does_not_count() {
    let mut slow = Slow { write_ns: 10, flush_ns: 5, sleep_ns: 8_000_000_000, ..Slow::default() };
    let mut mover = on_fake_clocks(Stop::never());
    let timing = mover.write(&mut slow, file(4096)).unwrap();
    assert_eq!((timing.elapsed_ns, timing.slept), (15, true));
    assert!(mover.read(&mut slow, file(4096)).unwrap().slept);
    slow.sleep_ns = 0;
    assert!(!mover.read(&mut slow, file(4096)).unwrap().slept, "the next file did not sleep");
}

/// A target during whose flush the program is suspended and continued.
struct Stopped(Stop);

impl Target for Stopped {
    fn write_at(&mut self, _block: &[u8], _offset: u64) -> io::Result<()> {
        Ok(())
    }

    fn read_at(&mut self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.note_continued();
        Ok(())
    }
}

#[test]
fn a_file_during_which_the_program_was_stopped_is_marked_and_its_neighbours_are_not() {
    let stop = Stop::never();
    stop.note_continued();
    let mut mover = on_fake_clocks(stop.clone());
    let mut target = Stopped(stop.clone());
    assert!(!mover.read(&mut target, file(4096)).unwrap().slept, "stopped before it");
    assert!(mover.write(&mut target, file(4096)).unwrap().slept);
    assert!(!mover.read(&mut target, file(4096)).unwrap().slept);
}

#[test]
fn the_machine_s_own_clocks_see_the_flush_too() {
    struct Dozing;
    impl Target for Dozing {
        fn write_at(&mut self, _block: &[u8], _offset: u64) -> io::Result<()> {
            Ok(())
        }
        fn read_at(&mut self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
            Ok(buffer.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            std::thread::sleep(std::time::Duration::from_millis(50));
            Ok(())
        }
    }
    let timing = mover(Stop::never()).write(&mut Dozing, file(1)).unwrap();
    assert!(timing.elapsed_ns >= 50_000_000, "{timing:?}");
}
