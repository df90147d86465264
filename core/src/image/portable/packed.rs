//! Telling images that we cannot read from raw ones: packed images (`UDZO` and its like), which end with a block that
//! begins with `koly`, and the images of other programs.
//!
//! A file without any mark of ours is `UDRW`: any of these would pass for one, and its bytes for a disk.

use std::io;

use crate::image::portable::disk::{SECTOR, VirtualDisk};

/// How the last block of a packed image begins: its mark, version 4, its own length of 512 bytes.
const TRAILER: &[u8; 12] = b"koly\0\0\0\x04\0\0\x02\0";

/// How a VHD image ends, and one that grows also begins.
const VHD: &[u8] = b"conectix";

/// How the images of other programs begin: no boot block and no empty disk does.
const OTHERS: [(&[u8], &str); 5] = [
    (b"QFI\xfb", "a qcow2 image"),
    (b"KDMV", "a VMDK image"),
    (b"vhdxfile", "a VHDX image"),
    (VHD, "a VHD image"),
    (b"<<< ", "a VDI image"),
];

/// Makes sure that a disk that bears no mark of ours is no image of another kind.
///
/// # Errors
/// `Unsupported` when it is; else whatever the system says.
pub fn refuse(disk: &mut dyn VirtualDisk) -> io::Result<()> {
    let Some(last) = disk.len_bytes().checked_sub(SECTOR) else { return Ok(()) };
    let (mut begins, mut ends) = ([0; TRAILER.len()], [0; TRAILER.len()]);
    disk.read_at(&mut begins, 0)?;
    disk.read_at(&mut ends, last)?;
    let what = if ends == *TRAILER {
        "a packed image (UDZO, ULFO or the like)"
    } else if ends.starts_with(VHD) {
        "a VHD image"
    } else if let Some((_, name)) = OTHERS.iter().find(|(mark, _)| begins.starts_with(mark)) {
        name
    } else {
        return Ok(());
    };
    let how = if ends == *TRAILER {
        "convert it on a Mac first (hdiutil convert -format UDRW)"
    } else {
        "convert it first (qemu-img convert -O raw)"
    };
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        format!("it is {what}, and diskbench reads UDRW, UDSP, UDSB and ASIF only: {how}"),
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

    #[test]
    fn an_image_of_another_program_is_no_raw_one() {
        for (place, mark) in
            [(0, &b"QFI\xfb\0\0\0\x03"[..]), (0, b"KDMV"), (0, b"vhdxfile"), (512, b"conectix")]
        {
            let mut bytes = vec![0; 1024];
            bytes[place..place + mark.len()].copy_from_slice(mark);
            let mut disk = RawDisk::open(Box::new(MemoryStore::of(bytes))).unwrap();
            let refused = refuse(&mut disk).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::Unsupported);
            assert!(refused.to_string().contains("qemu-img convert -O raw"), "{refused}");
        }
    }
}
