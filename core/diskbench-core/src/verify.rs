//! Checks records: is each intact, of a known version, and does it have what its cell requests?

use std::ffi::OsString;
use std::io::{self, BufRead};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::json;
use crate::protocol::{Outcome, forecast};
use crate::record::files::{self, Found, Unread};
use crate::record::{
    ImageFacts, LONGEST_LIST, LONGEST_TEXT, RECORD_VERSION, Record, Status, digest,
};
use crate::time::is_utc;

/// How many records were checked, and how many are faulty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Checked records.
    pub checked: u64,
    /// Those that are damaged.
    pub damaged: u64,
    /// Those that a newer diskbench wrote: of them nothing can be said.
    pub newer: u64,
}

impl Findings {
    /// One line.
    pub(crate) fn summary(&self) -> String {
        let newer = match self.newer {
            0 => String::new(),
            count => format!(", {count} of a newer diskbench"),
        };
        format!("{} records checked, {} damaged{newer}", self.checked, self.damaged)
    }
}

/// What was found of one record.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// The file as named; in JSON with a replacement for undecodable bytes.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The id of its cell: where it belongs below the folder of records; null when it is damaged.
    pub cell: Option<String>,
    /// What is wrong with it; null when nothing is.
    pub damage: Option<String>,
    /// The version of its form when that came after ours; else null.
    pub newer: Option<u64>,
}

impl Finding {
    /// One line for a record that is damaged, or of a newer diskbench.
    pub(crate) fn line(&self) -> Option<String> {
        let path = self.path.display();
        if let Some(version) = self.newer {
            return Some(format!(
                "{path} was written by a newer diskbench (record_version {version}): update diskbench to check it"
            ));
        }
        let why = self.damage.as_ref()?;
        Some(format!(
            "{path} is damaged: {why}; move it away, then restore a good copy or measure the cell again"
        ))
    }
}

/// Checks these files, and the records in these folders, and reports the result of each. Superseded records in folders
/// are skipped. The path `-` means paths on standard input, one per line.
///
/// # Errors
/// Exit code 2 when a given path cannot be read; errors of `tell`. A file found in a folder or listed that cannot be
/// read counts as damaged, and the others are checked.
pub(crate) fn verify(
    paths: &[PathBuf],
    tell: &mut dyn FnMut(&Finding) -> Result<()>,
) -> Result<Findings> {
    let mut findings = Findings::default();
    for path in paths {
        let found = if path.as_os_str() == "-" {
            listed()?
        } else if path.is_dir() {
            files::below(path).map_err(|error| Error::unreadable(path, &error))?
        } else {
            vec![Found::readable(path.clone())]
        };
        for one in found {
            let (newer, cell, damage) =
                match one.refusal.map_or_else(|| files::read(&one.path), refused) {
                    Ok(bytes) => look_at(&bytes),
                    Err(Unread::Refused(why)) => (None, None, Some(why)),
                    Err(Unread::System(error)) if one.path == *path => {
                        return Err(Error::unreadable(path, &error));
                    }
                    Err(Unread::System(error)) => {
                        (None, None, Some(format!("it cannot be read ({error})")))
                    }
                };
            findings.checked += 1;
            findings.damaged += u64::from(damage.is_some());
            findings.newer += u64::from(newer.is_some());
            tell(&Finding { path: one.path, cell, damage, newer })?;
        }
    }
    Ok(findings)
}

const fn refused(why: String) -> std::result::Result<Vec<u8>, Unread> {
    Err(Unread::Refused(why))
}

/// A newer version of the record, the id of the cell, or the fault.
fn look_at(bytes: &[u8]) -> (Option<u64>, Option<String>, Option<String>) {
    match (newer_version(bytes), check(bytes)) {
        (newer, Ok(record)) => (newer, Some(record.cell.id()), None),
        (Some(version), Err(_)) => (Some(version), None, None),
        (None, Err(why)) => (None, None, Some(why)),
    }
}

fn as_text<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn listed() -> Result<Vec<Found>> {
    // names of files are bytes and need not be text
    io::stdin()
        .lock()
        .split(b'\n')
        .map(|line| {
            line.map(|bytes| Found {
                path: PathBuf::from(OsString::from_vec(bytes)),
                refusal: None,
            })
        })
        .collect::<io::Result<_>>()
        .map_err(|error| Error::unreadable(Path::new("standard input"), &error))
}

/// The version of a record in a form that came after ours.
fn newer_version(bytes: &[u8]) -> Option<u64> {
    let tree: Value = serde_json::from_slice(bytes).ok()?;
    tree.get("record_version")?.as_u64().filter(|version| *version > u64::from(RECORD_VERSION))
}

/// Checks one record.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> std::result::Result<Record, String> {
    let mut tree: Value = serde_json::from_slice(bytes).map_err(|error| {
        if error.is_eof() {
            format!("it ends too early ({error})")
        } else {
            format!("it is not JSON ({error})")
        }
    })?;
    if json::has_float(&tree) {
        return Err("it contains a number that is not an integer".into());
    }
    if json::has_huge(&tree) {
        return Err("it contains a number beyond 63 bits, which no table can store".into());
    }
    if json::has_longer(&tree, LONGEST_TEXT) {
        return Err(format!("it contains a text of more than {LONGEST_TEXT} characters"));
    }
    match tree.get("record_version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(RECORD_VERSION) => {}
        Some(version) => {
            return Err(format!("record_version {version} is not known to this diskbench"));
        }
        None => return Err("it has no record_version".into()),
    }
    let stated = tree.as_object_mut().and_then(|keys| keys.remove(digest::KEY));
    let computed = digest::of_bytes(json::canonical(&tree).as_bytes());
    if stated.as_ref().and_then(Value::as_str) != Some(&computed) {
        return Err("its checksum does not match: it was changed or cut".into());
    }
    // From the text and not from the tree, which has only the last of two equal keys.
    let text = str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 ({error})"))?;
    let record: Record = json::parse(text).map_err(|error| error.line())?;
    let mut again = json::tree(&record).map_err(|error| error.line())?;
    drop(again.as_object_mut().and_then(|keys| keys.remove(digest::KEY)));
    // What may be null must still be there.
    if again != tree {
        return Err("a key is missing".into());
    }
    forecast::check(&record.cell)
        .map_err(|error| format!("its cell is invalid: {}", error.line()))?;
    consistent(&record)?;
    Ok(record)
}

/// Whether a record has exactly what its cell requests.
fn consistent(record: &Record) -> std::result::Result<(), String> {
    if !is_utc(&record.started_utc) || !is_utc(&record.finished_utc) {
        return Err("its times are not in UTC".into());
    }
    // In this format, texts sort like times.
    if record.started_utc > record.finished_utc {
        return Err("it ended before it began".into());
    }
    if record.reason.is_none() != (record.status == Status::Measured) {
        return Err("every record that is not measured has a reason, and no other".into());
    }
    if !adds_up(record.samples.iter().map(|one| one.elapsed_ns))
        || !adds_up(record.steps.iter().map(|one| one.elapsed_ns))
    {
        return Err("its times add up to more than 63 bits, which no table can store".into());
    }
    if longest_list(record) > LONGEST_LIST {
        return Err(format!("it contains a list of more than {LONGEST_LIST} entries"));
    }
    states_itself(record)?;
    if let Some(image) = &record.image {
        let asked = ImageFacts::requested(&record.cell);
        if asked.differences(&image.requested).is_some() {
            return Err("the image that it requested is not the one of its cell".into());
        }
        if record.status == Status::Measured
            && let Some(what) = asked.differences(&image.effective)
        {
            return Err(format!(
                "its image is not what was requested ({what}), and it was measured"
            ));
        }
    }
    let forecasts = forecast::until_phase(&record.cell).map_err(|error| error.line())?;
    let expected = forecasts.last().map(|forecast| &forecast.outcome).ok_or("it has no phase")?;
    let found = [record.steps.len(), record.samples.len(), record.sizes.len()];
    let planned = [expected.steps.len(), expected.samples.len(), expected.sizes.len()];
    let words = |[steps, samples, sizes]: [usize; 3]| {
        format!("{steps} steps, {samples} samples and {sizes} sizes")
    };
    match record.status {
        Status::Measured if found != planned => {
            Err(format!("it should contain {}, but contains {}", words(planned), words(found)))
        }
        Status::Skipped if found != [0; 3] => Err("it was skipped, but contains samples".into()),
        _ if !is_beginning(record, expected) => {
            Err("its steps, files or sizes are not those of its cell".into())
        }
        _ => Ok(()),
    }
}

/// The length of the longest list that neither the cell nor its files determine.
fn longest_list(record: &Record) -> usize {
    let of_steps = record.steps.iter().flat_map(|step| {
        let arguments = step.commands.iter().map(|command| command.arguments.len());
        let processes = step.serving.as_ref().map(|serving| serving.processes.len());
        arguments.chain(processes).chain([step.commands.len()])
    });
    let own = [record.warnings.len(), record.host.cores.len(), record.host.tools.len()];
    of_steps.chain(own).max().unwrap_or_default()
}

/// Whether a record states its place, its warnings' codes and its modes as the core does.
fn states_itself(record: &Record) -> std::result::Result<(), String> {
    let within = match (record.position, record.planned) {
        (Some(position), Some(planned)) => (1..=planned).contains(&position),
        (position, planned) => position.is_none() && planned.is_none(),
    };
    if !within {
        return Err("its place is not among the planned cells".into());
    }
    if record.warning_codes.as_ref().is_some_and(|codes| codes.len() != record.warnings.len()) {
        return Err("its warnings have more or fewer codes than texts".into());
    }
    let asked = (record.cache.asked, record.durability.asked);
    if asked != (record.cell.io.cache, record.cell.io.durability) {
        return Err("the cache mode or durability asked for is not that of its cell".into());
    }
    let reached = record.cache.reached.is_some() && record.durability.reached.is_some();
    if record.status == Status::Measured && !record.samples.is_empty() && !reached {
        return Err("it was measured, but does not say with which cache mode and durability".into());
    }
    Ok(())
}

/// Whether a sum of these is one that the tables' columns take.
fn adds_up(mut parts: impl Iterator<Item = u64>) -> bool {
    parts.try_fold(0_u64, u64::checked_add).is_some_and(|sum| i64::try_from(sum).is_ok())
}

/// Whether the record matches the forecast in order, except for times and sizes of the image.
fn is_beginning(record: &Record, expected: &Outcome) -> bool {
    let steps = record.steps.iter().zip(&expected.steps).all(|(a, b)| a.step == b.step);
    let samples =
        record.samples.iter().zip(&expected.samples).all(|(a, b)| {
            (a.op, a.order, a.set, a.size_bytes) == (b.op, b.order, b.set, b.size_bytes)
        });
    let sizes = record.sizes.iter().zip(&expected.sizes).all(|(a, b)| a.state == b.state);
    let no_more = record.steps.len() <= expected.steps.len()
        && record.samples.len() <= expected.samples.len()
        && record.sizes.len() <= expected.sizes.len();
    steps && samples && sizes && no_more
}

#[cfg(test)]
mod tests;
