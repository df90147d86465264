//! What others did for a cell: the programs that were run, and the processes that served the image.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::LONGEST_LIST;

/// A program that was run, and how it ended. No path, no passphrase: paths are named by what they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandRecord {
    /// Name of the program, such as `hdiutil`.
    pub program: String,
    /// Its arguments; `<image>`, `<volume>` and the like stand for paths.
    #[schemars(length(max = LONGEST_LIST))]
    pub arguments: Vec<String>,
    /// How it ended.
    pub end: CommandEnd,
    /// Its exit code, or the signal that ended it; null otherwise.
    pub code: Option<i32>,
    /// How long it took, in nanoseconds.
    pub elapsed_ns: u64,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandEnd {
    /// By itself.
    Exited,
    /// By a signal from somewhere else.
    Killed,
    /// It was ended at its time limit.
    TimedOut,
    /// It was ended because a signal asked to stop.
    Stopped,
    /// It could not be started.
    NotStarted,
}

/// What the processes that serve an image used while files were written or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Serving {
    /// For how long they were observed, in nanoseconds.
    pub elapsed_ns: u64,
    /// Each kind of process that ran, in the order of their names.
    #[schemars(length(max = LONGEST_LIST))]
    pub processes: Vec<ProcessUse>,
}

/// What all processes of one name used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessUse {
    /// Name of the process, such as `diskimages-helper`.
    pub name: String,
    /// How many of them ran.
    pub count: u32,
    /// How many of them had ended before they were looked at again: what these used is not counted. Not there when it
    /// is none.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub ended: u32,
    /// Whether the system allowed all of them to be inspected; if not, the other values are null.
    pub permitted: bool,
    /// Time on processors, user and system, in nanoseconds.
    pub cpu_ns: Option<u64>,
    /// Bytes read from disks.
    pub read_bytes: Option<u64>,
    /// Bytes written to disks.
    pub written_bytes: Option<u64>,
    /// Energy in nanojoules, as the system counts it.
    pub energy_nj: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_nought(count: &u32) -> bool {
    *count == 0
}
