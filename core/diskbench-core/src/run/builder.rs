//! Builder for a [`Record`].

use diskimage::crypt;
use system::facts;

use crate::cell::{Cell, Driver, Encryption};
use crate::conditions::{self, Evidence};
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::host;
use crate::image::Reached;
use crate::image::file_volume;
use crate::noise;
use crate::protocol::Outcome;
use crate::record::{
    Access, CacheModes, Ceiling, Conditions, DurabilityModes, Harness, Host, Quiet, RECORD_VERSION,
    Record, Snapshot, Status,
};
use crate::run::RunTask;
use crate::run::checkpoint::{self, Checkpoint, Known};
use crate::time::{self, Moment};
use crate::warning::{Warning, WarningCode as Code};

/// How a cell ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// Every step was done, with these modes.
    Measured(Reached),
    /// It cannot be measured here, for this reason.
    Skipped(String),
    /// A step failed for this reason; until then these modes were reached.
    Failed(String, Reached),
}

/// What is known before the first step.
#[derive(Debug)]
pub(super) struct RecordBuilder<'a> {
    task: &'a RunTask,
    known: Known,
    /// When this process began with it: after a restart, later than the record says.
    begun: Moment,
    /// What was done before a restart so that nothing disturbs; there only after one.
    quiet_before: Option<Option<Quiet>>,
}

impl<'a> RecordBuilder<'a> {
    /// Begins a record.
    pub(super) fn new(
        task: &'a RunTask,
        before: Snapshot,
        ceiling: Option<Ceiling>,
        replayed_phases: Vec<String>,
    ) -> Self {
        let known = Known {
            started_utc: time::now_utc(),
            host: this_host(task),
            before,
            ceiling,
            quiet: None,
            replayed_phases,
            warnings: Vec::new(),
        };
        Self { task, known, begun: Moment::now(), quiet_before: None }
    }

    /// Continues a record after a restart.
    pub(super) fn after_restart(task: &'a RunTask, checkpoint: &Checkpoint) -> Self {
        let (mut known, host) = (checkpoint.known.clone(), this_host(task));
        if host != known.host {
            known.warnings.push(Warning::new(Code::MachineChanged, "the machine was not the same before and after the restart: the record describes it after the restart"));
        }
        known.host = host;
        let quiet_before = Some(known.quiet.take());
        Self { task, known, begun: Moment::now(), quiet_before }
    }

    /// Everything known before a restart.
    ///
    /// # Errors
    /// When the system does not identify its boot: then a restart could not be detected.
    pub(super) fn wait(
        &self,
        after: Snapshot,
        mut outcome: Outcome,
        reached: Reached,
    ) -> Result<Checkpoint> {
        let boot = host::boot().ok_or_else(|| {
            Error::new(
                ExitCode::Unexpected,
                "the system does not identify its boot: make sure that `sysctl kern.bootsessionuuid` works, then run again",
            )
        })?;
        // The process after the restart knows neither.
        let when = "before the restart, after the first part of";
        outcome.meanwhile.push((when.to_owned(), after));
        let mut known = self.known.clone();
        let step_seconds = self.begun.step_until(&Moment::now());
        known.warnings.extend(step_seconds.map(|step_seconds| {
            clock_warning(
                step_seconds,
                "before the restart: the time of the start is that of the clock before",
            )
        }));
        Ok(Checkpoint {
            waiting_version: checkpoint::VERSION,
            harness: Harness::current(),
            cell: self.task.cell.clone(),
            record: checkpoint::whole_path(&self.task.arguments.record),
            boot,
            begun: false,
            stopped_seconds: time::now_seconds(),
            known,
            reached,
            outcome,
            sha256: String::new(),
        })
    }

    /// The effective noise suppression.
    pub(super) fn note_quiet(&mut self, quiet: Option<Quiet>) {
        if self.quiet_before.take().is_some_and(|before| before != quiet) {
            self.known.warnings.push(Warning::new(Code::QuietChanged, "noise suppression was not the same before and after the restart: the record describes it \
                 after the restart"));
        }
        self.known.quiet = quiet;
    }

    /// Whether this phase is run again, unmeasured.
    pub(super) fn replays(&self, phase: &str) -> bool {
        self.known.replayed_phases.iter().any(|replayed| replayed == phase)
    }

    /// Whether no phase is.
    pub(super) const fn replayed_nothing(&self) -> bool {
        self.known.replayed_phases.is_empty()
    }

    /// The cell begins now, after replayed phases.
    pub(super) fn begin_again(&mut self, before: Snapshot, started_utc: String) {
        self.known.before = before;
        self.known.started_utc = started_utc;
        self.begun = Moment::now();
    }

    /// The whole record but for its checksum.
    pub(super) fn finish(self, after: Snapshot, outcome: &Outcome, ending: Ending) -> Record {
        let task = self.task;
        let conditions = Conditions { before: self.known.before.clone(), after };
        let (status, reason, reached) = match ending {
            Ending::Measured(reached) => (Status::Measured, None, Some(reached)),
            Ending::Skipped(reason) => (Status::Skipped, Some(reason), None),
            Ending::Failed(reason, reached) => (Status::Failed, Some(reason), Some(reached)),
        };
        let ended = Moment::now();
        let warnings = reached
            .map_or_else(Vec::new, |reached| self.warnings(outcome, &conditions, reached, &ended));
        Record {
            record_version: RECORD_VERSION,
            harness: Harness::current(),
            status,
            reason,
            cell: task.cell.clone(),
            position: task.arguments.position,
            planned: task.arguments.planned,
            // Before this process there may have been a restart, at which the clock was set back.
            finished_utc: self.begun.utc_of(&ended).max(self.known.started_utc.clone()),
            started_utc: self.known.started_utc,
            host: self.known.host,
            conditions,
            quiet: self.known.quiet,
            image: outcome.image.clone(),
            warning_codes: Some(warnings.iter().map(|warning| warning.code).collect()),
            warnings: warnings.into_iter().map(|warning| warning.text).collect(),
            cache: CacheModes { asked: task.cell.io.cache, reached: reached.map(|r| r.cache) },
            durability: DurabilityModes {
                asked: task.cell.io.durability,
                reached: reached.map(|r| r.durability),
            },
            access: reached.and_then(|_| access(&task.cell)),
            ceiling: self.known.ceiling,
            replayed_phases: self.known.replayed_phases,
            steps: outcome.steps.clone(),
            samples: outcome.samples.clone(),
            sizes: outcome.sizes.clone(),
            sha256: String::new(),
        }
    }

    /// Warnings about a cell with these modes.
    fn warnings(
        &self,
        outcome: &Outcome,
        conditions: &Conditions,
        reached: Reached,
        ended: &Moment,
    ) -> Vec<Warning> {
        let mut warnings = conditions::warnings(&Evidence {
            cell: &self.task.cell,
            host: &self.known.host,
            conditions,
            meanwhile: &outcome.meanwhile,
            reached,
            samples: &outcome.samples,
            ceiling: self.known.ceiling,
            warm_read_bytes: outcome.warm_read_bytes,
            total_bytes: facts::space(&self.task.arguments.folder)
                .ok()
                .map(|space| space.total_bytes),
            checked: self.task.arguments.check,
        });
        warnings.extend(self.known.warnings.iter().cloned());
        warnings.extend(self.begun.step_until(ended).map(|step_seconds| {
            clock_warning(
                step_seconds,
                "meanwhile: no duration depends on it, and the end time follows the clock at the start",
            )
        }));
        warnings.extend(self.known.quiet.iter().flat_map(noise::warnings));
        if outcome.not_compacted {
            warnings.push(Warning::new(
                Code::NotCompacted,
                "the image could not be compacted: the sizes after that are not those of a compacted image",
            ));
        }
        if host::is_translated() {
            warnings.push(Warning::new(Code::Translated, "diskbench ran under Rosetta: the recorded architecture is not the machine's, and times may be longer"));
        }
        warnings
    }
}

/// The machine, with the user's description of the storage.
fn this_host(task: &RunTask) -> Host {
    let mut host = host::discover(&task.arguments.folder);
    host.storage.description.clone_from(&task.arguments.storage_description);
    host
}

/// How a driver reads and writes the host's files.
fn access(cell: &Cell) -> Option<Access> {
    let encrypted = cell.encryption != Encryption::None;
    match cell.driver {
        Driver::Native => Some(Access { cipher_threads: 0, ahead_bytes: None }),
        Driver::Portable => {
            let threads = if encrypted { crypt::threads() } else { 0 };
            let cipher_threads = u32::try_from(threads).unwrap_or(u32::MAX);
            Some(Access { cipher_threads, ahead_bytes: Some(file_volume::AHEAD) })
        }
        Driver::Apple => None,
    }
}

fn clock_warning(step_seconds: i64, when: &str) -> Warning {
    let way = if step_seconds > 0 { "ahead" } else { "back" };
    let seconds = step_seconds.unsigned_abs();
    let text = format!("the clock of the machine was set {way} by {seconds} s {when}");
    Warning::new(Code::ClockSet, text)
}

#[cfg(test)]
mod tests {
    use super::{Code, Ending, Moment, RecordBuilder};
    use crate::record::Power;
    use crate::run::checkpoint::tests::checkpoint;
    use crate::testing::{record, run_task};

    #[test]
    fn a_record_does_not_end_before_it_began_where_a_restart_set_the_clock_back() {
        let work = tempfile::tempdir().unwrap();
        let mut kept = checkpoint();
        kept.known.started_utc = "2126-11-20T18:48:19Z".into();
        let task = run_task(kept.cell.clone(), work.path());
        let now = record().conditions.before;
        let builder = RecordBuilder::after_restart(&task, &kept);
        let record = builder.finish(now, &kept.outcome, Ending::Measured(kept.reached));
        assert_eq!(record.finished_utc, "2126-11-20T18:48:19Z");
    }

    #[test]
    fn what_made_the_first_part_doubtful_is_known_after_the_restart() {
        let work = tempfile::tempdir().unwrap();
        let kept = checkpoint();
        let task = run_task(kept.cell.clone(), work.path());
        let mut now = record().conditions.before;
        let mut builder = RecordBuilder::new(&task, now.clone(), None, Vec::new());
        let waiting = builder.wait(now.clone(), kept.outcome.clone(), kept.reached).unwrap();
        assert_eq!(waiting.known.warnings, []);
        now.load_1min_milli = Some(99_000);
        now.power_source = Power::Battery;
        builder.begun = Moment::now().of_a_clock_ahead_by(3600);
        let waiting = builder.wait(now, kept.outcome, kept.reached).unwrap();
        let [clock] = waiting.known.warnings.as_slice() else { panic!("{waiting:?}") };
        assert_eq!(clock.code, Code::ClockSet);
        assert!(clock.text.contains("was set back by 3600 s before the restart"), "{clock:?}");
        let after = RecordBuilder::after_restart(&task, &waiting);
        let quiet = record().conditions.after;
        let record = after.finish(quiet, &waiting.outcome, Ending::Measured(kept.reached));
        let busy = "load was 99.00 before the restart, after the first part of the cell";
        assert!(record.warnings.iter().any(|warning| warning.starts_with(busy)), "{record:?}");
        assert!(record.warning_codes.unwrap().contains(&Code::Battery));
    }
}
