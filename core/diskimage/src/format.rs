//! The formats of images that are made and read here, a row each: what other parts must know of a format stands here.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::asif::{self, Asif};
use crate::disk::{Damage, DiskImage, SECTOR, Sizes};
use crate::error::Result;
use crate::findings::OnDamage;
use crate::raw::RawDisk;
use crate::sparse_bundle;
use crate::sparse_image::{self, SparseImage};
use crate::store::Store;
use crate::udif::UdifKind;

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

/// What an image that was opened is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnyFormat {
    /// A format that is made and read.
    Image(ImageFormat),
    /// A UDIF, which is only read.
    Udif(UdifKind),
}

impl fmt::Display for AnyFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(format) => format.fmt(formatter),
            Self::Udif(kind) => kind.fmt(formatter),
        }
    }
}

impl PartialEq<ImageFormat> for AnyFormat {
    fn eq(&self, other: &ImageFormat) -> bool {
        *self == Self::Image(*other)
    }
}

/// What is known of a format.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name in every record.
    pub name: &'static str,
    /// Another name for it on the command line.
    pub alias: Option<&'static str>,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// How names of such images end; macOS expects the first.
    pub extensions: &'static [&'static str],
    /// Bytes of a band when nothing else is said; none for a format whose bands nobody chooses.
    pub band_bytes: Option<u64>,
    /// Bytes of a block where it is not one of 512 bytes; none for a format that has no other.
    pub large_block_bytes: Option<u64>,
    /// Whether the format says itself which parts of the disk hold nothing.
    pub has_map: bool,
    /// What `hdiutil create -type` calls it; none when it does not create such images (hdiutil(1) of macOS 26).
    pub hdiutil_type: Option<&'static str>,
    /// What `diskutil image create blank --format` calls it; none when it does not create such images (diskutil(8) of macOS 26).
    pub diskutil_format: Option<&'static str>,
    /// What an image consists of.
    pub(crate) layout: Layout,
}

/// What an image consists of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout {
    /// One file.
    File(File),
    /// A folder: a sparse bundle.
    Bundle,
}

type Made = Result<Box<dyn DiskImage>>;

/// A format of images in one file, by its functions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    /// The first bytes of each; empty for a raw image, which has none of its own.
    pub(crate) mark: &'static [u8],
    /// What one of its images is called in a sentence; of those with a mark.
    pub(crate) name: &'static str,
    /// Whether these first bytes of a file are a header of this format, whatever its mark.
    pub(crate) is_like: fn(&[u8]) -> bool,
    /// What the header says; nothing else is read.
    pub(crate) sizes: fn(&mut dyn Store) -> Result<Sizes>,
    /// Makes a disk of this length in bytes, with bands or blocks of this size where one is given, in an empty store.
    pub(crate) create: fn(Box<dyn Store>, u64, Option<u64>) -> Made,
    /// Opens one; told of damage, it may go on.
    pub(crate) open: fn(Box<dyn Store>, &mut OnDamage<'_>) -> Made,
    pub(crate) check: fn(Box<dyn Store>) -> Result<Vec<Damage>>,
}

/// What a file without a mark is.
pub(crate) const RAW: File = File {
    mark: &[],
    name: "",
    is_like: |_| false,
    sizes: |store| Ok(Sizes::of_plain(store.len_bytes())),
    create: |store, len_bytes, _| Ok(Box::new(RawDisk::create(store, len_bytes)?)),
    open: |store, on_damage| Ok(Box::new(RawDisk::open_around(store, on_damage)?)),
    check: |store| RawDisk::open(store).map(|_| Vec::new()),
};

const UDRW: Row = Row {
    name: "UDRW",
    alias: Some("raw"),
    summary: "The disk's bytes, one after the other",
    extensions: &["dmg", "img", "raw"],
    band_bytes: None,
    large_block_bytes: None,
    has_map: false,
    hdiutil_type: Some("UDIF"),
    diskutil_format: Some("RAW"),
    layout: Layout::File(RAW),
};

const UDSP: Row = Row {
    name: "UDSP",
    alias: None,
    summary: "Sparse image: one file that grows by bands",
    extensions: &["sparseimage"],
    band_bytes: Some(sparse_image::DEFAULT_BAND),
    large_block_bytes: None,
    has_map: true,
    hdiutil_type: Some("SPARSE"),
    diskutil_format: None,
    layout: Layout::File(File {
        mark: sparse_image::MAGIC,
        name: "a UDSP image",
        is_like: sparse_image::is_like,
        sizes: sparse_image::sizes,
        create: |store, len_bytes, band_bytes| {
            Ok(Box::new(SparseImage::create(store, len_bytes, band_bytes)?))
        },
        open: |store, on_damage| Ok(Box::new(SparseImage::open_around(store, on_damage)?)),
        check: |mut store| sparse_image::check(store.as_mut()),
    }),
};

const UDSB: Row = Row {
    name: "UDSB",
    alias: None,
    summary: "Sparse bundle: a folder with a file for each band",
    extensions: &["sparsebundle"],
    band_bytes: Some(sparse_bundle::DEFAULT_BAND),
    large_block_bytes: None,
    has_map: true,
    hdiutil_type: Some("SPARSEBUNDLE"),
    diskutil_format: Some("UDSB"),
    layout: Layout::Bundle,
};

const ASIF: Row = Row {
    name: "ASIF",
    alias: None,
    summary: "Apple Sparse Image Format: one file with a map of chunks",
    extensions: &["asif"],
    band_bytes: None,
    large_block_bytes: Some(asif::LARGE_BLOCK),
    has_map: true,
    hdiutil_type: None,
    diskutil_format: Some("ASIF"),
    layout: Layout::File(File {
        mark: asif::MAGIC,
        name: "an ASIF image",
        is_like: asif::is_like,
        sizes: asif::sizes,
        create: |store, len_bytes, block_bytes| {
            let block_bytes = block_bytes.unwrap_or(SECTOR);
            Ok(Box::new(Asif::create_in_blocks(store, len_bytes, block_bytes)?))
        },
        open: |store, on_damage| Ok(Box::new(Asif::open_around(store, on_damage)?)),
        check: |mut store| asif::check(store.as_mut()),
    }),
};

impl ImageFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Udrw, Self::Udsp, Self::Udsb, Self::Asif];

    /// What is known of it.
    pub const fn row(self) -> Row {
        match self {
            Self::Udrw => UDRW,
            Self::Udsp => UDSP,
            Self::Udsb => UDSB,
            Self::Asif => ASIF,
        }
    }

    /// The format whose mark a file begins with.
    pub(crate) fn of_mark(start: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.marked().is_some_and(|file| start.starts_with(file.mark)))
    }

    /// Whether images of it begin with a mark.
    pub fn is_marked(self) -> bool {
        self.marked().is_some()
    }

    /// The format that the name of a file promises, if its images begin with a mark. A file without the mark would pass for a
    /// raw image, while the mark was damaged, or the keys of the encryption were: only the name can tell.
    pub fn marked_by_name(path: &Path) -> Option<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_its = |format: &Self| format.row().extensions.contains(&extension.as_str());
        Self::ALL.into_iter().find(|format| format.is_marked() && is_its(format))
    }

    /// Its functions, if its images are files that begin with a mark.
    pub(crate) fn marked(self) -> Option<File> {
        match self.row().layout {
            Layout::File(file) if !file.mark.is_empty() => Some(file),
            Layout::File(_) | Layout::Bundle => None,
        }
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether an image is a folder.
    pub const fn is_bundle(self) -> bool {
        matches!(self.row().layout, Layout::Bundle)
    }

    /// Its name.
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
