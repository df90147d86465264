//! Where a sparse file holds data.

use std::fs::File;
use std::io;
use std::ops::Range;

/// The first range from `from` on that may hold something else than zeros; none when nothing is left of the file. Where
/// the system's answer cannot be relied on, all the rest is such a range:
///
/// * macOS: APFS has named holes where there were data (<https://github.com/coreutils/coreutils/pull/68>).
/// * ZFS: so did releases that are still in use (<https://github.com/openzfs/zfs/issues/15526>).
///
/// # Errors
/// Any error of the system.
pub fn next_data(file: &File, from: u64) -> io::Result<Option<Range<u64>>> {
    #[cfg(target_os = "linux")]
    if let Some(found) = linux::next_data(file, from)? {
        return Ok(found);
    }
    let end = file.metadata()?.len();
    Ok((from < end).then_some(from..end))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::ops::Range;

    use rustix::fs::{SeekFrom, fstatfs, seek};
    use rustix::io::Errno;

    /// `ZFS_SUPER_MAGIC` of OpenZFS, `include/sys/fs/zfs.h`.
    const ZFS: u64 = 0x2fc1_2fc1;

    /// What the system says; none when it cannot be asked.
    pub(super) fn next_data(file: &File, from: u64) -> io::Result<Option<Option<Range<u64>>>> {
        if u64::try_from(fstatfs(file)?.f_type).is_ok_and(|kind| kind == ZFS) {
            return Ok(None);
        }
        let start = match seek(file, SeekFrom::Data(from)) {
            Ok(start) => start,
            Err(Errno::NXIO) => return Ok(Some(None)),
            // File systems without holes, and those that are asked over a network, may not know the call.
            Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(Some(Some(start..seek(file, SeekFrom::Hole(start))?)))
    }
}

#[cfg(test)]
mod tests {
    use super::next_data;
    use std::os::unix::fs::FileExt;

    /// Where there may be data, as far as a file reaches.
    fn map(file: &std::fs::File) -> Vec<std::ops::Range<u64>> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(data) = next_data(file, from).unwrap() {
            assert!(from <= data.start && data.start < data.end, "{data:?} from {from} on");
            from = data.end;
            found.push(data);
        }
        found
    }

    #[test]
    fn every_byte_that_was_written_lies_in_data_and_an_empty_file_has_none() {
        // Beside the sources, since the folder for temporary files is often in memory itself.
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert_eq!(map(&file), []);
        file.set_len(64 << 20).unwrap();
        for place in [0, 5 << 20, (64 << 20) - 1] {
            file.write_all_at(&[7], place).unwrap();
            assert!(map(&file).iter().any(|data| data.contains(&place)), "{place}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_hole_of_a_sparse_file_is_no_data() {
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.set_len(64 << 20).unwrap();
        file.write_all_at(&[7; 4096], 32 << 20).unwrap();
        let found = map(&file);
        let bytes: u64 = found.iter().map(|data| data.end - data.start).sum();
        assert!(bytes < 1 << 20, "{found:?}");
    }
}
