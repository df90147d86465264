//! Small facts that only a system call can tell.

use std::io;
use std::path::Path;

/// The space of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// What this user can still fill.
    pub free_bytes: u64,
    /// What there is in all.
    pub total_bytes: u64,
}

/// The space of the file system that a path is on.
///
/// # Errors
/// Any error of the system.
#[cfg(target_os = "linux")]
pub fn space(path: &Path) -> io::Result<Space> {
    let found = rustix::fs::statvfs(path)?;
    Ok(Space {
        free_bytes: found.f_bavail.saturating_mul(found.f_frsize),
        total_bytes: found.f_blocks.saturating_mul(found.f_frsize),
    })
}

/// The space of the file system that a path is on. By `statfs`: the counts of macOS' `statvfs` are 32 bits wide, too
/// few for 16 TiB in units of 4 KiB.
///
/// # Errors
/// Any error of the system.
#[cfg(target_os = "macos")]
pub fn space(path: &Path) -> io::Result<Space> {
    let found = rustix::fs::statfs(path)?;
    let unit = u64::from(found.f_bsize);
    Ok(Space {
        free_bytes: found.f_bavail.saturating_mul(unit),
        total_bytes: found.f_blocks.saturating_mul(unit),
    })
}

/// The number of the user this process runs as.
pub fn user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Bytes in a page of memory.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Bytes of memory.
pub fn memory_bytes() -> Option<u64> {
    // SAFETY: takes an integer; an unknown one gives -1.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    let pages = u64::try_from(pages).ok().filter(|pages| *pages > 0)?;
    Some(pages.saturating_mul(page_bytes()))
}

/// How hot macOS says it is: 0 nominal, 1 moderate, 2 heavy, 3 trapping, 4 sleeping.
#[cfg(target_os = "macos")]
pub fn thermal_level() -> Option<u64> {
    // notify(3), in libSystem; the name is the one that `thermal_state` of NSProcessInfo is fed from.
    const NAME: &std::ffi::CStr = c"com.apple.system.thermalpressurelevel";
    const STATUS_OK: u32 = 0;
    unsafe extern "C" {
        fn notify_register_check(name: *const libc::c_char, token: *mut libc::c_int) -> u32;
        fn notify_get_state(token: libc::c_int, state: *mut u64) -> u32;
        fn notify_cancel(token: libc::c_int) -> u32;
    }
    let mut token = 0;
    // SAFETY: the name ends with a NUL and `token` outlives the call.
    let registered = unsafe { notify_register_check(NAME.as_ptr(), &raw mut token) };
    if registered != STATUS_OK {
        return None;
    }
    let mut state = 0;
    // SAFETY: the token is registered and `state` outlives the call.
    let read = unsafe { notify_get_state(token, &raw mut state) };
    // SAFETY: the token is registered and not used again.
    unsafe { notify_cancel(token) };
    (read == STATUS_OK).then_some(state)
}

/// Other systems have no such level.
#[cfg(not(target_os = "macos"))]
pub const fn thermal_level() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::{memory_bytes, page_bytes, space};
    use std::path::Path;

    #[test]
    fn a_page_is_a_power_of_two_and_memory_many_of_them() {
        assert!(page_bytes().is_power_of_two());
        assert!(memory_bytes().unwrap() > 1000 * page_bytes());
    }

    #[test]
    fn there_is_no_more_free_space_than_space() {
        let space = space(Path::new("/")).unwrap();
        assert!(space.free_bytes <= space.total_bytes);
        assert!(super::space(Path::new("/no/such/place")).is_err());
    }
}
