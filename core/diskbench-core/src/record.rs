//! A record: the JSON file that one cell leaves behind. Integers, strings, booleans and null only.

pub mod digest;
pub(crate) mod files;
mod image;
mod machine;
mod service;
pub(crate) mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use system::flush::Durability;

use crate::cell::{Cache, Cell, SLUG};
use crate::transfer::TIMED_REGION;
pub use crate::warning::WarningCode;

pub(crate) use image::{AES, ImageFacts, ImageIdentity, OWN_DISK, OWN_FILE_SYSTEM};
pub(crate) use machine::{
    Conditions, Cores, Host, Os, Power, Pressure, Quiet, Snapshot, Storage, Thermal, Tool,
};
pub(crate) use service::{CommandEnd, CommandRecord, ProcessUse, Serving};

/// The version of the record's form.
pub(crate) const RECORD_VERSION: u32 = 1;

/// Counts the changes of how things are measured: records of different epochs must not be pooled. CHANGELOG.md says
/// under "Methodology" what each is.
pub(crate) const HARNESS_EPOCH: u32 = 4;

/// The longest text of a record, in characters: pages show no more of it. Our own texts are much shorter.
pub(crate) const LONGEST_TEXT: usize = 10_000;

/// The longest list of a record that neither its cell nor its files determine. Our own lists are much shorter.
pub(crate) const LONGEST_LIST: usize = 1_000;

/// What one cell left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of this form: 1.
    #[schemars(extend("const" = 1))]
    pub record_version: u32,
    /// What measured.
    pub harness: Harness,
    /// How it ended.
    pub status: Status,
    /// Why it was skipped or failed, and what to do; null when measured.
    pub reason: Option<String>,
    /// What was asked for.
    pub cell: Cell,
    /// Position of the cell in the study's order, from 1.
    #[schemars(range(min = 1))]
    pub position: Option<u32>,
    /// Number of planned cells.
    #[schemars(range(min = 1))]
    pub planned: Option<u32>,
    /// When the cell began, UTC, `YYYY-MM-DDThh:mm:ssZ`.
    #[schemars(extend("pattern" = TIME_PATTERN))]
    pub started_utc: String,
    /// When it ended, UTC.
    #[schemars(extend("pattern" = TIME_PATTERN))]
    pub finished_utc: String,
    /// The machine.
    pub host: Host,
    /// Load, power, heat, memory and free space before and after.
    pub conditions: Conditions,
    /// Effective noise suppression; not there where nothing was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Quiet>,
    /// What the image is, as requested and as read back from it before the first file; not there in older records, and
    /// where no image was attached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageIdentity>,
    /// Warnings for readers of the figures.
    #[schemars(length(max = LONGEST_LIST))]
    pub warnings: Vec<String>,
    /// What each of these warnings is about, in their order; not there in older records.
    #[schemars(length(max = LONGEST_LIST))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning_codes: Option<Vec<WarningCode>>,
    /// What was done about the cache.
    pub cache: CacheModes,
    /// What had happened to a written file when its clock stopped.
    pub durability: DurabilityModes,
    /// How the host's files were read and written, beside what the cell asks for; not there where macOS does it, or where
    /// nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Speed of this harness on this machine in memory, without a disk.
    pub ceiling: Option<Ceiling>,
    /// Earlier phases that had to be run again, unmeasured, to bring the image into its state.
    #[schemars(inner(regex(pattern = SLUG)))]
    pub replayed_phases: Vec<String>,
    /// The steps of the phase, in order.
    pub steps: Vec<StepRecord>,
    /// One for each file written or read, in order.
    pub samples: Vec<Sample>,
    /// One for each measurement of the image's size, in order.
    pub sizes: Vec<SizeRecord>,
    /// SHA-256 of the record without this key, as JSON with sorted keys and no spaces, UTF-8 not escaped.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    pub sha256: String,
}

/// The form of the times of day.
pub(crate) const TIME_PATTERN: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";

/// What measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Epoch of its way of measuring; records of different epochs must not be pooled.
    pub epoch: u32,
}

impl Harness {
    /// This very harness.
    pub(crate) fn current() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: HARNESS_EPOCH,
        }
    }
}

/// How a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every step was done.
    Measured,
    /// It cannot be measured here.
    Skipped,
    /// A step failed.
    Failed,
}

/// Requested and effective cache mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheModes {
    /// As in the cell.
    pub asked: Cache,
    /// What the system did; null when nothing was measured.
    pub reached: Option<Cache>,
}

/// Requested and effective durability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurabilityModes {
    /// As in the cell.
    pub asked: Durability,
    /// What the system did; null when nothing was measured.
    pub reached: Option<Durability>,
}

/// How the host's files are read and written. One thread does so in every driver, in blocks of the cell's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Threads that encrypt and decrypt; 0 where there is nothing to encrypt.
    pub cipher_threads: u32,
    /// Bytes that are asked of the system ahead of what is read, up to the end of the file in the image; null where the
    /// system reads ahead by itself, as with any file.
    pub ahead_bytes: Option<u64>,
}

/// What the harness reaches when no disk is in its way, and what reading its clock costs; at the cell's block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// Writing to memory, bytes per second.
    pub write_bytes_per_second: u64,
    /// Reading from memory, bytes per second.
    pub read_bytes_per_second: u64,
    /// Writing to a target that discards the data, bytes per second: the cost of the harness itself; not there
    /// in older records, as the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_write_bytes_per_second: Option<u64>,
    /// Reading from a target without data, bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_read_bytes_per_second: Option<u64>,
    /// Generating incompressible content in one thread, bytes per second. It is done before a file's clock runs, or
    /// beside it where a file is larger than the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_bytes_per_second: Option<u64>,
    /// Starting and stopping the clock once, nanoseconds.
    pub clock_ns: u64,
}

/// One step that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// Name of the step.
    #[schemars(regex(pattern = SLUG))]
    pub step: String,
    /// How long it took in all, in nanoseconds.
    pub elapsed_ns: u64,
    /// What was special about it.
    pub note: Option<String>,
    /// The programs that were run for it, in order; not there when there were none.
    #[schemars(length(max = LONGEST_LIST))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandRecord>,
    /// What the processes that serve the image used meanwhile; only of steps that write or read, and not there where
    /// no other process serves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving: Option<Serving>,
}

/// What was done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Written, and flushed as the cell's durability says.
    Write,
    /// Read from start to end.
    Read,
}

/// One file, written or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// What was done with it.
    pub op: Op,
    /// Position among the record's samples of the same `op`, from 1.
    pub order: u32,
    /// Set that the file belongs to, from 1.
    pub set: u32,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// See [`TIMED_REGION`].
    #[schemars(extend("description" = TIMED_REGION))]
    pub elapsed_ns: u64,
    /// Whether the machine slept meanwhile: the file is then left out of every speed.
    pub slept: bool,
}

/// The sizes of the image in one state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeRecord {
    /// Name of the state, from the `measure` step.
    #[schemars(regex(pattern = SLUG))]
    pub state: String,
    /// Allocated size in bytes.
    pub allocated_bytes: u64,
    /// Apparent size (length) in bytes. An attached image of driver `portable` may be up to 64 MiB longer than a detached one:
    /// it grows in steps.
    pub apparent_bytes: u64,
    /// Number of bands, for formats that have them.
    pub bands: Option<u64>,
    /// Free space on the disk it lies on, in bytes.
    pub free_bytes: u64,
    /// Free space on the image's volume when it was last attached, in bytes; not there where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_free_bytes: Option<u64>,
}
