//! Looking at the processes of a Mac.

use std::ffi::OsStr;

use system::processes;

use super::{Identity, PROGRAMS, Seen, Used};

/// Every process that serves images, now.
pub(super) fn look() -> Vec<Seen> {
    processes::all().into_iter().filter_map(seen).collect()
}

fn seen(process: libc::pid_t) -> Option<Seen> {
    // By the path of the program: the short name is available only for the user's own processes.
    let program = processes::program(process)?;
    let name = PROGRAMS.into_iter().find(|name| program.file_name() == Some(OsStr::new(name)))?;
    let number = u32::try_from(process).ok()?;
    match processes::used(process) {
        Ok(used) => Some(Seen {
            name,
            process: Identity { number, started: used.started },
            used: Some(Used {
                cpu_ns: used.cpu_ns,
                read_bytes: used.read_bytes,
                written_bytes: used.written_bytes,
                energy_nj: used.energy_nj,
            }),
        }),
        // It has ended since it was listed.
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => None,
        Err(_) => Some(Seen { name, process: Identity { number, started: 0 }, used: None }),
    }
}
