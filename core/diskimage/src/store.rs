//! Backing store of a single-file image: a growable byte array.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use system::flush::Durability;
use system::{cache, flush, lock, punch, sparse};

use crate::disk::rest;
use crate::error::{ImageError, Kind, Result, damaged, of_new, unsupported};
use crate::syncs::Syncs;

/// What may be done with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only read.
    Read,
    /// Read and write, and nobody else does.
    Write,
}

/// A row of bytes. It grows by [`Store::set_len`] only; what was never written is zeros to us.
pub trait Store: Send {
    /// Length in bytes.
    fn len_bytes(&self) -> u64;

    /// Fills the buffer.
    ///
    /// # Errors
    /// `Damaged` when it reaches beyond the end; otherwise any error of the system.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()>;

    /// The first range from this offset on that may read as something else than zeros; none when the rest is zeros.
    ///
    /// # Errors
    /// `Damaged` when it has become shorter; otherwise any error of the system.
    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        Ok(rest(from, self.len_bytes()))
    }

    /// Writes all bytes. The store must be long enough already.
    ///
    /// # Errors
    /// Any error of the system.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()>;

    /// Makes it longer (by zeros) or shorter.
    ///
    /// # Errors
    /// Any error of the system.
    fn set_len(&mut self, len_bytes: u64) -> Result<()>;

    /// Makes a range within the length zeros; the host gets its space back where it can.
    ///
    /// # Errors
    /// Any error of the system.
    fn punch(&mut self, offset: u64, length: u64) -> Result<()>;

    /// Makes what was written last.
    ///
    /// # Errors
    /// Any error of the system.
    fn flush(&mut self, durability: Durability) -> Result<()>;

    /// The same, as strongly as its file system can.
    ///
    /// # Errors
    /// Any error of the system.
    fn make_last(&mut self) -> Result<()> {
        flush::strongest(ImageError::is_refusal, |durability| self.flush(durability))
    }

    /// Whether the disk may still have its old length, so that nothing may name yet what is behind that.
    fn grew(&self) -> bool {
        false
    }

    /// Whether what was never written, or was punched, is zeros to every reader. Below encryption it is noise to
    /// readers that do not know our rule (see [`crate::crypt`]), so zeros that they must see are written.
    fn holes_are_zeros(&self) -> bool;

    /// Begins to read a range that is wanted soon, where the host can do that.
    fn will_read(&self, _offset: u64, _length: u64) {}
}

/// Permission bits of a new file that the system's mask alone decides about.
pub(crate) const FOR_ALL: u32 = 0o666;

/// A file of the host. While it is open for writing no other process can open it as a store.
#[derive(Debug)]
pub struct HostFile {
    file: File,
    len_bytes: u64,
    /// The data found last: to find where data end, a system may look through all of them (Linux's tmpfs does), and an
    /// image asks band by band.
    data: Range<u64>,
    syncs: Syncs,
}

impl HostFile {
    /// Makes a new, empty file.
    ///
    /// # Errors
    /// `Exists`, or any error of the system.
    pub fn create(path: &Path) -> Result<Self> {
        Self::create_with(path, FOR_ALL)
    }

    /// The same with these permission bits, of which the system's mask takes some away.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub(crate) fn create_with(path: &Path, permissions: u32) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(permissions);
        let file = options.open(path);
        // One that cannot be locked is of no use.
        Self::held(file.map_err(of_new)?, Access::Write)
            .inspect_err(|_| drop(fs::remove_file(path)))
    }

    /// Opens a file.
    ///
    /// # Errors
    /// `InUse` when another process has it open for writing (or at all, when it is to be written); else
    /// any error of the system.
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let write = access == Access::Write;
        Self::held(OpenOptions::new().read(true).write(write).open(path)?, access)
    }

    fn held(file: File, access: Access) -> Result<Self> {
        hold(&file, access)?;
        // To the system an image is one file: it would read on into the next file of the volume in it.
        cache::read_nothing_ahead(&file);
        let len_bytes = file.metadata()?.len();
        Ok(Self { file, len_bytes, data: 0..0, syncs: Syncs::default() })
    }
}

/// Locks a file for as long as it is open.
///
/// # Errors
/// `InUse` when another process holds it; `Unsupported` for writing where the file system has no locks; otherwise any
/// error of the system.
pub(crate) fn hold(file: &File, access: Access) -> Result<()> {
    hold_by(access, || match access {
        Access::Read => file.try_lock_shared(),
        Access::Write => file.try_lock(),
    })
}

fn hold_by(access: Access, lock: impl Fn() -> std::result::Result<(), TryLockError>) -> Result<()> {
    match lock::patiently(lock) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(ImageError::new(
            Kind::InUse,
            "the image is in use by another process: wait for it to end, then try again",
        )),
        Err(TryLockError::Error(error)) if lock::is_missing(&error) => match access {
            Access::Read => Ok(()),
            Access::Write => Err(unsupported(format!(
                "the file system cannot lock it (flock: {error}), so others could write at the same time: put the image on \
                 another disk to change it; reading it works"
            ))),
        },
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Fills the buffer from a file.
///
/// # Errors
/// `Damaged` when the file ends before; else `Io`.
pub(crate) fn read_exact(file: &File, buffer: &mut [u8], offset: u64) -> Result<()> {
    file.read_exact_at(buffer, offset).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged("it ends before what its structures say is in it"),
        _ => error.into(),
    })
}

/// What happened to a file that was cut by somebody else after it was opened.
pub(crate) fn became_shorter(what: &str) -> String {
    format!("{what} became shorter while it was read, by another program")
}

impl Store for HostFile {
    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let read = read_exact(&self.file, buffer, offset);
        if read.is_err() && self.file.metadata()?.len() < self.len_bytes {
            return Err(damaged(became_shorter("it")));
        }
        read
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        if self.data.contains(&from) {
            return Ok(Some(from..self.data.end));
        }
        let data = sparse::next_data(&self.file, from)?;
        // What another program has cut off must not pass for a hole.
        if data.is_none() && self.file.metadata()?.len() < self.len_bytes {
            return Err(damaged(became_shorter("it")));
        }
        self.data = data.clone().unwrap_or_default();
        Ok(data)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        Ok(self.file.write_all_at(bytes, offset)?)
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        self.data = 0..0;
        self.file.set_len(len_bytes)?;
        self.len_bytes = len_bytes;
        Ok(())
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        self.data = 0..0;
        Ok(punch::punch(&self.file, offset, length)?)
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        Ok(self.syncs.after(flush::flush(&self.file, durability))?)
    }

    fn holes_are_zeros(&self) -> bool {
        true
    }

    fn will_read(&self, offset: u64, length: u64) {
        cache::will_read(&self.file, offset, length);
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, HostFile, Store, hold_by};
    use crate::error::Kind;
    use std::fs::TryLockError;
    use std::io;
    use system::flush::Durability;
    use system::sparse;

    #[test]
    fn a_store_reads_what_was_written_and_zeros_where_nothing_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = HostFile::create(&folder.path().join("x")).unwrap();
        file.set_len(10_000).unwrap();
        file.write_at(b"abc", 5_000).unwrap();
        let mut found = [9; 5];
        file.read_at(&mut found, 4_999).unwrap();
        assert_eq!(&found, b"\0abc\0");
        file.punch(4_000, 1_001).unwrap();
        file.read_at(&mut found, 4_999).unwrap();
        assert_eq!(&found, b"\0\0bc\0");
        let beyond = file.read_at(&mut found, 9_996).unwrap_err();
        assert_eq!(beyond.kind(), Kind::Damaged);
    }

    #[test]
    fn holes_are_those_of_the_file_as_it_is_now() {
        const MIB: u64 = 1 << 20;
        let folder = tempfile::tempdir().unwrap();
        let mut file = HostFile::create(&folder.path().join("x")).unwrap();
        file.set_len(4 * MIB).unwrap();
        file.write_at(&[7; 4 << 20], 0).unwrap();
        // Twice: the second answer may be remembered.
        for _ in 0..2 {
            assert_eq!(file.next_data(5).unwrap(), Some(5..4 * MIB));
        }
        file.punch(MIB, MIB).unwrap();
        let asked = sparse::next_data(&file.file, MIB).unwrap();
        assert_eq!(file.next_data(MIB).unwrap(), asked);
        file.write_at(b"a", MIB).unwrap();
        assert_eq!(file.next_data(MIB).unwrap().unwrap().start, MIB);
        file.set_len(MIB).unwrap();
        assert_eq!(file.next_data(MIB).unwrap(), None);
    }

    #[test]
    fn a_file_is_not_flushed_any_more_after_a_sync_that_failed() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = HostFile::create(&folder.path().join("x")).unwrap();
        file.flush(Durability::Full).unwrap();
        file.syncs.after(Err(io::Error::from_raw_os_error(libc::EIO))).unwrap_err();
        assert_eq!(file.flush(Durability::Full).unwrap_err().kind(), Kind::Io);
    }

    #[test]
    fn a_file_that_another_program_cuts_short_while_it_is_read_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, [7; 10_000]).unwrap();
        let mut file = HostFile::open(&path, Access::Read).unwrap();
        let other = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        other.set_len(5_000).unwrap();
        let mut found = [0; 2_000];
        file.read_at(&mut found, 3_000).unwrap();
        let cut = file.read_at(&mut found, 4_000).unwrap_err();
        assert_eq!(cut.kind(), Kind::Damaged);
        assert!(cut.to_string().contains("became shorter while it was read"), "{cut}");
    }

    #[test]
    fn where_the_file_system_has_no_locks_images_are_read_and_not_written() {
        let held = |access, number| {
            hold_by(access, || Err(TryLockError::Error(io::Error::from_raw_os_error(number))))
        };
        for number in [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOTSUP, libc::ENOSYS] {
            held(Access::Read, number).unwrap();
            let refused = held(Access::Write, number).unwrap_err();
            assert_eq!(refused.kind(), Kind::Unsupported);
            assert!(refused.to_string().contains("the file system cannot lock it (flock: "));
        }
        assert_eq!(held(Access::Read, libc::EIO).unwrap_err().kind(), Kind::Io);
        let held_by_another = hold_by(Access::Read, || Err(TryLockError::WouldBlock));
        assert_eq!(held_by_another.unwrap_err().kind(), Kind::InUse);
    }
}
