//! What this crate refuses, and with which kind of error.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

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

fn spec(format: ImageFormat) -> Spec<'static> {
    Spec { format, len_bytes: LENGTH, band_bytes: None, block_bytes: None, key: None }
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
    fs::write(place("letter.txt"), "Dear Howard").unwrap();
    fs::write(place("empty"), "").unwrap();
    for name in ["pipe", "folder", "letter.txt", "empty"] {
        assert_eq!(refused(&place(name), None), Kind::NotAnImage, "{name}");
    }
    assert_eq!(refused(Path::new("/dev/null"), None), Kind::NotAnImage);
    let missing = open(&place("missing"), Access::Read, None).unwrap_err();
    assert_eq!(missing.kind(), Kind::Io);
    assert_eq!(missing.io().unwrap().raw_os_error(), Some(libc::ENOENT));
}

#[test]
fn what_others_read_is_unsupported() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start) in [("qcow2", &b"QFI\xfb\0\0\0\x03"[..]), ("gzip", b"\x1f\x8b\x08\0")] {
        let mut bytes = start.to_vec();
        bytes.resize(4096, 0x5a);
        fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(refused(&folder.path().join(name), None), Kind::Unsupported, "{name}");
    }
}

#[test]
fn a_passphrase_that_is_missing_wrong_or_of_no_use_is_told_apart() {
    let (right, wrong) = (passphrase(), Passphrase::new(b"battery".to_vec()).unwrap());
    for format in ImageFormat::ALL {
        let (_folder, plain) = image(format);
        assert_eq!(refused(&plain, Some(&right)), Kind::Invalid, "{format}");
        let path = plain.with_file_name("locked");
        let key = NewKey { size: KeySize::Aes128, passphrase: &right, iterations: Some(10) };
        drop(create(&path, &Spec { key: Some(key), ..spec(format) }).unwrap());
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
fn an_image_that_is_written_by_another_is_in_use() {
    for format in ImageFormat::ALL {
        let (_folder, path) = image(format);
        let _writer = open(&path, Access::Write, None).unwrap();
        for access in [Access::Read, Access::Write] {
            assert_eq!(open(&path, access, None).unwrap_err().kind(), Kind::InUse, "{format}");
        }
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
        for band_bytes in [0, 1, u64::MAX] {
            let spec = Spec { band_bytes: Some(band_bytes), ..spec(format) };
            assert_eq!(create(&path, &spec).unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        for block_bytes in [0, 512, 1024, 4096, 8192] {
            // Of 4096 bytes has ASIF; the length is no multiple of that.
            let len_bytes = LENGTH / 4096 * 4096 + 512;
            let spec = Spec { block_bytes: Some(block_bytes), len_bytes, ..spec(format) };
            assert_eq!(create(&path, &spec).unwrap_err().kind(), Kind::Invalid, "{format}");
        }
        assert!(!path.exists(), "{format}");
    }
    assert_eq!(
        PendingImage::create(Path::new(""), &spec(ImageFormat::Udrw)).err().unwrap().kind(),
        Kind::Invalid
    );
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
