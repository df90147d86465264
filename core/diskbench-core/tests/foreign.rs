//! Images that other programs made and we do not read: each is named and refused with exit code 2, however long it is,
//! and none of them is called damaged. What is a disk is read, whatever its first bytes are.
//!
//! The files are written here by their formats' public descriptions, and by the formats' own programs where they are
//! installed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

mod common;

use common::{Ended, Study, skipped};
use plist::{Dictionary, Value};
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

/// A block map of a UDIF: its head, and an entry of each of these types.
fn map(types: &[u32]) -> Value {
    let mut bytes = b"mish\0\0\0\x01".to_vec();
    bytes.resize(200, 0);
    bytes.extend(u32::try_from(types.len()).unwrap().to_be_bytes());
    for kind in types {
        bytes.extend(kind.to_be_bytes());
        bytes.resize(bytes.len() + 36, 0);
    }
    map_of(bytes)
}

fn map_of(bytes: Vec<u8>) -> Value {
    let entry = [("Name", Value::String("Apple_HFS".into())), ("Data", Value::Data(bytes))];
    Value::Dictionary(entry.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The property list of a UDIF with these maps.
fn list(maps: &[&[u32]]) -> Vec<u8> {
    list_of(Value::Array(maps.iter().map(|types| map(types)).collect()))
}

fn list_of(maps: Value) -> Vec<u8> {
    let mut fork = Dictionary::new();
    fork.insert("blkx".to_owned(), maps);
    fork.insert("plst".to_owned(), Value::Array(Vec::new()));
    let mut root = Dictionary::new();
    root.insert("resource-fork".to_owned(), Value::Dictionary(fork));
    let mut text = Vec::new();
    Value::Dictionary(root).to_writer_xml(&mut text).unwrap();
    text
}

/// A UDIF: data, a property list said to be at that place with that length, and the last block.
fn udif(data: &[u8], list: &[u8], place: u64, length: u64) -> Vec<u8> {
    let mut last = b"koly\0\0\0\x04\0\0\x02\0\0\0\0\x01".to_vec();
    last.resize(512, 0);
    last[32..40].copy_from_slice(&(data.len() as u64).to_be_bytes());
    last[216..224].copy_from_slice(&place.to_be_bytes());
    last[224..232].copy_from_slice(&length.to_be_bytes());
    [data, list, &last].concat()
}

const ZEROS: u32 = 0;
const RAW: u32 = 1;
const IGNORED: u32 = 2;
const REMARK: u32 = 0x7fff_fffe;
const END: u32 = 0xffff_ffff;

#[test]
fn each_kind_of_packed_image_is_named_by_how_its_blocks_are_packed() {
    let study = Study::new();
    let path = study.path("x.dmg");
    for (kind, name) in [
        (0x8000_0004, "packed with ADC (UDCO)"),
        (0x8000_0005, "packed with zlib (UDZO)"),
        (0x8000_0006, "packed with bzip2 (UDBZ)"),
        (0x8000_0007, "packed with LZFSE (ULFO)"),
        (0x8000_0008, "packed with LZMA (ULMO)"),
        (RAW, "not packed (UDRO)"),
    ] {
        // The first partition holds nothing that is packed; lengths as they come.
        let list = list(&[&[ZEROS, IGNORED, END], &[REMARK, RAW, kind, END]]);
        for odd in [0, 1, 13_654] {
            let data = noise(2 * 512 + odd);
            let length = list.len() as u64;
            fs::write(&path, udif(&data, &list, data.len() as u64, length)).unwrap();
            refused(&study, &path, &["it is a UDIF image", name, "hdiutil convert -format UDRW"]);
        }
    }
    // As an old read/write image has it: the disk, and the last block.
    fs::write(&path, udif(&disk(2048), b"", 0, 0)).unwrap();
    refused(&study, &path, &["without a map of blocks (read/write, UDRW)", "hdiutil convert"]);
}

#[test]
fn a_packed_image_whose_map_makes_no_sense_is_still_a_packed_image() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let good = list(&[&[0x8000_0005, END]]);
    let text = String::from_utf8(good.clone()).unwrap();
    let deep = [text.as_bytes(), &b"<array>".repeat(100_000)].concat();
    // More entries than anybody has, none of which is there.
    let mut short = b"mish\0\0\0\x01".to_vec();
    short.resize(200, 0);
    short.extend([0xff; 4]);
    let short = list_of(Value::Array(vec![map_of(short)]));
    let data = noise(1000);
    let at = data.len() as u64;
    for (list, place, length) in [
        (good.clone(), at, u64::MAX),
        (good.clone(), u64::MAX, 8),
        (good.clone(), at + 4096, good.len() as u64),
        (good.clone(), 0, at),
        (short.clone(), at, short.len() as u64),
        (deep.clone(), at, deep.len() as u64),
        (text.replace("blkx", "blky").into_bytes(), at, good.len() as u64),
        (vec![b'<'; 5000], at, 5000),
    ] {
        fs::write(&path, udif(&data, &list, place, length)).unwrap();
        refused(&study, &path, &["it is a UDIF image,", "hdiutil convert -format UDRW"]);
    }
}

#[test]
fn a_packed_image_inside_an_encrypted_one_is_named() {
    let study = Study::new();
    let path = study.work().join("locked.dmg");
    let list = list(&[&[0x8000_0005, END]]);
    let data = noise(1000);
    let mut inside = udif(&data, &list, 1000, list.len() as u64);
    // Encryption goes by blocks, and the container's header says how long the content is.
    let length = inside.len() as u64;
    inside.resize(inside.len().next_multiple_of(512), 0);
    let raw = study.path("raw.img");
    fs::write(&raw, [disk(1024), inside.clone()].concat()).unwrap();
    let program = study.command(&[]).get_program().to_owned();
    let made = Command::new("sh")
        .args(["-c", "printf x | \"$0\" image convert \"$1\" \"$2\" --to UDRW --encryption AES-128 --new-passphrase-stdin"])
        .arg(&program)
        .args([&raw, &path])
        .output()
        .unwrap();
    Ended::of(&made).done();
    let mut bytes = fs::read(&path).unwrap();
    // Bytes 0x38 to 0x40 of the header are the length of the content.
    bytes[0x38..0x40].copy_from_slice(&(1024 + length).to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    for what in ["info", "check"] {
        let told = Command::new("sh")
            .args(["-c", "printf x | \"$0\" image \"$2\" \"$1\" --passphrase-stdin"])
            .arg(&program)
            .arg(&path)
            .arg(what)
            .output()
            .unwrap();
        let ended = Ended::of(&told);
        // The list lies 1024 bytes further on than the block says: the kind is not known, that it is packed is.
        assert!(ended.refused_with(2).contains("it is a UDIF image, and"), "{ended:?}");
    }
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
