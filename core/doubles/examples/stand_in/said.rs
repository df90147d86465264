//! Output and errors of programs.

use std::io;

use plist::Value;

use crate::release::Words;

/// What a program prints, and its exit code.
#[derive(Debug, Default)]
pub struct Said {
    /// On stdout.
    pub out: Vec<u8>,
    /// On stderr.
    pub err: String,
    /// Its exit code.
    pub code: u8,
}

impl Said {
    /// Only a text, on stdout.
    pub fn text(text: impl Into<String>) -> Self {
        Self { out: text.into().into_bytes(), ..Self::default() }
    }

    /// Only a property list, on stdout.
    pub fn plist(value: &Value) -> io::Result<Self> {
        let mut out = Vec::new();
        value.to_writer_xml(&mut out).map_err(io::Error::other)?;
        out.push(b'\n');
        Ok(Self { out, ..Self::default() })
    }

    /// A refusal, on stderr.
    pub fn refused(code: u8, line: impl Into<String>) -> Self {
        Self { err: format!("{}\n", line.into()), code, ..Self::default() }
    }

    /// With a line on stderr before all others.
    pub fn warned(mut self, line: Option<String>) -> Self {
        if let Some(line) = line {
            self.err.insert_str(0, &format!("{line}\n"));
        }
        self
    }
}

/// Why a program does not do what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// For a reason that each program puts in its own words.
    For(Reason),
    /// With just these words and this code.
    With(Said),
    /// It never returns.
    Never,
    /// It does what it was called for once this order is taken back.
    Held(String),
    /// The stand-in itself is at a loss: a finding.
    Lost(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self::For(reason)
    }
}

/// What a program's call comes to.
pub type Outcome<T = Said> = Result<T, Failure>;

/// The reasons that the programs give, most of them errors of BSD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// EBUSY.
    Busy,
    /// ENOENT.
    NoEntry,
    /// EEXIST.
    Exists,
    /// ENOSPC.
    NoSpace,
    /// EAUTH: a wrong passphrase, or none.
    Authentication,
    /// EAGAIN: somebody holds the image.
    Again,
    /// EPERM.
    NotPermitted,
    /// EINVAL.
    Invalid,
    /// ENOTSUP, ENOSYS.
    NotSupported,
    /// Nothing on it can be mounted.
    NoFileSystem,
    /// It is no image.
    NotRecognized,
    /// `diskutil` cannot reach `storagekitd`.
    Helper,
}

impl Reason {
    /// The reason in English or German. Of the German texts only that of `Busy`
    /// was seen; the others are made up in its manner.
    pub const fn words(self, words: Words) -> &'static str {
        match (self, words) {
            (Self::Busy, Words::English) => "Resource busy",
            (Self::Busy, Words::German) => "Ressource ist belegt",
            (Self::NoEntry, Words::English) => "No such file or directory",
            (Self::NoEntry, Words::German) => "Datei oder Verzeichnis nicht gefunden",
            (Self::Exists, Words::English) => "File exists",
            (Self::Exists, Words::German) => "Datei existiert bereits",
            (Self::NoSpace, Words::English) => "No space left on device",
            (Self::NoSpace, Words::German) => "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
            (Self::Authentication, Words::English) => "Authentication error",
            (Self::Authentication, Words::German) => "Fehler bei der Identifizierung",
            (Self::Again, Words::English) => "Resource temporarily unavailable",
            (Self::Again, Words::German) => "Ressource ist zeitweilig nicht verfügbar",
            (Self::NotPermitted, Words::English) => "Operation not permitted",
            (Self::NotPermitted, Words::German) => "Vorgang nicht zulässig",
            (Self::Invalid, Words::English) => "Invalid argument",
            (Self::Invalid, Words::German) => "Ungültiges Argument",
            (Self::NotSupported, Words::English) => "Operation not supported",
            (Self::NotSupported, Words::German) => "Vorgang nicht unterstützt",
            (Self::NoFileSystem, Words::English) => "no mountable file systems",
            (Self::NoFileSystem, Words::German) => "keine aktivierbaren Dateisysteme",
            (Self::NotRecognized, Words::English) => "image not recognized",
            (Self::NotRecognized, Words::German) => "Image nicht erkannt",
            (Self::Helper, Words::English) => "Couldn’t communicate with a helper application.",
            (Self::Helper, Words::German) => {
                "Es konnte nicht mit einem Hilfsprogramm kommuniziert werden."
            }
        }
    }

    /// What an error of our own image code means to the programs.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NoEntry,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull => Self::NoSpace,
            io::ErrorKind::ResourceBusy => Self::Again,
            io::ErrorKind::InvalidInput => Self::Invalid,
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::Authentication
            }
            io::ErrorKind::PermissionDenied => Self::NotPermitted,
            _ => Self::NotRecognized,
        }
    }
}
