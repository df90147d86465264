//! The protocol: steps, one after the other, drive a driver.

pub mod forecast;

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Phase, Step};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::image::{Done, ImageDriver, Volume};
use crate::panics::caught;
use crate::record::{
    ImageFacts, ImageIdentity, Op, Sample, Serving, SizeRecord, Snapshot, StepRecord,
};
use crate::transfer::Timing;
use crate::workload::FileSpec;
use crate::workload::ledger::Ledger;

/// Whether what happens is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Measure: every sample, size and step is kept.
    Everything,
    /// Bring the image into a state: nothing is kept, nothing is waited for or measured.
    Nothing,
}

/// The results of a phase; after a failure, those until then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcome {
    /// The steps in order.
    pub steps: Vec<StepRecord>,
    /// The files in order, written and read.
    pub samples: Vec<Sample>,
    /// The sizes in order.
    pub sizes: Vec<SizeRecord>,
    /// What the image is, once it was attached.
    pub image: Option<ImageIdentity>,
    /// Bytes that were read while still in memory from earlier writing or reading.
    pub warm_read_bytes: u64,
    /// Whether a compaction failed.
    #[serde(default)]
    pub not_compacted: bool,
    /// The state of the machine after each pass of writing or reading, and around a restart, with words that say when.
    #[serde(default)]
    pub meanwhile: Vec<(String, Snapshot)>,
}

/// Receives events when they happen, outside of every timed region.
pub(crate) trait Watcher {
    /// A file is done.
    fn file(&mut self, op: Op, file: FileSpec, timing: Timing);
    /// A step is done.
    fn step(&mut self, step: &StepRecord);
    /// The state of the machine now; none where there is no machine.
    fn state(&self) -> Option<Snapshot> {
        None
    }
}

/// A watcher that does not look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nobody;

impl Watcher for Nobody {
    fn file(&mut self, _op: Op, _file: FileSpec, _timing: Timing) {}
    fn step(&mut self, _step: &StepRecord) {}
}

/// Where the image is.
enum State {
    Missing,
    Detached,
    Attached(Box<dyn Volume>),
}

/// Drives one image through phases.
pub(crate) struct Engine<'a> {
    cell: &'a Cell,
    driver: &'a mut dyn ImageDriver,
    clock: &'a dyn Clock,
    watcher: &'a mut dyn Watcher,
    ledger: Ledger,
    state: State,
    warm: bool,
    /// What served the image in the step that is being run.
    serving: Option<Serving>,
}

impl<'a> Engine<'a> {
    /// An engine for an image that does not exist yet.
    pub(crate) fn new(
        cell: &'a Cell,
        driver: &'a mut dyn ImageDriver,
        clock: &'a dyn Clock,
        watcher: &'a mut dyn Watcher,
    ) -> Self {
        Self {
            cell,
            driver,
            clock,
            watcher,
            ledger: Ledger::new(),
            state: State::Missing,
            warm: false,
            serving: None,
        }
    }

    /// The same after earlier phases, which left these files and, if `has_image`, the image detached. Whether that made
    /// reads cold is not known to this run: they count as warm until the next detach.
    pub(crate) fn starting_with(mut self, ledger: Ledger, has_image: bool) -> Self {
        self.ledger = ledger;
        self.state = if has_image { State::Detached } else { State::Missing };
        self.warm = has_image;
        self
    }

    /// The same after a restart of this machine, which found the image detached with these files, and left nothing in
    /// memory.
    pub(crate) fn after_restart(mut self, ledger: Ledger) -> Self {
        self.ledger = ledger;
        self.state = State::Detached;
        self.warm = false;
        self
    }

    /// The files on the volume.
    pub(crate) const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether there is an image.
    pub(crate) const fn has_image(&self) -> bool {
        !matches!(self.state, State::Missing)
    }

    /// Runs one phase. Afterwards the image is detached (or removed), whatever the phase's last step was.
    ///
    /// # Errors
    /// The first step that fails; what was measured before is in `outcome`.
    pub(crate) fn run(&mut self, phase: &Phase, keep: Keep, outcome: &mut Outcome) -> Result<()> {
        self.run_from(phase, 0, keep, outcome)
    }

    /// The same from one of its steps on (counted from 0): earlier ones were done before a restart.
    ///
    /// # Errors
    /// The first step that fails; what was measured before is in `outcome`. When a step needs this machine restarted,
    /// the exit code is [`ExitCode::RestartNeeded`], and `outcome` holds just the steps before it.
    pub(crate) fn run_from(
        &mut self,
        phase: &Phase,
        first: usize,
        keep: Keep,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let mut ignored = Outcome::default();
        let outcome = if keep == Keep::Everything { outcome } else { &mut ignored };
        let result = self.run_steps(phase, first, keep, outcome);
        let put_away = self.put_away();
        result.and(put_away)
    }

    fn run_steps(
        &mut self,
        phase: &Phase,
        first: usize,
        keep: Keep,
        outcome: &mut Outcome,
    ) -> Result<()> {
        for (index, step) in phase.steps.iter().enumerate().skip(first) {
            if keep == Keep::Nothing && is_only_for_measuring(step) {
                continue;
            }
            let start = self.clock.now_ns();
            let result = caught(|| self.step(step, outcome));
            if let Err(error) = &result
                && error.exit() == ExitCode::RestartNeeded
            {
                // It is not done yet: the run after the restart notes it.
                return Err(error.clone());
            }
            let elapsed_ns = self.clock.now_ns() - start;
            let place = format!("step {} of phase {} ({})", index + 1, phase.phase, step.name());
            let note = match &result {
                Ok(note) => note.clone(),
                Err(error) => Some(error.line()),
            };
            let record = StepRecord {
                step: step.name().to_owned(),
                elapsed_ns,
                note,
                commands: self.driver.take_commands(),
                serving: self.serving.take(),
            };
            self.watcher.step(&record);
            outcome.steps.push(record);
            // A long phase may be disturbed, or the machine hot, and nothing of it be left at its end.
            if keep == Keep::Everything && matches!(step, Step::Write {} | Step::Read {}) {
                let when = format!("after step {} ({}) of", index + 1, step.name());
                outcome.meanwhile.extend(self.watcher.state().map(|state| (when, state)));
            }
            result.map_err(|error| placed(&place, &error))?;
        }
        Ok(())
    }

    /// Detaches an image that a phase, or a failure in it, left attached.
    fn put_away(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.state, State::Missing) {
            State::Attached(volume) => {
                let done = self.driver.detach(volume);
                self.state = State::Detached;
                done.map(|done| self.warm &= !done.value)
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    fn step(&mut self, step: &Step, outcome: &mut Outcome) -> Result<Option<String>> {
        match step {
            Step::Create {} => {
                if self.has_image() {
                    return Err(Error::input(
                        "there is already an image; put a discard step before it",
                    ));
                }
                let done = self.driver.create()?;
                self.warm = false;
                self.attached(done, outcome)
            }
            Step::Attach {} => {
                self.need_detached()?;
                let done = self.driver.attach()?;
                self.attached(done, outcome)
            }
            Step::Detach {} => self.detach(),
            Step::Settle { seconds } => self.clock.settle(*seconds).map(|()| None),
            Step::Write {} => self.watched(outcome, Self::write),
            Step::Read {} => self.watched(outcome, Self::read),
            Step::Delete { which, sets, files } => {
                let files = self.ledger.select(*which, *sets, *files)?;
                self.volume()?.delete(&files)?;
                self.ledger.remove(&files);
                Ok(Some(format!("{} files deleted", files.len())))
            }
            Step::Measure { state } => {
                self.need_image()?;
                let sizes = self.driver.sizes()?;
                outcome.sizes.push(SizeRecord { state: state.clone(), ..sizes });
                Ok(None)
            }
            Step::Compact {} => {
                self.need_detached()?;
                let done = self.driver.compact()?;
                outcome.not_compacted |= !done.value;
                Ok(done.note)
            }
            Step::Restart {} => {
                self.need_detached()?;
                self.warm = false;
                self.driver.restart().map(|()| None)
            }
            Step::Discard {} => {
                self.need_detached()?;
                self.driver.delete()?;
                self.ledger.clear();
                self.state = State::Missing;
                Ok(None)
            }
        }
    }

    /// Writes or reads, while what serves the image is watched.
    fn watched(
        &mut self,
        outcome: &mut Outcome,
        pass: fn(&mut Self, &mut Outcome) -> Result<Option<String>>,
    ) -> Result<Option<String>> {
        self.driver.begin_pass();
        let done = pass(self, outcome);
        self.serving = self.driver.end_pass();
        done
    }

    fn write(&mut self, outcome: &mut Outcome) -> Result<Option<String>> {
        self.volume()?;
        for file in self.ledger.begin_round(self.cell) {
            let timing = self.volume()?.write(file)?;
            self.ledger.add(file);
            self.keep(Op::Write, file, timing, outcome);
        }
        self.warm = true;
        Ok(None)
    }

    fn read(&mut self, outcome: &mut Outcome) -> Result<Option<String>> {
        self.volume()?;
        let files = self.ledger.newest();
        if files.is_empty() {
            return Err(Error::input("the newest round has no files; put a write step before it"));
        }
        for file in files {
            let timing = self.volume()?.read(file)?;
            self.keep(Op::Read, file, timing, outcome);
            if self.warm {
                outcome.warm_read_bytes += file.size_bytes;
            }
        }
        self.warm = true;
        Ok(None)
    }

    fn keep(&mut self, op: Op, file: FileSpec, timing: Timing, outcome: &mut Outcome) {
        let before = outcome.samples.iter().rev().find(|sample| sample.op == op);
        outcome.samples.push(Sample {
            op,
            order: before.map_or(1, |sample| sample.order + 1),
            set: file.set,
            size_bytes: file.size_bytes,
            elapsed_ns: timing.elapsed_ns,
            slept: timing.slept,
        });
        self.watcher.file(op, file, timing);
    }

    /// Takes the volume, unless the image differs from the request: then nothing is timed on it.
    fn attached(
        &mut self,
        done: Done<Box<dyn Volume>>,
        outcome: &mut Outcome,
    ) -> Result<Option<String>> {
        self.state = State::Attached(done.value);
        let requested = ImageFacts::requested(self.cell);
        let image = ImageIdentity { requested, effective: self.driver.effective()? };
        let differences = image.differences();
        outcome.image = Some(image);
        match differences {
            None => Ok(done.note),
            Some(what) => Err(Error::step(format!(
                "the image is not what was requested: {what}; nothing was timed on it"
            ))),
        }
    }

    fn detach(&mut self) -> Result<Option<String>> {
        self.volume()?;
        let State::Attached(volume) = std::mem::replace(&mut self.state, State::Detached) else {
            return Ok(None);
        };
        let done = self.driver.detach(volume)?;
        self.warm &= !done.value;
        Ok(done.note)
    }

    fn volume(&mut self) -> Result<&mut dyn Volume> {
        match &mut self.state {
            State::Attached(volume) => Ok(volume.as_mut()),
            State::Detached => {
                Err(Error::input("the image is detached; put an attach step before it"))
            }
            State::Missing => Err(no_image()),
        }
    }

    fn need_image(&self) -> Result<()> {
        if self.has_image() { Ok(()) } else { Err(no_image()) }
    }

    fn need_detached(&self) -> Result<()> {
        match self.state {
            State::Detached => Ok(()),
            State::Missing => Err(no_image()),
            State::Attached(_) => {
                Err(Error::input("the image is already attached; put a detach step before it"))
            }
        }
    }
}

fn no_image() -> Error {
    Error::input("there is no image; put a create step before it")
}

/// Whether a step changes nothing on the volume: one that waits, looks, or makes what follows cold.
const fn is_only_for_measuring(step: &Step) -> bool {
    match step {
        Step::Settle { .. } | Step::Measure { .. } | Step::Restart {} => true,
        Step::Create {}
        | Step::Attach {}
        | Step::Detach {}
        | Step::Write {}
        | Step::Read {}
        | Step::Delete { .. }
        | Step::Compact {}
        | Step::Discard {} => false,
    }
}

/// Adds the failed step to an error; cancellation is unchanged.
fn placed(place: &str, error: &Error) -> Error {
    if error.exit() == ExitCode::Interrupted {
        return error.clone();
    }
    error.placed(place)
}

#[cfg(test)]
mod tests;
