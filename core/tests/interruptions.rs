//! Signals, kills and two runs at a time: temporary files gone, finished records kept, the next call goes on.

mod common;

use common::{Study, cell, ended, files, long_cell, signal};
use serde_json::json;
use std::fs;

#[test]
fn a_signal_in_the_middle_of_writing_leaves_no_files_and_no_record() {
    for name in ["INT", "TERM"] {
        let study = Study::new();
        let child = study.begin(&long_cell("fresh"));
        study.wait_for("r01-s02");
        signal(&child, name);
        let ended = ended(child);
        let line = ended.refused_with(130);
        assert!(line.ends_with("run the same command again to go on"), "{line}");
        assert!(study.left().is_empty(), "{:?}", study.left());
        assert!(files(&study.path("records")).is_empty());
    }
}

#[test]
fn a_signal_keeps_the_records_of_finished_phases_and_of_an_earlier_run() {
    let study = Study::new();
    study.run(&long_cell("fresh")).done();
    let first = fs::read(study.record_path("fresh")).unwrap();
    let child = study.begin(&long_cell("partly-filled"));
    study.wait_for("r02-s02");
    signal(&child, "INT");
    ended(child).refused_with(130);
    // And once more in the phase that has a record already.
    let child = study.begin(&long_cell("fresh"));
    study.wait_for("r01-s02");
    signal(&child, "INT");
    ended(child).refused_with(130);
    assert_eq!(fs::read(study.record_path("fresh")).unwrap(), first);
    assert_eq!(common::names(&study.path("records")), ["fresh.json"]);
}

#[test]
fn a_run_that_is_killed_is_followed_by_one_that_completes() {
    let study = Study::new();
    let mut child = study.begin(&long_cell("fresh"));
    study.wait_for("r01-s02");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(study.left().len(), 1, "nobody could clear up");
    assert!(files(&study.path("records")).is_empty());
    study.run(&long_cell("fresh")).done();
    let record = study.record("fresh");
    assert_eq!(record["samples"].as_array().unwrap().len(), 720);
    assert_eq!(record["replayed_phases"], json!([]));
}

#[test]
fn a_kill_in_a_later_phase_makes_the_next_run_replay_the_earlier_ones() {
    let study = Study::new();
    study.run(&long_cell("fresh")).done();
    let mut child = study.begin(&long_cell("partly-filled"));
    study.wait_for("r02-s02");
    child.kill().unwrap();
    child.wait().unwrap();
    study.run(&long_cell("partly-filled")).done();
    let record = study.record("partly-filled");
    assert_eq!(record["replayed_phases"], json!(["fresh"]));
    assert_eq!(record["samples"].as_array().unwrap().len(), 720);
    study.run(&long_cell("emptied")).done();
    assert_eq!(study.record("emptied")["replayed_phases"], json!([]));
    assert!(study.left().is_empty());
}

#[test]
fn what_a_killed_run_left_can_be_swept_away() {
    let study = Study::new();
    let mut child = study.begin(&long_cell("fresh"));
    study.wait_for("r01-s02");
    let work = study.work();
    let sweep = ["sweep", "--folder", work.to_str().unwrap()];
    let busy = study.call(&sweep);
    assert_eq!(busy.stdout, "0 removed, 1 left\n");
    assert!(busy.stderr.contains("is in use: left as it is"), "{busy:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(study.call(&sweep).done().stdout.ends_with("1 removed, 0 left\n"));
    assert!(study.left().is_empty());
}

#[test]
fn a_second_run_at_the_same_time_is_refused_and_disturbs_nothing() {
    let study = Study::new();
    let mut waiting = cell();
    waiting["phases"][0]["steps"] =
        json!([{"step": "create"}, {"step": "write"}, {"step": "settle", "seconds": 600}]);
    let child = study.begin(&waiting);
    study.wait_for("r01-s02-0006");
    // Another image in another folder: it still is the same machine.
    let other = study.path("other");
    fs::create_dir(&other).unwrap();
    let description = study.write_cell(&cell());
    let second = study.call(&[
        "run",
        "--progress",
        "none",
        "--cell",
        description.to_str().unwrap(),
        "--folder",
        other.to_str().unwrap(),
        "--record",
        study.path("second.json").to_str().unwrap(),
    ]);
    let busy = "another study is measuring on this machine: wait for it to end, then run again";
    assert_eq!(second.refused_with(5), busy);
    assert!(!study.path("second.json").exists() && files(&other).is_empty());

    let plan = study.path("plan.json");
    let text = json!({
        "plan_version": 1, "study": "test", "seed": 1, "assumed_bytes_per_second": 1, "assumed_from": "a guess",
        "storages": [{"slug": "internal", "folder": other}], "records_folder": "data/runs",
        "cells": [{"record": "data/runs/x.json", "due": true, "cell": cell()}]
    });
    fs::write(&plan, text.to_string()).unwrap();
    let planned = study.call(&["plan", "--plan", plan.to_str().unwrap()]);
    assert_eq!(planned.refused_with(5), busy);
    assert!(planned.stdout.contains("1 to measure"), "the table comes first: {planned:?}");

    // A signal ends a wait at once.
    signal(&child, "INT");
    ended(child).refused_with(130);
    assert!(study.left().is_empty());
    // With the first one gone, the lock is free.
    study.call(&["plan", "--plan", plan.to_str().unwrap()]).done();
}
