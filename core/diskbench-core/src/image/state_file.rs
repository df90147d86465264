//! The state file of an image's work folder: the owner of the folder, and the last finished phase.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::json;
use crate::record::{digest, files, store};
use crate::workload::ledger::Ledger;

/// Its name. Only folders with such a file, which contains the folder's name, are ever changed.
pub(crate) const FILE: &str = ".diskbench-image.json";

/// Version of its form.
const VERSION: u32 = 1;

/// The state of an image between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateFile {
    /// Version of this form.
    pub marker_version: u32,
    /// Name of the image, which is that of its folder.
    pub image: String,
    /// Digest of the cell without its phase.
    pub image_sha256: String,
    /// The phase that was finished last.
    pub finished: Option<String>,
    /// The phase that is being run; still there when a run was killed in the middle of it.
    pub busy: Option<String>,
    /// The files on the volume when the last phase was finished.
    pub files: Vec<MarkedFile>,
}

/// A file on the volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarkedFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size_bytes: u64,
}

impl StateFile {
    /// The note for a new image, on which the cell's phase is about to be run.
    ///
    /// # Errors
    /// Never for cells that were read.
    pub(crate) fn new(cell: &Cell) -> Result<Self> {
        Ok(Self {
            marker_version: VERSION,
            image: cell.image_key(),
            image_sha256: digest::of_image(cell)?,
            finished: None,
            busy: Some(cell.phase.clone()),
            files: Vec::new(),
        })
    }

    /// The note of a folder, if it is one of ours.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = String::from_utf8(files::read_own(&path(folder)).ok()?).ok()?;
        let state_file: Self = json::parse(&text).ok()?;
        let name = folder.file_name()?.to_str()?;
        (state_file.marker_version == VERSION && state_file.image == name).then_some(state_file)
    }

    /// Writes the note into the folder, whole or not at all.
    ///
    /// # Errors
    /// Exit code 3 when the disk is full, else 4.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        store::write_atomically(&path(folder), json::pretty(&json::tree(self)?).as_bytes())
    }

    /// Notes that a phase is finished and leaves these files.
    pub(crate) fn finish(&mut self, phase: &str, ledger: &Ledger) {
        self.finished = Some(phase.to_owned());
        self.busy = None;
        self.files = marked(ledger);
    }

    /// Whether the image is in the state that the cell's phase needs: the same image, the previous phase finished, no
    /// other begun, and the expected files.
    pub(crate) fn fits(&self, cell: &Cell, ledger: &Ledger) -> bool {
        let (earlier, _) = cell.phases_until();
        self.busy.is_none()
            && earlier.last().is_some_and(|phase| self.finished.as_deref() == Some(&phase.phase))
            && self.is_of(cell)
            && self.files == marked(ledger)
    }

    /// Whether this is the image of a cell, whatever its phase.
    pub(crate) fn is_of(&self, cell: &Cell) -> bool {
        digest::of_image(cell).is_ok_and(|digest| digest == self.image_sha256)
    }

    /// The same note with just these files.
    pub(crate) fn holding(&self, ledger: &Ledger) -> Self {
        Self { files: marked(ledger), ..self.clone() }
    }

    /// The sum of the sizes of the files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size_bytes))
    }
}

/// Where a folder's note is.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Whether a folder carries any file of the note's name.
///
/// # Errors
/// Exit code 4 when the folder cannot be looked at.
pub(crate) fn is_marked(folder: &Path) -> Result<bool> {
    match fs::symlink_metadata(path(folder)) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::unwritable(folder, &error)),
    }
}

fn marked(ledger: &Ledger) -> Vec<MarkedFile> {
    let mut files: Vec<MarkedFile> = ledger
        .alive()
        .iter()
        .map(|file| MarkedFile { name: file.name(), size_bytes: file.size_bytes })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

#[cfg(test)]
mod tests {
    use super::StateFile;
    use crate::cell::Cell;
    use crate::protocol::forecast;
    use crate::testing::cell;
    use crate::workload::ledger::Ledger;

    fn second_phase() -> (Cell, Ledger) {
        let mut cell = cell();
        cell.phase = "partly-filled".into();
        let ledger = forecast::whole(&cell).unwrap()[0].ledger.clone();
        (cell, ledger)
    }

    #[test]
    fn an_image_fits_when_the_phase_before_is_finished_and_nothing_was_begun_since() {
        let (cell, ledger) = second_phase();
        let mut state_file = StateFile::new(&cell).unwrap();
        assert!(!state_file.fits(&cell, &ledger), "a phase killed in the middle");
        state_file.finish("fresh", &ledger);
        assert!(state_file.fits(&cell, &ledger));
        state_file.busy = Some("partly-filled".into());
        assert!(!state_file.fits(&cell, &ledger), "the next phase killed in the middle");
    }

    #[test]
    fn an_image_of_another_cell_or_phase_or_with_other_files_does_not_fit() {
        let (mut cell, ledger) = second_phase();
        let mut state_file = StateFile::new(&cell).unwrap();
        state_file.finish("fresh", &ledger);
        assert!(!state_file.fits(&cell, &Ledger::new()));
        cell.phase = "emptied".into();
        assert!(!state_file.fits(&cell, &ledger));
        cell.phase = "partly-filled".into();
        cell.seed += 1;
        assert!(!state_file.fits(&cell, &ledger));
    }

    #[test]
    fn a_note_is_only_ours_when_it_names_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join(cell().image_key());
        std::fs::create_dir(&ours).unwrap();
        let state_file = StateFile::new(&cell()).unwrap();
        state_file.write(&ours).unwrap();
        assert_eq!(StateFile::read(&ours), Some(state_file));
        let moved = folder.path().join("photos");
        std::fs::rename(&ours, &moved).unwrap();
        assert_eq!(StateFile::read(&moved), None);
    }
}
