//! `diskbench image convert --salvage`: all that can be read of a damaged image is copied, and what cannot is listed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::common::image::{self, MIB, formats};
use crate::common::{Ended, Study, shell};

/// A disk without zeros.
fn disk() -> Vec<u8> {
    image::disk(12 * MIB)
}

fn made(study: &Study, format: &str, encrypted: bool) -> PathBuf {
    let encryption = ["--encryption", "AES-128", "--new-passphrase-stdin"];
    let band: &[&str] = if format == "UDSB" { &["--band", "1MiB"] } else { &[] };
    let encryption = if encrypted { &encryption[..] } else { &[] };
    study.image_of(&disk(), format, &[band, encryption].concat(), "secret\n")
}

/// Copies an image, if it needs to with its passphrase.
fn convert(study: &Study, path: &Path, encrypted: bool, more: &[&str]) -> (Ended, PathBuf) {
    let copy = study.path("copy.img");
    fs::remove_file(&copy).ok();
    let passphrase: &[&str] = if encrypted { &["--passphrase-stdin"] } else { &[] };
    (study.convert_with(path, &copy, "UDRW", &[more, passphrase].concat(), "secret\n"), copy)
}

/// The ranges that a salvage says are lost.
fn lost(stdout: &str) -> Vec<Range<usize>> {
    let range = |line: &str| {
        let (length, start) = line.strip_prefix("lost: ")?.split_once(" bytes at ")?;
        let (length, start): (usize, usize) = (length.parse().unwrap(), start.parse().unwrap());
        Some(start..start + length)
    };
    stdout.lines().filter_map(range).collect()
}

/// The copy holds the disk but for these ranges, which are zeros.
fn assert_holds_all_but(copy: &Path, lost: &[Range<usize>]) {
    let mut expected = disk();
    for range in lost {
        expected[range.clone()].fill(0);
    }
    assert!(fs::read(copy).unwrap() == expected, "lost {lost:?}");
}

#[test]
fn of_an_image_that_was_cut_short_the_rest_is_copied() {
    for (format, encrypted) in
        [("UDSP", false), ("ASIF", false), ("UDRW", true), ("UDSP", true), ("ASIF", true)]
    {
        let study = Study::new();
        let path = made(&study, format, encrypted);
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        let whole = file.metadata().unwrap().len();
        file.set_len(whole - 3 * MIB as u64 - 700).unwrap();

        let (refused, copy) = convert(&study, &path, encrypted, &[]);
        assert_eq!(refused.code, 6, "{format}: {}", refused.stderr);
        assert!(refused.stderr.contains("image convert --salvage"), "{}", refused.stderr);
        assert!(!copy.exists());

        let before = fs::read(&path).unwrap();
        let (salvaged, copy) = convert(&study, &path, encrypted, &["--salvage", "--verify"]);
        assert_eq!(salvaged.code, 6, "{format}: {}", salvaged.stderr);
        let lost = lost(&salvaged.stdout);
        let bytes: usize = lost.iter().map(ExactSizeIterator::len).sum();
        // What was cut off, in whole sectors of the disk; an ASIF ends with the chunk of its metadata.
        assert!((2 * MIB..=3 * MIB + 1024).contains(&bytes), "{format}: {lost:?}");
        assert_holds_all_but(&copy, &lost);
        assert!(fs::read(&path).unwrap() == before, "{format}: the source was changed");
    }
}

#[test]
fn an_encrypted_asif_that_was_cut_anywhere_is_read_as_far_as_it_goes() {
    let study = Study::new();
    let path = made(&study, "ASIF", true);
    let whole = fs::read(&path).unwrap();
    // Behind the container's header and the first chunk, which tell where everything lies.
    let least = 122_368 + MIB;
    for part in 0..8 {
        let length = least + (whole.len() - least) * part / 8 + 100 * part;
        fs::write(&path, &whole[..length]).unwrap();
        let (salvaged, copy) = convert(&study, &path, true, &["--salvage"]);
        assert_eq!(salvaged.code, 6, "{length}: {}", salvaged.stderr);
        assert_holds_all_but(&copy, &lost(&salvaged.stdout));
    }
}

#[test]
fn what_is_wrong_with_bands_is_listed_and_the_others_are_copied() {
    for encrypted in [false, true] {
        let study = Study::new();
        let path = made(&study, "UDSB", encrypted);
        let band = |name: &str| path.join("bands").join(name);
        fs::remove_file(band("3")).unwrap();
        fs::create_dir(band("3")).unwrap();
        let long = [fs::read(band("5")).unwrap(), vec![1; 100]].concat();
        fs::write(band("5"), long).unwrap();
        fs::write(band("7 (conflicting copy)"), b"x").unwrap();
        fs::write(band("0b"), b"other").unwrap();
        fs::write(band("c"), b"x").unwrap();

        assert_eq!(convert(&study, &path, encrypted, &[]).0.code, 6);
        let (salvaged, copy) = convert(&study, &path, encrypted, &["--salvage"]);
        assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
        for line in [
            "bands/3 is not a regular file: 1048576 bytes at 3145728 of the disk are missing",
            "bands/5 is 1048676 bytes long, longer than a band of 1048576",
            "bands/7 (conflicting copy) is not the name of a band",
            "are the same band",
            "bands/c is beyond the disk's end: its last band is b",
        ] {
            assert!(salvaged.stdout.contains(line), "{line}: {}", salvaged.stdout);
        }
        for line in salvaged.stdout.lines() {
            assert!(line.starts_with("lost: ") || line.starts_with("damage: "), "{line}");
        }
        let third = 3 * MIB..4 * MIB;
        assert_holds_all_but(&copy, &[third]);
    }
}

#[test]
fn of_a_disk_whose_last_sector_is_not_whole_the_rest_is_copied() {
    let study = Study::new();
    let path = made(&study, "UDRW", false);
    let mut bytes = fs::read(&path).unwrap();
    // A boot record with one partition: a file of this length without one is no disk.
    bytes[446..512].fill(0);
    bytes[450] = 0xaf;
    bytes[454] = 1;
    bytes[458] = 1;
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes.truncate(bytes.len() - 100);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(convert(&study, &path, false, &[]).0.code, 6);
    let (salvaged, copy) = convert(&study, &path, false, &["--salvage", "--verify"]);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    assert!(salvaged.stdout.starts_with("damage: a raw image is a whole number"), "{salvaged:?}");
    bytes.resize(bytes.len() + 100, 0);
    assert!(fs::read(&copy).unwrap() == bytes);
}

#[test]
fn what_a_check_finds_is_told_of_a_copy_from_which_nothing_is_missing() {
    let study = Study::new();
    let path = made(&study, "UDSB", false);
    fs::remove_file(path.join("Info.plist")).unwrap();
    let (salvaged, copy) = convert(&study, &path, false, &["--salvage"]);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    assert!(salvaged.stdout.starts_with("damage: Info.plist"), "{salvaged:?}");
    assert!(!salvaged.stdout.contains("lost: "), "{salvaged:?}");
    assert_holds_all_but(&copy, &[]);
}

#[test]
fn of_a_sound_image_all_that_it_names_is_copied_and_no_more_is_promised() {
    let study = Study::new();
    for format in formats() {
        let encrypted = format == "ASIF";
        let path = made(&study, format, encrypted);
        let (salvaged, copy) = convert(&study, &path, encrypted, &["--salvage"]);
        let told = match format {
            "UDRW" => "every byte that the image has was copied\n",
            _ => "everything that the image's index names was copied\n",
        };
        assert_eq!(salvaged.done().stdout, told);
        assert_holds_all_but(&copy, &[]);
    }
}

#[test]
fn what_tells_where_everything_lies_is_needed() {
    let study = Study::new();
    let path = made(&study, "UDSB", false);
    for name in ["Info.plist", "Info.bckup"] {
        fs::write(path.join(name), b"x").unwrap();
    }
    let (refused, copy) = convert(&study, &path, false, &["--salvage"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("Info.plist"), "{}", refused.stderr);
    assert!(refused.stderr.contains("nothing of "), "{}", refused.stderr);
    assert!(!refused.stderr.contains("--salvage"), "{}", refused.stderr);
    assert!(!copy.exists());
}

#[test]
fn what_cannot_be_salvaged_is_not_recommended_to_be() {
    for lost in ["token", "bands", "Info.plist"] {
        let study = Study::new();
        let path = made(&study, "UDSB", false);
        if lost == "bands" {
            fs::remove_dir_all(path.join(lost)).unwrap();
        } else {
            fs::remove_file(path.join(lost)).unwrap();
        }
        let can_be = lost == "Info.plist";
        if can_be {
            // Its copy is good, and what stops the reader is something else.
            fs::write(path.join("bands/0 2"), b"x").unwrap();
        }
        let (refused, _) = convert(&study, &path, false, &[]);
        let line = refused.refused_with(6);
        assert_eq!(line.contains("--salvage"), can_be, "{line}");
        let (salvaged, copy) = convert(&study, &path, false, &["--salvage"]);
        assert_eq!((salvaged.code, copy.exists()), (6, can_be), "{salvaged:?}");
    }
}

#[test]
fn a_copy_whose_losses_cannot_be_listed_is_told() {
    let study = Study::new();
    let path = made(&study, "UDSP", false);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(4 * MIB as u64).unwrap();
    let copy = study.path("copy.img");
    let mut salvage = study.command(&["image", "convert", "--to", "UDRW", "--salvage"]);
    salvage.args(["--progress", "none"]).arg(&path).arg(&copy);
    let full = shell("exec \"$0\" \"$@\" >/dev/full", &salvage).output().unwrap();
    let ended = Ended::of(&full);
    let line = ended.refused_with(3);
    assert!(line.contains("copy.img is made, but nothing lists what it lacks"), "{line}");
    assert!(copy.exists());
}
