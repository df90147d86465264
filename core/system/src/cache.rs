//! Dropping a file's pages from the system's cache, and asking how many are left.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use crate::allocation::allocated_bytes;
use crate::memory::in_memory;
#[cfg(target_os = "linux")]
use {
    rustix::fs::{Advice, fadvise},
    std::num::NonZeroU64,
};

/// How the pages are dropped, for the record.
#[cfg(target_os = "linux")]
pub const METHOD: &str = "posix_fadvise";
/// How the pages are dropped, for the record.
#[cfg(target_os = "macos")]
pub const METHOD: &str = "msync";

/// Files are mapped in pieces of this many bytes, so that the map of their pages stays small. A multiple of every
/// page size.
const PIECE: u64 = 1 << 30;

/// Pieces begin at multiples of this many bytes: a multiple of every page size, and small beside what is dropped.
const ALIGNMENT: u64 = 1 << 20;

/// Asks the system to drop what it holds of this file in memory. The file must have been flushed.
///
/// # Errors
/// Any error of the system. Success does not mean that anything was dropped: ask [`resident_bytes`].
#[cfg(target_os = "linux")]
pub fn drop_pages(file: &File, _size: u64) -> io::Result<()> {
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}

/// Asks the system to drop what it holds of this file in memory, as fio does: a mapping that nobody looks at,
/// and `msync(MS_INVALIDATE)`. The file must have been flushed.
///
/// # Errors
/// Any error of the system. Success does not mean that anything was dropped: ask [`resident_bytes`].
#[cfg(target_os = "macos")]
pub fn drop_pages(file: &File, size: u64) -> io::Result<()> {
    for_each_piece(file, size, |map| {
        // SAFETY: the mapping is alive and has exactly this address and length.
        let result =
            unsafe { libc::msync(map.address.as_ptr().cast(), map.length, libc::MS_INVALIDATE) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    })
}

/// Disables read-ahead for this file. Advice: the system does not report whether it is followed.
#[cfg(target_os = "linux")]
pub fn read_nothing_ahead(file: &File) {
    fadvise(file, 0, None, Advice::Random).ok();
}

/// Disables read-ahead for this file. Advice: the system does not report whether it is followed.
#[cfg(target_os = "macos")]
pub fn read_nothing_ahead(file: &File) {
    // SAFETY: the descriptor is open for as long as `file` is borrowed; the command takes a number.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_RDAHEAD, 0) };
}

/// Requests read-ahead of a range. Advice, as above.
#[cfg(target_os = "linux")]
pub fn will_read(file: &File, offset: u64, length: u64) {
    // No length would be the rest of the file.
    let Some(length) = NonZeroU64::new(length) else { return };
    fadvise(file, offset, Some(length), Advice::WillNeed).ok();
}

/// Requests read-ahead of a range. Advice, as above.
#[cfg(target_os = "macos")]
pub fn will_read(file: &File, offset: u64, length: u64) {
    rustix::fs::fcntl_rdadvise(file, offset, length).ok();
}

/// How many bytes of a file the system holds in memory, in whole pages.
///
/// # Errors
/// Any error of the system.
pub fn resident_bytes(file: &File, size: u64) -> io::Result<u64> {
    let page = super::facts::page_bytes();
    let mut pages = 0_u64;
    for_each_piece(file, size, |map| {
        let mut held = vec![0; map.length.div_ceil(in_memory(page))];
        // SAFETY: the mapping is alive and has exactly this address and length, and `held` has one byte for each
        // of its pages.
        let result =
            unsafe { libc::mincore(map.address.as_ptr().cast(), map.length, held.as_mut_ptr()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // The lowest bit says "in memory" on both systems; macOS uses the others for more.
        pages += held.iter().filter(|byte| **byte & 1 != 0).count() as u64;
        Ok(())
    })?;
    Ok(pages.saturating_mul(page))
}

/// A piece of a file, mapped without any right to look at it; unmapped when dropped.
struct Map {
    address: NonNull<u8>,
    length: usize,
}

impl Map {
    fn new(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
        // SAFETY: the system chooses the address, so nothing of ours is mapped over; without any protection
        // bits the mapping can never be read or written through; the descriptor is open.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_NONE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            )
        };
        match NonNull::new(address.cast::<u8>()) {
            Some(address) if address.as_ptr().cast() != libc::MAP_FAILED => {
                Ok(Self { address, length })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping has this address and length, and nobody else knows of it.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.length) };
    }
}

/// Calls `action` with every piece of a file that may hold data. Holes are passed over: a sparse image is mostly holes,
/// and to look at 100 GB of them takes longer than anything else that is done with it. A file without any is not asked
/// for them: APFS has named holes where there were data (see [`super::sparse`]).
fn for_each_piece(
    file: &File,
    size: u64,
    mut action: impl FnMut(&Map) -> io::Result<()>,
) -> io::Result<()> {
    let is_dense = allocated_bytes(&file.metadata()?) >= size;
    let mut offset = 0;
    let next = |offset| if is_dense { Some(offset) } else { next_data(file, offset) };
    while let Some(start) = next(offset).filter(|start| *start < size) {
        let start = start / ALIGNMENT * ALIGNMENT;
        let end = if is_dense { size } else { data_end(file, start.max(offset)) };
        let length = PIECE.min(size - start).min(end - start);
        action(&Map::new(file, start, in_memory(length))?)?;
        offset = start + length;
    }
    Ok(())
}

/// Where data begin at or behind this offset; none when there are none. A file system that does not tell has data
/// everywhere. It moves the descriptor's position, which nothing here reads or writes by.
fn next_data(file: &File, offset: u64) -> Option<u64> {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(found) => Some(found.max(offset)),
        Err(Errno::NXIO) => None,
        Err(_) => Some(offset),
    }
}

/// Where the data end that lie at this offset or in the unit that it is part of: a multiple of the alignment, so that
/// neighbouring pieces never overlap.
fn data_end(file: &File, offset: u64) -> u64 {
    let inside = next_data(file, offset).unwrap_or(offset);
    let end = seek(file, SeekFrom::Hole(inside)).unwrap_or(u64::MAX / 2);
    end.max(offset.saturating_add(1)).next_multiple_of(ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::{drop_pages, in_memory, resident_bytes};
    use std::io::Write;

    #[test]
    fn a_file_just_written_is_in_memory_and_an_empty_one_is_not() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(resident_bytes(&file, 0).unwrap(), 0);
        file.write_all(&vec![7; 100_000]).unwrap();
        assert!(resident_bytes(&file, 100_000).unwrap() >= 100_000);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_flushed_file_on_a_disk_leaves_memory_when_it_is_dropped() {
        // Beside the sources, since the folder for temporary files is often in memory itself.
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![7; 1_000_000]).unwrap();
        file.sync_all().unwrap();
        super::drop_pages(&file, 1_000_000).unwrap();
        let left = resident_bytes(&file, 1_000_000).unwrap();
        let stat = std::process::Command::new("stat").args(["-f", "-c", "%T", "."]).output();
        let in_memory_only = stat.is_ok_and(|done| done.stdout == b"tmpfs\n");
        assert!(left == 0 || in_memory_only, "{left} bytes are still in memory");
    }

    #[test]
    fn every_page_of_a_file_without_holes_is_counted_once() {
        let mut file = tempfile::tempfile().unwrap();
        let size = 3 * super::ALIGNMENT + 5;
        file.write_all(&vec![7; in_memory(size)]).unwrap();
        let page = crate::facts::page_bytes();
        assert_eq!(resident_bytes(&file, size).unwrap(), size.next_multiple_of(page));
    }

    #[test]
    fn holes_are_passed_over_and_every_piece_of_data_is_counted_once() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::tempfile().unwrap();
        let size = 100_000_000_000;
        file.set_len(size).unwrap();
        assert_eq!(resident_bytes(&file, size).unwrap(), 0);
        // Two in one unit of alignment, one across two units, one across two pieces, and the last byte of all.
        let places = [8192, 100_000, (5 << 20) - 4096, (3 << 30) - 8192, size - 1];
        for place in places {
            file.write_all_at(&vec![1; if place < size - 1 { 16_384 } else { 1 }], place).unwrap();
        }
        let found = resident_bytes(&file, size).unwrap();
        // Four times 16 KiB, one of them on five pages, and one more page; memory may come in larger pages.
        assert!(found > 4 * 16_384, "{found}");
        assert!(found <= 64 << 20, "{found}");
        drop_pages(&file, size).unwrap();
    }
}
