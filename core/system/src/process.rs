//! Ending what was started.

use std::io;

/// Ends every process of the group that this child of ours leads.
///
/// # Errors
/// Whatever the system says; no such group when all have ended.
pub fn kill_group(child: u32) -> io::Result<()> {
    let group = libc::pid_t::try_from(child).map_err(io::Error::other)?;
    // A group of 0 would be our own, and 1 is everybody's.
    if group <= 1 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: takes two integers.
    let result = unsafe { libc::kill(-group, libc::SIGKILL) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
