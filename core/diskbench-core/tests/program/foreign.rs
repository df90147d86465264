//! Images that other programs made and we do not read: each is named and refused with exit code 2, however long it is,
//! and none of them is called damaged. What is a disk is read, whatever its first bytes are.
//!
//! The files are written here by their formats' public descriptions, and by the formats' own programs where they are
//! installed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use crate::common::{Ended, Study, skipped};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The four commands that open an image, and a copy of it.
fn calls<'a>(path: &'a str, copy: &'a str) -> [Vec<&'a str>; 4] {
    [
        vec!["image", "info", path],
        vec!["image", "check", path],
        vec!["image", "compact", path],
        vec!["image", "convert", path, copy, "--to", "UDRW", "--progress", "none"],
    ]
}

/// Asserts that every command refuses the file with these words and leaves it as it is.
#[track_caller]
fn refused(study: &Study, path: &Path, expected: &[&str]) {
    let before = fs::read(path).unwrap();
    let (path, copy) = (path.to_str().unwrap(), study.work().join("copy.img"));
    for arguments in calls(path, copy.to_str().unwrap()) {
        let ended: Ended = study.call(&arguments);
        let line = ended.refused_with(2);
        for words in expected {
            assert!(line.contains(words), "{arguments:?}: {words}: {line}");
        }
        assert!(!line.contains("damaged"), "{line}");
    }
    assert!(study.left().is_empty(), "{:?}", study.left());
    assert!(fs::read(path).unwrap() == before, "{path} was changed");
}

/// Bytes of a packed file: no zeros, no mark.
fn noise(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 255).to_le_bytes()[0] | 1).collect()
}

/// A raw disk with a partition map: a boot record of one entry of type AF (HFS+).
fn disk(length: usize) -> Vec<u8> {
    let mut bytes = noise(length);
    bytes[446..510].fill(0);
    bytes[450] = 0xaf;
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes
}

/// Bytes with others at a place.
fn with(mut bytes: Vec<u8>, place: usize, mark: &[u8]) -> Vec<u8> {
    bytes[place..place + mark.len()].copy_from_slice(mark);
    bytes
}

#[test]
fn the_images_of_other_programs_are_named_however_long_they_are() {
    let study = Study::new();
    let path = study.path("x.img");
    let begin: [(&[u8], usize, &str, &str); 32] = [
        (b"QFI\xfb\0\0\0\x03", 0, "a qcow2 image", "qemu-img convert -O raw"),
        (b"QFI\xfb\0\0\0\x01", 0, "a qcow image", "qemu-img convert -O raw"),
        (b"QED\0", 0, "a QED image", "qemu-img convert -O raw"),
        (b"KDMV\x01\0\0\0", 0, "a VMDK image", "qemu-img convert -O raw"),
        (b"# Disk DescriptorFile\nversion=1\n", 0, "the description of a VMDK image", "qemu-img"),
        (b"\x7f\x10\xda\xbe", 64, "a VDI image", "qemu-img convert -O raw"),
        (b"vhdxfile", 0, "a VHDX image", "qemu-img convert -O raw"),
        (b"conectix", 0, "a VHD image", "qemu-img convert -O raw"),
        (b"WithoutFreeSpace", 0, "a Parallels image", "qemu-img convert -O raw"),
        (b"WithouFreSpacExt", 0, "a Parallels image", "qemu-img convert -O raw"),
        (b"LUKS\xba\xbe\0\x02", 0, "a LUKS volume", "cryptsetup open"),
        (b"EVF\x09\x0d\x0a\xff\0", 0, "an E01 image", "ewfexport"),
        (b"\x1f\x8b\x08\x08", 0, "a gzip file", "gzip -d"),
        (b"\xfd7zXZ\0", 0, "an xz file", "xz -d"),
        (b"\x28\xb5\x2f\xfd", 0, "a Zstandard file", "zstd -d"),
        (b"BZh91AY&SY", 0, "a bzip2 file", "bzip2 -d"),
        (b"PK\x03\x04\x14\0", 0, "a zip archive", "unzip"),
        (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive", "7zz x"),
        (b"bvx2", 0, "an LZFSE file", "compression_tool"),
        (b"ustar\0", 257, "a tar archive", "tar -x"),
        (b"Bochs Virtual HD Image\0", 0, "a Bochs image", "qemu-img convert -O raw"),
        (b"#!/bin/sh\n#V2.0 Format\nmodprobe cloop", 0, "a cloop image", "qemu-img convert"),
        (b"OOOM\0\0\0\x03", 0, "a user-mode Linux COW image", "uml_moo"),
        (b"AFF10\r\n\0", 0, "an AFF image", "affconvert"),
        (b"MSWIM\0\0\0\xd0\0\0\0", 0, "a WIM image", "wimlib-imagex"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7", 0, "an LZ4 file", "lz4 -d"),
        (b"Rar!\x1a\x07\x01\0", 0, "a RAR archive", "unrar x"),
        (b"\x02\x21\x4c\x18", 0, "an LZ4 file", "lz4 -d"),
        (b"\x50\x2a\x4d\x18\x04\0\0\0", 0, "a Zstandard file", "zstd -d"),
        (b"MSCF\0\0\0\0", 0, "a cabinet file", "7zz x"),
        (b"\x3a\xff\x26\xed\x01\0\0\0", 0, "an Android sparse image", "simg2img"),
        (b"xar!\0\x1c\0\x01", 0, "a xar archive", "xar -x"),
    ];
    for (mark, place, name, advice) in begin {
        for length in [1024, 70_001] {
            fs::write(&path, with(noise(length), place, mark)).unwrap();
            refused(&study, &path, &[&format!("it is {name}, and"), advice]);
        }
    }
    // A fixed VHD is the disk and a footer, which Virtual PC made a byte too short.
    for footer in [512, 511] {
        let bytes = [disk(4096), vec![0; footer]].concat();
        let place = bytes.len() - footer;
        fs::write(&path, with(bytes, place, b"conectix")).unwrap();
        refused(&study, &path, &["it is a VHD image, and", "qemu-img convert -O raw"]);
    }
}

#[test]
fn what_is_no_image_is_called_that_and_not_damaged() {
    let study = Study::new();
    let path = study.path("x.dmg");
    for bytes in [&b""[..], b"x", b"thesis\n", &noise(513), &noise(100_000)] {
        fs::write(&path, bytes).unwrap();
        refused(&study, &path, &["no mark of an image", "give the path of an image"]);
    }
}

#[test]
fn a_disk_is_read_whatever_mark_its_first_bytes_make_and_is_damaged_when_it_was_cut() {
    let marks: [&[u8]; 5] = [b"\x1f\x8b\x08", b"PK\x03\x04", b"QFI\xfb", b"bvx2", b"KDMV"];
    let signs: [(usize, &[u8]); 5] = [
        (510, b"\x55\xaa"),
        (512, b"EFI PART"),
        (32, b"NXSB"),
        (1024, b"H+\0\x04"),
        (1048, &[2, 0, 0, 0]),
    ];
    for mark in marks {
        for (place, sign) in signs {
            let study = Study::new();
            let mut bytes = with(noise(40 * 512), 0, mark);
            bytes[446..510].fill(0);
            bytes = with(bytes, place, sign);
            if place == 1048 {
                bytes = with(bytes, 1080, &[0x53, 0xef]);
            }
            let path = study.path("x.img");
            fs::write(&path, &bytes).unwrap();
            let copy = study.work().join("copy.img");
            let [info, check, compact, convert] =
                calls(path.to_str().unwrap(), copy.to_str().unwrap());
            for arguments in [info, check.clone(), compact, convert] {
                study.call(&arguments).done();
            }
            assert!(fs::read(&copy).unwrap() == bytes);
            fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
            let cut = study.call(&check);
            assert_eq!(cut.code, 6, "{cut:?}");
            assert!(cut.stdout.contains("whole number of 512-byte sectors"), "{cut:?}");
        }
    }
}

/// Whether a program is installed; says so where not.
fn is_here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skipped(&format!("{program} is not installed: its files are not made"));
    }
    found
}

/// Runs a program that makes a file.
fn make(program: &str, arguments: &[&str], folder: &Path) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
}

/// Formats of `qemu-img`, options, and what the image is called.
const QEMU: [(&str, &str, &str); 9] = [
    ("qcow2", "cluster_size=64k", "a qcow2 image"),
    ("qcow", "", "a qcow image"),
    ("vmdk", "", "a VMDK image"),
    ("vdi", "", "a VDI image"),
    ("vhdx", "", "a VHDX image"),
    ("vpc", "", "a VHD image"),
    ("vpc", "subformat=fixed", "a VHD image"),
    ("parallels", "", "a Parallels image"),
    ("qed", "", "a QED image"),
];

#[test]
fn what_other_programs_make_here_is_named() {
    let study = Study::new();
    let folder = study.path("");
    fs::write(folder.join("disk"), disk(100_000 / 512 * 512)).unwrap();
    let formats = if is_here("qemu-img") { &QEMU[..] } else { &[] };
    for &(format, options, name) in formats {
        let mut arguments = vec!["create", "-q", "-f", format];
        if !options.is_empty() {
            arguments.extend(["-o", options]);
        }
        arguments.extend(["made", "1048576"]);
        make("qemu-img", &arguments, &folder);
        let file = fs::OpenOptions::new().write(true).open(folder.join("made")).unwrap();
        refused(&study, &folder.join("made"), &[&format!("it is {name}, and")]);
        if options.is_empty() && format != "vpc" {
            // A fresh qcow2 has any length: so must each be known by its start alone.
            let length = file.metadata().unwrap().len();
            file.set_len(length + 77).unwrap();
            refused(&study, &folder.join("made"), &[&format!("it is {name}, and")]);
        }
        fs::remove_file(folder.join("made")).unwrap();
    }
    for (program, arguments, made, name) in [
        ("gzip", &["-k", "disk"][..], "disk.gz", "a gzip file"),
        ("xz", &["-k", "disk"], "disk.xz", "an xz file"),
        ("zstd", &["-q", "disk"], "disk.zst", "a Zstandard file"),
        ("bzip2", &["-k", "disk"], "disk.bz2", "a bzip2 file"),
        ("zip", &["-q", "disk.zip", "disk"], "disk.zip", "a zip archive"),
        ("tar", &["-cf", "disk.tar", "disk"], "disk.tar", "a tar archive"),
    ] {
        if is_here(program) {
            make(program, arguments, &folder);
            refused(&study, &folder.join(made), &[&format!("it is {name}, and")]);
        }
    }
}
