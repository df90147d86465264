//! Ending what was started.

use std::io;

use rustix::process::{Pid, Signal, kill_process_group};

/// Ends every process of the group that this child of ours leads.
///
/// # Errors
/// Any error of the system; no such group when all have ended.
pub fn kill_group(child: u32) -> io::Result<()> {
    // A group of 0 would be our own, and 1 is everybody's.
    let group = i32::try_from(child).ok().filter(|group| *group > 1).and_then(Pid::from_raw);
    let group = group.ok_or(io::ErrorKind::InvalidInput)?;
    Ok(kill_process_group(group, Signal::KILL)?)
}
