//! The log of a cell, and the counting of its files: both only between files, never inside a timed region.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use system::file;

use crate::error::{Error, Result};
use crate::host;
use crate::meter::Meter;
use crate::protocol::Watcher;
use crate::record::{Op, Snapshot, StepRecord};
use crate::time;
use crate::transfer::Timing;
use crate::workload::FileSpec;

/// Writes down what happens.
#[derive(Debug)]
pub(super) struct Journal {
    file: Option<BufWriter<File>>,
    meter: Meter,
    /// Where files are written, once there are any.
    folder: Option<PathBuf>,
}

impl Journal {
    /// Opens the log, if there is to be one, anew.
    ///
    /// # Errors
    /// Exit code 4 when it cannot be written.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let file = match path {
            None => None,
            Some(path) => {
                let folder = file::folder_of(path);
                let file = fs::create_dir_all(folder).and_then(|()| File::create(path));
                Some(BufWriter::new(file.map_err(|error| Error::unwritable(path, &error))?))
            }
        };
        Ok(Self { file, meter: Meter::new(), folder: None })
    }

    /// Counts the files of this folder on this meter from now on.
    pub(super) fn count_with(&mut self, meter: Meter, folder: &Path) {
        self.meter = meter;
        self.folder = Some(folder.to_owned());
    }

    /// Writes a line with the time of day, and sees to it that it is in the file.
    pub(super) fn line(&mut self, text: &str) {
        self.write(&format!("{} {text}\n", time::now_utc()));
        if let Some(file) = &mut self.file {
            // A log that cannot be written must not end a measurement of hours.
            drop(file.flush());
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(file) = &mut self.file {
            // See above.
            drop(file.write_all(text.as_bytes()));
        }
    }
}

impl Watcher for Journal {
    fn file(&mut self, op: Op, file: FileSpec, timing: Timing) {
        self.meter.add_file(file.set);
        if self.file.is_none() {
            return;
        }
        let op = match op {
            Op::Write => "write",
            Op::Read => "read",
        };
        let slept = if timing.slept { " slept" } else { "" };
        self.write(&format!(
            "  {op} {} {} bytes {} ns{slept}\n",
            file.name(),
            file.size_bytes,
            timing.elapsed_ns
        ));
    }

    fn step(&mut self, step: &StepRecord) {
        let note = step.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        self.line(&format!("step {} {} ns{note}", step.step, step.elapsed_ns));
    }

    fn state(&self) -> Option<Snapshot> {
        self.folder.as_deref().map(host::conditions)
    }
}
