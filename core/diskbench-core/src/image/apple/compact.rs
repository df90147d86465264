//! Giving space that an image does not need back to the disk.

use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::image::apple::capabilities::{Tool, Verb};
use crate::image::apple::failure::Failure;
use crate::image::apple::session::Session;
use crate::image::contents::Contents;
use crate::image::{Done, notes};

const DOING: &str = "compacting the image";

/// What `hdiutil compact` calls its result: "Reclaimed 2.2 GB out of 523.5 GB possible."
const RESULT: &str = "Reclaimed ";

impl Session {
    /// Compacts the image if macOS has a program for it; notes its allocated size before and after. The program's own
    /// result is added to the note, but not relied on. False where the program failed.
    ///
    /// # Errors
    /// When the image cannot be looked at, or a signal asks to stop.
    pub(super) fn compact(&mut self) -> Result<Done<bool>> {
        if self.mac.tools(Verb::Compact, &self.cell).is_empty() {
            let format = self.cell.format;
            let note = format!("macOS has no compaction for {format}: nothing was done");
            return Ok(Done::noted(true, note));
        }
        let before = self.allocated_bytes()?;
        let (said, again) = match self.persist(Verb::Compact, Self::compact_once) {
            // The protocol continues: the other steps do not depend on it.
            Err(error) if error.is_unsupported() => {
                let cannot = self.mac.cannot(Verb::Compact, &self.cell);
                return Ok(Done::noted(true, format!("{cannot}: nothing was done")));
            }
            Err(error) if error.exit() == ExitCode::CellFailed => {
                return Ok(Done::noted(false, error.line()));
            }
            other => other?,
        };
        let after = self.allocated_bytes()?;
        let note = format!("{before} bytes allocated before, {after} after");
        Ok(Done { value: true, note: notes([note].into_iter().chain(said).chain(again)) })
    }

    fn compact_once(&mut self, _tool: Tool) -> std::result::Result<Option<String>, Failure> {
        let call = self.wanted.compact(&self.image, &self.stop);
        let answer = self.ask(DOING, &call)?;
        Ok(result(&answer.stdout).or_else(|| result(answer.stderr.as_bytes())))
    }

    fn allocated_bytes(&self) -> Result<u64> {
        let folder = self.image.parent().unwrap_or(&self.image);
        Contents::of(folder)
            .and_then(|contents| contents.on_disk())
            .map(|(allocated, _)| allocated)
            .map_err(|error| Error::io_in_step(DOING, &error))
    }
}

/// The program's line with its result.
fn result(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    said.lines().map(str::trim).find(|line| line.starts_with(RESULT)).map(one_line)
}
