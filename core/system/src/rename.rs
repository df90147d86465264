//! Giving a file or folder its name, unless something else has it.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Renames a file or folder; nothing is ever replaced.
///
/// # Errors
/// `AlreadyExists` when there is something under the new name; else whatever the system says.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let (old, new) = (c_string(from)?, c_string(to)?);
    match exclusive(&old, &new) {
        // File systems that know no such call (FAT, some of the network). Here somebody quick could be replaced.
        Err(error) if is_refusal(&error) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        done => done,
    }
}

fn c_string(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL | libc::ENOTSUP))
}

#[cfg(target_os = "linux")]
fn exclusive(old: &CString, new: &CString) -> io::Result<()> {
    let here = libc::AT_FDCWD;
    // SAFETY: both names end with a zero byte and outlive the call.
    let result =
        unsafe { libc::renameat2(here, old.as_ptr(), here, new.as_ptr(), libc::RENAME_NOREPLACE) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(target_os = "macos")]
fn exclusive(old: &CString, new: &CString) -> io::Result<()> {
    // SAFETY: both names end with a zero byte and outlive the call.
    let result = unsafe { libc::renamex_np(old.as_ptr(), new.as_ptr(), libc::RENAME_EXCL) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::rename_new;
    use std::fs;
    use std::io;

    #[test]
    fn a_name_that_is_free_is_taken_and_one_that_is_not_stays_with_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        // An empty folder is what an ordinary rename would replace.
        let refused = rename_new(&from, &to).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_dir(&to).unwrap();
        rename_new(&from, &to).unwrap();
        assert!(to.is_dir() && !from.exists());
    }
}
