//! The smallest cell that does everything: two files, two phases, an image of 4 MB.

use serde_json::{Value, json};

use crate::common::{at, image};

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
        let mut cell = image(at(phase), self.format, self.encryption);
        cell["sizes_bytes"] = json!([10_000]);
        cell["nominal_bytes"] = json!(4_000_000);
        cell["phases"] = json!([
            {"phase": "fresh", "steps": [
                {"step": "create"}, {"step": "detach"}, {"step": "measure", "state": "new"},
                {"step": "attach"}, {"step": "write"}, {"step": "detach"},
                {"step": "attach"}, {"step": "read"},
                {"step": "delete", "which": "last-sets", "sets": 1}, {"step": "detach"}]},
            {"phase": "emptied", "steps": [
                {"step": "attach"}, {"step": "delete", "which": "all"}, {"step": "write"},
                {"step": "read"}, {"step": "detach"}, {"step": "compact"},
                {"step": "measure", "state": "compacted"}]}
        ]);
        cell
    }
}
