//! What is refused, in one line, before anything is made or changed.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{
    BUNDLE, ENCRYPTED_RAW, LENGTH, PASSPHRASE, RAW, copy, encrypted, made, payload, plain,
    snapshot, told,
};
use crate::common::{Ended, Study, shell};

#[test]
fn a_passphrase_that_is_missing_or_wrong_is_refused_and_never_shown() {
    let stdin = "--passphrase-stdin";
    for kind in encrypted() {
        let study = Study::new();
        let path = made(&study, kind);
        let before = snapshot(&path);
        // What everybody may know.
        let info = told(&study.image("info", &path, &["--json"]));
        assert_eq!(info["encryption"]["cipher"].as_str(), kind.2, "{info}");
        assert_eq!(info["encryption"]["iterations"], 500_000, "{info}");
        assert_eq!(info["encryption"]["key_wrap"], "AES-192", "{info}");
        let text = study.image("info", &path, &[]);
        if kind.0 == "UDSB" {
            // A bundle says it in the clear, and its only band is a file.
            assert_eq!(info["disk_bytes"], LENGTH, "{info}");
            assert_eq!((&info["bands"], &info["band_bytes"]), (&json!(1), &json!(8 << 20)));
            assert!(text.done().stdout.contains("1 in use, 8388608 bytes each"), "{text:?}");
        } else {
            assert_eq!(info["disk_bytes"], Value::Null);
            assert!(text.done().stdout.contains("unknown without"), "{text:?}");
        }
        let options = "give its passphrase (--passphrase-stdin or --passphrase-fd)";
        for (more, input, expected) in [
            (&[][..], "", options),
            (&[stdin], "\n", "the passphrase is empty"),
            (&[stdin], "a wrong passphrase\n", "does not open"),
        ] {
            for ended in &study.every_verb(&path, more, input)[1..] {
                assert!(ended.refused_with(2).contains(expected), "{ended:?}");
                let output = format!("{}{}", ended.stdout, ended.stderr);
                assert!(!output.contains("a wrong passphrase"), "{output}");
            }
        }
        let right = study.image_with("info", &path, &[stdin], PASSPHRASE);
        assert!(!format!("{:?}", right.done()).contains(PASSPHRASE));
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
        assert!(snapshot(&path) == before);
    }
}

#[test]
fn a_limit_on_open_files_is_called_that() {
    let study = Study::new();
    let raw = study.path("raw.img");
    fs::write(&raw, payload()).unwrap();
    let copy = study.work().join("copy.sparsebundle");
    let mut convert = study.command(&["image", "convert", "--to", "UDSB", "--band", "1MiB"]);
    convert.args(["--progress", "none"]).args([&raw, &copy]);
    let limited = "ulimit -n 8 && exec \"$0\" \"$@\"";
    let ended = Ended::of(&shell(limited, &convert).output().unwrap());
    let line = ended.refused_with(1);
    assert!(line.contains("ulimit -n") && !line.contains("writable"), "{line}");
    assert!(study.left().is_empty(), "{:?}", study.left());
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_made() {
    let study = Study::new();
    let raw = study.path("raw.img");
    fs::write(&raw, [1; 1024]).unwrap();
    let raw = raw.to_str().unwrap();
    let new = study.work().join("new.dmg");
    let new = new.to_str().unwrap();
    let fifo = study.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let fifo = fifo.to_str().unwrap();
    let folder = study.path("tmp");
    let folder = folder.to_str().unwrap();
    let through = format!("{raw}/x.dmg");
    let through = through.as_str();
    let nowhere = study.work().join("missing/new.dmg");
    let nowhere = nowhere.to_str().unwrap();
    let create = ["image", "create", "--format", "UDRW"];
    let asif = ["image", "create", "--format", "ASIF"];
    let convert = ["image", "convert", raw, new, "--to", "UDRW"];
    for (common, more, code, expected) in [
        (&create[..], &["--size", "1000", new][..], 2, "give a multiple of 512"),
        (&create, &["--size", "0", new], 2, "give a multiple of 512"),
        (&create, &["--size", "18446744073709551104", new], 2, "at most 9223372036854775296"),
        (&create, &["--size", "1MB", "--band", "1MiB", new], 2, "--band is for UDSP and UDSB"),
        (&create, &["--size", "1MB", "--block", "4096", new], 2, "--block is for ASIF: leave it"),
        (&asif, &["--size", "1MiB", "--block", "1024", new], 2, "give 512 or 4096, or leave"),
        (&asif, &["--size", "1GB", "--block", "4096", new], 2, "give a multiple of 4096"),
        (
            &["image", "convert", raw, new, "--to", "ASIF"],
            &["--block", "4096"],
            2,
            "leave --block out",
        ),
        (
            &["image", "convert", raw, "-", "--to", "UDRW"],
            &["--block", "4096"],
            2,
            "a raw disk only",
        ),
        (&create, &["--size", "1MB", "--encryption", "AES-128", new], 2, "needs a passphrase"),
        (&create, &["--size", "1MB", "--passphrase-stdin", new], 2, "add --encryption"),
        (&create, &["--size", "1MB", nowhere], 4, "cannot write"),
        (&create, &["--size", "1MB", raw], 4, "already exists"),
        (&convert, &["--encryption", "AES-256"], 2, "--new-passphrase-stdin"),
        (&convert, &["--new-passphrase-stdin"], 2, "add --encryption"),
        (&["image", "convert", raw, raw, "--to", "ASIF"], &[], 4, "already exists"),
        (&["image", "info"], &[nowhere], 2, "check the path"),
        (&["image", "info"], &[fifo], 2, "neither a file nor a folder"),
        (&["image", "info"], &[folder], 2, "not a sparse bundle"),
        (&["image", "check"], &[through], 2, "check the path"),
    ] {
        let ended = study.call(&[common, more].concat());
        assert!(ended.refused_with(code).contains(expected), "{ended:?}");
        assert!(study.left().is_empty(), "{:?}", study.left());
    }
    assert_eq!(fs::read(raw).unwrap(), [1; 1024]);
}

#[test]
fn nothing_is_made_inside_of_the_source() {
    let study = Study::new();
    let bundle = made(&study, BUNDLE);
    let before = snapshot(&bundle);
    let inside = bundle.join("bands").join("x.dmg");
    let ended = copy(&study, (&bundle, BUNDLE), (&inside, RAW));
    assert!(ended.refused_with(2).contains("choose a path outside it"), "{ended:?}");
    assert!(snapshot(&bundle) == before);
}

#[test]
fn a_passphrase_for_what_shows_no_encryption_is_refused_and_nothing_is_copied() {
    let refuses = |study: &Study, path: &Path| {
        let input = format!("{PASSPHRASE}\n");
        for ended in study.every_verb(path, &["--passphrase-stdin"], &input) {
            let line = ended.refused_with(2);
            assert!(line.contains("does not seem to be encrypted"), "{line}");
        }
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
    };
    for kind in plain() {
        let study = Study::new();
        let path = made(&study, kind);
        refuses(&study, &path);
    }
    // Its header is gone: what is left would pass for a raw disk.
    let study = Study::new();
    let path = made(&study, ENCRYPTED_RAW);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    refuses(&study, &path);
}

#[test]
fn a_raw_image_is_not_made_under_the_name_of_a_format_with_a_mark() {
    let study = Study::new();
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    for name in ["copy.sparseimage", "copy.asif"] {
        let path = study.work().join(name);
        let (raw, path) = (raw.to_str().unwrap(), path.to_str().unwrap());
        for words in [
            ["image", "create", path, "--format", "UDRW", "--size", "1m"],
            ["image", "convert", raw, path, "--to", "UDRW", "--verify"],
        ] {
            let refused = study.call(&words);
            assert!(refused.refused_with(2).contains("name it .dmg or .img"), "{refused:?}");
        }
    }
    assert!(study.left().is_empty(), "{:?}", study.left());
}

#[test]
fn a_full_disk_behind_standard_output_is_no_fault_of_ours() {
    let study = Study::new();
    let raw = study.path("payload.img");
    // A short one is written as a whole when the program ends.
    for disk in [payload(), vec![7; 512]] {
        fs::write(&raw, disk).unwrap();
        let mut convert =
            study.command(&["image", "convert", "--to", "UDRW", "--progress", "none"]);
        convert.arg(&raw).arg("-");
        let full = "exec \"$0\" \"$@\" >/dev/full";
        let ended = Ended::of(&shell(full, &convert).output().unwrap());
        assert!(ended.refused_with(3).contains("free some space"), "{ended:?}");
    }
}
