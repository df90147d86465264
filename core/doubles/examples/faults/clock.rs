//! The clock as a system call that a tracer sees: the C library reads it without one, so that a trace would not show
//! where a timed region begins and ends. And a clock of the day that is set meanwhile.

use std::env;
use std::ffi::{CString, c_int, c_long};

use libc::{clockid_t, timespec};

/// Stands for the call of this name.
///
/// # Safety
/// As the call itself.
// SAFETY: the very name and arguments that the C library gives it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    // SAFETY: the system's call of this name takes the same arguments, which the caller promised to be right.
    let result: c_long = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) };
    if result != 0 {
        return -1;
    }
    if clock == libc::CLOCK_REALTIME
        && let Some(seconds) = step()
    {
        // SAFETY: the call has just written there.
        unsafe { (*time).tv_sec += seconds };
    }
    0
}

/// By how many seconds the clock of the day was set, if it was.
fn step() -> Option<i64> {
    let told = env::var("DISKBENCH_FAULT_CLOCK").ok()?;
    let (seconds, file) = told.split_once(' ')?;
    let file = CString::new(file).ok()?;
    // SAFETY: a string that ends with NUL, as the call takes it.
    let is_there = unsafe { libc::access(file.as_ptr(), libc::F_OK) } == 0;
    is_there.then(|| seconds.parse().ok())?
}
