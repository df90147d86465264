//! The facts about a format, in its own module: [`format`](crate::format) collects these rows.

use crate::disk::{Damage, SECTOR, Sizes, VirtualDisk};
use crate::error::Result;
use crate::findings::OnDamage;
use crate::store::Store;

/// What is known of a format.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Another name for it on the command line.
    pub alias: Option<&'static str>,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Suffixes of names; macOS expects the first.
    pub extensions: &'static [&'static str],
    /// Bytes of a band when nothing else is said; none for a format whose bands nobody chooses.
    pub band_bytes: Option<u64>,
    /// Bytes of a block where it is not one of 512 bytes; none for a format that has no other.
    pub large_block_bytes: Option<u64>,
    /// Whether the format says itself which parts of the disk hold nothing.
    pub has_map: bool,
    /// Its name for `hdiutil create -type`; none if hdiutil does not create it (hdiutil(1) of macOS 26).
    pub hdiutil_type: Option<&'static str>,
    /// Its name for `diskutil image create blank --format`; none if diskutil does not create it (diskutil(8) of macOS
    /// 26).
    pub diskutil_format: Option<&'static str>,
    /// Whether its encrypted images have a layout of this crate's own, since that of Apple is not public.
    pub own_encryption: bool,
    /// What an image consists of.
    pub(crate) layout: Layout,
}

impl Row {
    /// Whether the size of a block can be chosen, and this one, in bytes.
    pub fn has_blocks_of(&self, bytes: u64) -> bool {
        self.large_block_bytes.is_some_and(|large| bytes == large || bytes == SECTOR)
    }
}

/// What an image consists of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout {
    /// One file.
    File(File),
    /// A folder: a sparse bundle.
    Bundle,
}

type Made = Result<Box<dyn VirtualDisk>>;

/// A format of images in one file, by its functions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    /// The first bytes of each; empty for a raw image, which has none of its own.
    pub(crate) mark: &'static [u8],
    /// What one of its images is called in a sentence; of those with a signature.
    pub(crate) name: &'static str,
    /// Whether these first bytes of a file are a header of this format, whatever its signature.
    pub(crate) is_like: fn(&[u8]) -> bool,
    /// What the header says; nothing else is read.
    pub(crate) sizes: fn(&mut dyn Store) -> Result<Sizes>,
    /// Makes a disk of this length in bytes, with bands or blocks of this size where one is given, in an empty store.
    pub(crate) create: fn(Box<dyn Store>, u64, Option<u64>) -> Made,
    /// Opens one; may continue after damage.
    pub(crate) open: fn(Box<dyn Store>, &mut OnDamage<'_>) -> Made,
    pub(crate) check: fn(Box<dyn Store>) -> Result<Vec<Damage>>,
}
