//! What `run` is asked to do.

use std::path::PathBuf;

use crate::cell::Cell;
use crate::preflight::Preflight;
use crate::progress::Style;

/// A cell to measure.
#[derive(Debug)]
pub(crate) struct RunTask {
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
    pub refuse: Vec<Preflight>,
    /// What its owner says of the storage.
    pub storage_description: Option<String>,
    /// Whether content is compared.
    pub check: bool,
    /// How progress is shown.
    pub progress: Style,
}
