//! A checkpoint is loaded intact or not at all, for its own cell only, and until its record exists.

use std::fs;
use std::path::Path;

use system::flush::Durability;

use super::{Checkpoint, Kept, Known, VERSION, after_restart, kept, whole_path};
use crate::cell::{Cache, Cell, Step};
use crate::image::Reached;
use crate::image::contents::CHECKPOINT;
use crate::protocol::Outcome;
use crate::protocol::forecast;
use crate::record::{Harness, store};
use crate::testing::{cell, record};

/// A cell with the steps of the protocol `restart`: create, write, detach, restart, attach, read, detach.
pub(crate) fn restart_cell() -> Cell {
    let mut cell = cell();
    cell.protocol = "restart".into();
    cell.phases.truncate(1);
    cell.phases[0].steps = vec![
        Step::Create {},
        Step::Write {},
        Step::Detach {},
        Step::Restart {},
        Step::Attach {},
        Step::Read {},
        Step::Detach {},
    ];
    cell
}

/// The checkpoint of such a cell after writing its files.
pub(crate) fn checkpoint() -> Checkpoint {
    let cell = restart_cell();
    let outcome = forecast::around(&cell, 3).unwrap().0.outcome;
    let record = record();
    Checkpoint {
        waiting_version: VERSION,
        harness: Harness::current(),
        cell,
        record: None,
        boot: "6F9619FF-8B86-D011-B42D-00C04FC964FF".into(),
        begun: false,
        stopped_seconds: 1_774_899_000,
        known: Known {
            started_utc: record.started_utc,
            host: record.host,
            before: record.conditions.before,
            ceiling: None,
            quiet: None,
            replayed_phases: Vec::new(),
            warnings: Vec::new(),
        },
        reached: Reached { cache: Cache::None, durability: Durability::None },
        outcome: Outcome { steps: outcome.steps[..3].to_vec(), image: None, ..outcome },
        sha256: String::new(),
    }
}

fn whole(folder: &Path) -> Checkpoint {
    match kept(folder) {
        Kept::Whole(checkpoint) => *checkpoint,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_kept_comes_back_as_it_was_and_alone_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(kept(folder.path()), Kept::Nothing);
    checkpoint().write(folder.path()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let back = whole(folder.path());
    assert_eq!(back.sha256.len(), 64);
    assert_eq!(Checkpoint { sha256: String::new(), ..back }, checkpoint());
}

#[test]
fn what_was_changed_cut_or_is_of_another_version_counts_as_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(CHECKPOINT);
    checkpoint().write(folder.path()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replacen("\"elapsed_ns\": ", "\"elapsed_ns\": 1", 1);
    assert_ne!(changed, text);
    for damaged in [&changed, &text[..text.len() / 2], "", "{}", "[]", "\u{0}"] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(kept(folder.path()), Kept::Damaged, "{damaged:.40}");
    }
    // Whole, with a checksum that is right, and yet not known.
    Checkpoint { waiting_version: VERSION + 1, ..checkpoint() }.write(folder.path()).unwrap();
    assert_eq!(kept(folder.path()), Kept::Damaged);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(kept(folder.path()), Kept::Damaged);
}

#[test]
fn what_was_kept_fits_its_own_cell_and_this_harness_only() {
    assert!(checkpoint().fits(&restart_cell()));
    let mut other = restart_cell();
    other.seed += 1;
    assert!(!checkpoint().fits(&other));
    let mut updated = restart_cell();
    updated.release = "macos-26.4.1-25E253".into();
    assert!(!checkpoint().fits(&updated), "the system was updated with the restart");
    let mut older = checkpoint();
    older.harness.version = "0.0.1".into();
    assert!(!older.fits(&restart_cell()));
}

#[test]
fn a_cell_goes_on_only_in_another_start_of_the_system() {
    assert!(!checkpoint().is_over(Some("6F9619FF-8B86-D011-B42D-00C04FC964FF")));
    assert!(!checkpoint().is_over(None), "a system that does not say it");
    assert!(checkpoint().is_over(Some("0E984725-C51C-4BF4-9960-E1C80E27ABA0")));
}

#[test]
fn the_restart_is_a_step_that_took_the_time_between_the_calls() {
    let mut early = checkpoint();
    early.stopped_seconds = crate::time::now_seconds() - 100;
    let outcome = early.outcome();
    let names: Vec<&str> = outcome.steps.iter().map(|step| step.step.as_str()).collect();
    assert_eq!(names, ["create", "write", "detach", "restart"]);
    let restart = outcome.steps.last().unwrap();
    assert!((100_000_000_000..160_000_000_000).contains(&restart.elapsed_ns), "{restart:?}");
    assert!(restart.note.as_ref().unwrap().contains("from the end of the first call until"));
    // A clock that was set back.
    early.stopped_seconds = u64::MAX;
    assert_eq!(early.outcome().steps.last().unwrap().elapsed_ns, 0);
}

#[test]
fn what_was_kept_is_done_with_when_its_record_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fresh.json");
    let checkpoint = Checkpoint { record: whole_path(&path), ..checkpoint() };
    checkpoint.write(folder.path()).unwrap();
    assert!(!checkpoint.is_recorded(), "none");
    let mut record = record();
    record.cell = restart_cell();
    record.started_utc = "2026-03-30T10:00:00Z".into();
    store::save(&record, &path).unwrap();
    assert!(!checkpoint.is_recorded(), "an older one");
    assert!(after_restart(folder.path(), &restart_cell()).is_some());
    record.started_utc.clone_from(&checkpoint.known.started_utc);
    store::save(&record, &path).unwrap();
    assert!(checkpoint.is_recorded());
    assert!(after_restart(folder.path(), &restart_cell()).is_none());
    fs::write(&path, "{").unwrap();
    assert!(!checkpoint.is_recorded(), "a damaged one");
}
