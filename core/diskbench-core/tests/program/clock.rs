//! The system clock is set while a cell is measured: durations are unaffected, nothing ends before it began, and the
//! record has a warning.

#![cfg(target_os = "linux")]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a helper of tests may stop")]

use crate::common::gate::Gate;
use crate::common::{Study, cell, ended};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// What a clock of whole seconds shows at least once.
const A_SECOND: Duration = Duration::from_millis(1001);

/// The record of a cell in whose middle the clock is set by so many seconds.
fn measured_with_a_step(seconds: i64) -> Value {
    let study = Study::new();
    let mut short = cell();
    short["phases"][0]["steps"] = json!([{"step": "create"}, {"step": "write"}]);
    let when = study.path("step");
    let gate = Gate::new(&study, "pwrite", "r01-s02-0006");
    let mut command = study.run_command(&short, &[]);
    gate.before(&mut command);
    command.env("DISKBENCH_FAULT_CLOCK", format!("{seconds} {}", when.display()));
    let mut child = command.spawn().unwrap();
    let held = gate.reached(&mut child);
    fs::write(&when, "").unwrap();
    std::thread::sleep(A_SECOND);
    drop(held);
    ended(child).done();
    let records = study.path("records");
    assert_eq!(study.call(&["verify", records.to_str().unwrap()]).done().code, 0);
    study.record("fresh")
}

#[test]
fn a_clock_that_is_set_meanwhile_changes_no_duration_and_is_told() {
    for (seconds, words) in [(-3600, "set back by 3600 s"), (7200, "set ahead by 7200 s")] {
        let record = measured_with_a_step(seconds);
        let warnings = record["warnings"].to_string();
        assert!(warnings.contains(words), "{warnings}");
        let (started, finished) = (&record["started_utc"], &record["finished_utc"]);
        // Both of the same hour, or of two that follow each other: the step is in neither.
        assert!(started.as_str() < finished.as_str(), "{started} {finished}");
        let minutes = |time: &Value| -> i64 {
            let text = time.as_str().unwrap();
            text[11..13].parse::<i64>().unwrap() * 60 + text[14..16].parse::<i64>().unwrap()
        };
        assert!((minutes(finished) - minutes(started)).rem_euclid(24 * 60) < 10);
        for step in record["steps"].as_array().unwrap() {
            assert!(step["elapsed_ns"].as_u64().unwrap() < 600_000_000_000, "{step}");
        }
    }
}

#[test]
fn a_clock_that_goes_on_is_no_warning() {
    let record = measured_with_a_step(0);
    assert!(!record["warnings"].to_string().contains("the clock of the machine"));
}
