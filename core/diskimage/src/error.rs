//! What can go wrong with an image.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of everything that can fail here.
pub type Result<T, E = ImageError> = std::result::Result<T, E>;

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No disk image: another kind of file.
    NotAnImage,
    /// An image or archive of a format, or with a feature, that this crate does not read or write.
    Unsupported,
    /// Its bytes contradict the format or each other, or some are missing.
    Damaged,
    /// It is encrypted, and no passphrase was given.
    PassphraseNeeded,
    /// The passphrase does not open it.
    WrongPassphrase,
    /// It is open and locked, mostly by another process.
    InUse,
    /// There is something at the place of a new image.
    Exists,
    /// The caller asks for what cannot be: a length, size of bands or range that the format does not have, a passphrase
    /// for an image that is not encrypted, a change of one that was opened for reading.
    Invalid,
    /// An internal error: a violated invariant of this crate.
    Internal,
    /// An error of the operating system, which is the [`source`](Error::source).
    Io,
}

/// Why an image could not be created, opened, read or written: a kind, and one line that names no path and says what to
/// do next where something can be done.
#[derive(Debug)]
pub struct ImageError {
    kind: Kind,
    message: String,
    source: Option<io::Error>,
    part: Option<PathBuf>,
}

impl ImageError {
    /// An error of this kind. One of the system is made by [`From`], with its source.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, part: None }
    }

    /// Its kind.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The system's error, if it is one.
    pub const fn io(&self) -> Option<&io::Error> {
        self.source.as_ref()
    }

    /// The file of the system's error, relative to the bundle; none for the image itself.
    pub fn part(&self) -> Option<&Path> {
        self.part.as_deref()
    }

    /// The system's error about a file in a bundle.
    pub(crate) fn of_part(part: PathBuf, error: io::Error) -> Self {
        Self { part: Some(part), ..error.into() }
    }

    /// Whether the file system does not support the requested durability.
    pub(crate) fn is_refusal(&self) -> bool {
        self.io().is_some_and(system::flush::is_refusal)
    }

    /// Whether the file does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.io().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

/// The error for an image with invalid bytes. `what` is the fault, without paths.
pub fn damaged(what: impl Into<String>) -> ImageError {
    ImageError::new(Kind::Damaged, what)
}

/// The error for what the caller asks for and nobody can have. `what` says what to ask for instead.
pub(crate) fn invalid(what: impl Into<String>) -> ImageError {
    ImageError::new(Kind::Invalid, what)
}

/// The error for an image, or a part of one, that is recognized and not read. `what` says what to do with it.
pub(crate) fn unsupported(what: impl Into<String>) -> ImageError {
    ImageError::new(Kind::Unsupported, what)
}

/// The error of making something that must be new.
pub(crate) fn of_new(error: io::Error) -> ImageError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => taken(),
        _ => error.into(),
    }
}

/// The error for a place that is taken.
pub(crate) fn taken() -> ImageError {
    ImageError::new(Kind::Exists, "it already exists: choose another name, or move it away")
}

/// The error for what cannot be unless this crate is wrong.
pub fn internal(what: impl fmt::Display) -> ImageError {
    ImageError::new(
        Kind::Internal,
        format!("{what}: this is a fault of the program; please report it"),
    )
}

/// The error for an image that says something whose meaning is not known. It may well be sound, and then reading it
/// by what is known would give wrong content. `what` names the field and its value.
pub(crate) fn not_known(what: impl fmt::Display) -> ImageError {
    unsupported(format!(
        "{what}, which is not known and may change the content: convert it on a Mac first \
             (diskutil image create from --format RAW)"
    ))
}

impl fmt::Display for ImageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Error for ImageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> Self {
        Self { kind: Kind::Io, message: error.to_string(), source: Some(error), part: None }
    }
}

impl From<io::ErrorKind> for ImageError {
    fn from(kind: io::ErrorKind) -> Self {
        io::Error::from(kind).into()
    }
}

/// For callers that speak of files: the system's own error as it was, any other as one of the nearest kind.
impl From<ImageError> for io::Error {
    fn from(error: ImageError) -> Self {
        let kind = match error.kind {
            Kind::NotAnImage | Kind::Unsupported => io::ErrorKind::Unsupported,
            Kind::Damaged => io::ErrorKind::InvalidData,
            Kind::PassphraseNeeded | Kind::WrongPassphrase => io::ErrorKind::PermissionDenied,
            Kind::InUse => io::ErrorKind::ResourceBusy,
            Kind::Exists => io::ErrorKind::AlreadyExists,
            Kind::Invalid => io::ErrorKind::InvalidInput,
            Kind::Internal | Kind::Io => io::ErrorKind::Other,
        };
        error.source.unwrap_or_else(|| Self::new(kind, error.message))
    }
}
