//! What a command line means: files read and checked, choices made. What comes out can be done.

pub(crate) mod image;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use crate::cell::Cell;
use crate::cli::{Command, ProgressArguments, ProgressMode, RunArguments, SchemaOf};
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::preflight::Preflight;
use crate::progress::Style;
use crate::protocol::forecast;
use crate::resolve::image::ImageTask;
use crate::run::task::RunTask;

/// Something that can be done.
#[derive(Debug)]
pub(crate) enum Task {
    /// Describe the machine and the storage of this folder.
    Host(PathBuf),
    /// Show a plan.
    Plan(Box<Plan>, Shape, Vec<Preflight>),
    /// Measure a cell.
    Run(Box<RunTask>),
    /// Check records.
    Verify(Vec<PathBuf>, Shape),
    /// Measure the harness.
    Ceiling(Shape),
    /// Clear a folder for work.
    Sweep(PathBuf),
    /// Do something with an image.
    Image(ImageTask),
    /// Print a schema.
    Schema(SchemaOf),
}

/// For whom something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// People.
    Table,
    /// Machines.
    Json,
}

/// Finds out what a command line means.
///
/// # Errors
/// Exit code 2 when a file that it names cannot be read or makes no sense.
pub(crate) fn resolve(command: Command) -> Result<Task> {
    Ok(match command {
        Command::Host { folder } => Task::Host(folder),
        Command::Plan { plan, json, refuse } => {
            Task::Plan(Box::new(Plan::load(&plan)?), shape(json), refuse)
        }
        Command::Run(arguments) => Task::Run(Box::new(resolve_run(arguments)?)),
        Command::Verify { paths, json } => Task::Verify(paths, shape(json)),
        Command::Ceiling { json } => Task::Ceiling(shape(json)),
        Command::Sweep { folder } => Task::Sweep(folder),
        Command::Image(command) => Task::Image(image::resolve(command)?),
        Command::Schema { what } => Task::Schema(what),
    })
}

/// A description whose steps make sense.
fn load(path: &Path) -> Result<Cell> {
    let cell = Cell::load(path)?;
    forecast::check(&cell)
        .map_err(|error| Error::input(format!("cell {}: {}", path.display(), error.line())))?;
    Ok(cell)
}

fn resolve_run(arguments: RunArguments) -> Result<RunTask> {
    Ok(RunTask {
        cell: load(&arguments.cell)?,
        description: arguments.cell,
        folder: arguments.folder,
        record: arguments.record,
        log: arguments.log,
        position: arguments.position,
        planned: arguments.planned,
        refuse: arguments.refuse,
        storage_description: arguments.storage_description,
        check: arguments.check,
        progress: style(arguments.progress),
    })
}

const fn shape(json: bool) -> Shape {
    if json { Shape::Json } else { Shape::Table }
}

fn style(arguments: ProgressArguments) -> Style {
    match arguments.progress {
        ProgressMode::Auto if std::io::stderr().is_terminal() => Style::Line,
        ProgressMode::Auto | ProgressMode::Lines => Style::Lines,
        ProgressMode::None => Style::Silent,
    }
}
