//! Images that are damaged: all of it is named, and nothing is destroyed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{
    BUNDLE, ENCRYPTED_SPARSE, Kind, LENGTH, PASSPHRASE, RAW, SPARSE, copy, kinds, made, payload,
    place, remove, snapshot,
};
use crate::common::{Ended, Study};

#[test]
fn what_lies_beside_the_bands_of_a_bundle_is_named_and_not_called_damage() {
    let study = Study::new();
    let path = made(&study, BUNDLE);
    fs::rename(path.join("bands/0"), path.join("bands/00000000")).unwrap();
    for number in 0..7 {
        fs::write(path.join(format!("bands/._{number}")), "x").unwrap();
    }
    let told = study.image("check", &path, &[]);
    assert!(told.done().stdout.starts_with("no damage found"), "{told:?}");
    assert!(told.stderr.contains("in bands: ._0, ._1, ._2, ._3, ._4 and 2 more"), "{told:?}");
    let back = place(&study, "back", RAW);
    copy(&study, (&path, BUNDLE), (&back, RAW)).done();
    assert!(fs::read(&back).unwrap() == payload());
    fs::remove_file(&back).unwrap();
    // What may be a part of the disk stops a copy.
    fs::write(path.join("bands/0 2"), "x").unwrap();
    let refused = copy(&study, (&path, BUNDLE), (&back, RAW));
    assert!(refused.refused_with(6).contains("may be a renamed one"), "{refused:?}");
    assert!(!back.exists());
}

#[test]
fn data_that_the_index_does_not_name_are_noted_before_a_compaction_frees_them() {
    let study = Study::new();
    let path = made(&study, SPARSE);
    let checked = study.image("check", &path, &[]);
    assert!(!checked.done().stderr.contains("the index names no place"), "{checked:?}");
    let mut bytes = fs::read(&path).unwrap();
    // The id of the first slot.
    bytes[64..68].fill(0);
    fs::write(&path, &bytes).unwrap();
    let checked = study.image("check", &path, &[]);
    assert!(checked.done().stdout.starts_with("no damage found"), "{checked:?}");
    assert!(checked.stderr.contains("for 1 chunks of the file that hold data"), "{checked:?}");
    study.image("compact", &path, &[]).done();
    let checked = study.image("check", &path, &[]);
    assert!(!checked.done().stderr.contains("the index names no place"), "{checked:?}");
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
    for kind in kinds() {
        let study = Study::new();
        let path = made(&study, kind);
        spoil(&path, kind);
        let before = snapshot(&path);
        let passphrase: &[&str] = if kind.2.is_some() { &["--passphrase-stdin"] } else { &[] };
        let found = study.image_with("check", &path, passphrase, &format!("{PASSPHRASE}\n"));
        assert_eq!((found.code, found.stderr.as_str()), (6, ""), "{kind:?}: {found:?}");
        assert!(found.stdout.lines().count() >= 1, "{kind:?}: {found:?}");
        assert!(!found.stdout.contains("no damage"), "{kind:?}: {found:?}");
        let copied = copy(&study, (&path, kind), (&place(&study, "copy", RAW), RAW));
        let line = copied.refused_with(6);
        assert!(line.contains("is damaged: "), "{kind:?}: {line}");
        assert_eq!(study.left().len(), 1, "{kind:?}: {:?}", study.left());
        assert!(snapshot(&path) == before, "{kind:?}");
    }
}

#[test]
fn keys_that_were_damaged_are_noticed_where_the_name_says_what_should_be_inside() {
    let study = Study::new();
    let path = made(&study, ENCRYPTED_SPARSE);
    let mut bytes = fs::read(&path).unwrap();
    // The vector of the wrapping: no sum covers it, and the first bytes of the key become others.
    bytes[0x94] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let passphrase = ["--passphrase-stdin"];
    let told = study.image_with("info", &path, &passphrase, PASSPHRASE);
    assert!(told.done().stderr.contains("lacks the signature that its name promises"), "{told:?}");
    let copy = study.work().join("copy.img");
    for told in [
        study.image_with("check", &path, &passphrase, PASSPHRASE),
        study.image_with("compact", &path, &passphrase, PASSPHRASE),
        study.convert_with(&path, &copy, "UDRW", &passphrase, PASSPHRASE),
    ] {
        assert!(told.refused_with(6).contains("or the keys in its header"), "{told:?}");
    }
    assert!(!copy.exists());
    let told = study.image("check", &study.path("payload.img"), &[]);
    assert!(told.done().stdout.contains("has no checksums"), "{told:?}");
}

#[test]
fn a_band_that_may_not_be_read_is_named_by_who_checks_and_who_copies() {
    let study = Study::new();
    let path = made(&study, BUNDLE);
    let band = path.join("bands/0");
    let as_nobody = |words: &str| {
        let mut called = Command::new("setpriv");
        called.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", words]);
        called.arg(study.command(&[]).get_program()).arg(&path).current_dir("/");
        called.output().ok().filter(|output| output.status.code() != Some(127))
    };
    let allow = |place: &Path, mode| {
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&band, 0o600);
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(study.path(""))) {
        allow(folder, 0o777);
    }
    let readable = as_nobody("\"$0\" --version && test -r \"$1\"");
    if readable.is_none_or(|output| !output.status.success()) {
        // Not root, or the folders above are closed.
        return;
    }
    for words in ["image check --progress none", "image checksum --progress none"] {
        let ended = Ended::of(&as_nobody(&format!("\"$0\" {words} \"$1\"")).unwrap());
        let line = ended.refused_with(2);
        assert!(line.contains("bands/0: permission denied"), "{words}: {line}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_a_bundle_is_damage_and_nobody_waits_for_it() {
    for name in ["Info.plist", "token", "lock", "bands/0", "bands"] {
        let study = Study::new();
        let path = made(&study, BUNDLE);
        remove(&path.join(name));
        if name != "bands" {
            assert!(Command::new("mkfifo").arg(path.join(name)).status().unwrap().success());
        }
        let found = study.image("check", &path, &[]);
        assert_eq!((found.code, found.stderr.as_str()), (6, ""), "{name}: {found:?}");
        if name != "Info.plist" {
            // The other description is good.
            study.image("compact", &path, &[]).refused_with(6);
        }
    }
}
