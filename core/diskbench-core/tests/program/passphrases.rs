//! Passphrases: where the program takes them from, and `diskbench image change-passphrase`: the new one opens an image of
//! any format, the old one does not, and what is refused changes nothing.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::image::{MIB, disk, formats};
use crate::common::{Ended, Study, shell};

/// An image of 4 MiB that `old` opens.
fn made(study: &Study, format: &str) -> PathBuf {
    let encryption = ["--encryption", "AES-256", "--new-passphrase-stdin"];
    study.image_of(&disk(4 * MIB), format, &encryption, "old\n")
}

fn change(study: &Study, path: &Path, input: &str) -> Ended {
    let words = ["--passphrase-stdin", "--new-passphrase-stdin"];
    study.image_with("change-passphrase", path, &words, input)
}

/// The checksum of its disk, if this passphrase opens it.
fn sum(study: &Study, path: &Path, passphrase: &str) -> Option<String> {
    let ended = study.image_with("checksum", path, &["--passphrase-stdin"], passphrase);
    (ended.code == 0).then(|| ended.stdout.split(' ').next().unwrap().to_owned())
}

#[test]
fn the_new_passphrase_opens_every_format_and_the_old_one_none() {
    let study = Study::new();
    for format in formats() {
        let path = made(&study, format);
        let before = sum(&study, &path, "old").unwrap();
        assert_eq!(change(&study, &path, "old\nnew\n").done().stdout, "passphrase changed\n");
        assert_eq!(sum(&study, &path, "new"), Some(before), "{format}");
        assert_eq!(sum(&study, &path, "old"), None, "{format}");
    }
}

#[test]
fn what_cannot_be_changed_is_refused_with_code_2_and_stays_as_it_was() {
    let study = Study::new();
    for format in formats() {
        let path = made(&study, format);
        for (input, words) in
            [("other\nnew\n", "does not open this image"), ("old\n", "empty"), ("old\n\n", "empty")]
        {
            let refused = change(&study, &path, input);
            assert_eq!(refused.code, 2, "{}", refused.stderr);
            assert!(refused.stderr.contains(words), "{input:?}: {}", refused.stderr);
        }
        let words = ["--passphrase-stdin"];
        let refused = study.image_with("change-passphrase", &path, &words, "old\n");
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("the new passphrase is missing"), "{}", refused.stderr);
        assert!(sum(&study, &path, "old").is_some(), "{format}");
    }
    let study = Study::new();
    for (format, plain) in formats().iter().zip(study.images(&disk(4 * MIB))) {
        let refused = change(&study, &plain, "old\nnew\n");
        assert_eq!(refused.code, 2, "{format}: {}", refused.stderr);
        assert!(refused.stderr.contains("it is not encrypted"), "{}", refused.stderr);
    }
}

#[test]
fn passphrases_come_from_descriptors_too_and_what_is_left_of_them_is_not_read() {
    let study = Study::new();
    let (first, second) = (study.work().join("a.dmg"), study.work().join("b.dmg"));
    let shell = |script: &str| {
        let mut command = study.command(&[]);
        Ended::of(&shell(script, command.args([&first, &second])).output().unwrap())
    };
    fs::write(study.path("one"), "one\n").unwrap();
    fs::write(study.path("two"), "two").unwrap();
    let (one, two) = (study.path("one"), study.path("two"));
    let (one, two) = (one.display(), two.display());
    let create = "\"$0\" image create --format UDRW --size 1MiB --encryption AES-128";
    shell(&format!("{create} --passphrase-fd 3 \"$1\" 3<{one}")).done();
    let convert = "\"$0\" image convert \"$1\" \"$2\" --to UDRW --encryption AES-256";
    shell(&format!("{convert} --passphrase-fd 4 --new-passphrase-fd 3 3<{two} 4<{one}")).done();
    let check = "\"$0\" image check \"$2\" --passphrase-fd 3";
    shell(&format!("{check} 3<{two}")).done();
    shell(&format!("{check} 3<{one}")).refused_with(2);
    // One pipe, two lines.
    shell(&format!(
        "rm \"$2\"; printf 'one\\ntwo\\n' | {convert} --passphrase-stdin --new-passphrase-stdin"
    ))
    .done();
    shell(&format!("{check} 3<{two}")).done();
    let closed = shell(check);
    assert!(closed.refused_with(2).contains("descriptor 3: bad file descriptor; pipe one line"));
}

#[test]
fn a_passphrase_in_a_file_of_windows_is_the_same() {
    let study = Study::new();
    let path = made(&study, "UDRW");
    assert_eq!(change(&study, &path, "old\r\nnew\r\n").done().stdout, "passphrase changed\n");
    assert!(sum(&study, &path, "new\n").is_some());
}

#[test]
fn a_passphrase_that_ends_in_a_line_feed_opens_and_makes_images() {
    let study = Study::new();
    let (first, second) = (study.work().join("a.dmg"), study.work().join("b.dmg"));
    let nul = ["--passphrase-stdin", "--passphrase-nul"];
    let create = ["--format", "UDRW", "--size", "1m", "--encryption", "AES-128"];
    // As `echo one | hdiutil create -stdinpass` has it.
    study.image_with("create", &first, &[&create[..], &nul].concat(), "one\n").done();
    study.image_with("check", &first, &nul, "one\n").done();
    study.image_with("check", &first, &nul, "one").refused_with(2);
    study.image_with("check", &first, &nul[..1], "one\n").refused_with(2);
    let both = [&nul[..], &["--encryption", "AES-256", "--new-passphrase-stdin"]].concat();
    study.convert_with(&first, &second, "UDRW", &both, "one\n\0two\n\0").done();
    study.image_with("check", &second, &nul, "two\n").done();
}
