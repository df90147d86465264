//! Real file systems that do not do what they are asked: what is reached there is what is recorded.
//!
//! They are mounted in a namespace of their own: `tmpfs`, which keeps every page, needs no administrator where Linux allows
//! that; ext4 that journals data, which takes direct I/O and then caches all the same, needs root. Elsewhere these tests
//! say so in one line, and are left out.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may stop")]

use crate::common::{Ended, Study, cell, skipped};
use serde_json::{Value, json};
use std::process::Command;

/// Mounts a file system at `$0`.
const TMPFS: &str = "mount -t tmpfs -o size=1g none \"$0\"";
const JOURNALED: &str = "truncate -s 1G \"$0\".ext4 && mkfs.ext4 -q \"$0\".ext4 && \
                         mount -o loop,data=journal \"$0\".ext4 \"$0\"";

/// A command in a namespace where this study's folder to work in is mounted so.
fn mounted(mount: &str, study: &Study, inner: &Command) -> Command {
    let mut command = Command::new("unshare");
    if mount == TMPFS {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--mount", "sh", "-c", &format!("{mount} && exec \"$@\"")]).arg(study.work());
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

/// The record of a small cell that is measured there; none where that cannot be mounted.
fn record(mount: &str, cache: &str) -> Option<Value> {
    let study = Study::new();
    let tried = mounted(mount, &study, &Command::new("true")).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        skipped(&format!("not to be had here: {mount}"));
        return None;
    }
    let mut cell = cell();
    cell["sizes_bytes"] = json!([100_000, 81_920, 700_001]);
    cell["io"]["cache"] = json!(cache);
    let run = study.run_command(&cell, &["--check"]);
    Ended::of(&mounted(mount, &study, &run).output().unwrap()).done();
    Some(study.record("fresh"))
}

#[test]
fn direct_io_that_is_cached_all_the_same_is_recorded_as_not_reached() {
    for (mount, name) in [(TMPFS, "tmpfs"), (JOURNALED, "ext4")] {
        let Some(record) = record(mount, "bypass") else { continue };
        assert_eq!(record["host"]["storage"]["file_system"], name);
        assert_eq!(record["cache"], json!({"asked": "bypass", "reached": "none"}), "{name}");
        let warnings = record["warnings"].to_string();
        assert!(
            warnings.contains("requested cache mode bypass, effective cache mode none"),
            "{warnings}"
        );
    }
}

#[test]
fn a_cache_that_cannot_be_dropped_is_recorded_as_not_dropped() {
    let Some(record) = record(TMPFS, "drop") else { return };
    assert_eq!(record["cache"], json!({"asked": "drop", "reached": "none"}));
    let warnings = record["warnings"].to_string();
    assert!(
        warnings.contains("requested cache mode drop, effective cache mode none"),
        "{warnings}"
    );
    assert!(warnings.contains("these reads may have come from memory"), "{warnings}");
    let note = record["steps"][5]["note"].as_str().unwrap();
    assert!(note.contains("stayed in memory"), "{note}");
}
