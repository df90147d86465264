//! A record that takes an older one's place, with the program killed before every single call that this takes.

use std::fs;

use serde_json::Value;

use super::kind::Kind;
use super::library::{self, Before};
use super::tiny::{PHASES, Tiny};

/// Where the file system has no hard links; EPERM, as exFAT gives it.
const NO_LINKS: &str = "link 1-1000 fail:1";

/// Calls that change nothing: a kill before one of them leaves what a kill before the next other one does.
const LOOKS: [Kind; 4] = [Kind::Stat, Kind::List, Kind::Pread, Kind::Fcntl];

/// Kills before each call on the folder of the records, and gives of which kinds these calls were.
fn kill_before_every_call(without_links: bool) -> Vec<Kind> {
    let phase = PHASES[1];
    let before = Before::new(Tiny::NATIVE, phase);
    // The calls are counted from 1 on, so none of these is refused.
    let refused = if without_links { NO_LINKS } else { "link 0-0 fail:1" };
    let mut kills = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| !LOOKS.contains(kind)) {
        for number in 1.. {
            let study = before.again();
            let older = fs::read(study.record_path(phase)).unwrap();
            let faults = format!("{refused};{} {number}-{number} kill", kind.name());
            let ended = library::kill_at_the_records(&study, Tiny::NATIVE, phase, &faults);
            let active = fs::read(study.record_path(phase)).unwrap_or_default();
            assert!(!active.is_empty(), "none is active after {faults}");
            let aside: Vec<_> = crate::common::names(&study.path("records"))
                .into_iter()
                .filter(|name| name.contains(".superseded-"))
                .filter(|name| !name.starts_with('.'))
                .collect();
            for name in &aside {
                let kept = fs::read(study.path("records").join(name)).unwrap();
                assert_eq!(kept, older, "{name} is not the older record after {faults}");
            }
            if active != older {
                let record: Value = serde_json::from_slice(&active).unwrap();
                assert_eq!(record["status"], "measured", "after {faults}");
                assert_eq!(aside.len(), 1, "the older record is gone after {faults}");
            }
            library::kill_at_the_records(&study, Tiny::NATIVE, phase, refused).done();
            let left = crate::common::names(&study.path("records"));
            assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?} after {faults}");
            if ended.code == 0 {
                break;
            }
            kills.push(kind);
        }
    }
    kills
}

fn syncs(calls: &[Kind]) -> usize {
    calls.iter().filter(|kind| **kind == Kind::Fsync).count()
}

#[test]
fn exactly_one_record_is_active_whichever_call_the_program_is_killed_at() {
    let calls = kill_before_every_call(false);
    assert!(calls.len() > 10);
    // A machine that loses power may forget any of them that is not synced: the older record's second name, before the
    // new record takes the first one; the new record; its name.
    assert_eq!(syncs(&calls), 3);
}

#[test]
fn exactly_one_record_is_active_where_there_are_no_hard_links_either() {
    let calls = kill_before_every_call(true);
    assert!(calls.len() > 10);
    // The older record's copy, and its name.
    assert_eq!(syncs(&calls), 4);
}
