//! A call that waits until a test continues it.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Waits until somebody has opened this FIFO for writing and closed it again, or a signal was handled meanwhile.
///
/// A gate that does not exist is open: a test removes it after the first process.
pub fn wait(gate: &Path) {
    // This waits for the writer, as opening a FIFO does.
    let Ok(gate) = File::open(gate) else { return };
    let mut wanted = libc::pollfd { fd: gate.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // Unlike reading, this is never begun again after a signal (man 7 signal).
    // SAFETY: the address is that of one entry, which lives until the call returns.
    unsafe { libc::poll(&raw mut wanted, 1, -1) };
}
