//! The formats that are named and not read: one row each.

/// The position of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// So many bytes from the start.
    Start(u64),
    /// So many bytes before the end.
    End(u64),
}

/// A format that other programs read: the position of its signature, its name behind "it is ", the signature, and what
/// makes a raw disk of it.
pub(crate) type Foreign = (Place, &'static str, &'static [u8], &'static str);

/// At the first byte.
const BEGINS: Place = Place::Start(0);

const QEMU_IMG: &str = "convert it first (qemu-img convert -O raw)";

/// qemu-img takes a VHD image that begins like its disk for a raw disk, unless it is given the format.
const OF_VHD: &str = "convert it first (qemu-img convert -f vpc -O raw)";

/// Marks at the end come first: what such a format holds may begin with any bytes.
///
/// Sources: the formats' own specifications (QEMU's docs/interop, Microsoft's VHD and VHDX, VMware's Virtual Disk
/// Format 5.0, RFC 1952 and 8878, the xz and ZIP specifications), and libyal's for Parallels, VDI and EWF; QEMU's block
/// drivers for Bochs and cloop, Linux's `cow_user.c`, AFFLIB's `afflib.h`, LZ4's frame format, RARLAB's technote,
/// Microsoft's WIM and xar's own description.
pub(crate) static FORMATS: [Foreign; 37] = [
    (Place::End(512), "a VHD image", b"conectix", OF_VHD),
    // Virtual PC before 2004 wrote a footer that is a byte shorter.
    (Place::End(511), "a VHD image", b"conectix", OF_VHD),
    (BEGINS, "a VHD image", b"conectix", OF_VHD),
    (BEGINS, "a VHDX image", b"vhdxfile", QEMU_IMG),
    (BEGINS, "a qcow image", b"QFI\xfb\0\0\0\x01", QEMU_IMG),
    (BEGINS, "a qcow2 image", b"QFI\xfb", QEMU_IMG),
    (BEGINS, "a QED image", b"QED\0", QEMU_IMG),
    (BEGINS, "a VMDK image", b"KDMV", QEMU_IMG),
    (BEGINS, "a VMDK image", b"COWD", QEMU_IMG),
    (BEGINS, "the description of a VMDK image", b"# Disk DescriptorFile", QEMU_IMG),
    (Place::Start(0x40), "a VDI image", b"\x7f\x10\xda\xbe", QEMU_IMG),
    (BEGINS, "a Parallels image", b"WithoutFreeSpace", QEMU_IMG),
    (BEGINS, "a Parallels image", b"WithouFreSpacExt", QEMU_IMG),
    (BEGINS, "a Bochs image", b"Bochs Virtual HD Image", QEMU_IMG),
    (BEGINS, "a cloop image", b"#!/bin/sh\n#V2.0 Format\n", QEMU_IMG),
    (BEGINS, "a user-mode Linux COW image", b"OOOM", "merge it with its base first (uml_moo)"),
    (
        BEGINS,
        "a LUKS volume",
        b"LUKS\xba\xbe",
        "open it on Linux (cryptsetup open) and copy the disk inside",
    ),
    (BEGINS, "an E01 image", b"EVF\x09\x0d\x0a\xff\0", "convert it first (ewfexport -f raw)"),
    (BEGINS, "an Ex01 image", b"EVF2\x0d\x0a\x81\0", "convert it first (ewfexport -f raw)"),
    (BEGINS, "an AFF image", b"AFF10\x0d\x0a\0", "convert it first (affconvert -r)"),
    (BEGINS, "a WIM image", b"MSWIM\0\0\0", "unpack it first (wimlib-imagex extract)"),
    (BEGINS, "a gzip file", b"\x1f\x8b\x08", "unpack it first (gzip -d)"),
    (
        BEGINS,
        "an xz file",
        b"\xfd7zXZ\0",
        "unpack it first (xz -d), or if it is a .dmg that was cut short, get it again",
    ),
    (BEGINS, "a Zstandard file", b"\x28\xb5\x2f\xfd", "unpack it first (zstd -d)"),
    (BEGINS, "an LZ4 file", b"\x04\x22\x4d\x18", "unpack it first (lz4 -d)"),
    // As lz4 -l and Linux's kernel have it.
    (BEGINS, "an LZ4 file", b"\x02\x21\x4c\x18", "unpack it first (lz4 -d)"),
    // A frame to skip, which pzstd and others write first.
    (BEGINS, "a Zstandard file", b"\x50\x2a\x4d\x18", "unpack it first (zstd -d)"),
    (BEGINS, "a cabinet file", b"MSCF\0\0\0\0", "unpack it first (7zz x)"),
    (BEGINS, "an Android sparse image", b"\x3a\xff\x26\xed", "convert it first (simg2img)"),
    // Behind "BZh" and the size of a block: the signature of the first block.
    (
        Place::Start(4),
        "a bzip2 file",
        b"1AY&SY",
        "unpack it first (bzip2 -d), or if it is a .dmg that was cut short, get it again",
    ),
    (BEGINS, "a zip archive", b"PK\x03\x04", "unpack it first (unzip)"),
    (BEGINS, "an empty zip archive", b"PK\x05\x06", "give the path of an image"),
    (BEGINS, "a RAR archive", b"Rar!\x1a\x07", "unpack it first (unrar x)"),
    (BEGINS, "a xar archive", b"xar!", "unpack it first (xar -x)"),
    (BEGINS, "a 7z archive", b"7z\xbc\xaf\x27\x1c", "unpack it first (7zz x)"),
    // The fourth byte says how the first block is packed.
    (
        BEGINS,
        "an LZFSE file",
        b"bvx",
        "unpack it first (compression_tool -decode on a Mac), or if it is a .dmg that was cut short, get it again",
    ),
    (Place::Start(257), "a tar archive", b"ustar", "unpack it first (tar -x)"),
];
