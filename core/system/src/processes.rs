//! What other processes have used. Only a Mac is asked: elsewhere none serves images.

#[cfg(target_os = "macos")]
mod libproc;

#[cfg(target_os = "macos")]
pub use libproc::seen;

/// A process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its program.
    pub name: &'static str,
    /// Which one it is.
    pub process: Identity,
    /// Its use since its start; none without permission to read it.
    pub used: Option<Used>,
}

/// A process for as long as it lives: numbers are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Its number.
    pub number: u32,
    /// When it began, in a unit of the system's; 0 where that cannot be seen.
    pub started: u64,
}

/// What one process has used since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Time on processors, user and system, in nanoseconds.
    pub cpu_ns: u64,
    /// Bytes read from disks.
    pub read_bytes: u64,
    /// Bytes written to disks.
    pub written_bytes: u64,
    /// Energy in nanojoules; none where this system or processor does not count it.
    pub energy_nj: Option<u64>,
}

/// Every process of these programs, now.
#[cfg(not(target_os = "macos"))]
pub const fn seen(_programs: &[&'static str]) -> Vec<Seen> {
    Vec::new()
}
