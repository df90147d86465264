//! Two monotonic clocks: one that stands still while the machine sleeps, and one that goes on.

use libc::{clockid_t, timespec};

/// Stands still in sleep. On Linux `CLOCK_MONOTONIC`; on macOS `CLOCK_UPTIME_RAW`, which is mach absolute time.
#[cfg(target_os = "linux")]
const AWAKE: clockid_t = libc::CLOCK_MONOTONIC;
/// Goes on in sleep.
#[cfg(target_os = "linux")]
const ALWAYS: clockid_t = libc::CLOCK_BOOTTIME;

#[cfg(target_os = "macos")]
const AWAKE: clockid_t = libc::CLOCK_UPTIME_RAW;
#[cfg(target_os = "macos")]
const ALWAYS: clockid_t = libc::CLOCK_MONOTONIC_RAW;

/// Nanoseconds on the clock that stands still in sleep.
pub fn awake_ns() -> u64 {
    read(AWAKE)
}

/// Nanoseconds on the clock that goes on in sleep.
pub fn always_ns() -> u64 {
    read(ALWAYS)
}

fn read(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec that outlives the call; an unknown clock only gives an error.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    // A time of 0 would be taken for one, and a file for as fast as none.
    assert!(result == 0 && time.tv_sec >= 0 && time.tv_nsec >= 0, "clock {clock} cannot be read");
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::{always_ns, awake_ns};

    #[test]
    #[should_panic(expected = "clock 4711 cannot be read")]
    fn a_clock_that_there_is_not_is_an_error_and_not_the_time_0() {
        super::read(4711);
    }

    #[test]
    fn both_clocks_only_go_forward() {
        for clock in [awake_ns, always_ns] {
            let readings: Vec<u64> = (0..100).map(|_| clock()).collect();
            assert!(readings.is_sorted(), "{readings:?}");
            assert!(readings[0] > 0);
        }
    }
}
