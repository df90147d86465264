//! `diskbench run`: what one cell leaves behind, phase after phase.

use crate::common::{Ended, Study, at, cell, image, names};
use serde_json::{Value, json};
use std::fs;

fn samples<'a>(record: &'a Value, op: &str) -> Vec<&'a Value> {
    let samples = record.get("samples").and_then(Value::as_array).into_iter().flatten();
    samples.filter(|sample| sample.get("op").is_some_and(|found| found == op)).collect()
}

#[test]
fn a_cell_leaves_a_record_that_holds_exactly_what_was_asked_for() {
    let study = Study::new();
    study.run_with(&cell(), &["--position", "2", "--planned", "5"]).done();
    let record = study.record("fresh");
    assert_eq!(record["status"], "measured");
    assert_eq!(record["reason"], Value::Null);
    assert_eq!(record["cell"], cell());
    assert_eq!((&record["position"], &record["planned"]), (&json!(2), &json!(5)));
    assert_eq!(record["cache"], json!({"asked": "none", "reached": "none"}));
    assert_eq!(record["durability"], json!({"asked": "fsync", "reached": "fsync"}));
    for op in ["write", "read"] {
        let samples = samples(&record, op);
        assert_eq!(samples.len(), 6);
        assert_eq!(samples.iter().map(|s| s["size_bytes"].as_u64().unwrap()).sum::<u64>(), 168_194);
        assert!(
            samples.iter().all(|s| s["elapsed_ns"].as_u64().unwrap() > 0 && s["slept"] == false)
        );
    }
    let order =
        |op| samples(&record, op).iter().map(|s| s["size_bytes"].clone()).collect::<Vec<_>>();
    assert_eq!(order("write"), order("read"), "read back in the order written");
    let steps: Vec<&Value> =
        record["steps"].as_array().unwrap().iter().map(|s| &s["step"]).collect();
    let asked: Vec<Value> = cell()["phases"][0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["step"].clone())
        .collect();
    assert_eq!(steps, asked.iter().collect::<Vec<_>>());
    let detached = record["steps"][5]["note"].as_str().unwrap();
    assert!(detached.starts_with("nothing to detach: the cache of 6 files was"), "{detached}");
    assert_eq!(record["sizes"][0]["apparent_bytes"], 0);
    assert_eq!(record["sizes"][1]["apparent_bytes"], 84_097);
    assert!(record["ceiling"]["write_bytes_per_second"].as_u64().unwrap() > 0);
    study.call(&["verify", study.path("records").to_str().unwrap()]).done();
}

#[test]
fn phases_go_on_with_the_image_and_the_last_one_removes_it() {
    let study = Study::new();
    for (phase, images) in [("fresh", 1), ("partly-filled", 1), ("emptied", 0)] {
        study.run(&at(phase)).done();
        assert_eq!(study.record(phase)["replayed_phases"], json!([]), "{phase}");
        assert_eq!(study.left().len(), images, "{phase}");
    }
    study.call(&["verify", study.path("records").to_str().unwrap()]).done();
}

#[test]
fn a_phase_without_its_image_runs_the_earlier_ones_again_and_names_them() {
    let study = Study::new();
    study.run(&at("emptied")).done();
    let record = study.record("emptied");
    assert_eq!(record["replayed_phases"], json!(["fresh", "partly-filled"]));
    assert_eq!(record["samples"].as_array().unwrap().len(), 12);
    assert!(study.left().is_empty());
}

#[test]
fn an_image_of_a_changed_cell_is_not_gone_on_with() {
    let study = Study::new();
    study.run(&cell()).done();
    let mut changed = at("partly-filled");
    changed["seed"] = json!(7);
    study.run(&changed).done();
    assert_eq!(study.record("partly-filled")["replayed_phases"], json!(["fresh"]));
}

#[test]
fn a_record_that_is_measured_again_is_set_aside_and_not_lost() {
    let study = Study::new();
    study.run(&cell()).done();
    let first = fs::read(study.record_path("fresh")).unwrap();
    let tag = study.record("fresh")["sha256"].as_str().unwrap()[..8].to_owned();
    let again = study.run(&cell());
    let aside = format!("fresh.superseded-{tag}.json");
    let told = format!("fresh.json; the older record is kept as {aside}\n");
    assert!(again.done().stderr.ends_with(&told), "{again:?}");
    assert_eq!(names(&study.path("records")), ["fresh.json".to_owned(), aside.clone()]);
    assert_eq!(fs::read(study.path("records").join(aside)).unwrap(), first);
    // Set aside, it is none of the records any more.
    let verified = study.call(&["verify", study.path("records").to_str().unwrap()]);
    assert_eq!(verified.done().stdout, "1 records checked, 0 damaged\n");
}

#[test]
fn every_cache_and_durability_mode_measures_and_records_what_was_reached() {
    for cache in ["none", "bypass", "drop"] {
        for durability in ["none", "fsync", "barrier", "full"] {
            let study = Study::new();
            let mut cell = cell();
            cell["io"] = json!({"block_bytes": 8192, "cache": cache, "durability": durability});
            study.run_with(&cell, &["--check"]).done();
            let record = study.record("fresh");
            assert_eq!(record["cache"]["asked"], cache);
            assert_eq!(record["durability"]["asked"], durability);
            for (key, name, asked) in
                [("cache", "cache mode", cache), ("durability", "durability", durability)]
            {
                let reached = record[key]["reached"].as_str().unwrap();
                let told =
                    record["warnings"].to_string().contains(&format!("requested {name} {asked}"));
                assert_eq!(reached != asked, told, "{key} {asked}: {record:#}");
            }
            if cfg!(target_os = "linux") && durability == "barrier" {
                assert_eq!(record["durability"]["reached"], "fsync");
            }
        }
    }
}

#[test]
fn reads_straight_after_writing_are_told_to_be_memory_s() {
    let study = Study::new();
    let mut cell = cell();
    cell["phases"] = json!([{"phase": "fresh",
        "steps": [{"step": "create"}, {"step": "write"}, {"step": "read"}]}]);
    study.run(&cell).done();
    let warnings = study.record("fresh")["warnings"].to_string();
    assert!(warnings.contains("these reads may have come from memory"), "{warnings}");
    assert!(study.left().is_empty(), "the only phase is the last one");
}

#[test]
fn what_cannot_be_measured_here_leaves_a_skipped_record_with_the_reason() {
    let cases = [
        (
            "driver",
            json!("portable"),
            "driver portable measures images, and format native is not an image",
        ),
        ("driver", json!("apple"), "driver apple"),
        ("format", json!("UDSB"), "driver native does not measure images (UDSB)"),
        ("encryption", json!("AES-256"), "driver native cannot encrypt with AES-256"),
    ];
    for (key, value, reason) in cases {
        let study = Study::new();
        let mut cell = cell();
        cell[key] = value;
        let ended = study.run(&cell);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stderr.starts_with(&format!("diskbench: skipped: {reason}")), "{ended:?}");
        let record = study.record("fresh");
        assert_eq!(record["status"], "skipped");
        assert!(record["reason"].as_str().unwrap().starts_with(reason), "{record:#}");
        assert_eq!(record["samples"], json!([]));
        assert!(study.left().is_empty());
        study.call(&["verify", study.path("records").to_str().unwrap()]).done();
    }
}

#[test]
fn the_log_tells_every_step_and_file() {
    let study = Study::new();
    let log = study.path("logs/cell.log");
    study.run_with(&cell(), &["--log", log.to_str().unwrap()]).done();
    let text = fs::read_to_string(log).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(" step ")).count(), 11, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("  write ")).count(), 6, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("  read ")).count(), 6, "{text}");
}

/// A run as a person calls it, with its progress on stderr.
fn with_progress(study: &Study, cell: &Value, more: &[&str]) -> Ended {
    let paths = [study.write_cell(cell), study.work(), study.record_path("fresh")];
    let [cell, folder, record] = paths.each_ref().map(|path| path.to_string_lossy());
    let asked = ["run", "--cell", &cell, "--folder", &folder, "--record", &record];
    study.call(&[&asked, more].concat())
}

#[test]
fn progress_is_plain_lines_when_stderr_is_no_terminal() {
    let study = Study::new();
    let ended = study.run_with(&cell(), &[]);
    assert_eq!(ended.stderr, "");
    let ended = with_progress(&study, &cell(), &["--position", "1", "--planned", "3"]);
    let lines: Vec<&str> = ended.done().stderr.lines().collect();
    assert_eq!(
        lines[0],
        "[1/3] usage-phases native-none fresh: 12 files, 0.00 GB to write and read"
    );
    assert!(
        lines[1].starts_with("[1/3] usage-phases native-none fresh: measured: 12 files"),
        "{lines:?}"
    );
    assert!(!ended.stderr.contains('\u{1b}') && !ended.stderr.contains('\r'));
}

#[test]
fn progress_tells_an_image_with_bands_of_another_size_from_others() {
    let study = Study::new();
    let mut banded = image(cell(), "UDSB", "none");
    banded["band_bytes"] = json!(1_048_576);
    let ended = with_progress(&study, &banded, &[]);
    let first = ended.done().stderr.lines().next().unwrap().to_owned();
    assert!(first.starts_with("usage-phases UDSB-none-bands-1048576 fresh: "), "{first}");
}
