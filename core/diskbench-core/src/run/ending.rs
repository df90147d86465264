//! The end of a cell's run: what happens to record and image, one function for each result.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::image::Reached;
use crate::image::folder::ImageFolder;
use crate::progress::Progress;
use crate::protocol::Outcome;
use crate::record::store::{self, Aside};
use crate::record::{Record, Snapshot};
use crate::run::RunTask;
use crate::run::builder::{Ending, RecordBuilder};
use crate::run::checkpoint;
use crate::run::journal::Journal;
use crate::terminal::say;
use crate::workload::ledger::Ledger;

/// A cell whose steps have ended, with any result.
pub(super) struct Ended<'a> {
    pub task: &'a RunTask,
    pub folder: Rc<RefCell<ImageFolder>>,
    pub builder: RecordBuilder<'a>,
    pub outcome: Outcome,
    /// Modes that were effective.
    pub reached: Reached,
    pub after: Snapshot,
    /// What the image holds, if there is one.
    pub ledger: Option<Ledger>,
    pub after_restart: bool,
}

impl Ended<'_> {
    /// Writes the record of this result, and leaves the image as the next call needs it.
    ///
    /// # Errors
    /// When there is no record: exit code 5, 8 or 130 as the result says, 3 or 4 when it cannot be written.
    pub(super) fn close(
        self,
        result: Result<()>,
        journal: &mut Journal,
        progress: Progress,
    ) -> Result<ExitCode> {
        let Err(error) = result else { return self.measured(journal, progress) };
        match error.exit() {
            ExitCode::RestartNeeded => self.checkpoint(journal, progress),
            ExitCode::Interrupted => {
                drop(progress);
                journal.line("interrupted");
                if self.after_restart {
                    return Err(checkpoint::interrupted());
                }
                clear(&self.folder);
                Err(error)
            }
            // Another user's run was quicker: the folder is its, and the record may be as well.
            ExitCode::Busy => {
                drop(progress);
                journal.line("in use by another diskbench");
                Err(error)
            }
            _ if error.is_unsupported() => self.skipped(&error.line(), journal, progress),
            _ => self.failed(&error, journal, progress),
        }
    }

    fn measured(self, journal: &mut Journal, progress: Progress) -> Result<ExitCode> {
        let Self { task, folder, builder, outcome, reached, after, ledger, .. } = self;
        let record = builder.finish(after, &outcome, Ending::Measured(reached));
        let (saved, aside) = save(&record, &task.arguments.record, || {
            journal.line("the record could not be written: trying again without the image");
            clear(&folder);
        })?;
        progress.finish("measured");
        tell(&task.arguments.record, aside);
        if saved == Saved::AtOnce {
            // The record is safe; an image that cannot be noted as finished is of no use to the next phase.
            put_away(&task.cell, &folder, ledger)?;
        }
        journal.line("measured");
        Ok(ExitCode::Done)
    }

    fn checkpoint(self, journal: &mut Journal, progress: Progress) -> Result<ExitCode> {
        progress.finish("waits for a restart");
        let kept =
            self.builder.wait(self.after, self.outcome, self.reached).and_then(|checkpoint| {
                checkpoint.write(self.folder.borrow().path()).map(|()| checkpoint.restart_request())
            });
        // What cannot be kept is of no use after the restart: then the next call begins anew.
        let request = kept.inspect_err(|_| clear(&self.folder))?;
        journal.line("waits for a restart");
        Err(request)
    }

    fn skipped(self, reason: &str, journal: &mut Journal, progress: Progress) -> Result<ExitCode> {
        progress.finish("skipped");
        clear(&self.folder);
        skip(self.task, self.builder, self.after, reason, journal)
    }

    fn failed(self, error: &Error, journal: &mut Journal, progress: Progress) -> Result<ExitCode> {
        progress.finish("failed");
        journal.line(&format!("failed: {}", error.line()));
        // First, since a full disk may have no room for the record.
        clear(&self.folder);
        let ending = Ending::Failed(error.line(), self.reached);
        let record = self.builder.finish(self.after, &self.outcome, ending);
        tell(&self.task.arguments.record, store::save(&record, &self.task.arguments.record)?);
        say(&format!("the cell failed: {}", error.line()));
        // This failure may affect every cell: the study stops.
        Ok(match error.exit() {
            ExitCode::Unexpected => ExitCode::Unexpected,
            _ => ExitCode::CellFailed,
        })
    }
}

/// Records that a cell cannot be measured here.
///
/// # Errors
/// Exit code 3 or 4 when the record cannot be written.
pub(super) fn skip(
    task: &RunTask,
    builder: RecordBuilder<'_>,
    after: Snapshot,
    reason: &str,
    journal: &mut Journal,
) -> Result<ExitCode> {
    let record = builder.finish(after, &Outcome::default(), Ending::Skipped(reason.to_owned()));
    tell(&task.arguments.record, store::save(&record, &task.arguments.record)?);
    journal.line(&format!("skipped: {reason}"));
    say(&format!("skipped: {reason}"));
    Ok(ExitCode::Done)
}

/// How a record was saved.
#[derive(Debug, PartialEq, Eq)]
enum Saved {
    /// As it should be.
    AtOnce,
    /// After room was made for it.
    AfterMakingRoom,
}

/// Saves a record; if that fails, makes room and tries once more. Gives what is kept beside it, too.
fn save(record: &Record, path: &Path, make_room: impl FnOnce()) -> Result<(Saved, Option<Aside>)> {
    if let Ok(aside) = store::save(record, path) {
        return Ok((Saved::AtOnce, aside));
    }
    make_room();
    store::save(record, path).map(|aside| (Saved::AfterMakingRoom, aside))
}

/// Says which record is kept beside the active one.
pub(super) fn tell(record: &Path, aside: Option<Aside>) {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let record = record.display();
    match aside {
        Some(Aside::Older(path)) => {
            say(&format!("measured again: {record}; the older record is kept as {}", name(&path)));
        }
        Some(Aside::New(path)) => say(&format!(
            "the measured record stays: {record}; this result is kept as {}",
            name(&path)
        )),
        None => {}
    }
}

/// After a phase: the image is kept for the next one, or removed after the last one.
pub(super) fn put_away(
    cell: &Cell,
    folder: &RefCell<ImageFolder>,
    ledger: Option<Ledger>,
) -> Result<()> {
    let last = cell.phase_index() + 1 == cell.phases.len();
    match ledger {
        Some(ledger) if !last => {
            let finished = folder.borrow().forget_waiting();
            finished
                .and_then(|()| folder.borrow_mut().finish(&cell.phase, &ledger))
                .inspect_err(|_| clear(folder))
        }
        _ => folder.borrow_mut().remove(),
    }
}

/// After a failure or an interruption. Reports what cannot be removed, without hiding another error.
fn clear(folder: &RefCell<ImageFolder>) {
    if let Err(left) = folder.borrow_mut().remove() {
        say(&left.line());
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Saved, save};
    use crate::cell::Cache;
    use crate::error::Error;
    use crate::exit_code::ExitCode;
    use crate::image::Reached;
    use crate::image::folder::ImageFolder;
    use crate::meter::Meter;
    use crate::progress::{Progress, Style, Totals};
    use crate::protocol::Outcome;
    use crate::run::builder::RecordBuilder;
    use crate::run::journal::Journal;
    use crate::testing::{cell, record, run_task};
    use std::cell::RefCell;
    use std::fs;
    use std::rc::Rc;
    use system::file;
    use system::flush::Durability;

    #[test]
    fn an_internal_error_is_recorded_and_ends_the_study_with_its_own_code() {
        for (error, expected) in [
            (Error::step("the disk is full"), ExitCode::CellFailed),
            (Error::new(ExitCode::Unexpected, "internal error: so"), ExitCode::Unexpected),
        ] {
            let work = tempfile::tempdir().unwrap();
            let task = run_task(cell(), work.path());
            let around = record().conditions;
            let reached = Reached { cache: Cache::None, durability: Durability::None };
            let ended = Ended {
                task: &task,
                folder: Rc::new(RefCell::new(ImageFolder::of(&task.cell, work.path()))),
                builder: RecordBuilder::new(&task, around.before, None, Vec::new()),
                outcome: Outcome::default(),
                reached,
                after: around.after,
                ledger: None,
                after_restart: false,
            };
            let nothing = Totals { files: None, bytes: 0 };
            let progress = Progress::start(Style::Silent, String::new(), nothing, Meter::new());
            let mut journal = Journal::open(None).unwrap();
            let code = ended.close(Err(error.clone()), &mut journal, progress).unwrap();
            assert_eq!(code, expected);
            let text = fs::read_to_string(&task.arguments.record).unwrap();
            assert!(
                text.contains(r#""status": "failed""#) && text.contains(&error.line()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_record_that_finds_no_room_is_written_once_there_is_some() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        // The obstacle simulates files that fill a disk.
        fs::create_dir(file::temporary(&path)).unwrap();
        let make_room = || fs::remove_dir(file::temporary(&path)).unwrap();
        assert_eq!(save(&record(), &path, make_room).unwrap(), (Saved::AfterMakingRoom, None));
        assert!(path.exists());
        assert_eq!(save(&record(), &path, || ()).unwrap(), (Saved::AtOnce, None));
    }
}
