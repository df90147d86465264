//! A record while it comes about.

use crate::conditions::{self, Evidence};
use crate::image::Reached;
use crate::platform::facts;
use crate::protocol::Outcome;
use crate::record::{
    CacheModes, Ceiling, Conditions, DurabilityModes, Harness, Host, Quiet, RECORD_VERSION, Record,
    Snapshot, Status,
};
use crate::resolve::RunTask;
use crate::{host, quiet, time};

/// How a cell ended.
#[derive(Debug)]
pub enum Ending {
    /// Every step was done, with these modes.
    Measured(Reached),
    /// It cannot be measured here, for this reason.
    Skipped(String),
    /// A step failed for this reason; until then these modes were reached.
    Failed(String, Reached),
}

/// What is known before the first step.
#[derive(Debug)]
pub struct Draft<'a> {
    task: &'a RunTask,
    host: Host,
    before: Snapshot,
    started_utc: String,
    ceiling: Option<Ceiling>,
    replayed: Vec<String>,
    quiet: Option<Quiet>,
}

impl<'a> Draft<'a> {
    /// Begins a record.
    pub fn new(
        task: &'a RunTask,
        before: Snapshot,
        ceiling: Option<Ceiling>,
        replayed: Vec<String>,
    ) -> Self {
        let mut host = host::discover(&task.folder);
        host.storage.description.clone_from(&task.storage_description);
        Self { task, host, before, started_utc: time::now_utc(), ceiling, replayed, quiet: None }
    }

    /// What was done so that nothing disturbs.
    pub fn note_quiet(&mut self, quiet: Option<Quiet>) {
        self.quiet = quiet;
    }

    /// Whether this phase is run again, unmeasured.
    pub fn replays(&self, phase: &str) -> bool {
        self.replayed.iter().any(|replayed| replayed == phase)
    }

    /// Whether no phase is.
    pub const fn replayed_nothing(&self) -> bool {
        self.replayed.is_empty()
    }

    /// The cell begins now: what was replayed before is not part of it.
    pub fn begin_again(&mut self, before: Snapshot, started_utc: String) {
        self.before = before;
        self.started_utc = started_utc;
    }

    /// The whole record but for its checksum.
    pub fn finish(self, after: Snapshot, outcome: &Outcome, ending: Ending) -> Record {
        let task = self.task;
        let conditions = Conditions { before: self.before, after };
        let (status, reason, reached) = match ending {
            Ending::Measured(reached) => (Status::Measured, None, Some(reached)),
            Ending::Skipped(reason) => (Status::Skipped, Some(reason), None),
            Ending::Failed(reason, reached) => (Status::Failed, Some(reason), Some(reached)),
        };
        let mut warnings = reached.map_or_else(Vec::new, |reached| {
            conditions::warnings(&Evidence {
                cell: &task.cell,
                host: &self.host,
                conditions: &conditions,
                reached,
                samples: &outcome.samples,
                warm_read_bytes: outcome.warm_read_bytes,
                total_bytes: facts::space(&task.folder).ok().map(|space| space.total_bytes),
                checked: task.check,
            })
        });
        if let (Some(_), Some(quiet)) = (reached, &self.quiet) {
            warnings.extend(quiet::warnings(quiet));
        }
        if reached.is_some() && host::is_translated() {
            warnings.push(
                "diskbench was translated by Rosetta: the architecture is not the machine's, and times may be longer".into(),
            );
        }
        Record {
            record_version: RECORD_VERSION,
            harness: Harness::current(),
            status,
            reason,
            cell: task.cell.clone(),
            position: task.position,
            planned: task.planned,
            // The clock of the day can be set back meanwhile; nothing ends before it began.
            finished_utc: time::now_utc().max(self.started_utc.clone()),
            started_utc: self.started_utc,
            host: self.host,
            conditions,
            quiet: self.quiet,
            warnings,
            cache: CacheModes { asked: task.cell.io.cache, reached: reached.map(|r| r.cache) },
            durability: DurabilityModes {
                asked: task.cell.io.durability,
                reached: reached.map(|r| r.durability),
            },
            ceiling: self.ceiling,
            replayed_phases: self.replayed,
            steps: outcome.steps.clone(),
            samples: outcome.samples.clone(),
            sizes: outcome.sizes.clone(),
            sha256: String::new(),
        }
    }
}
