//! `diskbench image`: every format, plain and encrypted, made, looked at, checked, copied, resized and compacted; and what is
//! refused leaves everything as it was.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diskimage::error;
use diskimage::open;
use diskimage::store::Access;
use serde_json::{Value, json};

use crate::common::gate::Gate;
use crate::common::{Ended, PATIENCE, Study, ended, names, signal};

/// A kind of image: format, usual extension, cipher.
type Kind = (&'static str, &'static str, Option<&'static str>);

const KINDS: [Kind; 8] = [
    ("UDRW", "dmg", None),
    ("UDSP", "sparseimage", None),
    ("UDSB", "sparsebundle", None),
    ("ASIF", "asif", None),
    ("UDRW", "dmg", Some("AES-256")),
    ("UDSP", "sparseimage", Some("AES-128")),
    ("UDSB", "sparsebundle", Some("AES-256")),
    ("ASIF", "asif", Some("AES-128")),
];

const PASSPHRASE: &str = "correct horse ü battery";

/// 10,007 sectors: no whole number of bands, chunks or pages.
const LENGTH: usize = 10_007 * 512;

/// A disk: bytes without a short period, with a long stretch of zeros, short ones, and zeros at the end.
fn payload() -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..LENGTH).map(|n| (n % 251).to_le_bytes()[0] ^ (n >> 9).to_le_bytes()[0]).collect();
    for zeros in [1_500_000..4_300_000, 20_000..24_608, 512..1024, LENGTH - 700..LENGTH] {
        bytes[zeros].fill(0);
    }
    // A boot record without partitions, so that it is a disk, also when it is cut short.
    bytes[446..510].fill(0);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes
}

/// A place for an image of this kind, and its name.
fn place(study: &Study, stem: &str, kind: Kind) -> PathBuf {
    study.work().join(format!("{stem}.{}", kind.1))
}

/// Copies by the program; the passphrases are whatever the two kinds need.
fn copy(study: &Study, (from, is): (&Path, Kind), (to, will_be): (&Path, Kind)) -> Ended {
    let mut arguments = vec!["image", "convert", from.to_str().unwrap(), to.to_str().unwrap()];
    arguments.extend(["--to", will_be.0, "--progress", "none"]);
    let mut input = String::new();
    if is.2.is_some() {
        arguments.push("--passphrase-stdin");
        input.push_str(&format!("{PASSPHRASE}\n"));
    }
    if let Some(cipher) = will_be.2 {
        arguments.extend(["--encryption", cipher, "--new-passphrase-stdin"]);
        input.push_str(&format!("{PASSPHRASE}\n"));
    }
    study.call_with(&arguments, &input)
}

/// Writes the payload and copies it into an image of this kind.
fn made(study: &Study, kind: Kind) -> PathBuf {
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = place(study, "made", kind);
    copy(study, (&raw, KINDS[0]), (&path, kind)).done();
    path
}

/// Every file of an image with its content.
fn snapshot(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if path.is_file() {
        return vec![(path.to_owned(), fs::read(path).unwrap())];
    }
    let mut found: Vec<_> =
        fs::read_dir(path).unwrap().flat_map(|entry| snapshot(&entry.unwrap().path())).collect();
    found.sort();
    found
}

fn told(ended: &Ended) -> Value {
    serde_json::from_str(&ended.done().stdout).unwrap()
}

#[test]
fn an_image_of_every_kind_can_be_made_told_checked_resized_and_compacted() {
    for kind in KINDS {
        let study = Study::new();
        let path = place(&study, "new", kind);
        let path = path.to_str().unwrap();
        let mut create = vec!["image", "create", "--format", kind.0, "--size", "50MB", path];
        if let Some(cipher) = kind.2 {
            create.extend(["--encryption", cipher, "--passphrase-stdin"]);
        }
        let line = format!("{PASSPHRASE}\n");
        let made = study.call_with(&create, &line);
        // 50 MB are no whole number of sectors.
        assert_eq!(made.done().stdout, format!("{path}: {}, 50000384 bytes\n", kind.0));
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
        let with = |what: &str, more: &[&str]| {
            let mut arguments = vec!["image", what, path];
            if kind.2.is_some() {
                arguments.push("--passphrase-stdin");
            }
            arguments.extend(more);
            study.call_with(&arguments, &line)
        };
        let info = told(&with("info", &["--json"]));
        assert_eq!(info["format"], kind.0);
        assert_eq!(info["disk_bytes"], 50_000_384_u64, "{info}");
        assert_eq!(info["encryption"]["cipher"].as_str(), kind.2, "{info}");
        assert!(info["allocated_bytes"].as_u64().unwrap() < 5_000_000, "{info}");
        let own_layout = info["notes"].to_string().contains("this one is diskbench's own");
        assert_eq!(own_layout, kind.0 == "ASIF" && kind.2.is_some(), "{info}");
        if kind.0 != "UDRW" {
            assert_eq!(info["bands"], 0, "{info}");
        }
        assert!(with("info", &[]).done().stdout.contains(kind.0));
        assert!(with("check", &[]).done().stdout.starts_with("no damage found"));
        assert!(with("compact", &[]).done().stdout.starts_with("allocated: "));
        let resized = with("resize", &["--size", "60000256"]);
        assert_eq!(resized.done().stdout, "length: 50000384 -> 60000256 bytes\n");
        assert_eq!(told(&with("info", &["--json"]))["disk_bytes"], 60_000_256_u64);
        assert!(with("check", &[]).done().stdout.starts_with("no damage found"));
    }
}

#[test]
fn a_disk_comes_back_from_every_kind_as_it_went_and_the_source_stays_as_it_was() {
    let expected = payload();
    for kind in KINDS {
        let study = Study::new();
        let path = made(&study, kind);
        let before = snapshot(&path);
        let back = place(&study, "back", KINDS[0]);
        copy(&study, (&path, kind), (&back, KINDS[0])).done();
        assert!(fs::read(&back).unwrap() == expected, "{kind:?}");
        assert!(snapshot(&path) == before, "{kind:?}: the source was changed");
        assert_eq!(study.left().len(), 2, "{:?}", study.left());
    }
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
}

#[test]
fn a_plain_copy_takes_no_space_for_zeros_and_an_encrypted_raw_one_does() {
    let study = Study::new();
    let raw = study.path("empty.img");
    fs::File::create(&raw).unwrap().set_len(LENGTH as u64).unwrap();
    for (kind, sparse) in [(KINDS[0], true), (KINDS[4], false)] {
        let path = place(&study, if sparse { "plain" } else { "encrypted" }, kind);
        copy(&study, (&raw, KINDS[0]), (&path, kind)).done();
        let info = study.call(&["image", "info", "--json", path.to_str().unwrap()]);
        let allocated = told(&info)["allocated_bytes"].as_u64().unwrap();
        assert_eq!(allocated < LENGTH as u64 / 2, sparse, "{kind:?} takes {allocated}");
    }
}

#[test]
fn a_passphrase_that_is_missing_or_wrong_is_refused_and_never_shown() {
    let stdin = "--passphrase-stdin";
    for kind in KINDS.into_iter().filter(|kind| kind.2.is_some()) {
        let study = Study::new();
        let path = made(&study, kind);
        let before = snapshot(&path);
        let (path, other) = (path.to_str().unwrap(), study.work().join("other.img"));
        let other = other.to_str().unwrap();
        // What everybody may know.
        let info = told(&study.call(&["image", "info", "--json", path]));
        assert_eq!(info["encryption"]["cipher"].as_str(), kind.2, "{info}");
        assert!(info["encryption"]["iterations"].as_u64().unwrap() > 1000, "{info}");
        assert_eq!(info["encryption"]["key_wrap"], "AES-192", "{info}");
        let text = study.call(&["image", "info", path]);
        if kind.0 == "UDSB" {
            // A bundle says it in the clear, and its only band is a file.
            assert_eq!(info["disk_bytes"], LENGTH, "{info}");
            assert_eq!((&info["bands"], &info["band_bytes"]), (&json!(1), &json!(8 << 20)));
            assert!(text.done().stdout.contains("1 in use, 8388608 bytes each"), "{text:?}");
        } else {
            assert_eq!(info["disk_bytes"], Value::Null);
            assert!(text.done().stdout.contains("unknown without"), "{text:?}");
        }
        let convert = ["image", "convert", path, other, "--to", "UDRW", "--progress", "none"];
        for arguments in [&["image", "check", path][..], &["image", "compact", path], &convert] {
            let missing = study.call_with(arguments, "");
            let options = "give its passphrase (--passphrase-stdin or --passphrase-fd)";
            assert!(missing.refused_with(2).contains(options), "{missing:?}");
            let mut with_stdin = arguments.to_vec();
            with_stdin.push(stdin);
            let empty = study.call_with(&with_stdin, "\n");
            assert!(empty.refused_with(2).contains("the passphrase is empty"), "{empty:?}");
            let wrong = study.call_with(&with_stdin, "a wrong passphrase\n");
            assert!(wrong.refused_with(2).contains("does not open"), "{wrong:?}");
            for ended in [missing, empty, wrong] {
                let output = format!("{}{}", ended.stdout, ended.stderr);
                assert!(!output.contains("a wrong passphrase"), "{output}");
            }
        }
        let right = study.call_with(&["image", "info", path, stdin], PASSPHRASE);
        assert!(!format!("{:?}", right.done()).contains(PASSPHRASE));
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
        assert!(snapshot(Path::new(path)) == before);
    }
}

#[test]
fn what_lies_beside_the_bands_of_a_bundle_is_named_and_not_called_damage() {
    let study = Study::new();
    let path = made(&study, KINDS[2]);
    fs::rename(path.join("bands/0"), path.join("bands/00000000")).unwrap();
    for number in 0..7 {
        fs::write(path.join(format!("bands/._{number}")), "x").unwrap();
    }
    let told = study.call(&["image", "check", path.to_str().unwrap()]);
    assert!(told.done().stdout.starts_with("no damage found"), "{told:?}");
    assert!(told.stderr.contains("in bands: ._0, ._1, ._2, ._3, ._4 and 2 more"), "{told:?}");
    let back = place(&study, "back", KINDS[0]);
    copy(&study, (&path, KINDS[2]), (&back, KINDS[0])).done();
    assert!(fs::read(&back).unwrap() == payload());
    fs::remove_file(&back).unwrap();
    // What may be a part of the disk stops a copy.
    fs::write(path.join("bands/0 2"), "x").unwrap();
    let refused = copy(&study, (&path, KINDS[2]), (&back, KINDS[0]));
    assert!(refused.refused_with(6).contains("may be a renamed one"), "{refused:?}");
    assert!(!back.exists());
}

#[test]
fn control_characters_of_a_name_are_not_printed() {
    let study = Study::new();
    let path = study.work().join("a\u{1b}[31m\nb.dmg");
    let made = study.call(&[
        "image",
        "create",
        "--format",
        "UDRW",
        "--size",
        "1m",
        path.to_str().unwrap(),
    ]);
    assert_eq!(made.done().stdout.matches(char::is_control).collect::<String>(), "\n", "{made:?}");
    assert!(path.exists());
}

#[test]
fn a_limit_on_open_files_is_called_that() {
    let study = Study::new();
    let raw = study.path("raw.img");
    fs::write(&raw, payload()).unwrap();
    let copy = study.work().join("copy.sparsebundle");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 8 && exec \"$0\" \"$@\""]);
    limited.arg(study.command(&[]).get_program()).args(["image", "convert"]);
    limited.args([&raw, &copy]).args(["--to", "UDSB", "--band", "4096", "--progress", "none"]);
    let ended = Ended::of(&limited.output().unwrap());
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
        (&asif, &["--size", "1MiB", "--block", "512", new], 2, "give 4096, or leave it out"),
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
    let bundle = made(&study, KINDS[2]);
    let before = snapshot(&bundle);
    let inside = bundle.join("bands").join("x.dmg");
    let ended = copy(&study, (&bundle, KINDS[2]), (&inside, KINDS[0]));
    assert!(ended.refused_with(2).contains("choose a path outside it"), "{ended:?}");
    assert!(snapshot(&bundle) == before);
}

/// As macOS 27 can stack them: what the layer lacks stands in its parent, and is not zeros.
#[test]
fn a_layer_over_another_image_is_refused_by_every_verb_and_left_as_it_is() {
    let study = Study::new();
    let layer = made(&study, KINDS[3]);
    let mut bytes = fs::read(&layer).unwrap();
    let key = b"\t<key>user metadata";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap();
    let parent = b"\t<key>parentUUID</key><string>2B5C7A3B-1915-43C2-944D-46C6C304B3B7</string>\n";
    // Behind the list its sector has zeros.
    bytes[at..at + 200].rotate_right(parent.len());
    bytes[at..at + parent.len()].copy_from_slice(parent);
    fs::write(&layer, &bytes).unwrap();
    let (path, copied) = (layer.to_str().unwrap(), place(&study, "copy", KINDS[0]));
    for arguments in [
        &["image", "info", path][..],
        &["image", "check", path],
        &["image", "compact", path],
        &["image", "convert", path, copied.to_str().unwrap(), "--to", "UDRW", "--progress", "none"],
    ] {
        let ended = study.call(arguments);
        let line = ended.refused_with(2);
        assert!(line.contains("parentUUID"), "{arguments:?}: {line}");
    }
    assert!(!copied.exists() && fs::read(&layer).unwrap() == bytes);
}

#[test]
fn a_name_that_macos_does_not_expect_is_taken_with_a_note() {
    let study = Study::new();
    let path = study.work().join("x.dmg");
    let path = path.to_str().unwrap();
    let made = study.call(&["image", "create", "--format", "ASIF", "--size", "1MiB", path]);
    assert!(made.done().stderr.contains("macOS expects ASIF to end with .asif"), "{made:?}");
    assert_eq!(told(&study.call(&["image", "info", "--json", path]))["format"], "ASIF");
}

#[test]
fn info_says_how_long_the_blocks_of_an_asif_are() {
    for (number, (format, more, expected)) in [
        ("ASIF", &[][..], json!(512)),
        ("ASIF", &["--block", "4096"], json!(4096)),
        ("UDSP", &[], Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        let study = Study::new();
        let path = study.work().join(number.to_string());
        let path = path.to_str().unwrap();
        let create = ["image", "create", "--format", format, "--size", "1MiB", path];
        study.call(&[&create[..], more].concat()).done();
        assert_eq!(told(&study.call(&["image", "info", "--json", path]))["block_bytes"], expected);
        let text = study.call(&["image", "info", path]).done().stdout.clone();
        assert_eq!(
            text.contains(&format!("blocks      {expected} bytes each")),
            !expected.is_null()
        );
    }
}

#[test]
fn a_passphrase_for_what_shows_no_encryption_is_refused_and_nothing_is_copied() {
    let refuses = |study: &Study, path: &Path| {
        let copy = place(study, "copy", KINDS[3]);
        let (path, copy) = (path.to_str().unwrap(), copy.to_str().unwrap());
        for arguments in [
            vec!["image", "info", path],
            vec!["image", "check", path],
            vec!["image", "compact", path],
            vec!["image", "convert", path, copy, "--to", "ASIF", "--progress", "none"],
        ] {
            let arguments = [&arguments[..], &["--passphrase-stdin"]].concat();
            let ended = study.call_with(&arguments, &format!("{PASSPHRASE}\n"));
            let line = ended.refused_with(2);
            assert!(line.contains("does not seem to be encrypted"), "{line}");
        }
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
    };
    for kind in &KINDS[..4] {
        let study = Study::new();
        let path = made(&study, *kind);
        refuses(&study, &path);
    }
    // Its header is gone: what is left would pass for a raw disk.
    let study = Study::new();
    let path = made(&study, KINDS[4]);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0; 4096], 0).unwrap();
    refuses(&study, &path);
}

/// Spoils an image so that its own description no longer fits.
fn spoil(path: &Path, kind: Kind) {
    let file = |path: &Path| fs::OpenOptions::new().write(true).open(path).unwrap();
    match kind {
        // In the middle of the wrapped keys.
        (_, _, Some(_)) if path.is_dir() => file(&path.join("token")).set_len(220).unwrap(),
        (_, _, Some(_)) => file(path).set_len(1000).unwrap(),
        ("UDRW", _, _) => file(path).set_len(LENGTH as u64 - 1).unwrap(),
        ("UDSB", _, _) => {
            fs::write(path.join("Info.plist"), "<plist").unwrap();
            fs::write(path.join("Info.bckup"), "").unwrap();
        }
        // In the middle of what they hold, but behind their headers.
        _ => {
            let length = fs::metadata(path).unwrap().len();
            file(path).set_len(length / 2 / 512 * 512 + 1).unwrap();
        }
    }
}

#[test]
fn damage_is_listed_with_exit_code_6_and_nothing_is_destroyed() {
    for kind in KINDS {
        let study = Study::new();
        let path = made(&study, kind);
        spoil(&path, kind);
        let before = snapshot(&path);
        let mut check = vec!["image", "check", path.to_str().unwrap()];
        if kind.2.is_some() {
            check.push("--passphrase-stdin");
        }
        let found = study.call_with(&check, &format!("{PASSPHRASE}\n"));
        assert_eq!((found.code, found.stderr.as_str()), (6, ""), "{kind:?}: {found:?}");
        assert!(found.stdout.lines().count() >= 1, "{kind:?}: {found:?}");
        assert!(!found.stdout.contains("no damage"), "{kind:?}: {found:?}");
        let copied = copy(&study, (&path, kind), (&place(&study, "copy", KINDS[0]), KINDS[0]));
        let line = copied.refused_with(6);
        assert!(line.contains("is damaged: "), "{kind:?}: {line}");
        assert_eq!(study.left().len(), 1, "{kind:?}: {:?}", study.left());
        assert!(snapshot(&path) == before, "{kind:?}");
    }
}

#[test]
fn keys_that_were_damaged_are_noticed_where_the_name_says_what_should_be_inside() {
    let study = Study::new();
    let path = made(&study, KINDS[5]);
    let mut bytes = fs::read(&path).unwrap();
    // The vector of the wrapping: no sum covers it, and the first bytes of the key become others.
    bytes[0x94] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let path = path.to_str().unwrap();
    let told = study.call_with(&["image", "info", path, "--passphrase-stdin"], PASSPHRASE);
    assert!(told.done().stderr.contains("lacks the signature that its name promises"), "{told:?}");
    let copy = study.work().join("copy.img");
    let convert = ["image", "convert", path, copy.to_str().unwrap(), "--to", "UDRW"];
    for arguments in [&["image", "check", path][..], &["image", "compact", path], &convert] {
        let told = study.call_with(&[arguments, &["--passphrase-stdin"]].concat(), PASSPHRASE);
        assert!(told.refused_with(6).contains("or the keys in its header"), "{told:?}");
    }
    assert!(!copy.exists());
    let raw = study.path("payload.img");
    let told = study.call(&["image", "check", raw.to_str().unwrap()]);
    assert!(told.done().stdout.contains("has no checksums"), "{told:?}");
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_a_bundle_is_damage_and_nobody_waits_for_it() {
    for name in ["Info.plist", "token", "lock", "bands/0", "bands"] {
        let study = Study::new();
        let path = made(&study, KINDS[2]);
        remove(&path.join(name));
        if name != "bands" {
            assert!(Command::new("mkfifo").arg(path.join(name)).status().unwrap().success());
        }
        let path = path.to_str().unwrap();
        let found = study.call(&["image", "check", path]);
        assert_eq!((found.code, found.stderr.as_str()), (6, ""), "{name}: {found:?}");
        if name != "Info.plist" {
            // The other description is good.
            study.call(&["image", "compact", path]).refused_with(6);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_what_is_done_to_an_image_at_once_and_nothing_is_lost() {
    for (what, more, name) in [
        ("check", &[][..], "INT"),
        ("compact", &[], "TERM"),
        ("resize", &["--size", "8MiB"], "INT"),
    ] {
        let study = Study::new();
        let path = made(&study, KINDS[1]);
        let before = fs::read(&path).unwrap();
        let mut command = study.command(&[&["image", what, path.to_str().unwrap()], more].concat());
        let gate = Gate::new(&study, "pread", path.file_name().unwrap().to_str().unwrap());
        let run = gate.before(&mut command).stderr(Stdio::piped()).stdout(Stdio::piped());
        // A signal may be handled by the very thread that waits at the gate, and opens it: the next read takes an hour.
        run.env("DISKBENCH_FAULT", "pread 1-1 hold;pread 2-2 slow:3600000");
        let mut child = run.spawn().unwrap();
        let held = gate.reached(&mut child);
        signal(&child, name);
        let ended = ended(child);
        assert!(ended.refused_with(130).contains("is still there"), "{what}: {ended:?}");
        assert!(fs::read(&path).unwrap() == before, "{what}");
        drop(held);
    }
}

#[test]
fn an_image_that_somebody_uses_is_busy() {
    let study = Study::new();
    let path = made(&study, KINDS[1]);
    // Another test of this process that starts a program keeps every lock for a moment: the new process has all open
    // files until it becomes that program.
    let start = Instant::now();
    let _held = loop {
        match open::open(&path, Access::Write, None) {
            Err(error) if error.kind() == error::Kind::InUse && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => break other.unwrap(),
        }
    };
    let copy = place(&study, "copy", KINDS[0]);
    let (path, copy) = (path.to_str().unwrap(), copy.to_str().unwrap());
    for arguments in [
        &["image", "info", path][..],
        &["image", "check", path],
        &["image", "compact", path],
        &["image", "convert", path, copy, "--to", "UDRW"],
    ] {
        let ended = study.call(arguments);
        assert!(ended.refused_with(5).contains("in use by another process"), "{ended:?}");
    }
    assert_eq!(study.left().len(), 1, "{:?}", study.left());
}

#[test]
fn a_signal_in_the_middle_of_a_copy_leaves_nothing_of_it() {
    // With so much in it that the hundredth read comes long before the end: all but these bytes is a hole.
    const LONG: u64 = 1 << 40;
    const WRITTEN: u64 = 200;
    for (kind, name) in KINDS.into_iter().take(4).zip(["INT", "TERM", "INT", "HUP"]) {
        let study = Study::new();
        let raw = study.path("long.img");
        let source = fs::File::create(&raw).unwrap();
        source.set_len(LONG).unwrap();
        for number in 0..WRITTEN {
            source.write_all_at(b"data", LONG / WRITTEN * number).unwrap();
        }
        let path = place(&study, "copy", kind);
        let mut command = study.command(&["image", "convert"]);
        command.args([&raw, &path]).args(["--to", kind.0, "--progress", "none"]);
        let gate = Gate::at(&study, "pread", 100, "long.img");
        let run = gate.before(&mut command).stderr(Stdio::piped()).stdout(Stdio::piped());
        let mut child = run.spawn().unwrap();
        let held = gate.reached(&mut child);
        assert!(!study.left().is_empty() && !path.exists(), "what has the name is whole");
        signal(&child, name);
        drop(held);
        let ended = ended(child);
        let line = ended.refused_with(130);
        assert!(line.contains("the unfinished image was removed"), "{line}");
        assert!(study.left().is_empty(), "{kind:?}: {:?}", study.left());
        assert_eq!(names(&study.path("")).len(), 3, "the source, work and tmp");
    }
}

#[test]
fn a_copy_that_fails_leaves_nothing_of_it() {
    let study = Study::new();
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = study.work().join("copy.dmg");
    // 64 or 128 blocks: less than the payload.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 600 && exec \"$0\" \"$@\""]);
    limited.arg(study.command(&[]).get_program()).args(["image", "convert"]);
    limited.args([&raw, &path]).args(["--to", "UDRW", "--progress", "none"]);
    let ended = Ended::of(&limited.output().unwrap());
    ended.refused_with(4);
    assert!(study.left().is_empty(), "{:?}", study.left());
}

#[test]
fn progress_is_told_in_lines_where_there_is_no_terminal() {
    let study = Study::new();
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = study.work().join("copy.dmg");
    let arguments = ["image", "convert", raw.to_str().unwrap(), path.to_str().unwrap()];
    let told = study.call(&[&arguments[..], &["--to", "UDRW"]].concat());
    let lines: Vec<&str> = told.done().stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{told:?}");
    assert_eq!(lines[0], "UDRW to UDRW: 0.01 GB");
    assert!(lines[1].starts_with("UDRW to UDRW: done: 0.01 GB in "), "{told:?}");
}
