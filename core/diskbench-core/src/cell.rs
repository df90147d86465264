//! A cell's description: what to measure, as the workflow wrote it. Unknown keys are refused.

mod check;

use std::fs;
use std::path::Path;

use diskimage::crypt::KeySize;
use diskimage::format::ImageFormat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use system::flush::Durability;

use crate::error::{Error, Result};

/// The version of this description; another one is refused.
pub(crate) const CELL_VERSION: u32 = 1;

/// What a name looks like that becomes a part of a path, of an address on the site or of a command to copy: plain
/// letters, 64 at most. `$` alone would let a line feed at the end pass in Python, where records are loaded.
pub(crate) const SLUG: &str = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?!\n)$";

/// One format x encryption x phase of one protocol on one host, storage, OS release and repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Version of this description: 1.
    #[schemars(extend("const" = 1))]
    pub cell_version: u32,
    /// Slug of the machine, such as `mac-mini-m4-pro`.
    #[schemars(regex(pattern = SLUG))]
    pub host: String,
    /// Name, version and build of the operating system, such as `macos-26.4-25E241`.
    #[schemars(regex(pattern = SLUG))]
    pub release: String,
    /// Name of the protocol that the phases come from.
    #[schemars(regex(pattern = SLUG))]
    pub protocol: String,
    /// How much is written; already applied to `sets` and `sizes_bytes`.
    pub scale: Scale,
    /// Slug of the storage that is measured.
    #[schemars(regex(pattern = SLUG))]
    pub storage: String,
    /// Who serves the image.
    pub driver: Driver,
    /// Format of the image.
    pub format: Format,
    /// What encrypts it.
    pub encryption: Encryption,
    /// Number of the repeat, from 1.
    #[schemars(range(min = 1))]
    pub repeat: u32,
    /// The phase to measure: one of `phases`.
    #[schemars(regex(pattern = SLUG))]
    pub phase: String,
    /// Seed of the order and content of the files.
    pub seed: u64,
    /// Passes over the sizes in one round of writing.
    #[schemars(range(min = 1, max = 100_000))]
    pub sets: u32,
    /// File sizes of one set, in bytes.
    #[schemars(length(min = 1, max = 100_000), inner(range(min = 1)))]
    pub sizes_bytes: Vec<u64>,
    /// Nominal size of the image in bytes; a folder has none and ignores it.
    #[schemars(range(min = 1))]
    pub nominal_bytes: u64,
    /// Bytes of a band of an image that has bands; the format's own size when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1_048_576, max = 8_589_934_592_u64))]
    pub band_bytes: Option<u64>,
    /// Bytes of a block of an ASIF image, 4096; 512 when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<u64>,
    /// How files are written and read.
    pub io: Io,
    /// The whole protocol: all phases of the image, in order.
    #[schemars(length(min = 1))]
    pub phases: Vec<Phase>,
}

/// How files are written and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Io {
    /// Bytes of one read or write call; a multiple of 4096.
    #[schemars(range(min = 4096, max = 1_073_741_824), extend("multipleOf" = 4096))]
    pub block_bytes: u64,
    /// What is done about the system's file cache.
    pub cache: Cache,
    /// What must have happened to a written file before its clock stops.
    pub durability: Durability,
}

/// One phase of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Name of the phase, such as `fresh`.
    #[schemars(regex(pattern = SLUG))]
    pub phase: String,
    /// What is done, in order.
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// One step of a protocol.
// Struct variants even where empty: serde ignores unknown keys of unit variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "step", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Create the image, and attach it.
    Create {},
    /// Attach the image and mount its volume.
    Attach {},
    /// Unmount and detach the image.
    Detach {},
    /// Wait.
    Settle {
        /// How long, in seconds; at most a day.
        #[schemars(range(max = 86_400))]
        seconds: u64,
    },
    /// Write a new round of files: every size once in each set, in seeded order.
    Write {},
    /// Read back the files of the newest round in the order written.
    Read {},
    /// Delete files.
    Delete {
        /// Which files.
        which: Which,
        /// For `last-sets`: how many sets of the newest round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        sets: Option<u32>,
        /// For `largest`: how many files of the newest round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        files: Option<u32>,
    },
    /// Take the image's sizes.
    Measure {
        /// Name of the state that the image is in.
        #[schemars(regex(pattern = SLUG))]
        state: String,
    },
    /// Free the space that the image no longer needs.
    Compact {},
    /// Restart the guest that the image belongs to.
    Restart {},
    /// Delete the image; only `create` can follow.
    Discard {},
}

impl Step {
    /// The step's name as in a cell's description.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Create {} => "create",
            Self::Attach {} => "attach",
            Self::Detach {} => "detach",
            Self::Settle { .. } => "settle",
            Self::Write {} => "write",
            Self::Read {} => "read",
            Self::Delete { .. } => "delete",
            Self::Measure { .. } => "measure",
            Self::Compact {} => "compact",
            Self::Restart {} => "restart",
            Self::Discard {} => "discard",
        }
    }

    /// How long it waits, in seconds.
    pub(crate) const fn seconds(&self) -> u64 {
        match self {
            Self::Settle { seconds } => *seconds,
            Self::Create {}
            | Self::Attach {}
            | Self::Detach {}
            | Self::Write {}
            | Self::Read {}
            | Self::Delete { .. }
            | Self::Measure { .. }
            | Self::Compact {}
            | Self::Restart {}
            | Self::Discard {} => 0,
        }
    }
}

/// Defines an enum of names that looks the same in JSON, in messages and in paths.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// The name as in a cell's description.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }
    };
}

names! {
    /// How much is written.
    Scale {
        /// 10 sets, 53.3 GB.
        Gold = "gold",
        /// 5 sets.
        Half = "half",
        /// 1 set.
        Tenth = "tenth",
        /// 10 sets with every size divided by 200; never comparable.
        Smoke = "smoke",
    }
}

names! {
    /// Who serves the image.
    Driver {
        /// A folder on this machine's own disk.
        Native = "native",
        /// This project's own readers and writers.
        Portable = "portable",
        /// The tools of macOS.
        Apple = "apple",
    }
}

names! {
    /// Format of a disk image.
    Format {
        /// No image.
        Native = "native",
        /// Read-write disk image.
        Udrw = "UDRW",
        /// Sparse image.
        Udsp = "UDSP",
        /// Sparse bundle.
        Udsb = "UDSB",
        /// Apple Sparse Image Format.
        Asif = "ASIF",
        /// The disk of a guest.
        Vm = "VM",
    }
}

impl Format {
    /// The format of its disk image; none where it has no image that we write.
    pub(crate) fn image(self) -> Option<ImageFormat> {
        ImageFormat::named(self.name())
    }
}

names! {
    /// What encrypts the data, and in which layer.
    Encryption {
        /// Nothing.
        None = "none",
        /// The image's container, 128-bit key.
        Aes128 = "AES-128",
        /// The image's container, 256-bit key.
        Aes256 = "AES-256",
        /// The start-up volume.
        FileVault = "FileVault",
        /// An encrypted APFS volume.
        Apfs = "APFS",
    }
}

impl Encryption {
    /// How long the key of an image's own encryption is; none without one.
    pub(crate) const fn key_size(self) -> Option<KeySize> {
        match self {
            Self::Aes128 => Some(KeySize::Aes128),
            Self::Aes256 => Some(KeySize::Aes256),
            Self::None | Self::FileVault | Self::Apfs => None,
        }
    }
}

names! {
    /// What is done about the system's file cache.
    Cache {
        /// Nothing: ordinary cached I/O.
        None = "none",
        /// Uncached (direct) I/O: `O_DIRECT`, `F_NOCACHE`.
        Bypass = "bypass",
        /// Evict the image's files from the page cache at each detach.
        Drop = "drop",
    }
}

impl Cache {
    /// Whether files are opened for uncached (direct) I/O.
    pub(crate) const fn bypasses(self) -> bool {
        match self {
            Self::Bypass => true,
            Self::None | Self::Drop => false,
        }
    }

    /// Whether the image's files are evicted from the page cache at each detach.
    pub(crate) const fn evicts(self) -> bool {
        match self {
            Self::Drop => true,
            Self::None | Self::Bypass => false,
        }
    }
}

names! {
    /// Which files a `delete` step deletes.
    Which {
        /// The last `sets` sets of the newest round.
        LastSets = "last-sets",
        /// The `files` largest of the newest round.
        Largest = "largest",
        /// Every file on the volume.
        All = "all",
    }
}

impl Cell {
    /// All steps of its protocol.
    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.phases.iter().flat_map(|phase| phase.steps.iter())
    }

    /// Whether its protocol restarts the machine.
    pub(crate) fn restarts(&self) -> bool {
        self.steps().any(|step| matches!(step, Step::Restart {}))
    }

    /// Reads a description and checks its values.
    ///
    /// # Errors
    /// Exit code 2, with one line, when the file cannot be read, is invalid, or makes no sense.
    pub fn load(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
        Self::parse(&text)
            .map_err(|error| Error::input(format!("cell {}: {}", path.display(), error.line())))
    }

    /// Parses a description and checks its values.
    ///
    /// # Errors
    /// Exit code 2, with one line that names the key and what to do.
    pub fn parse(text: &str) -> Result<Self> {
        let cell: Self = crate::json::parse(text)?;
        cell.check()?;
        Ok(cell)
    }

    /// The index of the phase to measure in the protocol, from 0.
    ///
    /// # Panics
    /// For a cell that [`Cell::check`] refuses, since its protocol has no such phase.
    #[expect(clippy::expect_used, reason = "another phase would be measured under this one's name")]
    pub(crate) fn phase_index(&self) -> usize {
        let index = self.phases.iter().position(|phase| phase.phase == self.phase);
        index.expect("the phase is one of the protocol's")
    }

    /// The phases before the one to measure, and that one.
    ///
    /// # Panics
    /// As [`Cell::phase_index`] does.
    #[expect(clippy::indexing_slicing, reason = "it stands there")]
    pub(crate) fn phases_until(&self) -> (&[Phase], &Phase) {
        let index = self.phase_index();
        (&self.phases[..index], &self.phases[index])
    }

    /// The name of the image, which all phases of one image share; it is the name of its work folder.
    pub(crate) fn image_key(&self) -> String {
        let Self { protocol, scale, storage, driver, repeat, .. } = self;
        format!("{protocol}-{scale}-{storage}-{driver}-{}-{repeat}", self.variant())
    }

    /// The id of the cell: the path of its record below the folder of records, without `.json`.
    pub(crate) fn id(&self) -> String {
        let Self { host, release, protocol, scale, storage, driver, repeat, phase, .. } = self;
        let variant = self.variant();
        format!("{host}/{release}/{protocol}-{scale}/{storage}/{driver}/{variant}/{repeat}/{phase}")
    }

    /// The kind of image, as in paths: `UDSB-AES-256`, or with an unusual size of bands or blocks
    /// `UDSB-AES-256-bands-1048576` or `ASIF-none-blocks-4096`.
    pub(crate) fn variant(&self) -> String {
        let bands = self.band_bytes.map(|bytes| format!("-bands-{bytes}")).unwrap_or_default();
        let blocks = self.block_bytes.map(|bytes| format!("-blocks-{bytes}")).unwrap_or_default();
        format!("{}-{}{bands}{blocks}", self.format, self.encryption)
    }
}
