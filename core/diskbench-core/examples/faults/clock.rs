//! The clock as a system call that a tracer sees: the C library reads it without one, so that a trace would not show
//! where a timed region begins and ends.

use std::ffi::{c_int, c_long};

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
    if result == 0 { 0 } else { -1 }
}
