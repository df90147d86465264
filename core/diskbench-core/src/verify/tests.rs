//! Everything that can be wrong with a record is found and named.

use super::{check, verify};
use crate::cell::Cache;
use crate::record::{
    CommandEnd, CommandRecord, Cores, ImageFacts, ImageIdentity, ProcessUse, Record, Serving,
    Status, Tool, digest, store,
};
use crate::testing::record;
use serde_json::{Value, json};
use std::fs;
use system::flush::Durability;

fn bytes(record: &Record) -> Vec<u8> {
    digest::sealed(record).unwrap().to_string().into_bytes()
}

/// What is said about a record after this change, its checksum made to fit again.
fn finding(change: impl FnOnce(&mut Record)) -> String {
    let mut record = record();
    change(&mut record);
    check(&bytes(&record)).expect_err("must be found")
}

#[test]
fn a_whole_record_passes_pretty_or_not() {
    let tree = digest::sealed(&record()).unwrap();
    check(tree.to_string().as_bytes()).unwrap();
    check(crate::json::pretty(&tree).as_bytes()).unwrap();
}

#[test]
fn a_record_holds_what_its_image_is_unless_it_is_older() {
    let mut record = record();
    assert!(record.image.is_none());
    let requested = ImageFacts::requested(&record.cell);
    let effective = ImageFacts { file_system: Some("ext4".into()), ..requested.clone() };
    record.image = Some(ImageIdentity { requested, effective: effective.clone() });
    check(&bytes(&record)).unwrap();
    // Unknown values do not count as different.
    record.image.as_mut().unwrap().effective = ImageFacts::default();
    check(&bytes(&record)).unwrap();

    let effective = ImageFacts { on_image: Some(true), ..effective };
    record.image.as_mut().unwrap().effective = effective;
    let why = check(&bytes(&record)).unwrap_err();
    assert!(why.contains("(on an image true instead of false), and it was measured"), "{why}");
    (record.status, record.reason) = (Status::Failed, Some("so it is".into()));
    check(&bytes(&record)).unwrap();
    // A record with a request changed to match the image is refused too.
    record.image.as_mut().unwrap().requested.on_image = Some(true);
    let why = check(&bytes(&record)).unwrap_err();
    assert_eq!(why, "the image that it requested is not the one of its cell");

    let mut tree: Value = serde_json::from_slice(&bytes(&record)).unwrap();
    tree["image"]["effective"].as_object_mut().unwrap().remove("key_bits");
    tree["sha256"] = json!(digest::of_record(tree.clone()));
    assert_eq!(check(tree.to_string().as_bytes()).unwrap_err(), "a key is missing");
}

#[test]
fn a_record_cut_anywhere_is_found() {
    let whole = bytes(&record());
    for end in (0..whole.len()).step_by(7) {
        check(&whole[..end]).expect_err("a part is not the whole");
    }
}

#[test]
fn any_changed_digit_is_found() {
    let whole = String::from_utf8(bytes(&record())).unwrap();
    let mut changed = 0;
    for (place, _) in whole.match_indices("_ns\":").collect::<Vec<_>>() {
        let digit = place + "_ns\":".len();
        let mut copy = whole.clone().into_bytes();
        copy[digit] = if copy[digit] == b'1' { b'2' } else { b'1' };
        let why = check(&copy).expect_err("must be found");
        assert!(why.contains("checksum") || why.contains("JSON"), "{why}");
        changed += 1;
    }
    assert!(changed > 20);
}

#[test]
fn a_sealed_record_that_is_not_what_its_cell_asks_for_is_found() {
    let line = finding(|r| r.samples.truncate(11));
    assert_eq!(
        line,
        "it should contain 12 steps, 12 samples and 2 sizes, but contains 12 steps, 11 samples and 2 sizes"
    );
    let other = "are not those of its cell";
    assert!(finding(|r| r.samples[0].size_bytes += 1).contains(other));
    assert!(finding(|r| r.samples.swap(0, 1)).contains(other));
    assert!(finding(|r| r.steps[0].step = "attach".into()).contains(other));
    assert!(finding(|r| r.sizes[0].state = "old".into()).contains(other));
    assert!(
        finding(|r| r.reason = Some("x".into()))
            .contains("every record that is not measured has a reason")
    );
    assert!(
        finding(|r| r.status = Status::Failed)
            .contains("every record that is not measured has a reason")
    );
    assert!(
        finding(|r| r.finished_utc = "2026-11-20T18:48:18Z".into())
            .contains("ended before it began")
    );
    assert!(finding(|r| r.samples[0].elapsed_ns = u64::MAX).contains("beyond 63 bits"));
    let largest = i64::MAX.unsigned_abs();
    assert!(finding(|r| r.samples[0].elapsed_ns = largest).contains("add up to more than"));
    assert!(finding(|r| r.steps[0].elapsed_ns = largest).contains("add up to more than"));
    let asked = "asked for is not that of its cell";
    let silent = "does not say with which cache mode and durability";
    assert!(finding(|r| r.cache.asked = Cache::Bypass).contains(asked));
    assert!(finding(|r| r.durability.asked = Durability::Full).contains(asked));
    assert!(finding(|r| r.cache.reached = None).contains(silent));
    assert!(finding(|r| r.durability.reached = None).contains(silent));
    assert!(
        finding(|r| r.warnings.push("one without its code".into())).contains("codes than texts")
    );
    for (position, planned) in [(0, 3), (4, 3)] {
        assert!(
            finding(|r| (r.position, r.planned) = (Some(position), Some(planned)))
                .contains("not among the planned cells")
        );
    }
    assert!(finding(|r| r.cell.sets = 0).contains("its cell is invalid: sets is 0"));
    assert!(finding(|r| r.record_version = 0).contains("record_version 0 is not known"));
    let skipped = |r: &mut Record| {
        r.status = Status::Skipped;
        r.reason = Some("no".into());
    };
    assert!(finding(skipped).contains("was skipped, but contains samples"));
}

/// Gives a record a list of so many entries.
type Lengthen = fn(&mut Record, usize);

fn commands(count: usize, arguments: usize) -> Vec<CommandRecord> {
    let command = CommandRecord {
        program: "hdiutil".into(),
        arguments: vec!["info".into(); arguments],
        end: CommandEnd::Exited,
        code: Some(0),
        elapsed_ns: 1,
    };
    vec![command; count]
}

fn serving(processes: usize) -> Serving {
    let process = ProcessUse {
        name: "diskimages-helper".into(),
        count: 1,
        ended: 0,
        permitted: false,
        cpu_ns: None,
        read_bytes: None,
        written_bytes: None,
        energy_nj: None,
    };
    Serving { elapsed_ns: 1, processes: vec![process; processes] }
}

#[test]
fn a_longer_list_than_a_record_of_ours_has_is_found() {
    let lists: [Lengthen; 6] = [
        |r, count| (r.warnings, r.warning_codes) = (vec!["so it was".into(); count], None),
        |r, count| r.host.cores = vec![Cores { kind: "performance".into(), count: 1 }; count],
        |r, count| {
            r.host.tools = vec![Tool { name: "hdiutil".into(), version: "671".into() }; count];
        },
        |r, count| r.steps[0].commands = commands(count, 1),
        |r, count| r.steps[0].commands = commands(1, count),
        |r, count| r.steps[0].serving = Some(serving(count)),
    ];
    for lengthen in lists {
        let mut longest = record();
        lengthen(&mut longest, 1_000);
        check(&bytes(&longest)).unwrap();
        let line = finding(|r| lengthen(r, 1_001));
        assert_eq!(line, "it contains a list of more than 1000 entries");
    }
}

#[test]
fn a_longer_text_than_a_page_shows_is_found() {
    let mut longest = record();
    longest.host.chip = Some("ü".repeat(10_000));
    check(&bytes(&longest)).unwrap();
    let line = finding(|r| r.host.chip = Some("ü".repeat(10_001)));
    assert_eq!(line, "it contains a text of more than 10000 characters");
}

#[test]
fn a_time_that_is_not_one_of_utc_to_the_second_is_found() {
    for time in [
        "yesterday",
        "0000-01-01T00:00:00Z",
        "2016-12-31T23:59:60Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00.5Z",
        "2026-01-01 00:00:00Z",
        "9999-12-31T23:59:59-01:00",
    ] {
        assert!(finding(|r| r.started_utc = time.into()).contains("not in UTC"), "{time}");
    }
}

#[test]
fn a_record_of_a_newer_diskbench_is_not_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let newer = Record { record_version: 2, ..record() };
    fs::write(folder.path().join("newer.json"), bytes(&newer)).unwrap();
    store::save(&record(), &folder.path().join("ours.json")).unwrap();
    let mut lines = Vec::new();
    let findings = verify(&[folder.path().to_owned()], &mut |finding| {
        lines.extend(finding.line());
        Ok(())
    })
    .unwrap();
    assert_eq!((findings.checked, findings.damaged, findings.newer), (2, 0, 1));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("update diskbench"), "{lines:?}");
    assert_eq!(findings.summary(), "2 records checked, 0 damaged, 1 of a newer diskbench");
}

#[test]
fn a_failed_record_holds_the_beginning() {
    let mut record = record();
    record.status = Status::Failed;
    record.reason = Some("the disk is full".into());
    record.samples.truncate(3);
    record.steps.truncate(6);
    record.sizes.truncate(1);
    check(&bytes(&record)).unwrap();
}

fn resealed(change: impl FnOnce(&mut Value)) -> String {
    let mut tree = digest::sealed(&record()).unwrap();
    change(&mut tree);
    let sha256 = digest::of_record(tree.clone());
    tree["sha256"] = json!(sha256);
    check(tree.to_string().as_bytes()).expect_err("must be found")
}

#[test]
fn unknown_and_missing_keys_and_floats_are_found_even_under_a_fitting_checksum() {
    assert!(resealed(|tree| tree["colour"] = json!(1)).contains("unknown field `colour`"));
    assert!(
        resealed(|tree| drop(tree.as_object_mut().unwrap().remove("reason")))
            .contains("a key is missing")
    );
    assert!(
        resealed(|tree| drop(tree.as_object_mut().unwrap().remove("host")))
            .contains("missing field `host`")
    );
    assert!(
        resealed(|tree| tree["samples"][0]["elapsed_ns"] = json!(1.5)).contains("not an integer")
    );
}

#[test]
fn folders_are_searched_and_older_records_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    store::save(&record(), &deep.join("fresh.json")).unwrap();
    fs::write(deep.join("fresh.superseded-12345678.json"), "old").unwrap();
    fs::write(deep.join(".fresh.json.partial"), "left").unwrap();
    fs::write(deep.join("notes.txt"), "x").unwrap();
    fs::write(folder.path().join("bad.json"), "{").unwrap();
    let mut told = Vec::new();
    let findings = verify(&[folder.path().to_owned()], &mut |finding| {
        told.push((finding.cell.clone(), finding.line()));
        Ok(())
    })
    .unwrap();
    assert_eq!(findings.summary(), "2 records checked, 1 damaged");
    let [(Some(cell), None), (None, Some(bad))] = &told[..] else { panic!("{told:?}") };
    assert_eq!(*cell, record().cell.id());
    assert!(bad.contains("bad.json is damaged: it ends too early"), "{bad}");
}

#[test]
fn a_key_that_occurs_twice_is_found() {
    let whole = String::from_utf8(bytes(&record())).unwrap();
    let twice = whole.replacen("\"order\":1,", "\"order\":7,\"order\":1,", 1);
    assert_ne!(twice, whole);
    assert!(
        check(twice.as_bytes()).expect_err("must be found").contains("duplicate field `order`")
    );
}
