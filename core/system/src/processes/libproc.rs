//! The processes of a Mac: libproc, which is a part of libSystem.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{Identity, Seen, Used};

/// Every process of these programs, now.
pub fn seen(programs: &[&'static str]) -> Vec<Seen> {
    all().into_iter().filter_map(|process| one(process, programs)).collect()
}

fn one(process: libc::pid_t, programs: &[&'static str]) -> Option<Seen> {
    // By the path of the program: the short name is available only for the user's own processes.
    let program = program(process)?;
    let name =
        programs.iter().copied().find(|name| program.file_name() == Some(OsStr::new(name)))?;
    let number = u32::try_from(process).ok()?;
    match used(process) {
        Ok((started, used)) => {
            Some(Seen { name, process: Identity { number, started }, used: Some(used) })
        }
        // It has ended since it was listed.
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => None,
        Err(_) => Some(Seen { name, process: Identity { number, started: 0 }, used: None }),
    }
}

/// The numbers of all processes.
fn all() -> Vec<libc::pid_t> {
    let mut found: Vec<libc::pid_t> = vec![0; 1024];
    loop {
        let bytes = libc::c_int::try_from(size_of_val(found.as_slice())).unwrap_or_default();
        // SAFETY: the buffer has this many bytes and outlives the call.
        let listed = unsafe { libc::proc_listallpids(found.as_mut_ptr().cast(), bytes) };
        let listed = usize::try_from(listed).unwrap_or_default();
        if listed < found.len() {
            found.truncate(listed);
            return found;
        }
        found.resize(found.len() * 2, 0);
    }
}

/// The program of a process; none when the process has ended. It may be asked of any user's.
fn program(process: libc::pid_t) -> Option<PathBuf> {
    const SIZE: u32 = 4096; // PROC_PIDPATHINFO_MAXSIZE
    let mut buffer = [0_u8; SIZE as usize];
    // SAFETY: the buffer has this many bytes and outlives the call.
    let length = unsafe { libc::proc_pidpath(process, buffer.as_mut_ptr().cast(), SIZE) };
    let path = buffer.get(..usize::try_from(length).ok()?).filter(|path| !path.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// When a process began, and what it has used.
///
/// # Errors
/// `PermissionDenied` (EPERM) for a process of another user, `ESRCH` when it has ended.
fn used(process: libc::pid_t) -> io::Result<(u64, Used)> {
    let usage = match ask(process, V6) {
        // A system from before this form.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            Usage { energy_nj: 0, ..ask(process, libc::RUSAGE_INFO_V4)? }
        }
        usage => usage?,
    };
    let since = usage.since;
    let time = since.ri_user_time.saturating_add(since.ri_system_time);
    let used = Used {
        cpu_ns: nanoseconds(time),
        read_bytes: since.ri_diskio_bytesread,
        written_bytes: since.ri_diskio_byteswritten,
        // A process that ran has used energy: 0 means that it is not counted.
        energy_nj: Some(usage.energy_nj).filter(|energy| *energy > 0 || time == 0),
    };
    Ok((since.ri_proc_start_abstime, used))
}

/// Form 6 of a process' usage (`RUSAGE_INFO_V6` in `sys/resource.h`, since macOS 13): form 4 and more, which libc does
/// not have.
const V6: libc::c_int = 6;

#[repr(C)]
#[derive(Clone, Copy)]
struct Usage {
    since: libc::rusage_info_v4,
    flags: u64,
    user_ptime: u64,
    system_ptime: u64,
    pinstructions: u64,
    pcycles: u64,
    energy_nj: u64,
    penergy_nj: u64,
    /// The rest of the form (14 numbers), and room for what a later system may put behind it.
    rest: [u64; 46],
}

fn ask(process: libc::pid_t, form: libc::c_int) -> io::Result<Usage> {
    let mut found = MaybeUninit::<Usage>::zeroed();
    // SAFETY: `found` is at least as large as either form and outlives the call, which despite its type takes the
    // address of the form itself.
    let result = unsafe { libc::proc_pid_rusage(process, form, found.as_mut_ptr().cast()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it holds numbers only, for which all zeroes are a value, and the call has filled in its own.
    Ok(unsafe { found.assume_init() })
}

/// Times of a process are counted in ticks of the clock: 41.67 ns on Apple silicon.
fn nanoseconds(ticks: u64) -> u64 {
    let mut unit = TimeUnit { numerator: 1, denominator: 1 };
    // SAFETY: `unit` outlives the call; a failure leaves it as it is.
    unsafe { mach_timebase_info(&raw mut unit) };
    let exact =
        u128::from(ticks) * u128::from(unit.numerator) / u128::from(unit.denominator.max(1));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

/// `mach_timebase_info_data_t` of `mach/mach_time.h`: libc's own is deprecated in favour of a crate that has nothing else
/// for us.
#[repr(C)]
struct TimeUnit {
    numerator: u32,
    denominator: u32,
}

unsafe extern "C" {
    fn mach_timebase_info(info: *mut TimeUnit) -> libc::c_int;
}

#[cfg(test)]
mod tests {
    use super::{all, program, used};

    #[test]
    fn this_process_is_among_all_and_has_used_processors() {
        let own = libc::pid_t::try_from(std::process::id()).unwrap();
        assert!(all().contains(&own));
        assert_eq!(program(own), std::env::current_exe().ok());
        assert!(used(own).unwrap().1.cpu_ns > 0);
    }
}
