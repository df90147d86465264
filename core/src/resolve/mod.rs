//! What a command line means: files read and checked, choices made. What comes out can be done.

pub mod image;

use std::io::IsTerminal;
use std::path::PathBuf;

use crate::cell::Cell;
use crate::cli::{Command, ProgressMode, RunArguments, SchemaOf};
use crate::error::Result;
use crate::guard::Guard;
use crate::plan::Plan;
use crate::progress::Style;
use crate::resolve::image::ImageTask;

/// Something that can be done.
#[derive(Debug)]
pub enum Task {
    /// Describe the machine and the storage of this folder.
    Host(PathBuf),
    /// Show a plan.
    Plan(Box<Plan>, Shape, Vec<Guard>),
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
pub enum Shape {
    /// People.
    Table,
    /// Machines.
    Json,
}

/// A cell to measure.
#[derive(Debug)]
pub struct RunTask {
    /// What is asked for.
    pub cell: Cell,
    /// The file that says so.
    pub description: PathBuf,
    /// Where to work.
    pub folder: PathBuf,
    /// Where the record goes.
    pub record: PathBuf,
    /// Where the log goes.
    pub log: Option<PathBuf>,
    /// Place in the study's order.
    pub position: Option<u32>,
    /// Number of cells that are planned.
    pub planned: Option<u32>,
    /// What is refused of the machine's state.
    pub refuse: Vec<Guard>,
    /// What its owner says of the storage.
    pub storage_description: Option<String>,
    /// Whether content is compared.
    pub check: bool,
    /// How progress is shown.
    pub progress: Style,
}

/// Finds out what a command line means.
///
/// # Errors
/// Exit code 2 when a file that it names cannot be read or makes no sense.
pub fn resolve(command: Command) -> Result<Task> {
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

fn resolve_run(arguments: RunArguments) -> Result<RunTask> {
    Ok(RunTask {
        cell: Cell::load(&arguments.cell)?,
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

fn style(mode: ProgressMode) -> Style {
    match mode {
        ProgressMode::Auto if std::io::stderr().is_terminal() => Style::Line,
        ProgressMode::Auto | ProgressMode::Lines => Style::Lines,
        ProgressMode::None => Style::Silent,
    }
}
