//! What is in an image, whatever its format: its checksum, its map, and whether it is that of another one.

#![expect(clippy::indexing_slicing, reason = "helpers of tests may stop")]

use crate::common::image::{MIB, disk, sha256};
use crate::common::{Ended, Study, shell};
use std::fs;
use std::path::Path;

/// A disk of 8 MiB, of which the third to the fifth are zeros.
fn holed() -> Vec<u8> {
    let mut disk = disk(8 * MIB);
    disk[2 * MIB..5 * MIB].fill(0);
    disk
}

#[test]
fn the_checksum_is_that_of_the_disk_in_every_format() {
    let study = Study::new();
    for image in study.images(&holed()) {
        let found = study.image("checksum", &image, &["--progress", "none"]);
        assert_eq!(found.done().stdout, format!("{}  {}\n", sha256(&holed()), image.display()));
    }
}

#[test]
fn images_of_one_disk_are_the_same_and_others_differ_where_they_do() {
    let (study, other) = (Study::new(), Study::new());
    let mut changed = holed();
    changed[6 * MIB + 5] ^= 1;
    let (these, others) = (study.images(&holed()), other.images(&changed));
    let longer = study.path("longer.img");
    fs::write(&longer, [holed(), vec![0; 512]].concat()).unwrap();
    for (this, other) in these.iter().zip(others.iter().rev()) {
        let compare = |other: &Path| {
            let other = other.to_str().unwrap();
            let ended = study.image("compare", this, &[other, "--progress", "none"]);
            (ended.code, ended.stdout)
        };
        assert_eq!(compare(&these[0]), (0, "the same 8388608 bytes\n".to_owned()));
        assert_eq!(compare(other), (6, "they differ, first at byte 6291461\n".to_owned()));
        let words = "they differ in length: 8388608 and 8389120 bytes\n";
        assert_eq!(compare(&longer), (6, words.to_owned()));
    }
}

#[test]
fn a_passphrase_opens_the_encrypted_one_of_two() {
    let study = Study::new();
    let (raw, locked) = (study.path("raw.img"), study.path("locked.dmg"));
    fs::write(&raw, holed()).unwrap();
    let shell = |script: &str| {
        let mut command = study.command(&[]);
        Ended::of(&shell(script, command.args([&raw, &locked])).output().unwrap())
    };
    let options = "--to UDRW --encryption AES-128 --new-passphrase-stdin --verify --progress none";
    shell(&format!("printf x | \"$0\" image convert \"$1\" \"$2\" {options}")).done();
    for pair in ["\"$1\" \"$2\"", "\"$2\" \"$1\""] {
        let compare = format!("\"$0\" image compare {pair} --progress none");
        assert_eq!(
            shell(&format!("printf x | {compare} --passphrase-stdin")).done().stdout,
            "the same 8388608 bytes\n"
        );
        assert!(shell(&compare).refused_with(2).contains("passphrase"));
        let wrong = shell(&format!("printf y | {compare} --passphrase-stdin"));
        assert!(wrong.refused_with(2).contains("passphrase"));
    }
}

#[test]
fn the_map_shows_which_ranges_an_image_holds() {
    let study = Study::new();
    for image in study.images(&holed()) {
        let table = study.image("map", &image, &[]).done().stdout.clone();
        let rows: Vec<Vec<u64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
            .collect();
        let held: u64 = rows.iter().map(|row| row[1]).sum();
        // A sparse bundle has bands of 8 MiB, and holds all of it.
        let expected = if image.ends_with("image-UDSB") { 8 } else { 5 } * MIB as u64;
        assert_eq!(held, expected, "{}: {table}", image.display());
        let json = study.image("map", &image, &["--json"]).done().stdout.clone();
        let entries: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let length: u64 = entries.iter().map(|entry| entry["length"].as_u64().unwrap()).sum();
        assert_eq!(length, 8 * MIB as u64);
        let held: u64 = entries
            .iter()
            .filter(|entry| entry["data"].as_bool().unwrap())
            .map(|entry| entry["length"].as_u64().unwrap())
            .sum();
        assert_eq!(held, expected, "{json}");
    }
}

#[test]
fn a_copy_to_standard_output_is_the_raw_disk() {
    let study = Study::new();
    for image in study.images(&holed()) {
        let mut command = study.command(&["image", "convert"]);
        let output = command.arg(&image).args(["-", "--to", "UDRW"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout == holed(), "{}", image.display());
    }
}

#[test]
fn standard_output_takes_a_raw_disk_only() {
    let study = Study::new();
    let raw = study.image_of(&holed(), "UDRW", &[], "");
    for (format, more, words) in [
        ("UDSP", &[][..], "takes a raw disk only"),
        ("UDRW", &["--encryption", "AES-128"], "takes a raw disk only"),
        ("UDRW", &["--verify"], "leave --verify and --salvage out"),
        ("UDRW", &["--salvage"], "leave --verify and --salvage out"),
    ] {
        let refused = study.convert(&raw, Path::new("-"), format, more);
        assert!(refused.refused_with(2).contains(words), "{format} {more:?}");
    }
}
