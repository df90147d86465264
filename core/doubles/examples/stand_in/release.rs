//! What each release of macOS supports.

use serde::{Deserialize, Serialize};

/// The language that a program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    /// `en`.
    English,
    /// `de`.
    German,
}

/// A release of macOS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Its version, such as `26.4`.
    pub version: String,
    /// Its build, such as `25E241`.
    pub build: String,
}

/// Releases, which can be named by their first number alone. 27.0's build is that of a public report; 26.4's is the
/// study's own; the others are Apple's public ones as remembered, and stand for no more than a build that looks right.
const KNOWN: [(&str, &str); 6] = [
    ("12.7.6", "21H1320"),
    ("13.7.8", "22H730"),
    ("14.8.1", "23J30"),
    ("15.6.1", "24G90"),
    ("26.4", "25E241"),
    ("27.0", "26A428"),
];

/// The first number of the newest release that is known.
pub fn newest() -> u32 {
    KNOWN.iter().map(|(version, _)| major(version)).max().unwrap_or_default()
}

impl Release {
    /// A release by its version or its first number; a build that is not known is made up.
    pub fn new(version: &str, build: Option<&str>) -> Self {
        let by_major = KNOWN.iter().find(|(known, _)| known.split('.').next() == Some(version));
        let exact = KNOWN.iter().find(|(known, _)| *known == version);
        let known = exact.or(by_major);
        let version = known.map_or(version, |(version, _)| version).to_owned();
        let darwin = darwin(major(&version));
        let build =
            build.map(str::to_owned).or_else(|| known.map(|(_, build)| (*build).to_owned()));
        Self { build: build.unwrap_or_else(|| format!("{darwin}Z999")), version }
    }

    /// Whether something is known of releases with its first number.
    pub fn is_known(&self) -> bool {
        KNOWN.iter().any(|(version, _)| major(version) == self.major())
    }

    /// Its first number.
    pub fn major(&self) -> u32 {
        major(&self.version)
    }

    fn minor(&self) -> u32 {
        self.version.split('.').nth(1).and_then(|part| part.parse().ok()).unwrap_or(0)
    }

    /// The kernel's version, such as `25.4.0`.
    pub fn kernel(&self) -> String {
        format!("{}.{}.0", darwin(self.major()), self.minor())
    }

    /// Whether `diskutil image` knows this verb (0, 2.1).
    pub fn knows_image_verb(&self, verb: &str) -> bool {
        match verb {
            "attach" => self.major() >= 13,
            "info" | "create" => self.major() >= 14,
            _ => false,
        }
    }

    /// Whether it makes ASIF (2.1).
    pub fn makes_asif(&self) -> bool {
        self.major() >= 26
    }

    /// Whether it attaches ASIF (0).
    pub fn attaches_asif(&self) -> bool {
        self.major() >= 15
    }

    /// Whether `hdiutil` warns that it is deprecated (0), and `diskutil` makes a mount point (2.1).
    pub fn deprecates_hdiutil(&self) -> bool {
        self.major() >= 27
    }

    /// Exit code of "Resource temporarily unavailable", which is not known for sure (1.9: "1 or 35"): both occur here.
    pub fn again_code(&self) -> u8 {
        if self.major() >= 26 { 35 } else { 1 }
    }

    /// Version of the framework behind `hdiutil` and of `hdiutil` itself. 15's is captured (1.4), the others are made
    /// up.
    pub fn framework(&self) -> &'static str {
        match self.major() {
            ..=13 => "671.140.3",
            14 => "671.140.4",
            15 => "683.100.3",
            26 => "704.100.1",
            _ => "720.100.1",
        }
    }
}

fn major(version: &str) -> u32 {
    version.split('.').next().and_then(|part| part.parse().ok()).unwrap_or(0)
}

const fn darwin(major: u32) -> u32 {
    if major >= 26 { major.saturating_sub(1) } else { major.saturating_add(9) }
}
