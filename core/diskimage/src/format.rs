//! The formats of images that are made and read here, a row each: what other parts must know of a format stands here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::sparse_bundle;
use crate::sparse_image;

/// Format of a disk image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageFormat {
    /// The disk's bytes, one after the other.
    #[serde(rename = "UDRW")]
    Udrw,
    /// Sparse image: one file that grows by bands.
    #[serde(rename = "UDSP")]
    Udsp,
    /// Sparse bundle: a folder with a file for each band.
    #[serde(rename = "UDSB")]
    Udsb,
    /// Apple Sparse Image Format: one file with a map of chunks.
    #[serde(rename = "ASIF")]
    Asif,
}

/// What is known of a format.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name, as `hdiutil` and `diskutil` have it, and in every record.
    pub name: &'static str,
    /// Another name for it on the command line.
    pub alias: Option<&'static str>,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// How names of such images end; macOS expects the first.
    pub extensions: &'static [&'static str],
    /// Whether an image is a folder.
    pub is_bundle: bool,
    /// Bytes of a band when nothing else is said; none for a format whose bands nobody chooses.
    pub band_bytes: Option<u64>,
}

impl ImageFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Udrw, Self::Udsp, Self::Udsb, Self::Asif];

    /// What is known of it.
    #[must_use]
    pub const fn row(self) -> Row {
        match self {
            Self::Udrw => Row {
                name: "UDRW",
                alias: Some("raw"),
                summary: "The disk's bytes, one after the other",
                extensions: &["dmg", "img", "raw"],
                is_bundle: false,
                band_bytes: None,
            },
            Self::Udsp => Row {
                name: "UDSP",
                alias: None,
                summary: "Sparse image: one file that grows by bands",
                extensions: &["sparseimage"],
                is_bundle: false,
                band_bytes: Some(sparse_image::DEFAULT_BAND),
            },
            Self::Udsb => Row {
                name: "UDSB",
                alias: None,
                summary: "Sparse bundle: a folder with a file for each band",
                extensions: &["sparsebundle"],
                is_bundle: true,
                band_bytes: Some(sparse_bundle::DEFAULT_BAND),
            },
            Self::Asif => Row {
                name: "ASIF",
                alias: None,
                summary: "Apple Sparse Image Format: one file with a map of chunks",
                extensions: &["asif"],
                is_bundle: false,
                band_bytes: None,
            },
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::ImageFormat;

    #[test]
    fn a_format_has_one_name_in_json_and_in_messages() {
        for format in ImageFormat::ALL {
            assert_eq!(serde_json::to_value(format).unwrap(), format.to_string());
        }
    }
}
