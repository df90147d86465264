//! Finds where to begin: with a new image, with that of an earlier phase, or in the middle of a phase after a restart.

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::host;
use crate::image;
use crate::image::folder::{Found, ImageFolder};
use crate::image::state_file::StateFile;
use crate::interrupt::Stop;
use crate::protocol::forecast::{self, Forecast};
use crate::run::RunTask;
use crate::run::checkpoint::{self, Checkpoint, Kept};
use crate::space;
use crate::terminal::say;
use crate::workload::ledger::Ledger;

/// What there is to begin with.
pub(super) struct Preparation {
    /// The image's folder.
    pub folder: ImageFolder,
    /// Where to begin.
    pub start: Start,
    /// What is still to be done: the replayed phases, and last the one to measure, or the rest of it.
    pub forecasts: Vec<Forecast>,
}

/// Where to begin.
pub(super) enum Start {
    /// With the first phase that has to be run.
    Afresh,
    /// With the phase to measure, on the files of earlier phases.
    After {
        /// The files.
        ledger: Ledger,
        /// Whether there is an image that holds them.
        has_image: bool,
    },
    /// In the middle of the phase to measure.
    AfterRestart {
        /// What was measured before.
        checkpoint: Box<Checkpoint>,
        /// The files on the image.
        ledger: Ledger,
    },
    /// With nothing: a run was killed when it had written the record, and had only to put the image away, for a later
    /// phase if it holds these files.
    Recorded(Option<Ledger>),
}

/// Finds where to begin, removes useless files, and checks the free space.
///
/// # Errors
/// Exit code 8 when the machine was not restarted yet; 130 when stopped; 3, 4 or 5 when there is no space or the image's folder is
/// unusable.
pub(super) fn prepare(task: &RunTask, mut folder: ImageFolder, stop: &Stop) -> Result<Preparation> {
    let cell = &task.cell;
    let found = folder.look()?;
    if found == Found::Foreign {
        return Err(folder.foreign());
    }
    let mut forecasts = forecast::until_phase(cell)?;
    if let Found::Ours(state_file) = &found
        && let Some((start, rest)) = after_restart(task, &mut folder, state_file, &forecasts, stop)?
    {
        return Ok(Preparation { folder, start, forecasts: rest });
    }
    let index = cell.phase_index();
    let before = index.checked_sub(1).and_then(|before| forecasts.get(before)).cloned();
    if let (Found::Ours(state_file), Some(before)) = (&found, &before)
        && state_file.fits(cell, &before.ledger)
    {
        room(task, forecasts.split_at(index).1, Some((&folder, state_file)), stop)?;
        if folder.resume(cell, &before.ledger, image::holds_exactly)? {
            forecasts.drain(..index);
            let start = Start::After { ledger: before.ledger.clone(), has_image: true };
            return Ok(Preparation { folder, start, forecasts });
        }
    }
    // It cannot be resumed. It is removed before free space is checked, since it uses some.
    folder.remove()?;
    let start = match before.filter(|before| !before.has_image) {
        // The phase begins without an image, so nothing needs to be run again.
        Some(before) => {
            forecasts.drain(..index);
            Start::After { ledger: before.ledger, has_image: false }
        }
        None => Start::Afresh,
    };
    room(task, &forecasts, None, stop)?;
    Ok(Preparation { folder, start, forecasts })
}

/// An image of an earlier run, and what it holds.
type KeptImage<'a> = Option<(&'a ImageFolder, &'a StateFile)>;

fn room(task: &RunTask, forecasts: &[Forecast], kept: KeptImage<'_>, stop: &Stop) -> Result<()> {
    let needed_bytes = space::with_margin(more_bytes(forecasts, kept)?);
    space::require_soon(&task.arguments.folder, needed_bytes, stop)
}

/// Most bytes of the disk that an image takes in these phases, beyond those that a kept one takes already.
fn more_bytes(forecasts: &[Forecast], kept: KeptImage<'_>) -> Result<u64> {
    let peak = forecasts.iter().map(|forecast| forecast.peak_bytes).max();
    // Without any the room would be counted for nothing, and the disk be full in the middle of the run.
    let peak = peak.ok_or_else(|| Error::fault("no phase is left to find room for"))?;
    let taken = kept.map_or(0, |(folder, state_file)| folder.taken_bytes(state_file));
    Ok(peak.saturating_sub(taken))
}

/// The checkpoint to resume; none if no cell waits for a restart, or it is useless.
fn after_restart(
    task: &RunTask,
    folder: &mut ImageFolder,
    state_file: &StateFile,
    forecasts: &[Forecast],
    stop: &Stop,
) -> Result<Option<(Start, Vec<Forecast>)>> {
    let cell = &task.cell;
    let checkpoint = match checkpoint::kept(folder.path()) {
        Kept::Nothing => return Ok(None),
        Kept::Damaged => return Ok(of_no_use(cell, "is damaged")),
        Kept::Whole(checkpoint) => checkpoint,
    };
    if checkpoint.is_recorded() {
        if checkpoint.cell != *cell
            || checkpoint.record != checkpoint::whole_path(&task.arguments.record)
        {
            // That one is done; this one has nothing to do with it.
            folder.forget_waiting()?;
            return Ok(None);
        }
        let left = forecasts.last().filter(|forecast| forecast.has_image);
        let ledger = left.map(|forecast| forecast.ledger.clone());
        let fits = ledger
            .as_ref()
            .map_or(Ok(false), |ledger| folder.take_up(cell, ledger, image::holds_exactly))?;
        return Ok(Some((Start::Recorded(ledger.filter(|_| fits)), Vec::new())));
    }
    if !checkpoint.fits(cell) {
        return Ok(of_no_use(cell, "is of another cell, release or diskbench"));
    }
    if !checkpoint.is_over(host::boot().as_deref()) {
        return Err(checkpoint.restart_request());
    }
    let (until, after) = checkpoint.around(cell)?;
    room(task, std::slice::from_ref(&after), Some((folder, state_file)), stop)?;
    if !folder.take_up(cell, &until.ledger, image::holds_exactly)? {
        return Ok(of_no_use(cell, "no longer matches the files"));
    }
    Ok(Some((Start::AfterRestart { checkpoint, ledger: until.ledger }, vec![after])))
}

fn of_no_use<T>(cell: &Cell, why: &str) -> Option<T> {
    say(&format!(
        "{}: the state kept for the restart {why}: the cell is measured from the start",
        cell.image_key()
    ));
    None
}

#[cfg(test)]
mod tests {
    use super::more_bytes;
    use crate::image::folder::Found;
    use crate::protocol::forecast;
    use crate::testing::{cell, left_by_the_first_phase};
    use std::fs;

    #[test]
    fn a_kept_image_needs_no_room_for_what_it_takes_of_the_disk_trimmed_or_not() {
        let work = tempfile::tempdir().unwrap();
        let (folder, ledger) = left_by_the_first_phase(&cell(), work.path());
        let Found::Ours(state_file) = folder.look().unwrap() else { panic!("it is ours") };
        let later = &forecast::whole(&cell()).unwrap()[1..2];
        // A set of 84,097 bytes is left, and two more are written beside it.
        assert_eq!(more_bytes(later, None).unwrap(), 252_291);
        assert_eq!(more_bytes(later, Some((&folder, &state_file))).unwrap(), 168_194);
        // What the system has not trimmed yet counts as well.
        fs::write(folder.files().join(ledger.alive()[0].name()), vec![1; 1_000_000]).unwrap();
        assert_eq!(more_bytes(later, Some((&folder, &state_file))).unwrap(), 0);
    }
}
