//! What a plan counts, in exact numbers. One round of the test cell is 168,194 bytes; 84,097 are left after `fresh`.

use super::{Outlook, Plan, outlook, refuse_other_disks, refuse_with, table};
use crate::exit_code::ExitCode;
use crate::host;
use crate::testing::{cell, cell_json, left_by_the_first_phase};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const ROUND: u64 = 168_194;

fn plan_json(folder: &Path, cells: &[(&str, u32, bool)]) -> Value {
    let cells: Vec<Value> = cells
        .iter()
        .map(|(phase, repeat, due)| {
            let mut cell = cell_json();
            cell["phase"] = json!(phase);
            cell["repeat"] = json!(repeat);
            json!({"record": format!("data/runs/{repeat}/{phase}.json"), "due": due, "cell": cell})
        })
        .collect();
    json!({
        "plan_version": 1, "study": "test", "seed": 1, "assumed_bytes_per_second": 100_000,
        "assumed_from": "a guess", "storages": [{"slug": "internal", "folder": folder}],
        "records_folder": "data/runs", "cells": cells
    })
}

fn look(folder: &Path, cells: &[(&str, u32, bool)]) -> Outlook {
    outlook(&Plan::parse(&plan_json(folder, cells).to_string()).unwrap()).unwrap()
}

#[test]
fn bytes_time_and_space_are_those_of_the_steps() {
    let work = tempfile::tempdir().unwrap();
    let found =
        look(work.path(), &[("fresh", 1, true), ("partly-filled", 1, true), ("emptied", 1, true)]);
    assert_eq!((found.bytes_to_write, found.bytes_to_read), (3 * ROUND, 3 * ROUND));
    // 336,388 bytes at 100,000 a second are 4 s, rounded up, three times; and 10 s of waiting in `fresh`.
    assert_eq!(found.estimated_seconds, 22);
    // In the second phase one set of the first round lies beside the second round.
    assert_eq!(found.storages[0].peak_bytes, 252_291);
    assert_eq!(found.storages[0].needed_bytes, 252_291 + 12_614 + 256_000_000);
    assert!(found.cells.iter().all(|cell| cell.replayed_phases.is_empty()));
}

#[test]
fn images_with_another_size_of_bands_are_told_apart() {
    let work = tempfile::tempdir().unwrap();
    let mut plan = plan_json(work.path(), &[("fresh", 1, true), ("fresh", 1, true)]);
    for one in plan["cells"].as_array_mut().unwrap() {
        one["cell"]["driver"] = json!("portable");
        one["cell"]["format"] = json!("UDSB");
    }
    plan["cells"][1]["cell"]["band_bytes"] = json!(1_048_576);
    let shown = table::text(&outlook(&Plan::parse(&plan.to_string()).unwrap()).unwrap());
    assert!(shown.contains("  UDSB-none (portable)  "), "{shown}");
    assert!(shown.contains("  UDSB-none-bands-1048576 (portable)  "), "{shown}");
}

#[test]
fn images_that_lie_side_by_side_add_up() {
    let work = tempfile::tempdir().unwrap();
    let found = look(work.path(), &[("fresh", 1, true), ("fresh", 2, true)]);
    // What is left of the first image, and the second one at its fullest.
    assert_eq!(found.storages[0].peak_bytes, 84_097 + ROUND);
}

#[test]
fn an_image_is_gone_after_its_last_phase() {
    let work = tempfile::tempdir().unwrap();
    let phases = ["fresh", "partly-filled", "emptied"];
    let cells: Vec<(&str, u32, bool)> = [1, 2]
        .iter()
        .flat_map(|repeat| phases.iter().map(|phase| (*phase, *repeat, true)))
        .collect();
    assert_eq!(look(work.path(), &cells).storages[0].peak_bytes, 252_291);
}

#[test]
fn what_is_not_due_counts_for_nothing() {
    let work = tempfile::tempdir().unwrap();
    let found = look(work.path(), &[("fresh", 1, false)]);
    assert_eq!((found.cells_planned, found.cells_due, found.bytes_to_write), (1, 0, 0));
    assert_eq!(found.storages[0].needed_bytes, 0);
    refuse_with(&found, &work.path().join("lock")).unwrap();
    assert!(table::text(&found).contains("nothing to measure"));
}

#[test]
fn a_later_phase_without_its_image_counts_the_earlier_ones_again() {
    let work = tempfile::tempdir().unwrap();
    let found = look(work.path(), &[("fresh", 1, false), ("partly-filled", 1, true)]);
    assert_eq!(found.cells[1].replayed_phases, ["fresh"]);
    assert_eq!(found.bytes_to_write, 2 * ROUND);
    // Replayed phases do not wait: 672,776 bytes are 7 s.
    assert_eq!(found.estimated_seconds, 7);
}

#[test]
fn an_image_that_an_earlier_run_left_is_gone_on_with_and_its_space_is_taken_already() {
    let work = tempfile::tempdir().unwrap();
    let (image, ledger) = left_by_the_first_phase(&cell(), work.path());
    let found = look(work.path(), &[("fresh", 1, false), ("partly-filled", 1, true)]);
    assert!(found.cells[1].replayed_phases.is_empty());
    assert_eq!(found.storages[0].peak_bytes, 252_291 - 84_097);
    // An image that was not trimmed takes more than its files: here a megabyte, as the new ones need less.
    let path = image.files().join(ledger.alive()[0].name());
    fs::write(path, vec![1; 1_000_000]).unwrap();
    let found = look(work.path(), &[("fresh", 1, false), ("partly-filled", 1, true)]);
    assert_eq!(found.storages[0].peak_bytes, 0);
}

#[test]
fn what_cannot_be_measured_here_is_named_and_needs_nothing() {
    let work = tempfile::tempdir().unwrap();
    let mut plan = plan_json(work.path(), &[("fresh", 1, true)]);
    plan["cells"][0]["cell"]["driver"] = json!("portable");
    plan["cells"][0]["cell"]["format"] = json!("VM");
    let found = outlook(&Plan::parse(&plan.to_string()).unwrap()).unwrap();
    assert_eq!((found.cells_due, found.bytes_to_write), (1, 0));
    assert!(
        table::text(&found).contains("#1 will be skipped: format VM"),
        "{}",
        table::text(&found)
    );
}

#[test]
fn an_image_takes_more_than_its_files() {
    let work = tempfile::tempdir().unwrap();
    let mut plan = plan_json(work.path(), &[("fresh", 1, true)]);
    plan["cells"][0]["cell"]["driver"] = json!("portable");
    plan["cells"][0]["cell"]["format"] = json!("UDSB");
    let found = outlook(&Plan::parse(&plan.to_string()).unwrap()).unwrap();
    assert_eq!(found.bytes_to_write, ROUND);
    // Two sets of 3 + 1 + 18 pages, and the table of a volume of 100 GB.
    assert_eq!(found.storages[0].peak_bytes, 2 * 22 * 4096 + 4096 + (16 << 20));
}

#[test]
fn a_storage_that_was_another_disk_is_refused_where_something_is_measured_on_it() {
    let work = tempfile::tempdir().unwrap();
    let earlier = work.path().join("earlier.json");
    let mut here = serde_json::to_value(host::storage(work.path())).unwrap();
    let refused = |storage: &Value, due: bool| {
        fs::write(&earlier, json!({"host": {"storage": storage}}).to_string()).unwrap();
        let mut plan = plan_json(work.path(), &[("fresh", 1, due)]);
        plan["storages"][0]["earlier"] = json!(earlier);
        let plan = Plan::parse(&plan.to_string()).unwrap();
        refuse_other_disks(&plan, &outlook(&plan).unwrap()).err()
    };
    assert_eq!(refused(&here, true), None);
    here["file_system"] = json!("exfat");
    let error = refused(&here, true).unwrap();
    assert_eq!(error.exit(), ExitCode::BadInput);
    let (line, path) = (error.line(), earlier.display());
    let expected = format!("storage internal was another disk in {path} (file system exfat, here ");
    assert!(line.starts_with(&expected), "{line}");
    assert_eq!(refused(&here, false), None);
    assert_eq!(refused(&json!("no storage"), true), None);
}

#[test]
fn a_plan_is_refused_for_a_missing_folder_and_for_too_little_space() {
    let work = tempfile::tempdir().unwrap();
    let found = look(&work.path().join("missing"), &[("fresh", 1, true)]);
    assert_eq!(
        refuse_with(&found, &work.path().join("lock")).unwrap_err().exit(),
        ExitCode::BadFolder
    );
    let mut plan = plan_json(work.path(), &[("fresh", 1, true)]);
    plan["cells"][0]["cell"]["sizes_bytes"] = json!([1_u64 << 50]);
    let found = outlook(&Plan::parse(&plan.to_string()).unwrap()).unwrap();
    let error = refuse_with(&found, &work.path().join("lock")).unwrap_err();
    assert_eq!(error.exit(), ExitCode::NoSpace, "{error}");
}

#[test]
fn the_table_is_aligned_and_says_everything() {
    let work = tempfile::tempdir().unwrap();
    let mut found = look(work.path(), &[("fresh", 1, true), ("partly-filled", 1, true)]);
    found.storages[0].free_bytes = Some(80_000_000_000);
    let expected = "\
study test, seed 1

#  protocol            storage   image        repeat  phase            write     read  time
1  usage-phases-smoke  internal  native-none       1  fresh          0.00 GB  0.00 GB  14 s
2  usage-phases-smoke  internal  native-none       1  partly-filled  0.00 GB  0.00 GB   4 s

cells      2 to measure, 0 already measured
bytes      0.00 GB to write, 0.00 GB to read
free space 0.26 GB needed on internal, 80.00 GB free
time       about 18 s, at 0.00 GB/s (a guess)
";
    assert_eq!(table::text(&found), expected);
}

#[test]
fn a_wrong_plan_is_refused_with_the_place_of_what_is_wrong() {
    let work = tempfile::tempdir().unwrap();
    let refusal = |pointer: &str, wrong: Value| {
        let mut plan = plan_json(work.path(), &[("fresh", 1, true)]);
        *plan.pointer_mut(pointer).unwrap() = wrong;
        let error = Plan::parse(&plan.to_string()).unwrap_err();
        assert_eq!(error.exit(), ExitCode::BadInput);
        error.line()
    };
    assert!(refusal("/plan_version", json!(2)).contains("plan_version 2 is not known"));
    assert!(refusal("/assumed_bytes_per_second", json!(0)).contains("give a positive number"));
    assert!(refusal("/storages", json!([])).contains("storage internal has no folder"));
    assert!(refusal("/cells/0/cell/sets", json!(0)).contains("cells[0].cell: sets is 0"));
    assert!(
        refusal("/cells/0/cell/format", json!("X"))
            .contains("cells[0].cell.format: unknown variant")
    );
}

#[test]
fn storages_on_one_file_system_share_its_space() {
    let work = tempfile::tempdir().unwrap();
    let free = crate::space::free_bytes(work.path()).unwrap();
    let mut found = look(work.path(), &[("fresh", 1, true)]);
    found.storages[0].needed_bytes = free / 3 * 2;
    let lock = work.path().join("lock");
    refuse_with(&found, &lock).unwrap();
    found.storages.push(found.storages[0].clone());
    assert_eq!(refuse_with(&found, &lock).unwrap_err().exit(), ExitCode::NoSpace);
}

#[test]
fn what_occurs_twice_is_refused() {
    let work = tempfile::tempdir().unwrap();
    let plan = plan_json(work.path(), &[("fresh", 1, true), ("fresh", 1, true)]);
    let error = Plan::parse(&plan.to_string()).unwrap_err();
    assert!(error.line().contains("cells[1]: phase fresh of"), "{error}");
    let mut plan = plan_json(work.path(), &[("fresh", 1, true)]);
    plan["storages"] = json!([plan["storages"][0], plan["storages"][0]]);
    let error = Plan::parse(&plan.to_string()).unwrap_err();
    assert!(error.line().contains("storages: internal occurs twice"), "{error}");
}
