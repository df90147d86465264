//! Telling packed images (`UDZO` and its like) from raw ones: they end with a block that begins with `koly`.
//!
//! A file without any mark at its start is `UDRW`. A packed image has its mark at its end only, so it would pass for
//! one, and its packed bytes for a disk.

use std::io;

use crate::image::portable::disk::{SECTOR, VirtualDisk};

/// How the last block of a packed image begins: its mark, version 4, its own length of 512 bytes.
const TRAILER: &[u8; 12] = b"koly\0\0\0\x04\0\0\x02\0";

/// Makes sure that a disk that bears no mark is not a packed image.
///
/// # Errors
/// `Unsupported` when it is; else whatever the system says.
pub fn refuse(disk: &mut dyn VirtualDisk) -> io::Result<()> {
    let Some(last) = disk.len_bytes().checked_sub(SECTOR) else { return Ok(()) };
    let mut found = [0; TRAILER.len()];
    disk.read_at(&mut found, last)?;
    if found != *TRAILER {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "it is a packed image (UDZO, ULFO or the like), and diskbench reads UDRW, UDSP, UDSB and ASIF only: \
         convert it on a Mac first (hdiutil convert -format UDRW)",
    ))
}

#[cfg(test)]
mod tests {
    use super::refuse;
    use crate::image::portable::memory::MemoryStore;
    use crate::image::portable::raw::RawDisk;
    use std::io;

    #[test]
    fn a_packed_image_is_no_raw_one() {
        let mut bytes = vec![0; 1024];
        // As the research on UDIF gives it: magic, version 4, 512 bytes long, big-endian.
        bytes[512..524].copy_from_slice(&[107, 111, 108, 121, 0, 0, 0, 4, 0, 0, 2, 0]);
        let open = |bytes: &[u8]| {
            let mut disk = RawDisk::open(Box::new(MemoryStore::of(bytes.to_vec()))).unwrap();
            refuse(&mut disk)
        };
        assert_eq!(open(&bytes).unwrap_err().kind(), io::ErrorKind::Unsupported);
        bytes[523] = 1;
        open(&bytes).unwrap();
    }
}
