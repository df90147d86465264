//! `diskbench run` with driver `portable`: images of our own, phase after phase, and nothing told that is nobody's business.

use crate::common::{Ended, Study, at, cell, image};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;

/// The passphrase of a cell's image, put together apart from the code that uses it.
pub fn passphrase(cell: &Value) -> String {
    let text = |key: &str| cell[key].as_str().unwrap_or_default().to_owned();
    let key =
        ["protocol", "scale", "storage", "driver", "format", "encryption"].map(text).join("-");
    let label = format!("diskbench image passphrase 1\n{key}-1\n{}\n", cell["seed"]);
    Sha256::digest(label.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_encrypted_image_goes_on_from_phase_to_phase_and_its_passphrase_is_told_nowhere() {
    for format in ["UDSB", "ASIF"] {
        let study = Study::new();
        let log = study.path("cell.log");
        for phase in ["fresh", "partly-filled", "emptied"] {
            let cell = image(at(phase), format, "AES-256");
            let done = study.run_with(&cell, &["--check", "--log", log.to_str().unwrap()]);
            done.done();
            let record = study.record(phase);
            assert_eq!(record["replayed_phases"], json!([]), "{format} {phase}");
            let warnings = record["warnings"].to_string();
            let own = warnings.contains("layout of an encrypted ASIF is not public");
            assert_eq!(own, format == "ASIF");
            let (record, log) = (record.to_string(), fs::read_to_string(&log).unwrap());
            for text in [record, log, done.stderr, done.stdout] {
                assert!(!text.contains(&passphrase(&cell)), "{text}");
            }
        }
        assert!(study.left().is_empty(), "{format}: {:?}", study.left());
        study.call(&["verify", study.path("records").to_str().unwrap()]).done();
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
