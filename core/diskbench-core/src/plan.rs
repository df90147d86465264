//! What a study will do, write and need: worked out from the cells' steps before the first byte is written.

mod occupation;
pub(crate) mod table;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::host;
use crate::json;
use crate::lock::{self, MeasuringLock};
use crate::plan::occupation::{Occupation, Work};
use crate::preflight::{self, Preflight};
use crate::protocol::forecast;
use crate::record::{Storage, files};
use crate::space;

/// The version of the plan's form.
const PLAN_VERSION: u32 = 1;

/// A study's plan, as the workflow wrote it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// Version of this form: 1.
    pub plan_version: u32,
    /// Name of the study.
    pub study: String,
    /// Seed that the cells were shuffled with.
    pub seed: u64,
    /// Rate that the estimated time is made with, bytes per second.
    pub assumed_bytes_per_second: u64,
    /// Where that rate comes from.
    pub assumed_from: String,
    /// Where images are put.
    pub storages: Vec<PlanStorage>,
    /// Where records go.
    pub records_folder: PathBuf,
    /// The cells in order.
    pub cells: Vec<PlanCell>,
}

/// A storage of a plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanStorage {
    /// Its slug.
    pub slug: String,
    /// The folder to work in.
    pub folder: PathBuf,
    /// An earlier record of this storage, where there is one.
    #[serde(default)]
    pub earlier: Option<PathBuf>,
}

/// A cell of a plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanCell {
    /// The path of its record.
    pub record: PathBuf,
    /// Whether it is to be measured.
    pub due: bool,
    /// What is asked for.
    pub cell: Cell,
}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// Exit code 2.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        Self::parse(&text)
            .map_err(|error| Error::input(format!("plan {}: {}", path.display(), error.line())))
    }

    /// Parses and checks a plan.
    ///
    /// # Errors
    /// Exit code 2.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let plan: Self = json::parse(text)?;
        if plan.plan_version != PLAN_VERSION {
            return Err(Error::input(format!(
                "plan_version {} is not known to this diskbench (it knows {PLAN_VERSION}): build the core again",
                plan.plan_version
            )));
        }
        if plan.assumed_bytes_per_second == 0 {
            return Err(Error::input("assumed_bytes_per_second is 0: give a positive number"));
        }
        for (index, storage) in plan.storages.iter().enumerate() {
            if plan.storages.iter().take(index).any(|other| other.slug == storage.slug) {
                return Err(Error::input(format!(
                    "storages: {} occurs twice: give each storage its own slug",
                    storage.slug
                )));
            }
        }
        let mut seen = HashSet::new();
        for (index, planned) in plan.cells.iter().enumerate() {
            if !seen.insert((planned.cell.image_key(), &planned.cell.phase)) {
                return Err(Error::input(format!(
                    "cells[{index}]: phase {} of {} occurs twice: plan each cell once",
                    planned.cell.phase,
                    planned.cell.image_key()
                )));
            }
            forecast::check(&planned.cell)
                .map_err(|error| Error::input(format!("cells[{index}].cell: {}", error.line())))?;
            plan.folder(&planned.cell)?;
        }
        Ok(plan)
    }

    fn folder(&self, cell: &Cell) -> Result<&Path> {
        let found = self.storages.iter().find(|storage| storage.slug == cell.storage);
        found.map(|storage| storage.folder.as_path()).ok_or_else(|| {
            Error::input(format!("storage {} has no folder: add it to storages", cell.storage))
        })
    }
}

/// What a study will do, write and need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Outlook {
    /// Name of the study.
    pub study: String,
    /// Seed that the cells were shuffled with.
    pub seed: u64,
    /// Cells in all.
    pub cells_planned: u64,
    /// Cells to be measured now.
    pub cells_due: u64,
    /// Bytes to write.
    pub bytes_to_write: u64,
    /// Bytes to read.
    pub bytes_to_read: u64,
    /// Estimated time in seconds, waiting included.
    pub estimated_seconds: u64,
    /// Rate that the time is estimated with, bytes per second.
    pub assumed_bytes_per_second: u64,
    /// Where that rate comes from.
    pub assumed_from: String,
    /// Where records go.
    pub records_folder: PathBuf,
    /// Each storage.
    pub storages: Vec<StorageOutlook>,
    /// Each cell, in order.
    pub cells: Vec<CellOutlook>,
}

/// What a storage must offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct StorageOutlook {
    /// Its slug.
    pub slug: String,
    /// The folder to work in.
    pub folder: PathBuf,
    /// Most bytes of files at once, beyond what earlier runs left there already.
    pub peak_bytes: u64,
    /// What must be free: the peak and a margin; 0 when nothing is to be measured there.
    pub needed_bytes: u64,
    /// What is free; null when the folder cannot be asked.
    pub free_bytes: Option<u64>,
}

/// What a cell will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CellOutlook {
    /// Place in the order, from 1.
    pub position: usize,
    /// The path of its record.
    pub record: PathBuf,
    /// Whether it is to be measured now.
    pub due: bool,
    /// Protocol and scale.
    pub protocol: String,
    /// Storage.
    pub storage: String,
    /// Driver.
    pub driver: String,
    /// Format and encryption, and an unusual size of bands or blocks.
    pub image: String,
    /// Repeat.
    pub repeat: u32,
    /// Phase.
    pub phase: String,
    /// Bytes to write, replayed phases included.
    pub bytes_to_write: u64,
    /// Bytes to read, replayed phases included.
    pub bytes_to_read: u64,
    /// Estimated time in seconds.
    pub estimated_seconds: u64,
    /// Earlier phases that have to be run again first.
    pub replayed_phases: Vec<String>,
    /// Whether only the part after a restart of this machine remains.
    pub after_restart: bool,
    /// Why it cannot be measured here; it will leave a record that says so.
    pub skipped: Option<String>,
}

/// Computes what a plan will do.
///
/// # Errors
/// Exit code 2 when a cell's steps make no sense.
pub(crate) fn outlook(plan: &Plan) -> Result<Outlook> {
    let mut storages: HashMap<&str, Occupation> = HashMap::new();
    let mut cells = Vec::new();
    for (index, planned) in plan.cells.iter().enumerate() {
        let cell = &planned.cell;
        let skipped = forecast::refusal(cell);
        let mut work = Work::default();
        if planned.due && skipped.is_none() {
            let folder = plan.folder(cell)?;
            let forecasts = forecast::until_phase(cell)?;
            work = storages.entry(&cell.storage).or_default().occupy(folder, cell, &forecasts);
        }
        let bytes = work.written.saturating_add(work.read);
        cells.push(CellOutlook {
            position: index + 1,
            record: planned.record.clone(),
            due: planned.due,
            protocol: format!("{}-{}", cell.protocol, cell.scale),
            storage: cell.storage.clone(),
            driver: cell.driver.name().to_owned(),
            image: cell.variant(),
            repeat: cell.repeat,
            phase: cell.phase.clone(),
            bytes_to_write: work.written,
            bytes_to_read: work.read,
            estimated_seconds: bytes
                .div_ceil(plan.assumed_bytes_per_second.max(1))
                .saturating_add(work.settle),
            replayed_phases: work.replayed,
            after_restart: work.after_restart,
            skipped,
        });
    }
    let sum = |value: fn(&CellOutlook) -> u64| cells.iter().map(value).fold(0, u64::saturating_add);
    Ok(Outlook {
        study: plan.study.clone(),
        seed: plan.seed,
        cells_planned: cells.len() as u64,
        cells_due: sum(|cell| u64::from(cell.due)),
        bytes_to_write: sum(|cell| cell.bytes_to_write),
        bytes_to_read: sum(|cell| cell.bytes_to_read),
        estimated_seconds: sum(|cell| cell.estimated_seconds),
        assumed_bytes_per_second: plan.assumed_bytes_per_second,
        assumed_from: plan.assumed_from.clone(),
        records_folder: plan.records_folder.clone(),
        storages: plan.storages.iter().map(|storage| storage_outlook(storage, &storages)).collect(),
        cells,
    })
}

fn storage_outlook(storage: &PlanStorage, used: &HashMap<&str, Occupation>) -> StorageOutlook {
    let occupation = used.get(storage.slug.as_str());
    let peak_bytes = occupation.map_or(0, |occupation| occupation.peak);
    StorageOutlook {
        slug: storage.slug.clone(),
        folder: storage.folder.clone(),
        peak_bytes,
        needed_bytes: occupation.map_or(0, |_| space::with_margin(peak_bytes)),
        free_bytes: space::free_bytes(&storage.folder).ok(),
    }
}

/// Refuses a plan that cannot be done: exit code 4 for a folder, 5 for another study, 3 for too little space.
///
/// # Errors
/// The first of these.
pub(crate) fn refuse(outlook: &Outlook) -> Result<()> {
    refuse_with(outlook, &lock::path())
}

fn refuse_with(outlook: &Outlook, lock: &Path) -> Result<()> {
    let used: Vec<&StorageOutlook> =
        outlook.storages.iter().filter(|storage| storage.needed_bytes > 0).collect();
    for storage in &used {
        space::usable_folder(&storage.folder)?;
    }
    if !used.is_empty() {
        // Only to see whether it is free: each cell takes it for itself.
        drop(MeasuringLock::take_at(lock)?);
    }
    // Storages on one file system share its space, with each other and with the records.
    let mut needs: BTreeMap<u64, (&Path, u64)> = BTreeMap::new();
    let records = existing_part(&outlook.records_folder);
    let needed = used.iter().map(|storage| (storage.folder.as_path(), storage.needed_bytes));
    for (folder, bytes) in
        needed.chain((outlook.cells_due > 0).then_some((records, space::FOR_A_RECORD)))
    {
        let device = fs::metadata(folder).map_err(|error| Error::unwritable(folder, &error))?.dev();
        let need = needs.entry(device).or_insert((folder, 0));
        need.1 = need.1.saturating_add(bytes);
    }
    for (folder, bytes) in needs.into_values() {
        space::require(folder, bytes)?;
    }
    Ok(())
}

/// Refuses a storage that is another disk than in its earlier record: two disks must not share a slug. Asked only of the
/// storages that will be measured; an earlier record that cannot be read refuses nothing.
///
/// # Errors
/// Exit code 2, for the first of them.
pub(crate) fn refuse_other_disks(plan: &Plan, outlook: &Outlook) -> Result<()> {
    for (storage, planned) in outlook.storages.iter().zip(&plan.storages) {
        let path = planned.earlier.as_deref().filter(|_| storage.needed_bytes > 0);
        let earlier = path.and_then(storage_of);
        let different =
            earlier.map_or_else(Vec::new, |disk| disk.other(&host::storage(&storage.folder)));
        if !different.is_empty() {
            return Err(Error::input(format!(
                "storage {} was another disk in {} ({}): connect that one, or give this one a slug of its own; \
                 if this is another machine, add --config host=<another name>",
                storage.slug,
                path.unwrap_or(&storage.folder).display(),
                different.join("; ")
            )));
        }
    }
    Ok(())
}

fn storage_of(record: &Path) -> Option<Storage> {
    let tree: Value = serde_json::from_slice(&files::read(record).ok()?).ok()?;
    serde_json::from_value(tree.get("host")?.get("storage")?.clone()).ok()
}

/// Refuses to begin on a machine that is in no state to measure, or with a storage that is nearly full. Asked of the
/// storages that will be measured only.
///
/// # Errors
/// Exit code 9, for the first storage that a guard refuses.
pub(crate) fn refuse_unquiet(outlook: &Outlook, preflights: &[Preflight]) -> Result<()> {
    let mut used = outlook.storages.iter().filter(|storage| storage.needed_bytes > 0);
    used.try_for_each(|storage| preflight::check(preflights, &storage.folder))
}

/// What is in no good state of the machine or of these storages and is not refused, one sentence each.
pub(crate) fn unquiet(outlook: &Outlook, refused: &[Preflight]) -> BTreeSet<String> {
    let used = outlook.storages.iter().filter(|storage| storage.needed_bytes > 0);
    used.flat_map(|storage| preflight::accepted(refused, &storage.folder)).collect()
}

/// The folder itself or, if it does not exist yet, its nearest existing parent.
fn existing_part(folder: &Path) -> &Path {
    folder.ancestors().find(|part| part.is_dir()).unwrap_or_else(|| Path::new("."))
}

#[cfg(test)]
mod tests;
