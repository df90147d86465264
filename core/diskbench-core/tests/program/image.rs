//! `diskbench image`: every format, plain and encrypted, made, looked at, checked, copied, resized and compacted.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

mod damage;
mod ended;
mod refused;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use diskimage::open::{self, Spec};
use serde_json::{Value, json};

use system::flush::Durability;

use crate::common::{Ended, Study};

/// A kind of image: format, usual extension, cipher.
type Kind = (&'static str, &'static str, Option<&'static str>);

const fn kind(format: ImageFormat, cipher: Option<&'static str>) -> Kind {
    (format.name(), format.row().extensions[0], cipher)
}

const RAW: Kind = kind(ImageFormat::Udrw, None);
const SPARSE: Kind = kind(ImageFormat::Udsp, None);
const BUNDLE: Kind = kind(ImageFormat::Udsb, None);
const ASIF: Kind = kind(ImageFormat::Asif, None);
const ENCRYPTED_RAW: Kind = kind(ImageFormat::Udrw, Some("AES-256"));
const ENCRYPTED_SPARSE: Kind = kind(ImageFormat::Udsp, Some("AES-128"));
const ENCRYPTED_BUNDLE: Kind = kind(ImageFormat::Udsb, Some("AES-256"));

fn plain() -> impl Iterator<Item = Kind> {
    ImageFormat::ALL.into_iter().map(|format| kind(format, None))
}

fn encrypted() -> impl Iterator<Item = Kind> {
    let ciphers = ["AES-256", "AES-128"].into_iter().cycle();
    ImageFormat::ALL.into_iter().zip(ciphers).map(|(format, cipher)| kind(format, Some(cipher)))
}

fn kinds() -> impl Iterator<Item = Kind> {
    plain().chain(encrypted())
}

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
    let mut more = Vec::new();
    if is.2.is_some() {
        more.push("--passphrase-stdin");
    }
    if let Some(cipher) = will_be.2 {
        more.extend(["--encryption", cipher, "--new-passphrase-stdin"]);
    }
    // A line for each: what is not asked for is not read.
    let input = format!("{PASSPHRASE}\n{PASSPHRASE}\n");
    study.convert_with(from, to, will_be.0, &more, &input)
}

/// Writes the payload and copies it into an image of this kind.
fn made(study: &Study, kind: Kind) -> PathBuf {
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = place(study, "made", kind);
    copy(study, (&raw, RAW), (&path, kind)).done();
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
    for kind in kinds() {
        let study = Study::new();
        let path = place(&study, "new", kind);
        let mut create = vec!["--format", kind.0, "--size", "50MB"];
        if let Some(cipher) = kind.2 {
            create.extend(["--encryption", cipher, "--passphrase-stdin"]);
        }
        let line = format!("{PASSPHRASE}\n");
        let made = study.image_with("create", &path, &create, &line);
        // 50 MB are no whole number of sectors.
        assert_eq!(made.done().stdout, format!("{}: {}, 50000384 bytes\n", path.display(), kind.0));
        let note = "this one is diskbench's own, and macOS is not expected to open it";
        let is_own = kind.0 == "ASIF" && kind.2.is_some();
        assert_eq!(made.stderr.contains(note), is_own, "{made:?}");
        assert_eq!(study.left().len(), 1, "{:?}", study.left());
        let with = |what: &str, more: &[&str]| {
            let passphrase = kind.2.map(|_| "--passphrase-stdin");
            let more: Vec<&str> = passphrase.into_iter().chain(more.iter().copied()).collect();
            study.image_with(what, &path, &more, &line)
        };
        let info = told(&with("info", &["--json"]));
        assert_eq!(info["format"], kind.0);
        assert_eq!(info["disk_bytes"], 50_000_384_u64, "{info}");
        assert_eq!(info["encryption"]["cipher"].as_str(), kind.2, "{info}");
        assert!(info["allocated_bytes"].as_u64().unwrap() < 5_000_000, "{info}");
        assert_eq!(info["notes"].to_string().contains(note), is_own, "{info}");
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
    for kind in kinds() {
        let study = Study::new();
        let path = made(&study, kind);
        let before = snapshot(&path);
        let back = place(&study, "back", RAW);
        copy(&study, (&path, kind), (&back, RAW)).done();
        assert!(fs::read(&back).unwrap() == expected, "{kind:?}");
        assert!(snapshot(&path) == before, "{kind:?}: the source was changed");
        assert_eq!(study.left().len(), 2, "{:?}", study.left());
    }
}

#[test]
fn who_may_not_read_the_source_may_not_read_a_copy_of_it() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (kind, more) in plain().zip([&[][..], &["--salvage"]].into_iter().cycle()) {
        let study = Study::new();
        let image = made(&study, kind);
        for (source, closed, expected) in [
            (study.path("payload.img"), 0o600, 0o600),
            (study.path("payload.img"), 0o444, 0o644),
            (image.clone(), if image.is_dir() { 0o750 } else { 0o640 }, 0o640),
        ] {
            fs::set_permissions(&source, fs::Permissions::from_mode(closed)).unwrap();
            let copy = place(&study, "copy", kind);
            study.convert(&source, &copy, kind.0, more).done();
            let expected =
                if copy.is_dir() { expected | (expected & 0o444) >> 2 } else { expected };
            assert_eq!(mode(&copy) & !expected, 0, "{kind:?} of {closed:o}");
            assert_eq!(mode(&copy) & 0o600, 0o600, "{kind:?} of {closed:o}");
            remove(&copy);
        }
    }
}

#[test]
fn a_copy_in_another_group_is_closed_to_it() {
    let study = Study::new();
    for kind in plain() {
        let source = made(&study, kind);
        let group = fs::metadata(&source).unwrap().gid();
        if chown(&source, None, Some(group + 1)).is_err() {
            // Only an administrator may give a file to a group that is not one of his own.
            return;
        }
        fs::set_permissions(&source, fs::Permissions::from_mode(0o750)).unwrap();
        let copy = place(&study, "copy", kind);
        study.convert(&source, &copy, kind.0, &[]).done();
        let found = fs::metadata(&copy).unwrap();
        assert_eq!((found.gid(), found.mode() & 0o077), (group, 0), "{kind:?}");
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
    for (kind, sparse) in [(RAW, true), (ENCRYPTED_RAW, false)] {
        let path = place(&study, if sparse { "plain" } else { "encrypted" }, kind);
        copy(&study, (&raw, RAW), (&path, kind)).done();
        let info = study.image("info", &path, &["--json"]);
        let allocated = told(&info)["allocated_bytes"].as_u64().unwrap();
        assert_eq!(allocated < LENGTH as u64 / 2, sparse, "{kind:?} takes {allocated}");
    }
}

#[test]
fn control_characters_of_a_name_are_not_printed() {
    let study = Study::new();
    let path = study.work().join("a\u{1b}[31m\nb.dmg");
    let made = study.image("create", &path, &["--format", "UDRW", "--size", "1m"]);
    assert_eq!(made.done().stdout.matches(char::is_control).collect::<String>(), "\n", "{made:?}");
    assert!(path.exists());
}

#[test]
fn a_name_that_macos_does_not_expect_is_taken_with_a_note() {
    let study = Study::new();
    let path = study.work().join("x.dmg");
    let made = study.image("create", &path, &["--format", "ASIF", "--size", "1MiB"]);
    assert!(made.done().stderr.contains("macOS expects ASIF to end with .asif"), "{made:?}");
    assert_eq!(told(&study.image("info", &path, &["--json"]))["format"], "ASIF");
}

#[test]
fn bands_that_macos_does_not_open_are_noted() {
    let study = Study::new();
    for (format, band, noted) in [
        ("UDSB", "4096", true),
        ("UDSB", "1044480", true),
        ("UDSB", "1049088", true),
        ("UDSB", "1MiB", false),
        ("UDSP", "4096", false),
    ] {
        let path = study.path(&format!("{format}-{band}"));
        let words = ["--format", format, "--size", "8MiB", "--band", band];
        let created = study.image("create", &path, &words);
        let note = "macOS does not open a sparse bundle with bands of";
        assert_eq!(created.done().stderr.contains(note), noted, "{format} {band}");
    }
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
        let create = ["--format", format, "--size", "1MiB"];
        study.image("create", &path, &[&create[..], more].concat()).done();
        assert_eq!(told(&study.image("info", &path, &["--json"]))["block_bytes"], expected);
        let text = study.image("info", &path, &[]).done().stdout.clone();
        assert_eq!(
            text.contains(&format!("blocks      {expected} bytes each")),
            !expected.is_null()
        );
    }
}

/// An ASIF whose disk begins with these bytes.
fn beginning_with(study: &Study, bytes: &[u8]) -> PathBuf {
    let path = place(study, "disk", ASIF);
    let mut made = open::create(&path, &Spec::plain(ImageFormat::Asif, 1 << 20)).unwrap().image;
    made.write_at(bytes, 0).unwrap();
    made.flush(Durability::Fsync).unwrap();
    path
}

#[test]
fn a_raw_copy_that_would_be_taken_for_another_image_is_told() {
    let study = Study::new();
    let inner = place(&study, "inner", SPARSE);
    study.image("create", &inner, &["--format", "UDSP", "--size", "512"]).done();
    for (bytes, told) in [
        (fs::read(&inner).unwrap(), "so this raw copy of it is taken for a UDSP image"),
        (b"PK\x03\x04".to_vec(), "so this raw copy of it is refused (it is a zip archive"),
    ] {
        let (path, back) = (beginning_with(&study, &bytes), place(&study, "back", RAW));
        let copied = copy(&study, (&path, ASIF), (&back, RAW));
        assert!(copied.done().stderr.contains(told), "{copied:?}");
        assert!(fs::read(&back).unwrap().starts_with(&bytes));
        remove(&path);
        remove(&back);
    }
}

#[test]
fn an_encrypted_disk_may_begin_as_an_archive() {
    let study = Study::new();
    let path = beginning_with(&study, b"PK\x03\x04");
    let encrypted = place(&study, "encrypted", ENCRYPTED_RAW);
    let copied = copy(&study, (&path, ASIF), (&encrypted, ENCRYPTED_RAW));
    assert!(!copied.done().stderr.contains("raw copy"), "{copied:?}");
    let back = place(&study, "back", ASIF);
    copy(&study, (&encrypted, ENCRYPTED_RAW), (&back, ASIF)).done();
    study.image("compare", &path, &[back.to_str().unwrap()]).done();
}

#[test]
fn a_bundle_whose_disk_is_unknown_may_have_been_an_encrypted_one() {
    let study = Study::new();
    let path = made(&study, ENCRYPTED_BUNDLE);
    fs::write(path.join("token"), "").unwrap();
    let checked = study.image("check", &path, &[]);
    let told = "an encrypted bundle whose file token was emptied looks the same";
    assert!(checked.done().stderr.contains(told), "{checked:?}");
}

#[test]
fn progress_is_told_in_lines_where_there_is_no_terminal() {
    let study = Study::new();
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = study.work().join("copy.dmg");
    let told = study.image("convert", &raw, &[path.to_str().unwrap(), "--to", "UDRW"]);
    let lines: Vec<&str> = told.done().stderr.lines().collect();
    // The last one is a note: the payload has no partition map.
    assert_eq!(lines.len(), 3, "{told:?}");
    assert_eq!(lines[0], "UDRW to UDRW: 0.01 GB");
    assert!(lines[1].starts_with("UDRW to UDRW: done: 0.01 GB in "), "{told:?}");
}
