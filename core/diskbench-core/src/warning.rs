//! Warnings about figures: a sentence for people, and a code for tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a warning is about. Records keep these codes beside the sentences, so that no table depends on a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(PartialOrd, Ord))]
#[serde(rename_all = "kebab-case")]
pub enum WarningCode {
    /// Something else may have been running.
    Busy,
    /// The machine ran on battery.
    Battery,
    /// Low power mode was on.
    LowPower,
    /// The machine was hot.
    Hot,
    /// Memory was under pressure.
    MemoryPressure,
    /// The disk was nearly full.
    NearlyFull,
    /// The machine slept, or diskbench was stopped.
    Slept,
    /// The requested cache mode was not effective.
    CacheNotReached,
    /// The requested durability was not effective.
    DurabilityNotReached,
    /// Blocks were too small for direct I/O.
    BlocksCached,
    /// Reads may have come from memory.
    ReadFromMemory,
    /// The files were in memory, not on a disk.
    InMemory,
    /// Content was checked while reading.
    Checked,
    /// A speed came near the harness's own limit.
    NearLimit,
    /// Our encrypted ASIF image has our own layout.
    OwnLayout,
    /// The disk's encryption is not that of the cell.
    EncryptionDiffers,
    /// The measuring thread had a lower quality of service.
    LowClass,
    /// The I/O policy was not the requested one.
    IoPolicy,
    /// The machine could not be kept awake.
    MaySleep,
    /// Spotlight indexing was not turned off.
    Indexed,
    /// The image's volume kept a log of file system changes.
    EventLog,
    /// The image, or the folder of native files, was not excluded from Time Machine backups.
    BackedUp,
    /// The machine was not the same before and after a restart.
    MachineChanged,
    /// Noise suppression was not the same before and after a restart.
    QuietChanged,
    /// The clock was set meanwhile.
    ClockSet,
    /// The image could not be compacted.
    NotCompacted,
    /// diskbench ran under Rosetta.
    Translated,
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// The sentence.
    pub text: String,
}

impl Warning {
    /// A warning in these words.
    pub(crate) fn new(code: WarningCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}
