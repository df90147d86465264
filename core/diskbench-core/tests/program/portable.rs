//! `diskbench run` with driver `portable`: images of our own, phase after phase, and nothing told that is nobody's business.

use crate::common::{Ended, Study, at, cell, image, names};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;

/// Formats, and what their images are called.
const FORMATS: [(&str, &str); 4] = [
    ("UDRW", "image.dmg"),
    ("UDSP", "image.sparseimage"),
    ("UDSB", "image.sparsebundle"),
    ("ASIF", "image.asif"),
];

/// The passphrase of a cell's image, put together apart from the code that uses it.
pub fn passphrase(cell: &Value) -> String {
    let text = |key: &str| cell[key].as_str().unwrap_or_default().to_owned();
    let key =
        ["protocol", "scale", "storage", "driver", "format", "encryption"].map(text).join("-");
    let label = format!("diskbench image passphrase 1\n{key}-1\n{}\n", cell["seed"]);
    Sha256::digest(label.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Left out by `bash workflow/test.sh`, which skips `slow::`; run by `bash workflow/test.sh all`.
mod slow {
    use super::*;

    #[test]
    fn every_image_leaves_records_that_hold_what_was_asked_for_and_goes_with_the_last_phase() {
        for (format, name) in FORMATS {
            for encryption in ["none", "AES-128", "AES-256"] {
                let study = Study::new();
                let log = study.path("cell.log");
                for (index, phase) in ["fresh", "partly-filled", "emptied"].into_iter().enumerate()
                {
                    let cell = image(at(phase), format, encryption);
                    let more = ["--check", "--log", log.to_str().unwrap()];
                    let done = study.run_with(&cell, &more);
                    done.done();
                    let record = study.record(phase);
                    assert_eq!(record["status"], "measured", "{format} {encryption}");
                    assert_eq!(record["cell"], cell);
                    let found = &record["image"]["effective"];
                    let key_bits =
                        encryption.strip_prefix("AES-").map(|bits| bits.parse().unwrap());
                    assert_eq!(found["key_bits"].as_u64(), key_bits, "{format} {encryption}");
                    assert_eq!(found["format"], format, "{encryption}");
                    assert_eq!(
                        record["replayed_phases"],
                        json!([]),
                        "{format} {encryption} {phase}"
                    );
                    assert_eq!(record["samples"].as_array().unwrap().len(), 12);
                    assert_eq!(record["durability"], json!({"asked": "fsync", "reached": "fsync"}));
                    let own = format == "ASIF" && encryption != "none";
                    let warned = record["warnings"]
                        .to_string()
                        .contains("layout of an encrypted ASIF is not public");
                    assert_eq!(warned, own, "{format} {encryption}");
                    let left = study.left();
                    assert_eq!(left.len(), usize::from(index < 2));
                    if index < 2 {
                        let found = names(&study.work().join(&left[0]));
                        assert_eq!(found, [".diskbench-image.json".to_owned(), name.to_owned()]);
                    }
                    let told = [
                        fs::read_to_string(study.record_path(phase)).unwrap(),
                        fs::read_to_string(&log).unwrap(),
                        done.stderr,
                        done.stdout,
                    ];
                    assert!(told.iter().all(|text| !text.contains(&passphrase(&cell))));
                }
                study.call(&["verify", study.path("records").to_str().unwrap()]).done();
            }
        }
    }
}

#[test]
fn a_record_states_how_many_threads_encrypt_and_what_is_read_ahead() {
    let study = Study::new();
    for (cell, cipher_threads, ahead_bytes) in [
        (cell(), 0, Value::Null),
        (image(cell(), "UDRW", "none"), 0, json!(4_194_304)),
        (image(cell(), "UDSB", "AES-256"), 3, json!(4_194_304)),
    ] {
        // The library that has the threads makes as many as this says.
        let done = study.run_command(&cell, &[]).env("RAYON_NUM_THREADS", "3").output().unwrap();
        Ended::of(&done).done();
        let expected = json!({"cipher_threads": cipher_threads, "ahead_bytes": ahead_bytes});
        assert_eq!(study.record("fresh")["access"], expected, "{cell}");
    }
}

#[test]
fn a_changed_or_damaged_image_is_not_gone_on_with() {
    let study = Study::new();
    study.run(&image(cell(), "UDRW", "none")).done();
    let path = study.work().join(&study.left()[0]).join("image.dmg");
    let file = fs::File::options().write(true).open(&path).unwrap();
    // The first record of the table of files.
    std::os::unix::fs::FileExt::write_all_at(&file, &[9; 8], 4096 + 64 + 16).unwrap();
    study.run(&image(at("partly-filled"), "UDRW", "none")).done();
    assert_eq!(study.record("partly-filled")["replayed_phases"], json!(["fresh"]));
}

#[test]
fn an_image_that_cannot_hold_its_files_is_skipped_with_the_reason() {
    let study = Study::new();
    let mut cell = image(cell(), "UDSP", "AES-128");
    cell["nominal_bytes"] = json!(200_000);
    study.run(&cell);
    let record = study.record("fresh");
    assert_eq!(record["status"], "skipped");
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.ends_with("raise nominal_bytes or choose a smaller scale"), "{reason}");
    study.call(&["verify", study.path("records").to_str().unwrap()]).done();
}
