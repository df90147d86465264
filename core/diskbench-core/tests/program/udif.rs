//! Compressed images (UDIF) on the command line: told what they are, checked, converted, and never changed.

#![expect(clippy::indexing_slicing, reason = "helpers of tests may stop")]

use crate::common::Study;
use crate::common::image::formats;
use crate::common::random::Random;
use diskimage::testing::udif::{BLOCK, Built, zlib};
use std::fs;
use std::path::Path;

/// A disk of 10 blocks with a block of zeros, and a partition map: a boot record of one entry of type AF (HFS+).
fn disk() -> Vec<u8> {
    // What zlib does not pack: a block takes as much in the file, and some bytes more.
    let mut bytes = Random::of(1).bytes(10 * BLOCK);
    bytes[446..510].fill(0);
    bytes[450] = 0xaf;
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[3 * BLOCK..4 * BLOCK].fill(0);
    bytes
}

/// A UDZO of this disk.
fn udzo(disk: &[u8]) -> Vec<u8> {
    Built { pack: zlib, ..Built::of(disk) }.bytes()
}

#[test]
fn a_compressed_image_is_told_checked_and_converted_to_every_format() {
    let study = Study::new();
    let (path, disk) = (study.path("x.dmg"), disk());
    fs::write(&path, udzo(&disk)).unwrap();
    let info = study.image("info", &path, &[]).done().stdout.clone();
    assert!(info.contains("format      UDZO") && info.contains("81920 bytes"), "{info}");
    let json = study.image("info", &path, &["--json"]).done().stdout.clone();
    assert!(json.contains("\"format\": \"UDZO\""), "{json}");
    assert_eq!(study.image("check", &path, &[]).done().stdout, "no damage found\n");
    for format in formats() {
        let (copy, back) =
            (study.path(&format!("copy-{format}")), study.path(&format!("{format}.img")));
        study.convert(&path, &copy, format, &[]).done();
        study.convert(&copy, &back, "UDRW", &[]).done();
        assert!(fs::read(&back).unwrap() == disk, "{format}");
    }
}

#[test]
fn a_compressed_image_is_never_changed() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let bytes = udzo(&disk());
    fs::write(&path, &bytes).unwrap();
    for (verb, more) in [("compact", &[][..]), ("resize", &["--size", "1GB"])] {
        let refused = study.image(verb, &path, more);
        let line = refused.refused_with(2);
        assert!(
            line.contains("a UDZO image is only read: convert it to another format first"),
            "{line}"
        );
    }
    let refused = study.convert(&path, &study.path("y"), "UDZO", &[]);
    assert!(refused.refused_with(2).contains("UDZO"), "no image of it is made");
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn content_that_its_checksums_contradict_is_refused_by_every_command_that_reads_all_of_it() {
    let study = Study::new();
    let (path, good) = (study.path("x.dmg"), study.path("good.dmg"));
    let mut bytes = Built::of(&disk()).bytes();
    fs::write(&good, &bytes).unwrap();
    bytes[2 * BLOCK + 50] ^= 1;
    fs::write(&path, bytes).unwrap();
    let copy = study.path("copy.img");
    for (words, refused) in [
        ("copy", study.convert(&path, &copy, "UDRW", &["--verify"])),
        ("to stdout", study.convert(&path, Path::new("-"), "UDRW", &[])),
        ("checksum", study.image("checksum", &path, &["--progress", "none"])),
        ("compare", study.image("compare", &path, &[good.to_str().unwrap(), "--progress", "none"])),
    ] {
        let line = refused.refused_with(6);
        assert!(line.contains("the data has the CRC-32"), "{words}: {line}");
        assert_eq!(refused.stdout, "", "{words}");
    }
    assert!(!copy.exists());
    let salvaged = study.convert(&path, &copy, "UDRW", &["--salvage"]);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    assert!(salvaged.stdout.starts_with("damage: the data has the CRC-32"), "{salvaged:?}");
    assert!(fs::read(&copy).unwrap().len() == disk().len());
}

#[test]
fn a_damaged_compressed_image_is_not_copied_but_all_other_blocks_of_it_are_salvaged() {
    let study = Study::new();
    let (path, copy) = (study.path("x.dmg"), study.path("copy.img"));
    let mut bytes = udzo(&disk());
    // Within the third block.
    bytes[2 * BLOCK + 200] ^= 1;
    fs::write(&path, bytes).unwrap();
    let checked = study.image("check", &path, &[]);
    assert_eq!(checked.code, 6, "{checked:?}");
    assert!(checked.stdout.contains("cannot be unpacked"), "{checked:?}");
    let refused = study.convert(&path, &copy, "UDRW", &[]);
    let line = refused.refused_with(6);
    assert!(line.contains("the data has the CRC-32"), "{line}");
    assert!(!copy.exists());
    let salvaged = study.convert(&path, &copy, "UDRW", &["--salvage"]);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    let (damage, lost): (Vec<&str>, Vec<&str>) =
        salvaged.stdout.lines().partition(|line| line.starts_with("damage: "));
    assert_eq!(lost, ["lost: 8192 bytes at 16384"]);
    assert!(damage[0].contains("the data has the CRC-32"), "{damage:?}");
    let mut disk = disk();
    disk[2 * BLOCK..3 * BLOCK].fill(0);
    assert!(fs::read(&copy).unwrap() == disk);
}

#[test]
fn a_compressed_image_inside_an_encrypted_one_is_read_with_its_passphrase() {
    let study = Study::new();
    let (path, disk) = (study.path("locked.dmg"), disk());
    let mut inside = udzo(&disk);
    // Encryption goes by blocks, and the container's header says how long the content is.
    let length = inside.len() as u64;
    assert!(!length.is_multiple_of(512), "else it would be taken for a compressed image itself");
    // So many zeros that the trailer is not found as one of a padded file.
    inside.resize(inside.len().next_multiple_of(512) + (64 << 10), 0);
    let raw = study.path("raw.img");
    fs::write(&raw, inside).unwrap();
    let encrypt = ["--encryption", "AES-128", "--new-passphrase-stdin"];
    study.convert_with(&raw, &path, "UDRW", &encrypt, "x").done();
    let mut bytes = fs::read(&path).unwrap();
    // Bytes 0x38 to 0x40 of the header are the length of the content.
    bytes[0x38..0x40].copy_from_slice(&length.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let copy = study.path("copy.img");
    study.convert_with(&path, &copy, "UDRW", &["--passphrase-stdin"], "x").done();
    assert!(fs::read(&copy).unwrap() == disk);
}

#[test]
fn a_compressed_image_whose_content_has_no_checksum_is_not_called_verified() {
    let study = Study::new();
    let path = study.path("x.dmg");
    for (summed, told) in [
        (true, "no damage found\n"),
        (false, "no damage found; but some of its content has no checksum"),
    ] {
        let mut bytes = Built { pack: zlib, summed, ..Built::of(&disk()) }.bytes();
        // The kind of the checksum of the packed data, which newer images of macOS do not have.
        let kind = bytes.len() - 512 + 80;
        bytes[kind..kind + 4].fill(0);
        fs::write(&path, &bytes).unwrap();
        let checked = study.image("check", &path, &[]);
        assert!(checked.done().stdout.starts_with(told), "{checked:?}");
    }
}

#[test]
fn a_compressed_image_that_lost_its_end_is_noted_as_perhaps_one() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let bytes = udzo(&disk());
    // A whole number of sectors: any such file is a raw disk.
    fs::write(&path, &bytes[..(bytes.len() - 512) / 512 * 512]).unwrap();
    let note = "it may be a compressed image (.dmg) that was cut short; if so, get it again";
    for ended in [
        study.image("check", &path, &[]),
        study.convert(&path, &study.path("y"), "UDRW", &["--salvage"]),
    ] {
        assert!(ended.done().stderr.contains(note), "{ended:?}");
    }
    assert!(study.image("info", &path, &[]).done().stdout.contains(note));
    // Blocks that are not packed show nothing.
    fs::write(&path, Random::of(2).bytes(10 * BLOCK)).unwrap();
    let checked = study.image("check", &path, &[]);
    let note = "a compressed image that was cut short looks the same";
    assert!(checked.done().stderr.contains(note), "{checked:?}");
}
