//! Signals, kills and two runs at a time: temporary files gone, finished records kept, the next call goes on.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a helper of tests may stop")]

use crate::common::gate::Gate;
use crate::common::{
    Study, cell, ended, endless, endless_cell, files, image, long_cell, shell, signal,
};
use serde_json::json;
use std::fs;
use std::process::Stdio;

#[test]
fn a_signal_in_the_middle_of_writing_leaves_no_files_and_no_record() {
    for (name, format, encryption) in [
        ("INT", "native", "none"),
        ("TERM", "native", "none"),
        ("INT", "UDRW", "none"),
        ("TERM", "UDSB", "none"),
        ("INT", "ASIF", "AES-256"),
    ] {
        let study = Study::new();
        let child = study.begin_with_log(&image(endless_cell(), format, encryption));
        study.wait_for_log("  write r01-s02");
        signal(&child, name);
        let ended = ended(child);
        let line = ended.refused_with(130);
        assert!(line.ends_with("run the same command again"), "{line}");
        assert!(study.left().is_empty(), "{format}: {:?}", study.left());
        assert!(files(&study.path("records")).is_empty());
    }
}

#[test]
fn a_signal_keeps_the_records_of_finished_phases_and_of_an_earlier_run() {
    let study = Study::new();
    study.run(&endless(long_cell("fresh"), 1)).done();
    let first = fs::read(study.record_path("fresh")).unwrap();
    let child = study.begin(&endless(long_cell("partly-filled"), 1));
    study.wait_for("r02-s02");
    signal(&child, "INT");
    ended(child).refused_with(130);
    // And once more in the phase that has a record already.
    let child = study.begin(&endless_cell());
    study.wait_for("r01-s02");
    signal(&child, "INT");
    ended(child).refused_with(130);
    assert_eq!(fs::read(study.record_path("fresh")).unwrap(), first);
    assert_eq!(crate::common::names(&study.path("records")), ["fresh.json"]);
}

/// Kills the run of a cell at a gate.
fn kill(study: &Study, cell: &serde_json::Value, gate: Gate<'_>) {
    let mut child = gate.before(&mut study.run_command(cell, &[])).spawn().unwrap();
    let held = gate.reached(&mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(held);
    assert_eq!(study.left().len(), 1, "nobody could clear up");
}

#[test]
fn a_run_that_is_killed_is_followed_by_one_that_completes() {
    let study = Study::new();
    kill(&study, &long_cell("fresh"), Gate::new(&study, "pwrite", "r01-s02"));
    assert!(files(&study.path("records")).is_empty());
    study.run(&long_cell("fresh")).done();
    let record = study.record("fresh");
    assert_eq!(record["samples"].as_array().unwrap().len(), 720);
    assert_eq!(record["replayed_phases"], json!([]));
}

#[test]
fn a_kill_in_a_later_phase_makes_the_next_run_replay_the_earlier_ones() {
    // In an image it is in the midst of 360 files of 123 blocks each.
    for (format, number, name) in [("native", 1, "r02-s02"), ("UDRW", 20_000, "")] {
        let study = Study::new();
        let long_cell = |phase| image(long_cell(phase), format, "none");
        study.run(&long_cell("fresh")).done();
        let gate = Gate::at(&study, "pwrite", number, name);
        kill(&study, &long_cell("partly-filled"), gate);
        study.run(&long_cell("partly-filled")).done();
        let record = study.record("partly-filled");
        assert_eq!(record["replayed_phases"], json!(["fresh"]), "{format}");
        assert_eq!(record["samples"].as_array().unwrap().len(), 720);
        study.run(&long_cell("emptied")).done();
        assert_eq!(study.record("emptied")["replayed_phases"], json!([]), "{format}");
        assert!(study.left().is_empty());
    }
}

#[test]
fn what_a_killed_run_left_can_be_swept_away() {
    for format in ["native", "UDRW", "UDSB"] {
        let study = Study::new();
        let mut child = study.begin_with_log(&image(endless_cell(), format, "none"));
        study.wait_for_log("  write r01-s02");
        let work = study.work();
        let sweep = ["sweep", "--folder", work.to_str().unwrap()];
        let busy = study.call(&sweep);
        assert_eq!(busy.stdout, "0 removed, 1 left\n", "{format}");
        assert!(busy.stderr.contains("is in use: kept"), "{busy:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(study.call(&sweep).done().stdout.ends_with("1 removed, 0 left\n"));
        assert!(study.left().is_empty(), "{format}");
    }
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
    let busy = "another study of this user is measuring on this machine: wait for it to end, then run again";
    assert_eq!(second.refused_with(5), busy);
    assert!(!study.path("second.json").exists() && files(&other).is_empty());

    let plan = study.write_plan(&other, &cell());
    let planned = study.call(&["plan", "--plan", &plan]);
    assert_eq!(planned.refused_with(5), busy);
    assert!(planned.stdout.contains("1 to measure"), "the table comes first: {planned:?}");

    // A signal ends a wait at once.
    signal(&child, "INT");
    ended(child).refused_with(130);
    assert!(study.left().is_empty());
    // With the first one gone, the lock is free.
    study.call(&["plan", "--plan", &plan]).done();
}

/// How long a cell waits for a test where it cannot be held at a call.
const MEDDLING_SECONDS: u64 = if cfg!(target_os = "linux") { 0 } else { 5 };

/// A cell that writes its six files and then waits a little, so that something can be done meanwhile.
fn waiting_cell(seconds: u64) -> serde_json::Value {
    let mut waiting = cell();
    waiting["phases"][0]["steps"] =
        json!([{"step": "create"}, {"step": "write"}, {"step": "settle", "seconds": seconds}]);
    waiting
}

#[test]
fn the_record_is_saved_before_the_image_is_noted_as_finished() {
    let study = Study::new();
    let gate = Gate::new(&study, "pwrite", "r01-s02-0006");
    let mut run = study.run_command(&waiting_cell(MEDDLING_SECONDS), &[]);
    let run = gate.before(&mut run).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.spawn().unwrap();
    let held = gate.reached(&mut child);
    // From now on the state file cannot be written any more.
    let image = study.work().join(&study.left()[0]);
    fs::create_dir(image.join("..diskbench-image.json.partial")).unwrap();
    drop(held);
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{ended:?}");
    assert_eq!(study.record("fresh")["status"], "measured");
}

#[test]
fn a_run_that_is_refused_leaves_the_log_of_the_one_that_is_running_alone() {
    let study = Study::new();
    let log = study.path("cell.log");
    let with_log = ["--log", log.to_str().unwrap()];
    let mut first = study.run_command(&waiting_cell(600), &with_log).spawn().unwrap();
    study.wait_for("r01-s02-0006");
    let before = fs::read_to_string(&log).unwrap();
    let second = study.run_with(&waiting_cell(600), &with_log);
    let after = fs::read_to_string(&log).unwrap();
    // First, so that a test that fails leaves nobody waiting.
    signal(&first, "INT");
    first.wait().unwrap();
    second.refused_with(5);
    assert!(before.contains("step create"), "{before}");
    assert!(after.starts_with(&before), "{after}");
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let study = Study::new();
    let run = study.run_command(&waiting_cell(MEDDLING_SECONDS), &[]);
    // As `nohup` and a shell's `&` do it.
    let mut deaf = shell("trap '' HUP INT; exec \"$0\" \"$@\"", &run);
    let gate = Gate::new(&study, "pwrite", "r01-s02-0006");
    let mut child = gate.before(&mut deaf).spawn().unwrap();
    let held = gate.reached(&mut child);
    signal(&child, "HUP");
    signal(&child, "INT");
    drop(held);
    assert_eq!(ended(child).code, 0);
    assert_eq!(study.record("fresh")["status"], "measured");
}

#[test]
fn a_file_during_which_the_program_was_stopped_is_marked() {
    let study = Study::new();
    let gate = Gate::new(&study, "pwrite", "r01-s02");
    let mut child = gate.before(&mut study.run_command(&long_cell("fresh"), &[])).spawn().unwrap();
    let held = gate.reached(&mut child);
    // Ten times, since on a Mac one stop may fall between two files.
    for _ in 0..10 {
        signal(&child, "STOP");
        std::thread::sleep(std::time::Duration::from_millis(20));
        signal(&child, "CONT");
    }
    drop(held);
    ended(child).done();
    let record = study.record("fresh");
    let marked = record["samples"].as_array().unwrap().iter().filter(|s| s["slept"] == true);
    assert!((1..=10).contains(&marked.count()));
    assert!(record["warnings"].to_string().contains("was stopped (Ctrl-Z)"));
}
