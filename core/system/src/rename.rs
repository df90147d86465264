//! Giving a file or folder its name, unless something else has it.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::flush;

/// Renames a file or folder; nothing is ever replaced.
///
/// # Errors
/// `AlreadyExists` when there is something under the new name; otherwise any error of the system.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let exclusive = renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE);
    match exclusive.map_err(io::Error::from) {
        // File systems that know no such call (FAT, some of the network). Here somebody quick could be replaced.
        Err(error) if flush::is_refusal(&error) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        done => done,
    }
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
