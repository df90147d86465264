//! The checkpoint of a cell that waits for a restart of the machine, kept beside the image.
//!
//! A restart ends this process, so the cell is measured by two calls of the same command. The first one atomically
//! writes everything that the record will need, and exits with code 8. A call without a restart finds the same boot and
//! exits with 8 again. After the restart the cell continues with the next step. This is recorded before the step
//! begins: if it is interrupted, its data is in memory, and reading it again would be warm. Then another restart is
//! requested, and the checkpoint is kept.
//!
//! The record is written before the checkpoint is removed. After a kill in between, both exist; the record is
//! recognized by the same cell and start time.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::image::Reached;
use crate::image::contents::CHECKPOINT;
use crate::json;
use crate::protocol::Outcome;
use crate::protocol::forecast::{self, Forecast};
use crate::record::files::{self, Unread};
use crate::record::{Ceiling, Harness, Host, Quiet, Snapshot, StepRecord, digest, store};
use crate::time;
use crate::units::SECOND_NS;
use crate::warning::Warning;

/// Version of this form.
pub(crate) const VERSION: u32 = 2;

/// Everything that the record will need of the time before the restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    /// Version of this form.
    pub waiting_version: u32,
    /// What measured.
    pub harness: Harness,
    /// The cell.
    pub cell: Cell,
    /// The path of its record, to find out whether it exists.
    pub record: Option<String>,
    /// The boot that must end before the cell continues.
    pub boot: String,
    /// Whether the cell continued in that boot without finishing.
    pub begun: bool,
    /// When the cell stopped, in seconds since 1970.
    pub stopped_seconds: u64,
    /// What is known of the cell.
    pub known: Known,
    /// The modes that were reached.
    pub reached: Reached,
    /// What was measured. The step behind the last one needs the restart.
    pub outcome: Outcome,
    /// SHA-256 of all this, as in records.
    pub sha256: String,
}

/// Facts about a cell besides its steps' measurements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// When it began, UTC.
    pub started_utc: String,
    /// The machine.
    pub host: Host,
    /// What went on on it before the first step.
    pub before: Snapshot,
    /// What the harness reaches.
    pub ceiling: Option<Ceiling>,
    /// What was done so that nothing disturbs.
    pub quiet: Option<Quiet>,
    /// Phases that were run again, unmeasured.
    pub replayed_phases: Vec<String>,
    /// Facts besides the conditions.
    pub warnings: Vec<Warning>,
}

/// What is kept in an image's folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Nothing.
    Nothing,
    /// Something that cannot be read any more, or is of another version.
    Damaged,
    /// What a cell had measured.
    Whole(Box<Checkpoint>),
}

/// What is kept in an image's folder.
pub(crate) fn kept(folder: &Path) -> Kept {
    match files::read_own(&folder.join(CHECKPOINT)) {
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotFound => Kept::Nothing,
        Err(_) => Kept::Damaged,
        Ok(bytes) => parse(&bytes).map_or(Kept::Damaged, Kept::Whole),
    }
}

fn parse(bytes: &[u8]) -> Option<Box<Checkpoint>> {
    let tree: Value = serde_json::from_slice(bytes).ok()?;
    let checkpoint: Checkpoint = json::parse(&json::canonical(&tree)).ok()?;
    let whole = checkpoint.sha256 == digest::of_record(tree);
    (whole && checkpoint.waiting_version == VERSION).then(|| Box::new(checkpoint))
}

/// What the cell of this image's folder does after a restart, if it waits for one.
pub(crate) fn after_restart(folder: &Path, cell: &Cell) -> Option<Forecast> {
    match kept(folder) {
        Kept::Whole(checkpoint) if checkpoint.fits(cell) && !checkpoint.is_recorded() => {
            checkpoint.around(cell).ok().map(|(_, after)| after)
        }
        _ => None,
    }
}

impl Checkpoint {
    /// Keeps this in the image's folder, whole or not at all.
    ///
    /// # Errors
    /// Exit code 3 when the disk is full, else 4.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let tree = digest::sealed(self)?;
        store::write_atomically(&folder.join(CHECKPOINT), json::pretty(&tree).as_bytes())
    }

    /// Whether this is the cell's, measured by this harness.
    pub(crate) fn fits(&self, cell: &Cell) -> bool {
        self.cell == *cell && self.harness == Harness::current()
    }

    /// Whether its record exists: the same cell with the same start time.
    pub(crate) fn is_recorded(&self) -> bool {
        let Some(path) = &self.record else { return false };
        let tree = files::read(Path::new(path))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let (Some(tree), Ok(cell)) = (tree, json::tree(&self.cell)) else { return false };
        let text = |key: &str| tree.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        tree.get("cell") == Some(&cell)
            && text("started_utc") == self.known.started_utc
            && text("sha256") == digest::of_record(tree.clone())
    }

    /// Whether the machine was restarted since the cell stopped, if `now` is the current boot.
    pub(crate) fn is_over(&self, now: Option<&str>) -> bool {
        now.is_some_and(|now| now != self.boot)
    }

    /// The line that says what to do, and its exit code.
    pub(crate) fn restart_request(&self) -> Error {
        let name = self.cell.image_key();
        let line = if self.begun {
            format!(
                "{name}: what followed the restart was cut short, and what it read may be in memory now: \
                 restart this machine once more, then run the same command again"
            )
        } else {
            format!(
                "{name}: what was measured so far is kept: restart this machine, then run the same command again"
            )
        };
        Error::new(ExitCode::RestartNeeded, line)
    }

    /// What the phase does until the restart, and after it.
    ///
    /// # Errors
    /// As [`forecast::around`].
    pub(crate) fn around(&self, cell: &Cell) -> Result<(Forecast, Forecast)> {
        forecast::around(cell, self.outcome.steps.len())
    }

    /// What was measured before the restart, and the restart.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut outcome = self.outcome.clone();
        outcome.steps.push(StepRecord {
            step: "restart".to_owned(),
            elapsed_ns: self.away_seconds().saturating_mul(SECOND_NS),
            note: Some(
                "this machine was restarted: the time is that of the clock of the day, in whole seconds, from the end \
                 of the first call until the second one went on"
                    .to_owned(),
            ),
            commands: Vec::new(),
            serving: None,
        });
        outcome
    }

    /// Seconds since the cell stopped; 0 when the clock was set back meanwhile.
    fn away_seconds(&self) -> u64 {
        time::now_seconds().saturating_sub(self.stopped_seconds)
    }
}

/// The error of a cell that is interrupted after the restart.
pub(crate) fn interrupted() -> Error {
    Error::stopped(
        "what was measured before the restart is kept, and what was read since may be in memory: \
         restart this machine once more, then run the same command again to resume",
    )
}

/// A record's whole path as text, where it is text.
pub(crate) fn whole_path(record: &Path) -> Option<String> {
    let whole: PathBuf = std::path::absolute(record).ok()?;
    whole.to_str().map(str::to_owned)
}

#[cfg(test)]
pub(crate) mod tests;
