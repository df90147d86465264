//! Measures one cell: everything is checked before the first byte, and results are never lost.
//!
//! Between phases the image is detached in its work folder. A phase continues with an image in the right state;
//! otherwise an image of ours is removed and the earlier phases are run again, unmeasured. The record is written before
//! the image's state file, so that a run killed in between is measured again rather than lost. If a record cannot be
//! written, the image, whose files may fill the disk, is removed, and writing is retried. A cell with a restart of
//! this machine is measured by two calls: see [`checkpoint`].

mod builder;
pub(crate) mod checkpoint;
mod ending;
#[cfg(test)]
mod fallbacks;
mod journal;
mod places;
mod preparation;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use system::file;

use crate::ceiling;
use crate::cell::{Cell, Phase};
use crate::cli::RunArguments;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::host;
use crate::image::folder::ImageFolder;
use crate::image::{self, ImageDriver};
use crate::interrupt::Stop;
use crate::lock::MeasuringLock;
use crate::meter::Meter;
use crate::noise::Suppression;
use crate::preflight;
use crate::progress::{Progress, Totals};
use crate::protocol::forecast::{self, Forecast};
use crate::protocol::{Engine, Keep, Outcome};
use crate::record::Op;
use crate::run::builder::RecordBuilder;
use crate::run::checkpoint::Checkpoint;
use crate::run::ending::Ended;
use crate::run::journal::Journal;
use crate::run::preparation::{Preparation, Start, prepare};
use crate::space;
use crate::terminal::say;
use crate::time;
use crate::transfer::Mover;

/// A cell to measure.
#[derive(Debug)]
pub(crate) struct RunTask {
    /// What was typed.
    pub arguments: RunArguments,
    /// What the description that it names asks for.
    pub cell: Cell,
}

impl RunTask {
    /// Reads the cell's description.
    ///
    /// # Errors
    /// Exit code 2 when it cannot be read or its steps make no sense, or for a place beyond the last one.
    pub(crate) fn of(arguments: RunArguments) -> Result<Self> {
        if arguments.position > arguments.planned {
            return Err(Error::input(
                "--position is more than --planned: give a place among the planned cells",
            ));
        }
        let cell = Cell::load(&arguments.cell)?;
        forecast::check(&cell).map_err(|error| {
            Error::input(format!("cell {}: {}", arguments.cell.display(), error.line()))
        })?;
        Ok(Self { arguments, cell })
    }
}

/// Measures a cell and writes its record.
///
/// # Errors
/// One line and an exit code when nothing could be measured or recorded. A cell that fails is no error of this
/// kind: its record says why, and the exit code is 7.
pub(crate) fn run(task: &RunTask, stop: &Stop) -> Result<ExitCode> {
    let cell = &task.cell;
    check_release(cell)?;
    places::check(task)?;
    let refusal = forecast::refusal(cell);
    if refusal.is_none() {
        preflight::check(&task.arguments.refuse, &task.arguments.folder)?;
    }
    // Before the log is opened, which may belong to the run with the lock.
    let _lock = if refusal.is_none() { Some(MeasuringLock::take()?) } else { None };
    let mut journal = Journal::open(task.arguments.log.as_deref())?;
    journal.line(&format!("cell {} of image {}", cell.phase, cell.image_key()));
    usable_record(&task.arguments.record)?;
    if let Some(reason) = refusal {
        let now = host::conditions(&task.arguments.folder);
        let builder = RecordBuilder::new(task, now.clone(), None, Vec::new());
        return ending::skip(task, builder, now, &reason, &mut journal);
    }
    space::usable_folder(&task.arguments.folder)?;
    let suppression = Suppression::keep();
    let folder = ImageFolder::of(cell, &task.arguments.folder);
    let preparation = prepare(task, folder, stop)?;
    measure(task, stop, &mut journal, preparation, suppression)
}

/// The cell was planned for one release of one system; a record of another one would be in the wrong place.
fn check_release(cell: &Cell) -> Result<()> {
    let os = host::os();
    if [&os.version, &os.build].into_iter().any(|word| word == host::UNKNOWN) {
        return Err(Error::new(
            ExitCode::Unexpected,
            "the system does not say which release it is: see what `sw_vers` says in a terminal, then run again",
        ));
    }
    let release = os.release();
    if release == cell.release {
        return Ok(());
    }
    Err(Error::input(format!(
        "this machine runs {release}, but the cell was planned for {}: plan the study again on this machine",
        cell.release
    )))
}

/// The folder of the record is made and tried now: not after hours of measuring.
fn usable_record(record: &Path) -> Result<()> {
    let folder = file::folder_of(record);
    std::fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder, &error))?;
    space::usable_folder(folder)?;
    space::require(folder, space::FOR_A_RECORD)
}

fn measure(
    task: &RunTask,
    stop: &Stop,
    journal: &mut Journal,
    preparation: Preparation,
    mut suppression: Suppression,
) -> Result<ExitCode> {
    let cell = &task.cell;
    let Preparation { folder, start, forecasts } = preparation;
    let folder = Rc::new(RefCell::new(folder));
    if let Start::Recorded(ledger) = start {
        ending::put_away(cell, &folder, ledger)?;
        journal.line("recorded by an earlier run: only its image was left to remove");
        say("the record is there already: only its image was left to remove");
        return Ok(ExitCode::Done);
    }
    let meter = Meter::new();
    journal.count_with(meter.clone(), &task.arguments.folder);
    let progress = Progress::start(
        task.arguments.progress.style(),
        label(task),
        totals(&forecasts),
        meter.clone(),
    );
    let mover =
        Mover::new(cell.seed, cell.io.block_bytes, task.arguments.check, meter, stop.clone());
    let mut driver = image::driver(cell, Rc::clone(&folder), mover, stop.clone())?;
    let (mut builder, mut outcome) =
        begin(task, &start, &forecasts, driver.as_mut(), &folder, journal)?;
    let after_restart = matches!(start, Start::AfterRestart { .. });
    let (result, ledger) = {
        let engine = Engine::new(cell, driver.as_mut(), stop, journal);
        let mut engine = match start {
            Start::AfterRestart { ledger, .. } => engine.after_restart(ledger),
            Start::After { ledger, has_image } => engine.starting_with(ledger, has_image),
            Start::Afresh | Start::Recorded(_) => engine,
        };
        let result = phases(task, &mut engine, &folder, &mut builder, &mut outcome);
        (result, engine.has_image().then(|| engine.ledger().clone()))
    };
    let reached = driver.reached();
    builder.note_quiet(suppression.reached(driver.quiet()));
    let after = host::conditions(&task.arguments.folder);
    let ended = Ended { task, folder, builder, outcome, reached, after, ledger, after_restart };
    ended.close(result, journal, progress)
}

/// The record to fill, and earlier results: none for a new cell.
fn begin<'a>(
    task: &'a RunTask,
    start: &Start,
    forecasts: &[Forecast],
    driver: &mut dyn ImageDriver,
    folder: &RefCell<ImageFolder>,
    journal: &mut Journal,
) -> Result<(RecordBuilder<'a>, Outcome)> {
    let cell = &task.cell;
    let now = host::conditions(&task.arguments.folder);
    if let Start::AfterRestart { checkpoint, .. } = start {
        driver.restarted(checkpoint.reached);
        let mut outcome = go_on(checkpoint, folder, journal)?;
        outcome.meanwhile.push(("after the restart, before the rest of".to_owned(), now));
        return Ok((RecordBuilder::after_restart(task, checkpoint), outcome));
    }
    let replayed =
        forecasts.iter().map(|f| f.phase.clone()).filter(|name| *name != cell.phase).collect();
    let ceiling = ceiling::for_record(cell.io.block_bytes)?;
    Ok((RecordBuilder::new(task, now, Some(ceiling), replayed), Outcome::default()))
}

/// Runs the replayed phases, then the one to measure.
fn phases(
    task: &RunTask,
    engine: &mut Engine<'_>,
    folder: &RefCell<ImageFolder>,
    builder: &mut RecordBuilder<'_>,
    outcome: &mut Outcome,
) -> Result<()> {
    let cell = &task.cell;
    let (earlier, wanted) = cell.phases_until();
    let done = outcome.steps.len();
    if done > 0 {
        // The part before the restart began the phase, and is in the outcome.
        return engine.run_from(wanted, done, Keep::Everything, outcome);
    }
    for phase in earlier.iter().filter(|phase| builder.replays(&phase.phase)) {
        run_phase(engine, folder, phase, Keep::Nothing, outcome)?;
    }
    if !builder.replayed_nothing() {
        builder.begin_again(host::conditions(&task.arguments.folder), time::now_utc());
    }
    run_phase(engine, folder, wanted, Keep::Everything, outcome)
}

fn run_phase(
    engine: &mut Engine<'_>,
    folder: &RefCell<ImageFolder>,
    phase: &Phase,
    keep: Keep,
    outcome: &mut Outcome,
) -> Result<()> {
    folder.borrow_mut().begin(&phase.phase).map_err(|error| error.in_record())?;
    engine.run(phase, keep, outcome)
}

/// Resumes a cell after the restart: records that, and returns the earlier results.
fn go_on(
    checkpoint: &Checkpoint,
    folder: &RefCell<ImageFolder>,
    journal: &mut Journal,
) -> Result<Outcome> {
    let outcome = checkpoint.outcome();
    let boot = host::boot().unwrap_or_else(|| checkpoint.boot.clone());
    let begun = Checkpoint { begun: true, boot, ..checkpoint.clone() };
    begun.write(folder.borrow().path())?;
    journal.line(&format!("resumes after the restart with step {}", outcome.steps.len() + 1));
    Ok(outcome)
}

fn label(task: &RunTask) -> String {
    let cell = &task.cell;
    let place = match (task.arguments.position, task.arguments.planned) {
        (Some(position), Some(planned)) => format!("[{position}/{planned}] "),
        _ => String::new(),
    };
    format!("{place}{} {} {}", cell.protocol, cell.variant(), cell.phase)
}

fn totals(forecasts: &[Forecast]) -> Totals {
    Totals {
        files: Some(forecasts.iter().map(|f| f.outcome.samples.len() as u64).sum()),
        bytes: forecasts.iter().map(|f| f.bytes(Op::Write) + f.bytes(Op::Read)).sum(),
    }
}
