//! What is in an image, whatever its format: its checksum, its map, and whether it is that of another one.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use crate::common::{Ended, Study, shell};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: usize = 1 << 20;

/// Bytes of 8 MiB, of which the third to the fifth are zeros.
fn disk() -> Vec<u8> {
    let mut disk: Vec<u8> = (0..8 * MIB).map(|n| (n * 7 + n / 255).to_le_bytes()[0] | 1).collect();
    disk[2 * MIB..5 * MIB].fill(0);
    disk
}

/// An image of each format with this disk; the raw one first.
fn images(study: &Study, disk: &[u8], name: &str) -> Vec<PathBuf> {
    let raw = study.path(&format!("{name}.img"));
    fs::write(&raw, disk).unwrap();
    let others = ["UDSP", "UDSB", "ASIF"].map(|format| {
        let image = study.path(&format!("{name}-{format}"));
        convert(study, &raw, &[image.to_str().unwrap(), "--to", format]).done();
        image
    });
    [vec![raw], others.to_vec()].concat()
}

fn convert(study: &Study, from: &Path, more: &[&str]) -> Ended {
    let mut words = vec!["image", "convert", from.to_str().unwrap()];
    words.extend(more);
    words.extend(["--progress", "none"]);
    study.call(&words)
}

#[test]
fn the_checksum_is_that_of_the_raw_image_in_every_format() {
    let study = Study::new();
    let images = images(&study, &disk(), "x");
    let known = Command::new("sha256sum").arg(&images[0]).output();
    let expected = match known {
        Ok(output) => String::from_utf8(output.stdout).unwrap()[..64].to_owned(),
        // a Mac has it under another name
        Err(_) => {
            let output = Command::new("shasum").args(["-a", "256"]).arg(&images[0]).output();
            String::from_utf8(output.unwrap().stdout).unwrap()[..64].to_owned()
        }
    };
    for image in &images {
        let path = image.to_str().unwrap();
        let found = study.call(&["image", "checksum", path, "--progress", "none"]);
        assert_eq!(found.done().stdout, format!("{expected}  {path}\n"));
    }
}

#[test]
fn images_of_one_disk_are_the_same_and_others_differ_where_they_do() {
    let study = Study::new();
    let mut changed = disk();
    changed[6 * MIB + 5] ^= 1;
    let (these, others) = (images(&study, &disk(), "x"), images(&study, &changed, "y"));
    let longer = study.path("longer.img");
    fs::write(&longer, [disk(), vec![0; 512]].concat()).unwrap();
    for (this, other) in these.iter().zip(others.iter().rev()) {
        let compare = |other: &PathBuf| {
            let (this, other) = (this.to_str().unwrap(), other.to_str().unwrap());
            let ended = study.call(&["image", "compare", this, other, "--progress", "none"]);
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
    fs::write(&raw, disk()).unwrap();
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
    for image in images(&study, &disk(), "x") {
        let path = image.to_str().unwrap();
        // a sparse bundle has bands of 8 MiB, and holds all of it
        if path.ends_with("UDSB") {
            continue;
        }
        let table = study.call(&["image", "map", path]).done().stdout.clone();
        let rows: Vec<Vec<u64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
            .collect();
        let held: u64 = rows.iter().map(|row| row[1]).sum();
        // the raw one has no hole: it was written whole
        let expected = if path.ends_with(".img") { 8 } else { 5 } * MIB as u64;
        assert_eq!(held, expected, "{path}: {table}");
        let json = study.call(&["image", "map", path, "--json"]).done().stdout.clone();
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
    for image in images(&study, &disk(), "x") {
        let mut command = study.command(&["image", "convert"]);
        let output = command.arg(&image).args(["-", "--to", "UDRW"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout == disk(), "{}", image.display());
    }
}

#[test]
fn standard_output_takes_a_raw_disk_only() {
    let study = Study::new();
    let raw = &images(&study, &disk(), "x")[0];
    for (more, words) in [
        (&["-", "--to", "UDSP"][..], "takes a raw disk only"),
        (&["-", "--to", "UDRW", "--encryption", "AES-128"], "takes a raw disk only"),
        (&["-", "--to", "UDRW", "--verify"], "leave --verify and --salvage out"),
        (&["-", "--to", "UDRW", "--salvage"], "leave --verify and --salvage out"),
    ] {
        assert!(convert(&study, raw, more).refused_with(2).contains(words), "{more:?}");
    }
}

#[test]
fn a_verified_copy_is_made_of_every_format() {
    let study = Study::new();
    let raw = &images(&study, &disk(), "x")[0];
    for format in ["UDRW", "UDSP", "UDSB", "ASIF"] {
        let copy = study.path(&format!("verified-{format}"));
        convert(&study, raw, &[copy.to_str().unwrap(), "--to", format, "--verify"]).done();
        let (one, other) = (raw.to_str().unwrap(), copy.to_str().unwrap());
        study.call(&["image", "compare", one, other, "--progress", "none"]).done();
    }
}
