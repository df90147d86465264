//! Which program does what, on which macOS: one table.
//!
//! The table has the expected tools, but the programs' answers decide: if a program refuses, the next one is tried, and
//! a cell without any remaining tool is skipped.
//!
//! Detaching is the same for every format, and uses both programs in turn: [`detach`](crate::image::macos::detach).

use crate::cell::{Cell, Encryption, Format};
use crate::host;
pub(crate) use crate::image::macos::Tool;

/// What is to be done with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Make it.
    Create,
    /// Attach it.
    Attach,
    /// Say what it is.
    Identify,
    /// Give unused space in it back.
    Compact,
}

/// A line of the table.
struct Row {
    verb: Verb,
    formats: &'static [Format],
    encryptions: &'static [Encryption],
    tool: Tool,
    /// First macOS that does it.
    since: u32,
}

const ALL: &[Encryption] = &[Encryption::None, Encryption::Aes128, Encryption::Aes256];

/// diskutil(8): "Encryption is AES-256 only".
const DISKUTIL: &[Encryption] = &[Encryption::None, Encryption::Aes256];

/// The oldest macOS of the study.
const OLDEST: u32 = 13;

/// The first release with `diskutil image create` and the current names of options: diskutil(8) of macOS 13 and 14.
/// macOS 13 has only `image attach`, with options of a single dash.
const DISKUTIL_SINCE: u32 = 14;

/// From here on `hdiutil detach` was seen to answer "Resource busy" every time, where `diskutil eject` works: autopkg,
/// issue 1069. Before, `hdiutil detach` is what everybody uses.
const EJECTS_SINCE: u32 = 27;

/// The table, the preferred tool first. From the manual pages hdiutil(1) and diskutil(8) of macOS 13 to 27, beta 4,
/// as they come with Xcode; from 27 on hdiutil warns on stderr for every verb and still works.
const TABLE: [Row; 10] = {
    use Format::{Asif, Udrw, Udsb, Udsp};
    use Tool::{Diskutil, Hdiutil};
    use Verb::{Attach, Compact, Create, Identify};
    [
        // hdiutil(1), `create -type UDIF | SPARSE | SPARSEBUNDLE`.
        row(Create, &[Udrw, Udsp, Udsb], ALL, Hdiutil, OLDEST),
        // diskutil(8), `image create blank --format RAW | UDSB`. Nothing but hdiutil makes UDSP.
        row(Create, &[Udrw, Udsb], DISKUTIL, Diskutil, DISKUTIL_SINCE),
        // diskutil(8) of macOS 26: `--format ASIF`.
        row(Create, &[Asif], DISKUTIL, Diskutil, 26),
        row(Attach, &[Udrw, Udsp, Udsb], ALL, Hdiutil, OLDEST),
        // diskutil(8), `image attach`.
        row(Attach, &[Udrw, Udsp, Udsb], ALL, Diskutil, DISKUTIL_SINCE),
        // Attached by macOS 15 already, which cannot make it.
        row(Attach, &[Asif], DISKUTIL, Diskutil, 15),
        // hdiutil(1), `imageinfo`; it does not support ASIF.
        row(Identify, &[Udrw, Udsp, Udsb], ALL, Hdiutil, OLDEST),
        // diskutil(8), `image info`.
        row(Identify, &[Udrw, Udsp, Udsb], ALL, Diskutil, DISKUTIL_SINCE),
        row(Identify, &[Asif], DISKUTIL, Diskutil, 15),
        // hdiutil(1): only sparse images and bundles, and no other program takes its place.
        row(Compact, &[Udsp, Udsb], ALL, Hdiutil, OLDEST),
    ]
};

const fn row(
    verb: Verb,
    formats: &'static [Format],
    encryptions: &'static [Encryption],
    tool: Tool,
    since: u32,
) -> Row {
    Row { verb, formats, encryptions, tool, since }
}

/// The properties of a Mac that decide which tools are available.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mac {
    /// Major version of its macOS; none if unknown.
    major: Option<u32>,
}

impl Mac {
    /// A Mac with this major version of macOS.
    pub(crate) const fn new(major: Option<u32>) -> Self {
        Self { major }
    }

    /// This one.
    pub(crate) fn this() -> Self {
        Self::new(major(&host::os().version))
    }

    /// Major version of its macOS.
    pub(crate) const fn major(self) -> Option<u32> {
        self.major
    }

    /// Whether its macOS is at least this one; true if unknown.
    fn is_at_least(self, major: u32) -> bool {
        self.major.is_none_or(|found| found >= major)
    }

    /// The program that detaches first.
    pub(crate) fn detaches_first(self) -> Tool {
        if self.major.is_some_and(|major| major >= EJECTS_SINCE) {
            Tool::Diskutil
        } else {
            Tool::Hdiutil
        }
    }

    /// The tools for this, the preferred one first; empty if it is not supported.
    pub(crate) fn tools(self, verb: Verb, cell: &Cell) -> Vec<Tool> {
        let rows = rows(verb, cell).filter(|row| self.is_at_least(row.since));
        rows.map(|row| row.tool).collect()
    }

    /// Why a cell cannot be measured on this Mac, if so; with what to do.
    pub(crate) fn refusal(self, cell: &Cell) -> Option<String> {
        refusal_anywhere(cell).or_else(|| {
            if !self.is_at_least(OLDEST) {
                return Some(format!(
                    "{} is older than this study: measure on macOS {OLDEST} or later",
                    self.name()
                ));
            }
            let none = |verb| self.tools(verb, cell).is_empty();
            (none(Verb::Create) || none(Verb::Attach)).then(|| self.cannot(Verb::Create, cell))
        })
    }

    /// Why this cannot be done here, in words for a record.
    pub(crate) fn cannot(self, verb: Verb, cell: &Cell) -> String {
        let (name, format) = (self.name(), cell.format);
        let does = match verb {
            Verb::Create => "create",
            Verb::Attach => "attach",
            Verb::Identify => "identify",
            Verb::Compact => "compact",
        };
        let first = rows(verb, cell).map(|row| row.since).min().unwrap_or(OLDEST);
        let cipher = match cell.encryption {
            Encryption::None => String::new(),
            cipher => format!(" with {cipher}"),
        };
        let plain = format!("{name} cannot {does} {format} images{cipher}");
        if self.is_at_least(first) {
            format!("{plain}: measure this cell on another release of macOS")
        } else {
            format!("{plain}: measure this cell on macOS {first} or later")
        }
    }

    fn name(self) -> String {
        self.major.map_or_else(|| "this macOS".to_owned(), |major| format!("macOS {major}"))
    }
}

/// The lines of the table that are about this cell, on any macOS.
fn rows(verb: Verb, cell: &Cell) -> impl Iterator<Item = &'static Row> {
    let (format, encryption) = (cell.format, cell.encryption);
    // diskutil makes bands of the format's own size only.
    let banded = verb == Verb::Create && cell.band_bytes.is_some();
    TABLE.iter().filter(move |row| {
        row.verb == verb
            && row.formats.contains(&format)
            && row.encryptions.contains(&encryption)
            && !(banded && row.tool == Tool::Diskutil)
    })
}

/// Why no Mac can measure a cell with this driver, if so; with what to do.
fn refusal_anywhere(cell: &Cell) -> Option<String> {
    if cell.format == Format::Vm {
        return Some(
            "format VM is a guest's own disk, which driver apple cannot reach: run study=vm-2026 inside the guest, where driver native measures it"
                .to_owned(),
        );
    }
    if cell.format.image().is_none() {
        return Some(
            "driver apple measures images, and format native is not an image: use driver native"
                .to_owned(),
        );
    }
    if let Some(bytes) = cell.block_bytes {
        // diskutil(8) of macOS 26 to 27 beta 4, `image create blank`: --format, --size, --volumeName, --fs. The size of
        // blocks is a parameter of DiskImageKit alone (macOS 27, `DiskImage.CreationConfiguration.asif`), which no
        // program calls.
        return Some(format!(
            "diskutil is not known to make {} images with blocks of {bytes} bytes, on any macOS up to 27: \
             measure them with driver portable",
            cell.format
        ));
    }
    if cell.restarts() {
        return Some(
            "driver apple has no guest to restart: \
             run study=vm-2026 inside the guest, where driver native measures it"
                .to_owned(),
        );
    }
    if !TABLE.iter().any(|row| row.formats.contains(&cell.format)) {
        return Some(format!(
            "no macOS is known to make {} images: measure them with driver portable",
            cell.format
        ));
    }
    match cell.encryption {
        Encryption::Aes128 if rows(Verb::Create, cell).next().is_none() => Some(format!(
            "{} images are made by diskutil, which encrypts with AES-256 only: use AES-256",
            cell.format
        )),
        Encryption::None | Encryption::Aes128 | Encryption::Aes256 => None,
        Encryption::FileVault | Encryption::Apfs => Some(format!(
            "driver apple cannot encrypt with {}, only the image itself: use none, AES-128 or AES-256",
            cell.encryption
        )),
    }
}

/// The major version in a version such as `26.4`.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
