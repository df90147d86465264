//! Passphrases: where the program takes them from, and `diskbench image change-passphrase`: the new one opens an image of
//! any format, the old one does not, and what is refused changes nothing.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Ended, Study, shell};

const FORMATS: [&str; 4] = ["UDRW", "UDSP", "UDSB", "ASIF"];

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
    study.call_with(&words, "old\n").done();
    path
}

fn change(study: &Study, path: &Path, input: &str) -> Ended {
    let words = ["image", "change-passphrase", path.to_str().unwrap()];
    study
        .call_with(&[&words[..], &["--passphrase-stdin", "--new-passphrase-stdin"]].concat(), input)
}

/// The checksum of its disk, if this passphrase opens it.
fn sum(study: &Study, path: &Path, passphrase: &str) -> Option<String> {
    let words = ["image", "checksum", path.to_str().unwrap(), "--passphrase-stdin"];
    let ended = study.call_with(&words, &format!("{passphrase}\n"));
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
            study.call_with(&["image", "change-passphrase", name, "--passphrase-stdin"], "old\n");
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
fn a_passphrase_that_ends_in_a_line_feed_opens_and_makes_images() {
    let study = Study::new();
    let (first, second) = (study.work().join("a.dmg"), study.work().join("b.dmg"));
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let nul = ["--passphrase-stdin", "--passphrase-nul"];
    let create =
        ["image", "create", "--format", "UDRW", "--size", "1m", "--encryption", "AES-128", first];
    // As `echo one | hdiutil create -stdinpass` has it.
    study.call_with(&[&create[..], &nul].concat(), "one\n").done();
    let check = ["image", "check", first];
    study.call_with(&[&check[..], &nul].concat(), "one\n").done();
    study.call_with(&[&check[..], &nul].concat(), "one").refused_with(2);
    study.call_with(&[&check[..], &nul[..1]].concat(), "one\n").refused_with(2);
    let convert = ["image", "convert", first, second, "--to", "UDRW", "--encryption", "AES-256"];
    let both = [&convert[..], &nul, &["--new-passphrase-stdin", "--progress", "none"]].concat();
    study.call_with(&both, "one\n\0two\n\0").done();
    study.call_with(&[&["image", "check", second][..], &nul].concat(), "two\n").done();
}
