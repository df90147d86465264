//! Compressed images (UDIF) on the command line: told what they are, checked, converted, and never changed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use crate::common::{Ended, Study, udif};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Bytes of a block.
const BLOCK: usize = 4096;

/// A disk of 10 blocks with a block of zeros, and a partition map: a boot record of one entry of type AF (HFS+).
fn disk() -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..10 * BLOCK).map(|n| (n * 7 + n / 255).to_le_bytes()[0] | 1).collect();
    bytes[446..510].fill(0);
    bytes[450] = 0xaf;
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[3 * BLOCK..4 * BLOCK].fill(0);
    bytes
}

/// A UDZO of this disk, in one partition.
fn udzo(disk: &[u8]) -> Vec<u8> {
    udif::image(&disk.chunks(BLOCK).map(udif::stored).collect::<Vec<_>>())
}

fn call(study: &Study, words: &[&str], path: &Path) -> Ended {
    let mut arguments = vec!["image", words[0], path.to_str().unwrap()];
    arguments.extend(&words[1..]);
    study.call(&arguments)
}

#[test]
fn a_compressed_image_is_told_checked_and_converted_to_every_format() {
    let study = Study::new();
    let (path, disk) = (study.path("x.dmg"), disk());
    fs::write(&path, udzo(&disk)).unwrap();
    let info = call(&study, &["info"], &path).done().stdout.clone();
    assert!(info.contains("format      UDZO") && info.contains("40960 bytes"), "{info}");
    let json = call(&study, &["info", "--json"], &path).done().stdout.clone();
    assert!(json.contains("\"format\": \"UDZO\""), "{json}");
    assert_eq!(call(&study, &["check"], &path).done().stdout, "no damage found\n");
    for format in ["UDRW", "UDSP", "UDSB", "ASIF"] {
        let (copy, back) =
            (study.path(&format!("copy-{format}")), study.path(&format!("{format}.img")));
        let to = copy.to_str().unwrap();
        call(&study, &["convert", to, "--to", format, "--progress", "none"], &path).done();
        let to = back.to_str().unwrap();
        call(&study, &["convert", to, "--to", "UDRW", "--progress", "none"], &copy).done();
        assert!(fs::read(&back).unwrap() == disk, "{format}");
    }
}

#[test]
fn a_compressed_image_is_never_changed() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let bytes = udzo(&disk());
    fs::write(&path, &bytes).unwrap();
    for command in [&["compact"][..], &["resize", "--size", "1GB"]] {
        let refused = call(&study, command, &path);
        let line = refused.refused_with(2);
        assert!(
            line.contains("a UDZO image is only read: convert it to another format first"),
            "{line}"
        );
    }
    let refused =
        call(&study, &["convert", study.path("y").to_str().unwrap(), "--to", "UDZO"], &path);
    assert!(refused.refused_with(2).contains("UDZO"), "no image of it is made");
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn a_compressed_image_with_a_changed_byte_is_damaged_and_no_copy_of_it_is_left() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let mut bytes = udzo(&disk());
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let checked = call(&study, &["check"], &path);
    assert_eq!(checked.code, 6, "{checked:?}");
    assert!(checked.stdout.contains("cannot be unpacked"), "{checked:?}");
    let copy = study.path("copy.img");
    let to = copy.to_str().unwrap();
    let refused = call(&study, &["convert", to, "--to", "UDRW", "--progress", "none"], &path);
    let line = refused.refused_with(6);
    assert!(line.contains("the data has the CRC-32"), "{line}");
    assert!(!copy.exists());
}

#[test]
fn content_that_its_checksums_contradict_is_refused_by_every_command_that_reads_all_of_it() {
    let study = Study::new();
    let (path, good) = (study.path("x.dmg"), study.path("good.dmg"));
    let plain = |bytes: &[u8]| (udif::PLAIN, bytes.to_vec(), bytes.to_vec());
    let mut bytes = udif::image(&disk().chunks(BLOCK).map(plain).collect::<Vec<_>>());
    fs::write(&good, &bytes).unwrap();
    bytes[2 * BLOCK + 50] ^= 1;
    fs::write(&path, bytes).unwrap();
    let copy = study.path("copy.img");
    let to = copy.to_str().unwrap();
    let raw = ["--to", "UDRW", "--progress", "none"];
    for words in [
        &["convert", to, "--to", "UDRW", "--verify"][..],
        &["convert", "-", "--to", "UDRW"],
        &["checksum"],
        &["compare", good.to_str().unwrap()],
    ] {
        let refused = call(&study, &[words, &["--progress", "none"]].concat(), &path);
        let line = refused.refused_with(6);
        assert!(line.contains("the data has the CRC-32"), "{words:?}: {line}");
        assert_eq!(refused.stdout, "", "{words:?}");
    }
    assert!(!copy.exists());
    let salvaged = call(&study, &[&["convert", to, "--salvage"][..], &raw].concat(), &path);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    assert!(salvaged.stdout.starts_with("damage: the data has the CRC-32"), "{salvaged:?}");
    assert!(fs::read(&copy).unwrap().len() == disk().len());
}

#[test]
fn of_a_damaged_compressed_image_all_other_blocks_are_salvaged() {
    let study = Study::new();
    let (path, copy) = (study.path("x.dmg"), study.path("copy.img"));
    let mut bytes = udzo(&disk());
    // Within the third block: each is stored in 4096 bytes and 11 more.
    bytes[2 * 4107 + 50] ^= 1;
    fs::write(&path, bytes).unwrap();
    let to = copy.to_str().unwrap();
    let words = ["convert", to, "--to", "UDRW", "--salvage", "--progress", "none"];
    let salvaged = call(&study, &words, &path);
    assert_eq!(salvaged.code, 6, "{}", salvaged.stderr);
    let (damage, lost): (Vec<&str>, Vec<&str>) =
        salvaged.stdout.lines().partition(|line| line.starts_with("damage: "));
    assert_eq!(lost, ["lost: 4096 bytes at 8192"]);
    assert!(damage[0].contains("the data has the CRC-32"), "{damage:?}");
    let mut disk = disk();
    disk[8192..12288].fill(0);
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
    inside.resize(inside.len().next_multiple_of(512), 0);
    let raw = study.path("raw.img");
    fs::write(&raw, inside).unwrap();
    let script = |words: &str, paths: [&Path; 2]| {
        let program = study.command(&[]).get_program().to_owned();
        let made = Command::new("sh")
            .args(["-c", &format!("printf x | \"$0\" image {words} --progress none")])
            .arg(program)
            .args(paths)
            .output()
            .unwrap();
        Ended::of(&made).done();
    };
    let encrypt = "convert \"$1\" \"$2\" --to UDRW --encryption AES-128 --new-passphrase-stdin";
    script(encrypt, [&raw, &path]);
    let mut bytes = fs::read(&path).unwrap();
    // Bytes 0x38 to 0x40 of the header are the length of the content.
    bytes[0x38..0x40].copy_from_slice(&length.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let copy = study.path("copy.img");
    script("convert \"$1\" \"$2\" --to UDRW --passphrase-stdin", [&path, &copy]);
    assert!(fs::read(&copy).unwrap() == disk);
}

#[test]
fn a_compressed_image_that_lost_its_end_is_noted_as_perhaps_one() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let bytes = udzo(&disk());
    // A whole number of sectors: any such file is a raw disk.
    fs::write(&path, &bytes[..(bytes.len() - 512) / 512 * 512]).unwrap();
    let copy = study.path("y");
    let salvage = ["convert", copy.to_str().unwrap(), "--to", "UDRW", "--salvage"];
    for command in [&["check"][..], &[&salvage[..], &["--progress", "none"]].concat()] {
        let ended = call(&study, command, &path);
        let note = "a compressed image that was cut short looks the same";
        assert!(ended.done().stderr.contains(note), "{ended:?}");
    }
}
