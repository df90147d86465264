//! The images: real ones, but their volume is a plain folder. They contain only a label that
//! names their volume, and a page for each megabyte of content.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use diskimage::crypt::{self, KeySize, NewKey, Passphrase};
use diskimage::disk::VirtualDisk;
use diskimage::format::{AnyFormat, ImageFormat};
use diskimage::info::footprint;
use diskimage::open::{self, Spec};
use diskimage::store::Access;
use serde::{Deserialize, Serialize};
use system::flush::Durability;

use crate::world::World;

/// Where the label lies, in bytes: behind a partition table, were there one.
const PLACE: u64 = 20_480;

/// Its length in bytes.
const LENGTH: usize = 4096;

/// What it begins with.
const MARK: &[u8] = b"diskbench stand-in volume\n";

/// Rounds of PBKDF2: few, since these images keep no secret.
const ROUNDS: u32 = 100;

/// Unit in which content is stood for, in bytes.
const MIB: u64 = 1 << 20;

/// Of an encrypted image one page is written for so many units only: a UDSP band is encrypted whole, a UDSB band up to
/// what is written in it, and that would take too long.
const ENCRYPTED_STRIDE: u64 = 8;
const ENCRYPTED_UDSP_STRIDE: u64 = 16;

/// A page in bytes.
const PAGE: usize = 4096;

/// A file system that a volume may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileSystem {
    /// APFS.
    Apfs,
    /// HFS+.
    Hfs,
}

impl FileSystem {
    /// Whether it lies in a container.
    pub const fn is_apfs(self) -> bool {
        matches!(self, Self::Apfs)
    }

    /// What `volume-kind`, `filesystem-type` and `FilesystemType` call it.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Apfs => "apfs",
            Self::Hfs => "hfs",
        }
    }

    /// What people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apfs => "APFS",
            Self::Hfs => "HFS+",
        }
    }
}

/// What an image says of its volume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Its number.
    pub volume: String,
    /// Its name.
    pub name: String,
    /// Its file system.
    pub file_system: FileSystem,
    /// Megabytes that were in use at most, since it was compacted.
    pub high: u64,
}

/// An image, as far as it is looked at.
#[derive(Debug)]
pub struct Found {
    /// Its format.
    pub format: ImageFormat,
    /// Length of its disk in bytes.
    pub len_bytes: u64,
    /// Bits of its key, if it is encrypted.
    pub key_bits: Option<u32>,
    /// What it says of its volume.
    pub label: Option<Label>,
}

/// What to make.
pub struct New<'a> {
    /// Its format.
    pub format: ImageFormat,
    /// Length of its disk in bytes.
    pub len_bytes: u64,
    /// Size of a band in bytes.
    pub band_bytes: Option<u64>,
    /// Its key.
    pub key: Option<(KeySize, &'a Passphrase)>,
    /// What it says of its volume.
    pub label: Label,
}

impl New<'_> {
    /// Makes one mistake that was ordered: another image than the one that is asked for.
    pub fn mistaken(mut self, world: &World) -> io::Result<Self> {
        if world.obeys("makes-other-cipher")? {
            self.key = self.key.map(|(size, passphrase)| match size {
                KeySize::Aes128 => (KeySize::Aes256, passphrase),
                KeySize::Aes256 => (KeySize::Aes128, passphrase),
            });
        }
        if world.obeys("makes-plain")? {
            self.key = None;
        }
        if world.obeys("makes-raw")? {
            self.format = ImageFormat::Udrw;
            self.band_bytes = None;
        }
        if world.obeys("makes-other-bands")? {
            self.band_bytes = self.band_bytes.map(|bytes| bytes.saturating_mul(2));
        }
        if world.obeys("makes-other-length")? {
            self.len_bytes = self.len_bytes.saturating_mul(2);
        }
        if world.obeys("makes-hfs")? {
            self.label.file_system = FileSystem::Hfs;
        }
        Ok(self)
    }
}

/// Makes an image.
pub fn create(path: &Path, new: &New<'_>) -> io::Result<()> {
    let key = new.key.map(|(size, passphrase)| NewKey {
        size,
        passphrase: passphrase.clone(),
        iterations: Some(ROUNDS),
    });
    let plain = Spec::plain(new.format, new.len_bytes);
    let spec = Spec { band_bytes: new.band_bytes, key, ..plain };
    let mut image = open::create(path, &spec)?.image;
    write(image.as_mut(), &new.label)?;
    Ok(image.flush(Durability::None)?)
}

/// Looks at an image.
pub fn look(path: &Path, passphrase: Option<&Passphrase>) -> io::Result<Found> {
    let mut opened = open::open(path, Access::Read, needed(path, passphrase))?;
    let label = read(opened.image.as_mut())?;
    // no driver asks for a compressed one, and this makes none
    let AnyFormat::Image(format) = opened.format else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    Ok(Found {
        format,
        len_bytes: opened.image.len_bytes(),
        key_bits: opened.encryption.map(|facts| facts.cipher.bits()),
        label,
    })
}

/// Lets an image grow as its content did, as a Mac does while files are written.
pub fn grow(path: &Path, passphrase: Option<&Passphrase>, content_bytes: u64) -> io::Result<()> {
    let opened = open::open(path, Access::Write, needed(path, passphrase))?;
    let mut image = opened.image;
    let Some(mut label) = read(image.as_mut())? else { return Ok(()) };
    let stride = match (opened.encryption.is_some(), opened.format) {
        (false, _) => 1,
        (true, AnyFormat::Image(ImageFormat::Udsp)) => ENCRYPTED_UDSP_STRIDE,
        (true, _) => ENCRYPTED_STRIDE,
    };
    let most = image.len_bytes() / MIB;
    let high = content_bytes.div_ceil(MIB).min(most.saturating_sub(1));
    if high <= label.high {
        return Ok(());
    }
    for unit in (label.high.saturating_add(1)..=high).filter(|unit| unit.is_multiple_of(stride)) {
        image.write_at(&[0x5a; PAGE], unit.saturating_mul(MIB))?;
    }
    label.high = high;
    write(image.as_mut(), &label)?;
    Ok(image.flush(Durability::None)?)
}

/// Gives back what its content does not need; says how many bytes of the disk that were.
pub fn compact(
    path: &Path,
    passphrase: Option<&Passphrase>,
    content_bytes: u64,
) -> io::Result<u64> {
    let mut image = open::open(path, Access::Write, needed(path, passphrase))?.image;
    let before = footprint(path)?.allocated_bytes;
    if let Some(mut label) = read(image.as_mut())? {
        let needed = content_bytes.div_ceil(MIB).min(label.high);
        let first = needed.saturating_add(1).saturating_mul(MIB);
        let end = label.high.saturating_add(1).saturating_mul(MIB).min(image.len_bytes());
        if first < end {
            image.discard(first, end.saturating_sub(first))?;
        }
        label.high = needed;
        write(image.as_mut(), &label)?;
        image.flush(Durability::None)?;
    }
    image.compact()?;
    Ok(before.saturating_sub(footprint(path)?.allocated_bytes))
}

/// A passphrase that a plain image does not need is not looked at; made up.
fn needed<'a>(path: &Path, passphrase: Option<&'a Passphrase>) -> Option<&'a Passphrase> {
    passphrase.filter(|_| is_encrypted(path).unwrap_or(true))
}

/// Whether an image is encrypted: its first bytes tell, or those of a bundle's token.
pub fn is_encrypted(path: &Path) -> io::Result<bool> {
    let token = path.join("token");
    let header = if fs::metadata(path)?.is_dir() { &token } else { path };
    let mut first = Vec::new();
    match File::open(header) {
        Ok(file) => file.take(crypt::MAGIC.len() as u64).read_to_end(&mut first)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(first == crypt::MAGIC)
}

fn read(image: &mut dyn VirtualDisk) -> io::Result<Option<Label>> {
    if image.len_bytes() < PLACE.saturating_add(LENGTH as u64) {
        return Ok(None);
    }
    let mut bytes = vec![0; LENGTH];
    image.read_at(&mut bytes, PLACE)?;
    let text = bytes.strip_prefix(MARK).unwrap_or_default();
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(serde_json::from_slice(text).ok())
}

fn write(image: &mut dyn VirtualDisk, label: &Label) -> io::Result<()> {
    let mut bytes = MARK.to_vec();
    bytes.extend(serde_json::to_vec(label)?);
    bytes.resize(LENGTH, 0);
    Ok(image.write_at(&bytes, PLACE)?)
}
