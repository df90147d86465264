//! The smallest cell that does everything: two files, two phases, an image of 4 MB.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common;

/// Its phases.
pub const PHASES: [&str; 2] = ["fresh", "emptied"];

/// A kind of image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiny {
    format: &'static str,
    pub encryption: &'static str,
}

impl Tiny {
    pub const NATIVE: Self = Self::plain("native");
    pub const ALL: [Self; 9] = [
        Self::NATIVE,
        Self::plain("UDRW"),
        Self::plain("UDSP"),
        Self::plain("UDSB"),
        Self::plain("ASIF"),
        Self::encrypted("UDRW"),
        Self::encrypted("UDSP"),
        Self::encrypted("UDSB"),
        Self::encrypted("ASIF"),
    ];

    pub const fn plain(format: &'static str) -> Self {
        Self { format, encryption: "none" }
    }

    pub const fn encrypted(format: &'static str) -> Self {
        Self { format, encryption: "AES-256" }
    }

    /// What a person calls it.
    pub fn name(self) -> String {
        match self.encryption {
            "none" => self.format.to_owned(),
            encryption => format!("{}-{encryption}", self.format),
        }
    }

    /// Its description at a phase.
    pub fn cell(self, phase: &str) -> Value {
        let driver = if self.format == "native" { "native" } else { "portable" };
        json!({
            "cell_version": 1, "host": "test-host", "release": common::release(),
            "protocol": "usage-phases", "scale": "smoke", "storage": "internal",
            "driver": driver, "format": self.format, "encryption": self.encryption, "repeat": 1,
            "phase": phase, "seed": 305_419_896, "sets": 2, "sizes_bytes": [10_000],
            "nominal_bytes": 4_000_000,
            "io": {"block_bytes": 8192, "cache": "none", "durability": "fsync"},
            "phases": [
                {"phase": "fresh", "steps": [
                    {"step": "create"}, {"step": "detach"}, {"step": "measure", "state": "new"},
                    {"step": "attach"}, {"step": "write"}, {"step": "detach"},
                    {"step": "attach"}, {"step": "read"},
                    {"step": "delete", "which": "last-sets", "sets": 1}, {"step": "detach"}]},
                {"phase": "emptied", "steps": [
                    {"step": "attach"}, {"step": "delete", "which": "all"}, {"step": "write"},
                    {"step": "read"}, {"step": "detach"}, {"step": "compact"},
                    {"step": "measure", "state": "compacted"}]}
            ]
        })
    }

    /// The passphrase of its image, put together apart from the code that uses it.
    pub fn passphrase(self) -> String {
        let key =
            format!("usage-phases-smoke-internal-portable-{}-{}-1", self.format, self.encryption);
        let label = format!("diskbench image passphrase 1\n{key}\n305419896\n");
        Sha256::digest(label.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
