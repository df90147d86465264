//! The formats of images that are made and read here: what other parts must know of one stands in its row, the row in
//! its module, and the list of them in `lib.rs`.

use std::fmt;
use std::path::Path;

use serde::Serialize;

pub use crate::ImageFormat;
pub use crate::row::Row;
use crate::row::{File, Layout};
use crate::udif::UdifKind;

/// Names the formats, and the row of each, which its module has.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal in $row:path,)+) => {
        /// Format of a disk image.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum ImageFormat { $($(#[$doc])* #[serde(rename = $name)] $variant,)+ }

        impl ImageFormat {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name in every record.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What is known of it.
            pub const fn row(self) -> $crate::format::Row {
                match self { $(Self::$variant => $row,)+ }
            }
        }
    };
}

pub(crate) use formats;

/// What an image that was opened is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnyFormat {
    /// A format that is made and read.
    Image(ImageFormat),
    /// A UDIF, which is only read.
    Udif(UdifKind),
}

impl AnyFormat {
    /// What is to be known of its encrypted images, if their layout is this crate's own: nothing in them shows that.
    pub(crate) fn own_encryption(self) -> Option<String> {
        match self {
            Self::Image(format) => format.own_encryption(),
            Self::Udif(_) => None,
        }
    }
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

impl ImageFormat {
    /// What is to be known of its encrypted images, if their layout is this crate's own.
    pub fn own_encryption(self) -> Option<String> {
        self.row().own_encryption.then(|| format!("Apple's layout of an encrypted {self} is not public: this one is diskbench's own, and macOS is not expected to open it"))
    }

    /// The format of the signature at a file's beginning.
    pub(crate) fn of_mark(start: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.marked().is_some_and(|file| start.starts_with(file.mark)))
    }

    /// Whether images of it begin with a signature.
    pub fn is_marked(self) -> bool {
        self.marked().is_some()
    }

    /// The format that the name of a file promises, if its images begin with a signature. A file without the signature
    /// would pass for a raw image, while the signature was damaged, or the keys of the encryption were: only the name
    /// can tell.
    pub fn marked_by_name(path: &Path) -> Option<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_its = |format: &Self| format.row().extensions.contains(&extension.as_str());
        Self::ALL.into_iter().find(|format| format.is_marked() && is_its(format))
    }

    /// Its functions, if its images are files that begin with a signature.
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
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
