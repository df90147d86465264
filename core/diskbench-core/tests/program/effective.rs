//! What was measured is what was requested: images that are made otherwise fail before a byte is timed, and every record
//! says what its image is.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests may stop")]

use crate::common::stand_in::Mac;
use crate::common::{Ended, Study, cell};
use crate::portable::passphrase;
use serde_json::{Value, json};

/// A cell on the Mac that is played.
pub fn on_a_mac(driver: &str, format: &str, encryption: &str) -> Value {
    let mut cell = cell();
    cell["release"] = json!("macos-26.4-25E241");
    cell["driver"] = json!(driver);
    cell["format"] = json!(format);
    cell["encryption"] = json!(encryption);
    // In whole pages of 4096 bytes and whole sectors.
    cell["nominal_bytes"] = json!(409_600_000);
    cell
}

/// The same on the release that the stand-in plays as 27.
fn on_macos_27(driver: &str, format: &str, encryption: &str) -> Value {
    let mut cell = on_a_mac(driver, format, encryption);
    cell["release"] = json!("macos-27.0-26A428");
    cell
}

fn run(mac: &Mac, study: &Study, cell: &Value) -> Ended {
    let mut command = study.run_command(cell, &[]);
    Ended::of(&command.env("DISKBENCH_STAND_IN", mac.folder()).output().unwrap())
}

/// The effective facts of the record, after making sure that the cell was measured as requested.
pub fn measured(study: &Study, ended: &Ended) -> Value {
    ended.done();
    let record = study.record("fresh");
    assert_eq!(record["status"], "measured");
    study.call(&["verify", study.record_path("fresh").to_str().unwrap()]).done();
    let text = record.to_string();
    assert!(!text.contains(study.path("").to_str().unwrap()), "{text}");
    assert!(!text.contains(&passphrase(&record["cell"])), "{text}");
    record["image"]["effective"].clone()
}

/// The reason why the cell failed, after making sure that nothing was timed and nothing is left.
pub fn failed(mac: &Mac, study: &Study, ended: &Ended) -> String {
    assert_eq!(ended.code, 7, "{ended:?}");
    let record = study.record("fresh");
    assert_eq!((&record["status"], &record["samples"]), (&json!("failed"), &json!([])));
    assert!(study.left().is_empty() && mac.attached().is_empty(), "{:?}", study.left());
    study.call(&["verify", study.record_path("fresh").to_str().unwrap()]).done();
    record["reason"].as_str().unwrap().to_owned()
}

#[test]
fn on_a_mac_every_kind_of_image_is_what_was_requested() {
    // Bands: those that hdiutil(1) and the captures of ASIF give, where the image's header shows them.
    for (format, encryption, key_bits, band_bytes) in [
        ("UDRW", "none", None, None),
        ("UDRW", "AES-128", Some(128), None),
        ("UDRW", "AES-256", Some(256), None),
        ("UDSP", "none", None, Some(1_048_576)),
        ("UDSP", "AES-128", Some(128), Some(1_048_576)),
        ("UDSP", "AES-256", Some(256), Some(1_048_576)),
        ("UDSB", "none", None, Some(8_388_608)),
        ("UDSB", "AES-128", Some(128), Some(8_388_608)),
        ("UDSB", "AES-256", Some(256), Some(8_388_608)),
        ("ASIF", "none", None, Some(1_048_576)),
        ("ASIF", "AES-256", Some(256), Some(1_048_576)),
    ] {
        let (mac, study) = (Mac::new(&[]), Study::new());
        let ended = run(&mac, &study, &on_a_mac("apple", format, encryption));
        let expected = json!({
            "on_image": true, "format": format, "encrypted": key_bits.is_some(),
            "cipher": key_bits.map(|_| "AES"), "key_bits": key_bits, "band_bytes": band_bytes,
            "sector_bytes": 512, "nominal_bytes": 409_600_000, "file_system": "apfs",
        });
        assert_eq!(measured(&study, &ended), expected, "{format} {encryption}");
        let record = study.record("fresh");
        // How macOS reads and encrypts is not ours to say.
        assert_eq!(record["access"], Value::Null, "{format} {encryption}");
        let size = &record["sizes"][1];
        assert_eq!(size["bands"].is_u64(), format == "UDSB", "{size}");
        assert!(size["volume_free_bytes"].is_u64(), "{size}");
        for kept in ["indexing_off", "event_log_off", "backup_off"] {
            assert_eq!(record["quiet"][kept], true, "{kept}");
        }
    }
}

#[test]
fn on_a_mac_an_image_that_is_made_otherwise_fails_before_a_byte_is_timed() {
    let wide = 33_554_432;
    for (order, format, encryption, what) in [
        ("makes-other-cipher", "UDSB", "AES-256", "key bits 128 instead of 256"),
        ("makes-other-cipher", "UDSB", "AES-128", "key bits 256 instead of 128"),
        ("makes-other-cipher", "ASIF", "AES-256", "key bits 128 instead of 256"),
        ("makes-plain", "UDRW", "AES-256", "encrypted false instead of true"),
        ("makes-plain", "UDSP", "AES-128", "encrypted false instead of true"),
        ("makes-plain", "UDSB", "AES-256", "encrypted false instead of true"),
        ("makes-plain", "ASIF", "AES-256", "encrypted false instead of true"),
        ("makes-raw", "UDSP", "none", "format UDRW instead of UDSP"),
        ("makes-raw", "ASIF", "none", "format UDRW instead of ASIF"),
        ("makes-other-bands", "UDSB", "none", "band bytes 67108864 instead of 33554432"),
        ("makes-other-bands", "UDSP", "AES-256", "band bytes 67108864 instead of 33554432"),
        ("makes-other-length", "UDRW", "none", "nominal bytes 819200000 instead of 409600000"),
        ("makes-other-length", "UDSB", "AES-128", "nominal bytes 819200000 instead of 409600000"),
        ("makes-other-length", "ASIF", "none", "nominal bytes 819200000 instead of 409600000"),
        ("makes-hfs", "UDSP", "none", "file system hfs instead of apfs"),
        ("makes-hfs", "ASIF", "none", "file system hfs instead of apfs"),
        ("tells-large-sectors", "UDRW", "none", "sector bytes 4096 instead of 512"),
    ] {
        let (mac, study) = (Mac::new(&[]), Study::new());
        mac.order(order, 1);
        let mut cell = on_a_mac("apple", format, encryption);
        if order == "makes-other-bands" {
            cell["band_bytes"] = json!(wide);
        }
        let ended = run(&mac, &study, &cell);
        let reason = failed(&mac, &study, &ended);
        let place = "step 1 of phase fresh (create): the image is not what was requested: ";
        assert!(reason.starts_with(place) && reason.contains(what), "{order} {format}: {reason}");
        assert!(
            !reason.contains('\n') && reason.ends_with("; nothing was timed on it"),
            "{reason}"
        );
    }
}

#[test]
fn macos_27_without_hdiutil_measures_what_diskutil_makes_and_skips_the_rest() {
    let without = ["--macos", "27", "--without-hdiutil"];
    for (format, encryption, band_bytes) in [
        ("ASIF", "none", Some(1_048_576)),
        ("ASIF", "AES-256", Some(1_048_576)),
        ("UDRW", "none", None),
        ("UDRW", "AES-256", None),
        ("UDSB", "none", Some(8_388_608)),
        ("UDSB", "AES-256", Some(8_388_608)),
    ] {
        let (mac, study) = (Mac::new(&without), Study::new());
        let mut cell = on_macos_27("apple", format, encryption);
        cell["phases"][0]["steps"].as_array_mut().unwrap().push(json!({"step": "compact"}));
        let effective = measured(&study, &run(&mac, &study, &cell));
        assert_eq!(effective["format"], format, "{encryption}");
        assert_eq!(effective["band_bytes"], json!(band_bytes), "{format} {encryption}");
        assert_eq!(effective["encrypted"], encryption != "none", "{format} {encryption}");
        let record = study.record("fresh");
        let compacted = record["steps"].as_array().unwrap().last().unwrap();
        let note = compacted["note"].as_str().unwrap();
        assert!(note.ends_with(": nothing was done"), "{note}");
        assert_eq!(note.starts_with("macOS has no compaction for "), format != "UDSB", "{note}");
        assert!(mac.attached().is_empty(), "{format} {encryption}");
    }
    // By hdiutil alone, whatever there was before.
    for (format, encryption) in [("UDSP", "none"), ("UDSP", "AES-256"), ("UDSB", "AES-128")] {
        let (mac, study) = (Mac::new(&without), Study::new());
        run(&mac, &study, &on_macos_27("apple", format, encryption)).done();
        let record = study.record("fresh");
        assert_eq!((&record["status"], &record["samples"]), (&json!("skipped"), &json!([])));
        let reason = record["reason"].as_str().unwrap();
        assert!(
            reason.contains(&format!("(create): macOS 27 cannot create {format} images")),
            "{reason}"
        );
        assert!(study.left().is_empty(), "{:?}", study.left());
    }
}

#[test]
fn blocks_of_4096_bytes_are_made_by_our_driver_and_skipped_where_macos_has_no_word_for_them() {
    let (mac, study) = (Mac::new(&["--macos", "27"]), Study::new());
    let mut cell = on_macos_27("portable", "ASIF", "none");
    cell["block_bytes"] = json!(4096);
    let effective = measured(&study, &run(&mac, &study, &cell));
    let found = (&effective["sector_bytes"], &effective["nominal_bytes"]);
    assert_eq!(found, (&json!(4096), &json!(409_600_000)));
    cell["driver"] = json!("apple");
    let study = Study::new();
    run(&mac, &study, &cell).done();
    let record = study.record("fresh");
    assert_eq!((&record["status"], &record["samples"]), (&json!("skipped"), &json!([])));
    let reason = record["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("diskutil is not known to make ASIF images with blocks"),
        "{reason}"
    );
    assert!(reason.ends_with("measure them with driver portable"), "{reason}");
}

#[test]
fn a_program_that_does_not_answer_leaves_its_facts_unknown() {
    let (mac, study) = (Mac::new(&[]), Study::new());
    // All three tries.
    mac.order("no-space imageinfo", 3);
    let ended = run(&mac, &study, &on_a_mac("apple", "UDRW", "none"));
    let effective = measured(&study, &ended);
    for unknown in ["format", "encrypted", "cipher", "key_bits", "nominal_bytes"] {
        assert_eq!(effective[unknown], Value::Null, "{unknown}");
    }
    assert_eq!(study.record("fresh")["image"]["requested"]["format"], "UDRW");
}

#[test]
fn a_folder_on_a_disk_image_is_not_native() {
    let (mac, study) = (Mac::new(&[]), Study::new());
    let image = mac.place("a.dmg");
    mac.call("hdiutil", &["create", "-sectors", "204800", "-type", "UDIF", "-fs", "APFS", &image])
        .good();
    let at = study.work().canonicalize().unwrap();
    mac.call("hdiutil", &["attach", "-mountpoint", at.to_str().unwrap(), &image]).good();
    let ended = run(&mac, &study, &on_a_mac("native", "native", "none"));
    assert_eq!(ended.code, 7, "{ended:?}");
    let record = study.record("fresh");
    assert_eq!((&record["status"], &record["samples"]), (&json!("failed"), &json!([])));
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("on an image true instead of false"), "{reason}");
}

#[test]
fn a_folder_has_the_encryption_of_its_disk_and_no_other() {
    for (file_vault, encryption, what) in [
        ("on", "FileVault", None),
        ("off", "none", None),
        ("off", "FileVault", Some("encrypted false instead of true")),
        ("on", "none", Some("encrypted true instead of false")),
    ] {
        let (mac, study) = (Mac::new(&["--file-vault", file_vault]), Study::new());
        let ended = run(&mac, &study, &on_a_mac("native", "native", encryption));
        match what {
            None => {
                let expected = json!({
                    "on_image": false, "format": null, "encrypted": file_vault == "on", "cipher": null,
                    "key_bits": null, "band_bytes": null, "sector_bytes": null, "nominal_bytes": null,
                    "file_system": "apfs",
                });
                assert_eq!(measured(&study, &ended), expected, "{file_vault} {encryption}");
            }
            Some(what) => {
                let reason = failed(&mac, &study, &ended);
                assert!(reason.contains(what), "{file_vault} {encryption}: {reason}");
            }
        }
    }
}
