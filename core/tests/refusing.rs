//! A real file system that refuses direct I/O and keeps every page: what is reached there is what is recorded.
//!
//! It is `ramfs`, mounted in a namespace of its own, which needs no administrator where Linux allows that; elsewhere these
//! tests say so in one line, and are left out.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may stop")]
#![expect(clippy::print_stderr, reason = "says what is left out")]

mod common;

use common::{Ended, Study, cell};
use serde_json::{Value, json};
use std::process::Command;

/// A command in a namespace where this study's folder to work in is a ramfs.
fn on_ramfs(study: &Study, inner: &Command) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg("mount -t ramfs none \"$0\" && exec \"$@\"").arg(study.work());
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

/// The record of a small cell that is measured on ramfs; none where there is no such namespace.
fn record(cache: &str, durability: &str) -> Option<Value> {
    let study = Study::new();
    let tried = on_ramfs(&study, &Command::new("true")).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: no ramfs can be mounted here");
        return None;
    }
    let mut cell = cell();
    cell["io"] = json!({"block_bytes": 8192, "cache": cache, "durability": durability});
    let run = study.run_command(&cell, &["--check"]);
    Ended::of(&on_ramfs(&study, &run).output().unwrap()).done();
    Some(study.record("fresh"))
}

#[test]
fn direct_io_that_is_refused_is_recorded_as_not_reached() {
    let Some(record) = record("bypass", "full") else { return };
    assert_eq!(record["host"]["storage"]["file_system"], "ramfs");
    assert_eq!(record["cache"], json!({"asked": "bypass", "reached": "none"}));
    assert_eq!(record["durability"], json!({"asked": "full", "reached": "full"}));
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("cache bypass was asked for, none reached"), "{warnings}");
}

#[test]
fn a_cache_that_cannot_be_dropped_is_recorded_as_not_dropped() {
    let Some(record) = record("drop", "fsync") else { return };
    assert_eq!(record["cache"], json!({"asked": "drop", "reached": "none"}));
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("cache drop was asked for, none reached"), "{warnings}");
    assert!(warnings.contains("these reads may be memory's"), "{warnings}");
    let note = record["steps"][5]["note"].as_str().unwrap();
    assert!(note.contains("stayed in memory"), "{note}");
}

#[test]
fn a_file_system_that_takes_direct_io_and_is_a_cache_is_recorded_as_cached() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let study = Study::new();
    let mut cell = cell();
    cell["io"]["cache"] = json!("bypass");
    let mut run = study.command(&["run", "--progress", "none"]);
    run.arg("--cell").arg(study.write_cell(&cell)).arg("--folder").arg(folder.path());
    run.arg("--record").arg(study.record_path("fresh"));
    Ended::of(&run.output().unwrap()).done();
    let record = study.record("fresh");
    assert_eq!(record["cache"], json!({"asked": "bypass", "reached": "none"}));
}
