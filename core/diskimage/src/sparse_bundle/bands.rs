//! The files of the bands: which there are, how long they are, and the few that are open.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use system::flush::Durability;
use system::{cache, flush, punch};

use crate::error::{ImageError, Result, internal};
use crate::findings::OnDamage;
use crate::sparse_bundle::info::Info;
use crate::sparse_bundle::mapped::Lists;
use crate::sparse_bundle::names::{self, Name};
use crate::store::Access;
use crate::syncs::Syncs;

/// Files that are held open at most: reading here and there comes back to them. Two bundles at once, as in a conversion,
/// stay below the 256 files that macOS lets a program open by default.
const MOST_OPEN: usize = 100;

/// The files.
#[derive(Debug)]
pub(crate) struct BandFiles {
    folder: PathBuf,
    access: Access,
    /// Each file that there is, by the number of the band.
    there: Bands,
    /// The last one used is at the end.
    open: Vec<(u64, File)>,
    /// Files to be synced.
    dirty: BTreeSet<u64>,
    /// Whether a file was made or removed since the folder was synced.
    folder_dirty: bool,
    mapped: Lists,
    /// Those of all files of the bundle.
    pub syncs: Syncs,
    /// What becomes of the next changes.
    #[cfg(test)]
    pub fate: Fate,
}

/// In tests: which change of a file fails.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Fate {
    /// So many changes are carried out before.
    pub after: Option<u64>,
    /// Whether those behind it are carried out again, as on a disk that was full. Else the process was killed.
    pub once: bool,
}

#[cfg(test)]
impl Fate {
    fn change(&mut self) -> Result<()> {
        match &mut self.after {
            None => return Ok(()),
            Some(0) if self.once => self.after = None,
            Some(0) => {}
            Some(left) => {
                *left -= 1;
                return Ok(());
            }
        }
        Err(std::io::ErrorKind::StorageFull.into())
    }
}

impl BandFiles {
    /// The files in a folder, with their lengths, and macOS's lists of what is in use of them.
    pub(crate) fn new(folder: PathBuf, access: Access, there: Bands, mapped: Lists) -> Self {
        let (open, dirty) = (Vec::new(), BTreeSet::new());
        Self {
            folder,
            access,
            there,
            open,
            dirty,
            folder_dirty: false,
            mapped,
            syncs: Syncs::default(),
            #[cfg(test)]
            fate: Fate::default(),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.there.lengths.len() as u64
    }

    /// The name of a band's file.
    pub(crate) fn name(&self, band: u64) -> String {
        self.there.name(band)
    }

    /// The bands that have a file.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.there.lengths.keys().copied().collect()
    }

    /// Length of a band's file in bytes; 0 when there is none.
    pub(crate) fn len_bytes(&self, band: u64) -> u64 {
        self.there.lengths.get(&band).copied().unwrap_or(0)
    }

    /// The first band from this one on that has a file with something in it, and that file's length in bytes.
    pub(crate) fn next(&self, band: u64) -> Option<(u64, u64)> {
        let mut there = self.there.lengths.range(band..);
        there.find(|(_, length)| **length > 0).map(|(band, length)| (*band, *length))
    }

    /// Makes sure that each can be opened.
    pub(crate) fn open_each(&mut self) -> Result<()> {
        self.numbers().into_iter().try_for_each(|band| self.file(band).map(drop))
    }

    /// The open file of a band that has one.
    pub(crate) fn file(&mut self, band: u64) -> Result<&File> {
        if self.open.last().is_none_or(|(last, _)| *last != band) {
            let file = match self.open.iter().position(|(number, _)| *number == band) {
                Some(place) => self.open.remove(place).1,
                None => self.open_file(band)?,
            };
            if self.open.len() >= MOST_OPEN {
                self.open.remove(0);
            }
            self.open.push((band, file));
        }
        self.open
            .last()
            .map(|(_, file)| file)
            .ok_or_else(|| internal("an open band is not in the list"))
    }

    fn open_file(&mut self, band: u64) -> Result<File> {
        let write = self.access == Access::Write;
        let there = self.there.holds(band);
        let name = self.there.name(band);
        #[cfg(test)]
        if !there {
            self.fate.change()?;
        }
        let opened = OpenOptions::new()
            .read(true)
            .write(write)
            .create(write && !there)
            .open(self.folder.join(&name));
        let file = opened.map_err(|error| {
            let folder = self.folder.file_name().unwrap_or_default();
            ImageError::of_part(Path::new(folder).join(name), error)
        })?;
        // To the system a band is one file: it would read on into the next file of the volume in it.
        cache::read_nothing_ahead(&file);
        if !there {
            self.there.lengths.insert(band, 0);
            self.folder_dirty = true;
        }
        Ok(file)
    }

    /// The file of a band that is about to be changed; it is made where there is none.
    fn file_to_write(&mut self, band: u64) -> Result<&File> {
        self.remove_list(band)?;
        self.file(band)?;
        self.dirty.insert(band);
        self.file(band)
    }

    fn remove_list(&mut self, band: u64) -> Result<()> {
        if self.mapped.has(band) {
            #[cfg(test)]
            self.fate.change()?;
            self.mapped.remove(band)?;
        }
        Ok(())
    }

    /// Writes into a band's file; it is made where there is none, and becomes longer as needed.
    pub(crate) fn write(&mut self, band: u64, start: u64, bytes: &[u8]) -> Result<()> {
        let there = self.len_bytes(band);
        if let Err(error) = self.put(band, start, bytes) {
            // Nobody would know of what got behind the end, and one day it would show. The first error is told.
            self.set_len(band, there).ok();
            return Err(error);
        }
        self.there.lengths.insert(band, there.max(start + bytes.len() as u64));
        Ok(())
    }

    fn put(&mut self, band: u64, start: u64, bytes: &[u8]) -> Result<()> {
        #[cfg(test)]
        if let Err(error) = self.fate.change() {
            // The system stops between two sectors at the worst.
            let end = (start + bytes.len() as u64 / 2) / 512 * 512;
            let there = self.len_bytes(band);
            let file = self.file_to_write(band)?;
            file.write_all_at(bytes, start)?;
            file.set_len(end.max(there))?;
            return Err(error);
        }
        Ok(self.file_to_write(band)?.write_all_at(bytes, start)?)
    }

    fn set_len(&mut self, band: u64, len_bytes: u64) -> Result<()> {
        #[cfg(test)]
        self.fate.change()?;
        Ok(self.file_to_write(band)?.set_len(len_bytes)?)
    }

    /// Punches a hole into a band's file.
    pub(crate) fn punch(&mut self, band: u64, start: u64, length: u64) -> Result<()> {
        #[cfg(test)]
        self.fate.change()?;
        Ok(punch::punch(self.file_to_write(band)?, start, length)?)
    }

    /// Makes a band's file shorter; without any length it is removed.
    pub(crate) fn truncate(&mut self, band: u64, len_bytes: u64) -> Result<()> {
        let Some(there) = self.there.lengths.get(&band).copied() else {
            return Ok(());
        };
        if len_bytes == 0 {
            self.remove_list(band)?;
            #[cfg(test)]
            self.fate.change()?;
            self.open.retain(|(number, _)| *number != band);
            fs::remove_file(self.folder.join(self.there.name(band)))?;
            self.there.lengths.remove(&band);
            self.there.spellings.remove(&band);
            self.dirty.remove(&band);
            self.folder_dirty = true;
            return Ok(());
        }
        if len_bytes < there {
            self.set_len(band, len_bytes)?;
            self.there.lengths.insert(band, len_bytes);
        }
        Ok(())
    }

    /// Makes all that was written, made or removed last.
    pub(crate) fn flush(&mut self, durability: Durability) -> Result<()> {
        if durability == Durability::None {
            // They stay dirty: a later flush may ask for more.
            return Ok(());
        }
        // Before the bands: a list that comes back after a power failure must not meet what was written.
        if self.mapped.dirty {
            let folder = File::open(self.mapped.folder())?;
            self.syncs.after(sync_folder(&folder, durability))?;
            self.mapped.dirty = false;
        }
        while let Some(band) = self.dirty.first().copied() {
            let sync = flush::flush(self.file(band)?, durability);
            self.syncs.after(sync)?;
            self.dirty.remove(&band);
        }
        if self.folder_dirty {
            let folder = File::open(&self.folder)?;
            self.syncs.after(sync_folder(&folder, durability))?;
            self.folder_dirty = false;
        }
        Ok(())
    }
}

/// Makes a folder's entries last.
pub(crate) fn sync_folder(folder: &File, durability: Durability) -> io::Result<()> {
    match flush::flush(folder, durability) {
        // Not every file system knows the stronger calls for a folder.
        Err(error) if flush::is_refusal(&error) => flush::flush(folder, Durability::Fsync),
        done => done,
    }
}

/// Which files there are.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    /// Length of each in bytes, by the number of the band.
    pub lengths: BTreeMap<u64, u64>,
    /// The names of those that are not called as macOS would.
    spellings: BTreeMap<u64, String>,
}

impl Bands {
    fn holds(&self, band: u64) -> bool {
        self.lengths.contains_key(&band)
    }

    /// The name of a band's file.
    pub(crate) fn name(&self, band: u64) -> String {
        self.spellings.get(&band).cloned().unwrap_or_else(|| names::usual(band))
    }
}

/// All files in a folder of bands; `on_damage` is told what is wrong with any of them. The length of each must be a multiple
/// of `unit`. Of one that is not, or that is too long, the beginning counts.
pub(crate) fn scan(
    folder: &Path,
    info: &Info,
    unit: u64,
    on_damage: &mut OnDamage<'_>,
) -> Result<Bands> {
    let band_bytes = info.band_bytes;
    let bands = info.len_bytes.div_ceil(band_bytes);
    let mut there = Bands::default();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let metadata = entry.metadata()?;
        let band = match names::of(&name) {
            Name::Band(band) => band,
            Name::Left => continue,
            Name::Unknown => {
                on_damage(format!(
                    "bands/{name} is not the name of a band, and may be a renamed one"
                ))?;
                continue;
            }
        };
        let mut wrong = |what: String| on_damage(format!("bands/{name} {what}"));
        if band >= bands {
            let last = bands.saturating_sub(1);
            wrong(format!("is beyond the disk's end: its last band is {last:x}"))?;
            continue;
        }
        if !metadata.is_file() {
            let start = band * band_bytes;
            wrong(format!(
                "is not a regular file: {band_bytes} bytes at {start} of the disk are missing"
            ))?;
            continue;
        }
        let length = metadata.len();
        if length > band_bytes {
            wrong(format!("is {length} bytes long, longer than a band of {band_bytes}"))?;
        } else if !length.is_multiple_of(unit) {
            wrong(format!(
                "is {length} bytes long, not a whole number of encrypted blocks of {unit}"
            ))?;
        }
        if there.holds(band) {
            wrong(format!("and bands/{} are the same band", there.name(band)))?;
            // Which of the two is read must not depend on the order of a folder.
            if name != names::usual(band) {
                continue;
            }
        }
        there.lengths.insert(band, length.min(band_bytes) / unit * unit);
        there.spellings.remove(&band);
        if name != names::usual(band) {
            there.spellings.insert(band, name.into_owned());
        }
    }
    Ok(there)
}

/// What lies in a folder of bands and is no part of the disk.
pub(crate) fn left(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    // A folder that is not there is damage, and found elsewhere.
    let Ok(entries) = fs::read_dir(folder) else { return Ok(found) };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if names::of(&name) == Name::Left {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}
