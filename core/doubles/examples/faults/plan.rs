//! Selects the fault of each call.

use std::cell::Cell;
use std::env;
use std::ffi::c_int;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::gate;
use crate::kind::Kind;

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is handed on.
    Pass,
    /// It fails with this error.
    Fail(c_int),
    /// It moves half of the bytes.
    Short,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Meet(Fate),
    Slow(Duration),
    Kill,
    Hold,
}

struct Fault {
    kind: Kind,
    first: u64,
    last: u64,
    action: Action,
    seen: AtomicU64,
}

struct Plan {
    under: PathBuf,
    names: String,
    faults: Vec<Fault>,
    report: PathBuf,
    gate: Option<PathBuf>,
}

static PLAN: OnceLock<Option<Plan>> = OnceLock::new();

thread_local! {
    /// What this library calls itself comes back to it, and is handed on.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What becomes of this call on the place that `place` finds out.
pub fn fate(kind: Kind, place: impl FnOnce() -> Option<PathBuf>) -> Fate {
    if INSIDE.replace(true) {
        return Fate::Pass;
    }
    let fate = PLAN.get_or_init(read).as_ref().map_or(Fate::Pass, |plan| plan.fate(kind, place));
    INSIDE.set(false);
    fate
}

impl Plan {
    fn fate(&self, kind: Kind, place: impl FnOnce() -> Option<PathBuf>) -> Fate {
        let mut of_kind = self.faults.iter().filter(|fault| fault.kind == kind).peekable();
        if of_kind.peek().is_none() && !self.faults.is_empty() {
            return Fate::Pass;
        }
        let Some(place) = place().filter(|place| self.is_about(place)) else {
            return Fate::Pass;
        };
        if self.faults.is_empty() {
            self.note(kind, &place);
        }
        for fault in of_kind {
            let number = fault.seen.fetch_add(1, Ordering::Relaxed) + 1;
            if !(fault.first..=fault.last).contains(&number) {
                continue;
            }
            self.note(kind, &place);
            match fault.action {
                Action::Meet(fate) => return fate,
                Action::Slow(pause) => thread::sleep(pause),
                // SAFETY: a signal to this process, which does not exist afterwards.
                Action::Kill => drop(unsafe { libc::raise(libc::SIGKILL) }),
                Action::Hold => {
                    if let Some(path) = &self.gate {
                        gate::wait(path);
                    }
                }
            }
        }
        Fate::Pass
    }

    fn is_about(&self, place: &Path) -> bool {
        let name = place.file_name().unwrap_or_default();
        place.starts_with(&self.under) && name.as_encoded_bytes().starts_with(self.names.as_bytes())
    }

    /// A line in the report; a report that cannot be written is found to be empty.
    fn note(&self, kind: Kind, place: &Path) {
        if let Ok(mut report) = OpenOptions::new().create(true).append(true).open(&self.report) {
            drop(report.write_all(format!("{} {}\n", kind.name(), place.display()).as_bytes()));
        }
    }
}

/// The plan; none, and so no fault and no report, when a variable is missing or wrong.
fn read() -> Option<Plan> {
    let path = |name| env::var_os(name).map(PathBuf::from);
    let faults = match env::var("DISKBENCH_FAULT") {
        Ok(text) => text.split(';').map(fault).collect::<Option<_>>()?,
        Err(_) => Vec::new(),
    };
    Some(Plan {
        under: path("DISKBENCH_FAULT_UNDER")?,
        names: env::var("DISKBENCH_FAULT_NAMES").unwrap_or_default(),
        faults,
        report: path("DISKBENCH_FAULT_REPORT")?,
        gate: path("DISKBENCH_FAULT_GATE"),
    })
}

fn fault(text: &str) -> Option<Fault> {
    let mut words = text.split(' ');
    let (kind, range, action) = (words.next()?, words.next()?, words.next()?);
    let (first, last) = range.split_once('-')?;
    let action = match action.split_once(':') {
        Some(("fail", number)) => Action::Meet(Fate::Fail(number.parse().ok()?)),
        Some(("slow", ms)) => Action::Slow(Duration::from_millis(ms.parse().ok()?)),
        _ if action == "kill" => Action::Kill,
        _ if action == "short" => Action::Meet(Fate::Short),
        _ if action == "hold" => Action::Hold,
        _ => return None,
    };
    Some(Fault {
        kind: Kind::ALL.into_iter().find(|known| known.name() == kind)?,
        first: first.parse().ok()?,
        last: last.parse().ok()?,
        action,
        seen: AtomicU64::new(0),
    })
}
