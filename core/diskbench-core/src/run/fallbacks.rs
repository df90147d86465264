//! Requests that a system refuses, or silently ignores, are in the cell's record, with a warning.
//!
//! `tests/fallbacks.json` has the expected records; tests of the pages use the same file.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};
use system::calls::Calls;
use system::flush::Durability;
use system::policy::Policies;

use crate::cell::Cache;
use crate::clock::Still;
use crate::image::ImageDriver;
use crate::image::folder::ImageFolder;
use crate::image::native::Native;
use crate::interrupt::Stop;
use crate::json;
use crate::meter::Meter;
use crate::noise::Suppression;
use crate::protocol::{Engine, Keep, Nobody, Outcome};
use crate::record::Quiet;
use crate::run::builder::{Ending, RecordBuilder};
use crate::testing::{cell, record, run_task};
use crate::transfer::Mover;

const KEPT: &str = include_str!("../../tests/fallbacks.json");

/// A system, the request, and its report on noise suppression.
struct Case {
    name: &'static str,
    cache: Cache,
    durability: Durability,
    calls: Calls,
    dozing: bool,
    suppression: Option<Suppression>,
    of_image: Option<Quiet>,
}

/// A system that fulfils all requests.
const fn willing(name: &'static str) -> Case {
    Case {
        name,
        cache: Cache::None,
        durability: Durability::Fsync,
        calls: Calls { resident_bytes: nothing_is_resident, ..Calls::MACHINE },
        dozing: false,
        suppression: None,
        of_image: None,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form of the call that it stands for")]
const fn nothing_is_resident(_file: &File, _size: u64) -> io::Result<u64> {
    Ok(0)
}

fn refused(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

fn cases() -> Vec<Case> {
    let throttled =
        || Policies { qos_class: Some(0x09), io: [Some(1), Some(3)], background: Some(false) };
    vec![
        Case {
            cache: Cache::Bypass,
            calls: Calls { bypassing: |_, _| Err(refused(libc::EINVAL)), ..willing("").calls },
            ..willing("direct I/O is refused")
        },
        Case {
            durability: Durability::Full,
            calls: Calls {
                flush: |file, durability| match durability {
                    Durability::Full => Err(refused(libc::ENOTSUP)),
                    other => (Calls::MACHINE.flush)(file, other),
                },
                ..willing("").calls
            },
            ..willing("a full flush is not supported")
        },
        Case {
            cache: Cache::Drop,
            calls: Calls { resident_bytes: |_, size| Ok(size), ..Calls::MACHINE },
            ..willing("the cache is not dropped, and nobody says so")
        },
        Case {
            cache: Cache::Drop,
            calls: Calls { drop_pages: |_, _| Err(refused(libc::ENOSYS)), ..willing("").calls },
            ..willing("dropping the cache is refused")
        },
        Case { dozing: true, ..willing("the machine sleeps") },
        Case {
            suppression: Some(Suppression::refused(throttled)),
            of_image: Some(Quiet {
                indexing_off: Some(false),
                event_log_off: Some(false),
                backup_off: Some(false),
                ..Quiet::default()
            }),
            ..willing("nothing is kept quiet")
        },
    ]
}

/// The record of a small cell that is measured on this system.
fn measured(case: Case, work: &Path) -> Value {
    let mut cell = cell();
    (cell.io.cache, cell.io.durability) = (case.cache, case.durability);
    let mover = Mover::new(1, cell.io.block_bytes, true, Meter::new(), Stop::never());
    let mover = if case.dozing { mover.dozing() } else { mover };
    let folder = Rc::new(RefCell::new(ImageFolder::of(&cell, work)));
    let mut native = Native::new(&cell, folder, mover, Stop::never()).calling(case.calls);
    let mut outcome = Outcome::default();
    let (mut nobody, still) = (Nobody, Still);
    Engine::new(&cell, &mut native, &still, &mut nobody)
        .run(&cell.phases[0], Keep::Everything, &mut outcome)
        .unwrap();
    let task = run_task(cell, work);
    let around = record().conditions;
    let mut builder = RecordBuilder::new(&task, around.before, None, Vec::new());
    builder.note_quiet(
        case.suppression.and_then(|mut suppression| suppression.reached(case.of_image)),
    );
    let ended = Ending::Measured(native.reached());
    json::tree(&builder.finish(around.after, &outcome, ended)).unwrap()
}

/// The relevant part of such a record, without facts of the tests' machine.
fn told(name: &str, record: &Value, usual: &Value) -> Value {
    let usual = usual["warnings"].as_array().unwrap();
    let texts = record["warnings"].as_array().unwrap().iter();
    let (warnings, codes): (Vec<_>, Vec<_>) = texts
        .zip(record["warning_codes"].as_array().unwrap())
        .filter(|(text, _)| !usual.contains(text))
        .unzip();
    let slept = record["samples"].as_array().unwrap().iter().filter(|one| one["slept"] == true);
    let notes = record["steps"].as_array().unwrap().iter().filter_map(|step| step["note"].as_str());
    json!({
        "name": name,
        "cache": record["cache"],
        "durability": record["durability"],
        "quiet": record.get("quiet"),
        "slept_files": slept.count(),
        "stayed": notes.filter(|note| note.contains("stayed in memory")).count(),
        "warnings": warnings,
        "warning_codes": codes,
    })
}

#[test]
fn whatever_is_refused_or_not_done_stands_in_the_record() {
    let work = || tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let usual = measured(willing("all is done"), work().path());
    assert_eq!(usual["cache"], json!({"asked": "none", "reached": "none"}));
    let kept: Vec<Value> = serde_json::from_str(KEPT).unwrap();
    let found: Vec<Value> = cases()
        .into_iter()
        .map(|case| (case.name, measured(case, work().path())))
        .map(|(name, record)| told(name, &record, &usual))
        .collect();
    assert_eq!(found, kept, "{}", serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn what_is_done_as_asked_earns_no_warning() {
    let work = || tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let usual = measured(willing("all is done"), work().path());
    for (cache, durability) in [(Cache::Drop, Durability::Full), (Cache::Bypass, Durability::Fsync)]
    {
        let case = Case { cache, durability, ..willing("done") };
        // Not about a temporary folder in memory.
        let calls = Calls { bypassing: |options, path| options.open(path), ..case.calls };
        let record = measured(Case { calls, ..case }, work().path());
        assert_eq!(record["cache"]["reached"], cache.to_string(), "{record:#}");
        assert_eq!(record["durability"]["reached"], durability.to_string());
        assert_eq!(told("done", &record, &usual)["warnings"], json!([]));
    }
}
