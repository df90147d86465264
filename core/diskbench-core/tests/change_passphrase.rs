//! `diskbench image change-passphrase`: the new passphrase opens an image of any format, the old one does not, and what is
//! refused changes nothing.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop")]

mod common;

use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{Ended, Study};

const FORMATS: [&str; 4] = ["UDRW", "UDSP", "UDSB", "ASIF"];

/// The program with this on its standard input.
fn call(study: &Study, arguments: &[&str], input: &str) -> Ended {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    file.rewind().unwrap();
    Ended::of(&study.command(arguments).stdin(Stdio::from(file)).output().unwrap())
}

/// An image of 4 MiB that `old` opens, if it is encrypted.
fn made(study: &Study, format: &str, encrypted: bool) -> PathBuf {
    let raw = study.path("disk.img");
    let bytes: Vec<u8> = (0..4_u32 << 20).map(|n| (n * 7 + n / 255).to_le_bytes()[0]).collect();
    fs::write(&raw, bytes).unwrap();
    let path = study.path(&format!("{format}-{encrypted}"));
    let mut words = vec!["image", "convert", raw.to_str().unwrap(), path.to_str().unwrap()];
    words.extend(["--to", format, "--progress", "none"]);
    if encrypted {
        words.extend(["--encryption", "AES-256", "--new-passphrase-stdin"]);
    }
    call(study, &words, "old\n").done();
    path
}

fn change(study: &Study, path: &Path, input: &str) -> Ended {
    let words = ["image", "change-passphrase", path.to_str().unwrap()];
    call(study, &[&words[..], &["--passphrase-stdin", "--new-passphrase-stdin"]].concat(), input)
}

/// The checksum of its disk, if this passphrase opens it.
fn sum(study: &Study, path: &Path, passphrase: &str) -> Option<String> {
    let words = ["image", "checksum", path.to_str().unwrap(), "--passphrase-stdin"];
    let ended = call(study, &words, &format!("{passphrase}\n"));
    (ended.code == 0).then(|| ended.stdout.split(' ').next().unwrap().to_owned())
}

#[test]
fn the_new_passphrase_opens_every_format_and_the_old_one_none() {
    let study = Study::new();
    for format in FORMATS {
        let path = made(&study, format, true);
        let before = sum(&study, &path, "old").unwrap();
        assert_eq!(change(&study, &path, "old\nnew\n").done().stdout, "passphrase changed\n");
        assert_eq!(sum(&study, &path, "new"), Some(before), "{format}");
        assert_eq!(sum(&study, &path, "old"), None, "{format}");
    }
}

#[test]
fn what_cannot_be_changed_is_refused_with_code_2_and_stays_as_it_was() {
    let study = Study::new();
    for format in FORMATS {
        let path = made(&study, format, true);
        for (input, words) in
            [("other\nnew\n", "does not open this image"), ("old\n", "empty"), ("old\n\n", "empty")]
        {
            let refused = change(&study, &path, input);
            assert_eq!(refused.code, 2, "{}", refused.stderr);
            assert!(refused.stderr.contains(words), "{input:?}: {}", refused.stderr);
        }
        let name = path.to_str().unwrap();
        let refused =
            call(&study, &["image", "change-passphrase", name, "--passphrase-stdin"], "old\n");
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("the new passphrase is missing"), "{}", refused.stderr);
        assert!(sum(&study, &path, "old").is_some(), "{format}");
    }
    for format in FORMATS {
        let plain = made(&study, format, false);
        let refused = change(&study, &plain, "old\nnew\n");
        assert_eq!(refused.code, 2, "{format}: {}", refused.stderr);
        assert!(refused.stderr.contains("it is not encrypted"), "{}", refused.stderr);
    }
}
