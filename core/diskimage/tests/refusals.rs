//! What this crate refuses, and with which kind of error.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may stop, and says what it skips"
)]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use diskimage::convert::{Failure, Zeros, copy};
use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::error::Kind;
use diskimage::format::ImageFormat;
use diskimage::info::info;
use diskimage::open::{Spec, check, create, open};
use diskimage::pending::PendingImage;
use diskimage::store::Access;
use system::flush::Durability;
use tempfile::TempDir;

const LENGTH: u64 = 8 << 20;

const fn spec(format: ImageFormat) -> Spec {
    Spec::plain(format, LENGTH)
}

fn passphrase() -> Passphrase {
    Passphrase::new(b"correct horse".to_vec()).unwrap()
}

/// A plain image in a folder of its own.
fn image(format: ImageFormat) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("x.{}", format.row().extensions[0]));
    let mut made = create(&path, &spec(format)).unwrap().image;
    made.write_at(&[7; 5000], 1 << 20).unwrap();
    made.flush(Durability::None).unwrap();
    (folder, path)
}

/// What opening, checking and describing say, which must be the same.
fn refused(path: &Path, passphrase: Option<&Passphrase>) -> Kind {
    let opened = open(path, Access::Read, passphrase).unwrap_err().kind();
    assert_eq!(check(path, passphrase).unwrap_err().kind(), opened, "{}", path.display());
    assert_eq!(info(path, passphrase).unwrap_err().kind(), opened, "{}", path.display());
    opened
}

#[test]
fn what_is_no_image_is_called_that_and_nothing_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
    fs::create_dir(place("folder")).unwrap();
    fs::write(place("folder/letter.txt"), "Dear Howard").unwrap();
    fs::write(place("empty"), "").unwrap();
    for name in ["pipe", "folder"] {
        assert_eq!(refused(&place(name), None), Kind::NotAnImage, "{name}");
    }
    named(&place("empty"), &["it is empty", "give the path of an image"]);
    for bytes in [&b"x"[..], b"Dear Howard", &noise(513), &noise(100_000)] {
        fs::write(place("letter.txt"), bytes).unwrap();
        assert_eq!(refused(&place("letter.txt"), None), Kind::NotAnImage);
        named(&place("letter.txt"), &["no known signature", "give the path of an image"]);
    }
    assert_eq!(refused(Path::new("/dev/null"), None), Kind::NotAnImage);
    let missing = open(&place("missing"), Access::Read, None).unwrap_err();
    assert_eq!(missing.kind(), Kind::Io);
    assert_eq!(missing.io().unwrap().raw_os_error(), Some(libc::ENOENT));
}

#[test]
fn a_passphrase_that_is_missing_wrong_or_of_no_use_is_told_apart() {
    let (right, wrong) = (passphrase(), Passphrase::new(b"battery".to_vec()).unwrap());
    for format in ImageFormat::ALL {
        let (_folder, plain) = image(format);
        assert_eq!(refused(&plain, Some(&right)), Kind::Invalid, "{format}");
        let path = plain.with_file_name("locked");
        let (size, passphrase) = (KeySize::Aes128, right.clone());
        let key = Some(NewKey { size, passphrase, iterations: Some(10) });
        drop(create(&path, &Spec { key, ..spec(format) }).unwrap());
        assert_eq!(refused(&path, Some(&wrong)), Kind::WrongPassphrase, "{format}");
        let missing = open(&path, Access::Read, None).unwrap_err();
        assert_eq!(missing.kind(), Kind::PassphraseNeeded, "{format}");
        // An encrypted bundle that lost its keys is damaged, whatever passphrase is given.
        if format.is_bundle() {
            fs::remove_file(path.join("token")).unwrap();
            for passphrase in [None, Some(&right)] {
                let kind = open(&path, Access::Read, passphrase).unwrap_err().kind();
                assert_eq!(kind, Kind::Damaged);
                assert!(!check(&path, passphrase).unwrap().is_empty());
            }
        }
    }
}

#[test]
fn an_image_that_was_opened_for_reading_is_not_changed_by_anything() {
    for format in ImageFormat::ALL {
        let (_folder, path) = image(format);
        let _another_reader = open(&path, Access::Read, None).unwrap();
        let mut read_only = open(&path, Access::Read, None).unwrap().image;
        for done in
            [read_only.write_at(&[1; 512], 0), read_only.discard(0, LENGTH), read_only.compact()]
        {
            assert_eq!(done.unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        read_only.flush(Durability::None).unwrap();
        let mut found = [0; 5000];
        read_only.read_at(&mut found, 1 << 20).unwrap();
        assert_eq!(found, [7; 5000], "{format}");
    }
}

#[test]
fn an_image_that_is_made_or_written_by_another_is_in_use() {
    for format in ImageFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let maker = create(&path, &spec(format)).unwrap();
        for access in [Access::Read, Access::Write] {
            assert_eq!(open(&path, access, None).unwrap_err().kind(), Kind::InUse, "{format}");
        }
        drop(maker);
        let reader = open(&path, Access::Read, None).unwrap();
        assert_eq!(open(&path, Access::Write, None).unwrap_err().kind(), Kind::InUse, "{format}");
        drop(reader);
        let _writer = open(&path, Access::Write, None).unwrap();
        for access in [Access::Read, Access::Write] {
            assert_eq!(open(&path, access, None).unwrap_err().kind(), Kind::InUse, "{format}");
        }
        assert_eq!(check(&path, None).unwrap_err().kind(), Kind::InUse, "{format}");
    }
}

#[test]
fn what_a_format_does_not_have_is_invalid_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for format in ImageFormat::ALL {
        for len_bytes in [0, 513, 1 << 63, u64::MAX - 511] {
            let refused = create(&path, &Spec { len_bytes, ..spec(format) }).unwrap_err();
            assert_eq!(refused.kind(), Kind::Invalid, "{format} {len_bytes}: {refused}");
        }
        for band_bytes in [0, 1, 512, 4097, 16 << 30, u64::MAX] {
            let spec = Spec { band_bytes: Some(band_bytes), ..spec(format) };
            assert_eq!(create(&path, &spec).unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        for block_bytes in [0, 1024, 4096, 8192] {
            // Of 4096 bytes has ASIF; the length is no multiple of that.
            let len_bytes = LENGTH / 4096 * 4096 + 512;
            let spec = Spec { block_bytes: Some(block_bytes), len_bytes, ..spec(format) };
            assert_eq!(create(&path, &spec).unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        // 2^32 encrypted blocks, and one more.
        let (size, passphrase) = (KeySize::Aes128, passphrase());
        let key = Some(NewKey { size, passphrase, iterations: Some(1) });
        let encrypted = Spec { key, len_bytes: (1 << 41) + 512, ..spec(format) };
        assert_eq!(create(&path, &encrypted).unwrap_err().kind(), Kind::Invalid, "{format}");
        assert!(!path.exists(), "{format}");
        // All have blocks of 512 bytes, but only those of an ASIF can be chosen.
        let chosen = create(&path, &Spec { block_bytes: Some(512), ..spec(format) });
        if format == ImageFormat::Asif {
            assert_eq!(chosen.unwrap().image.block_bytes(), Some(512));
            fs::remove_file(&path).unwrap();
        } else {
            assert_eq!(chosen.unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        assert!(!path.exists(), "{format}");
    }
    for (format, longest, beyond, band_bytes) in [
        (ImageFormat::Udsp, (1 << 44) - 4096, 1 << 44, Some(4096)),
        (ImageFormat::Asif, (1 << 52) - (1 << 20), (1 << 52) - (1 << 20) + 512, None),
    ] {
        let of = |len_bytes| Spec { len_bytes, band_bytes, ..spec(format) };
        assert_eq!(create(&path, &of(beyond)).unwrap_err().kind(), Kind::Invalid, "{format}");
        assert_eq!(create(&path, &of(longest)).unwrap().image.len_bytes(), longest, "{format}");
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(
        PendingImage::create(Path::new(""), &spec(ImageFormat::Udrw)).err().unwrap().kind(),
        Kind::Invalid
    );
}

#[test]
fn what_has_the_name_of_a_new_image_already_stays() {
    for format in ImageFormat::ALL {
        let (_folder, path) = image(format);
        let other = Spec { len_bytes: 512, ..spec(format) };
        assert_eq!(create(&path, &other).unwrap_err().kind(), Kind::Exists, "{format}");
        assert_eq!(open(&path, Access::Read, None).unwrap().image.len_bytes(), LENGTH, "{format}");
    }
}

#[test]
fn a_new_image_may_be_named_with_a_slash_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let with_slash = format!("{}/new/", folder.path().display());
    PendingImage::create(Path::new(&with_slash), &spec(ImageFormat::Udrw))
        .unwrap()
        .publish()
        .unwrap();
    assert_eq!(fs::metadata(folder.path().join("new")).unwrap().len(), LENGTH);
}

#[test]
fn a_copy_to_a_disk_of_another_length_is_refused() {
    let (_folder, path) = image(ImageFormat::Asif);
    let mut source = open(&path, Access::Read, None).unwrap().image;
    let shorter = Spec { len_bytes: LENGTH / 2, ..spec(ImageFormat::Udrw) };
    let mut destination = create(&path.with_file_name("shorter"), &shorter).unwrap().image;
    let copied = copy(source.as_mut(), destination.as_mut(), Zeros::Skipped, &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(
        matches!(copied, Err(Failure::Destination(refused)) if refused.kind() == Kind::Invalid)
    );
}

#[test]
fn a_mark_with_a_damaged_byte_does_not_make_a_raw_disk_of_an_image() {
    for format in ImageFormat::ALL.into_iter().filter(|format| format.is_marked()) {
        let (_folder, path) = image(format);
        let good = fs::read(&path).unwrap();
        for at in 0..4 {
            let mut bytes = good.clone();
            bytes[at] ^= 0x20;
            fs::write(&path, bytes).unwrap();
            let kind = open(&path, Access::Read, None).unwrap_err().kind();
            assert_eq!(kind, Kind::Damaged, "{format}, byte {at}");
        }
    }
}

/// Makes sure that a file is called what it is, in these words and by whatever opens it, and stays as it is.
#[track_caller]
fn named(path: &Path, expected: &[&str]) {
    let before = fs::read(path).unwrap();
    for refused in [
        open(path, Access::Read, None).unwrap_err(),
        open(path, Access::Write, None).unwrap_err(),
        check(path, None).unwrap_err(),
        info(path, None).unwrap_err(),
    ] {
        assert!([Kind::Unsupported, Kind::NotAnImage].contains(&refused.kind()), "{refused}");
        let line = refused.to_string();
        for words in expected {
            assert!(line.contains(words), "{words}: {line}");
        }
        assert!(!line.contains("damaged"), "{line}");
    }
    assert!(fs::read(path).unwrap() == before, "{} was changed", path.display());
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.img");
    let begin: [(&[u8], usize, &str, &str); 32] = [
        (b"QFI\xfb\0\0\0\x03", 0, "a qcow2 image", "qemu-img convert -O raw"),
        (b"QFI\xfb\0\0\0\x01", 0, "a qcow image", "qemu-img convert -O raw"),
        (b"QED\0", 0, "a QED image", "qemu-img convert -O raw"),
        (b"KDMV\x01\0\0\0", 0, "a VMDK image", "qemu-img convert -O raw"),
        (b"# Disk DescriptorFile\nversion=1\n", 0, "the description of a VMDK image", "qemu-img"),
        (b"\x7f\x10\xda\xbe", 64, "a VDI image", "qemu-img convert -O raw"),
        (b"vhdxfile", 0, "a VHDX image", "qemu-img convert -O raw"),
        (b"conectix", 0, "a VHD image", "qemu-img convert -f vpc -O raw"),
        (b"WithoutFreeSpace", 0, "a Parallels image", "qemu-img convert -O raw"),
        (b"WithouFreSpacExt", 0, "a Parallels image", "qemu-img convert -O raw"),
        (b"LUKS\xba\xbe\0\x02", 0, "a LUKS volume", "cryptsetup open"),
        (b"EVF\x09\x0d\x0a\xff\0", 0, "an E01 image", "ewfexport"),
        (b"\x1f\x8b\x08\x08", 0, "a gzip file", "gzip -d"),
        (
            b"\xfd7zXZ\0",
            0,
            "an xz file",
            "xz -d), or if it is a .dmg that was cut short, get it again",
        ),
        (b"\x28\xb5\x2f\xfd", 0, "a Zstandard file", "zstd -d"),
        (
            b"BZh91AY&SY",
            0,
            "a bzip2 file",
            "bzip2 -d), or if it is a .dmg that was cut short, get it again",
        ),
        (b"PK\x03\x04\x14\0", 0, "a zip archive", "unzip"),
        (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive", "7zz x"),
        (b"bvx2", 0, "an LZFSE file", "Mac), or if it is a .dmg that was cut short, get it again"),
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
            named(&path, &[&format!("it is {name}, and"), advice]);
        }
    }
    // A fixed VHD is the disk and a footer, which Virtual PC made a byte too short.
    for footer in [512, 511] {
        let bytes = [disk(4096), vec![0; footer]].concat();
        let place = bytes.len() - footer;
        fs::write(&path, with(bytes, place, b"conectix")).unwrap();
        named(&path, &["it is a VHD image, and", "qemu-img convert -f vpc -O raw"]);
    }
}

#[test]
fn a_disk_is_read_whatever_mark_its_first_bytes_make_and_is_damaged_when_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.img");
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
            let mut bytes = with(noise(40 * 512), 0, mark);
            bytes[446..510].fill(0);
            bytes = with(bytes, place, sign);
            if place == 1048 {
                bytes = with(bytes, 1080, &[0x53, 0xef]);
            }
            fs::write(&path, &bytes).unwrap();
            assert_eq!(check(&path, None).unwrap(), []);
            info(&path, None).unwrap();
            let mut image = open(&path, Access::Write, None).unwrap().image;
            image.compact().unwrap();
            let mut found = vec![0xa5; bytes.len()];
            image.read_at(&mut found, 0).unwrap();
            assert!(found == bytes);
            drop(image);
            fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
            let damage = format!("{:?}", check(&path, None).unwrap());
            assert!(damage.contains("whole number of 512-byte sectors"), "{damage}");
        }
    }
}

/// Whether a program is installed; says so where not.
fn is_here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {program} is not installed: its files are not made");
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
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("disk"), disk(100_000 / 512 * 512)).unwrap();
    let formats = if is_here("qemu-img") { &QEMU[..] } else { &[] };
    for &(format, options, name) in formats {
        let mut arguments = vec!["create", "-q", "-f", format];
        if !options.is_empty() {
            arguments.extend(["-o", options]);
        }
        arguments.extend(["made", "1048576"]);
        make("qemu-img", &arguments, folder);
        let file = fs::OpenOptions::new().write(true).open(folder.join("made")).unwrap();
        named(&folder.join("made"), &[&format!("it is {name}, and")]);
        if options.is_empty() && format != "vpc" {
            // A fresh qcow2 has any length: so must each be known by its start alone.
            let length = file.metadata().unwrap().len();
            file.set_len(length + 77).unwrap();
            named(&folder.join("made"), &[&format!("it is {name}, and")]);
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
            make(program, arguments, folder);
            named(&folder.join(made), &[&format!("it is {name}, and")]);
        }
    }
}
