//! Creates, opens and checks images of any format by path.

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::Path;

use system::flush::Durability;

use crate::crypt::{self, Container, Facts, NewKey, Passphrase};
use crate::disk::{Advance, Damage, Sizes, VirtualDisk};
use crate::error::{ImageError, Kind, Result, damaged, invalid};
use crate::findings::{Findings, OnDamage, strict, unless_damaged};
use crate::foreign;
use crate::format::{AnyFormat, ImageFormat};
use crate::marks::Start;
use crate::raw::RAW;
use crate::read_only::ReadOnly;
use crate::row::{File, Layout};
use crate::sparse_bundle::{self, SparseBundle};
use crate::store::{Access, FOR_ALL, HostFile, Store};
use crate::udif::{self, Udif};

/// What to make.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Its format.
    pub format: ImageFormat,
    /// Length of the disk in bytes, a multiple of 512.
    pub len_bytes: u64,
    /// Size of a band in bytes, for UDSP and UDSB; none for the format's default.
    pub band_bytes: Option<u64>,
    /// Size of a block in bytes, where the format has another one than 512 (`Row::large_block_bytes`); none for 512, too.
    pub block_bytes: Option<u64>,
    /// The key, for an encrypted image.
    pub key: Option<NewKey>,
    /// Permission bits of a new file, of which the system's mask takes some away. Those who may read the folder of a
    /// bundle may also search it.
    pub permissions: u32,
}

impl Spec {
    /// A plain image with the format's usual layout.
    pub const fn plain(format: ImageFormat, len_bytes: u64) -> Self {
        Self {
            format,
            len_bytes,
            band_bytes: None,
            block_bytes: None,
            key: None,
            permissions: FOR_ALL,
        }
    }

    /// What will open it, if it is to be encrypted.
    pub fn passphrase(&self) -> Option<&Passphrase> {
        self.key.as_ref().map(|key| &key.passphrase)
    }
}

/// The storage of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A file.
    File,
    /// A folder that is a sparse bundle, be it a damaged one.
    Bundle,
}

/// An open image with its known properties.
pub struct Opened {
    /// The image.
    pub image: Box<dyn VirtualDisk>,
    /// Its format.
    pub format: AnyFormat,
    /// How it is encrypted, if it is.
    pub encryption: Option<Facts>,
    /// What of a compressed image cannot be checked, in a few words.
    pub unchecked: Option<&'static str>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Opened").field("format", &self.format).finish_non_exhaustive()
    }
}

/// The properties in the headers of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its format; none where that is encrypted, or nothing shows that it is a disk.
    pub format: Option<AnyFormat>,
    /// The sizes of its disk; none without a format.
    pub sizes: Option<Sizes>,
    /// How it is encrypted, if it is.
    pub encryption: Option<Facts>,
}

/// What lies at a path. A pipe would be waited for without end, and a device has no length: neither is an image.
///
/// # Errors
/// `NotAnImage`, or `Io`.
pub fn place(path: &Path) -> Result<Place> {
    let found = fs::metadata(path)?;
    if found.is_file() {
        return Ok(Place::File);
    }
    if found.is_dir() && sparse_bundle::may_be_one(path) {
        return Ok(Place::Bundle);
    }
    Err(ImageError::new(
        Kind::NotAnImage,
        if found.is_dir() {
            "it is a folder, but not a sparse bundle: give the path of an image"
        } else {
            "it is neither a file nor a folder: copy it to a file first"
        },
    ))
}

/// Makes a new image, open for writing. Dropping it does not flush: what was written since the last
/// [`flush`](VirtualDisk::flush) may be lost.
///
/// # Errors
/// `Exists` when there is something at the path; `Invalid` for a length, a band or block size or a count of rounds that
/// the format does not have; else `Io`.
pub fn create(path: &Path, spec: &Spec) -> Result<Opened> {
    if spec.band_bytes.is_some() && spec.format.row().band_bytes.is_none() {
        return Err(invalid(format!(
            "{} has no bands to choose: leave their size out",
            spec.format
        )));
    }
    if let Some(block) = spec.block_bytes
        && !spec.format.row().has_blocks_of(block)
    {
        return Err(invalid(format!(
            "{} has no blocks of {block} bytes to choose: leave their size out",
            spec.format
        )));
    }
    if spec.key.is_some() {
        crypt::countable(spec.len_bytes)?;
    }
    let Layout::File(format) = spec.format.row().layout else { return create_bundle(path, spec) };
    let file = HostFile::create_with(path, spec.permissions)?;
    let made = create_in(Box::new(file), spec, format);
    if made.is_err() {
        // No other process has seen it, and a partial image is useless.
        fs::remove_file(path)?;
    }
    made
}

fn create_bundle(path: &Path, spec: &Spec) -> Result<Opened> {
    let made = spec.key.as_ref().map(crypt::token).transpose()?;
    let encryption = made.as_ref().map(super::crypt::Token::facts);
    let image =
        SparseBundle::create_with(path, spec.len_bytes, spec.band_bytes, made, spec.permissions)?;
    let format = AnyFormat::Image(spec.format);
    Ok(Opened { image: Box::new(image), format, encryption, unchecked: None })
}

/// Makes an image of a format of one file in an empty store.
///
/// # Errors
/// As [`create`].
pub(crate) fn create_in(file: Box<dyn Store>, spec: &Spec, format: File) -> Result<Opened> {
    let (store, encryption) = match &spec.key {
        None => (file, None),
        Some(key) => {
            let container = Container::create(file, key)?;
            let facts = container.facts();
            (Box::new(container) as Box<dyn Store>, Some(facts))
        }
    };
    // No format has both.
    let unit = spec.band_bytes.or(spec.block_bytes);
    let mut image = (format.create)(store, spec.len_bytes, unit)?;
    // The header of an encrypted file states the length of what is in it from the first flush on.
    image.flush(Durability::None)?;
    let format = AnyFormat::Image(spec.format);
    Ok(Opened { image, format, encryption, unchecked: None })
}

/// Opens an image. What it is, its own bytes say; a file without any known signature is `UDRW`. An image that is open
/// for writing is locked against everybody (flock(2), which is advisory: only programs that ask for it heed it), and
/// one that is open for reading against writers.
///
/// # Errors
/// `NotAnImage`; `Unsupported` for a kind of image or archive that is not read; `Damaged` when its bytes make no sense;
/// `PassphraseNeeded` or `WrongPassphrase` when it is encrypted; `Invalid` for a passphrase of an image
/// that is not encrypted; `InUse` when it is locked; `Unsupported` for writing on a file system without locks; else `Io`.
pub fn open(path: &Path, access: Access, passphrase: Option<&Passphrase>) -> Result<Opened> {
    let opened = open_any(path, access, passphrase, &mut strict)?;
    Ok(match access {
        Access::Write => opened,
        Access::Read => read_only(opened),
    })
}

/// Opens a damaged image for reading, if the rest can be found without what is damaged; says what that is. What cannot
/// be read is known only when it is read: see [`salvage`](crate::salvage).
///
/// # Errors
/// As [`open`], `Damaged` where nothing tells what lies where.
pub fn open_damaged(path: &Path, passphrase: Option<&Passphrase>) -> Result<(Opened, Vec<Damage>)> {
    let mut findings = Findings::default();
    let opened = open_any(path, Access::Read, passphrase, &mut findings.on_damage())?;
    Ok((read_only(opened), findings.into_lines()))
}

fn read_only(opened: Opened) -> Opened {
    Opened { image: Box::new(ReadOnly(opened.image)), ..opened }
}

fn open_any(
    path: &Path,
    access: Access,
    passphrase: Option<&Passphrase>,
    on_damage: &mut OnDamage<'_>,
) -> Result<Opened> {
    if place(path)? == Place::Bundle {
        let token = crypt::open_token(&path.join(sparse_bundle::TOKEN), passphrase)?;
        let encryption = token.as_ref().map(super::crypt::Token::facts);
        let image = SparseBundle::open_around(path, access, token, on_damage)?;
        // Only now: a token that is missing is damage.
        refuse_unused(passphrase, encryption.as_ref())?;
        let format = AnyFormat::Image(ImageFormat::Udsb);
        return Ok(Opened { image: Box::new(image), format, encryption, unchecked: None });
    }
    let (mut store, encryption) = open_store(path, access, passphrase, on_damage)?;
    let found = found_in(store.as_mut(), encryption.is_some())?;
    refuse_unused(passphrase, encryption.as_ref())?;
    let (image, format, unchecked): (Box<dyn VirtualDisk>, _, _) = match found {
        Found::Image(format, functions) => {
            ((functions.open)(store, on_damage)?, AnyFormat::Image(format), None)
        }
        Found::Udif => {
            let image = Udif::open_around(store, on_damage)?;
            let kind = image.kind();
            if access == Access::Write {
                return Err(udif::never_written(kind));
            }
            let unchecked = image.unchecked();
            (Box::new(image), AnyFormat::Udif(kind), unchecked)
        }
    };
    Ok(Opened { image, format, encryption, unchecked })
}

/// Reads what an image is, in its headers alone: what lies where is not looked at. Without its passphrase an encrypted
/// image tells how it is encrypted, and the rest only if it is a bundle; that a plain one is given a passphrase is no
/// error. A raw disk has no signature of its own: it is one when it begins as `volume` does, or shows a partition map
/// or a file system; else it may be anything, encrypted in a way that is not known too.
///
/// # Errors
/// As [`open`], `Damaged` for headers that make no sense.
pub fn identify(path: &Path, passphrase: Option<&Passphrase>, volume: &[u8]) -> Result<Identity> {
    if place(path)? == Place::Bundle {
        let token = path.join(sparse_bundle::TOKEN);
        let encryption = match crypt::open_token(&token, None) {
            Err(error) if error.kind() == Kind::PassphraseNeeded => Some(public_facts(&token)?),
            plain => plain.map(|_| None)?,
        };
        let format = Some(AnyFormat::Image(ImageFormat::Udsb));
        return Ok(Identity { format, sizes: Some(sparse_bundle::sizes(path)?), encryption });
    }
    let (mut store, encryption) = match open_store(path, Access::Read, passphrase, &mut strict) {
        Err(error) if error.kind() == Kind::PassphraseNeeded => {
            let encryption = Some(public_facts(path)?);
            return Ok(Identity { format: None, sizes: None, encryption });
        }
        opened => opened?,
    };
    let (format, sizes) = match found_in(store.as_mut(), encryption.is_some())? {
        Found::Image(format, functions) => {
            if !format.is_marked() && !foreign::shows_a_disk(store.as_mut(), volume)? {
                return Ok(Identity { format: None, sizes: None, encryption });
            }
            (AnyFormat::Image(format), (functions.sizes)(store.as_mut())?)
        }
        Found::Udif => {
            let image = Udif::open(store)?;
            (AnyFormat::Udif(image.kind()), Sizes::of_plain(image.len_bytes()))
        }
    };
    Ok(Identity { format: Some(format), sizes: Some(sizes), encryption })
}

/// Reads what the header of an encrypted image says in the clear; that of a bundle is its token.
///
/// # Errors
/// `Damaged` or `Unsupported` for a header that cannot be used; otherwise any error of the system.
pub(crate) fn public_facts(path: &Path) -> Result<Facts> {
    let mut header = Vec::new();
    fs::File::open(path)?.take(crypt::HEADER as u64).read_to_end(&mut header)?;
    crypt::public_facts(&header)
}

/// Looks for damage. An empty list means that every structure is as it should be, and the content of a compressed image,
/// too: it has checksums. The content of the other formats has none.
///
/// # Errors
/// As [`open`], but damage is not an error.
pub fn check(path: &Path, passphrase: Option<&Passphrase>) -> Result<Vec<Damage>> {
    check_with(path, passphrase, &mut |_, _| ())
}

/// The same; `advance` gets its progress where it reads the content: in a compressed image.
///
/// # Errors
/// As [`check`].
pub fn check_with(
    path: &Path,
    passphrase: Option<&Passphrase>,
    advance: Advance<'_>,
) -> Result<Vec<Damage>> {
    let result = check_structures(path, passphrase, advance);
    match result {
        Err(error) if error.kind() == Kind::Damaged => Ok(vec![Damage(error.to_string())]),
        other => other,
    }
}

/// Changes the passphrase of an encrypted image; its content is not touched. At every moment, also when the power
/// fails, either the old one or the new one opens it. Without a count of rounds of PBKDF2 it is the usual one.
/// Gives how many other passphrases, certificates and keychains open the image as before.
///
/// # Errors
/// `Invalid` when it is not encrypted; `PassphraseNeeded` or `WrongPassphrase`; `Unsupported`, `Damaged`, `InUse` as
/// [`open`]; `Unsupported` when its header has no room; else `Io`.
pub fn change_passphrase(
    path: &Path,
    old: Option<&Passphrase>,
    new: &Passphrase,
    iterations: Option<u32>,
) -> Result<usize> {
    let (keys, _lock) = match place(path)? {
        Place::File => (path.to_owned(), None),
        Place::Bundle => {
            let lock = sparse_bundle::hold_lock(path, Access::Write)?;
            (sparse_bundle::token_of(path)?, lock)
        }
    };
    let mut file = HostFile::open(&keys, Access::Write)?;
    if Start::of(&mut file)?.format().is_some() || !crypt::is_container(&mut file)? {
        return Err(invalid(
            "it is not encrypted, so it has no passphrase: an encrypted copy can be made of it (diskbench image convert)",
        ));
    }
    crypt::rekey::change(&mut file, old, new, iterations)
}

/// What lies beside a bundle's bands and is no part of the disk.
///
/// # Errors
/// Any error of the system.
pub fn left(path: &Path) -> Result<Vec<String>> {
    match fs::metadata(path)?.is_dir() {
        true => sparse_bundle::left(path),
        false => Ok(Vec::new()),
    }
}

fn check_structures(
    path: &Path,
    passphrase: Option<&Passphrase>,
    advance: Advance<'_>,
) -> Result<Vec<Damage>> {
    if place(path)? == Place::Bundle {
        let token = crypt::open_token(&path.join(sparse_bundle::TOKEN), passphrase)?;
        let encryption = token.as_ref().map(super::crypt::Token::facts);
        let damages = sparse_bundle::check(path, token)?;
        if damages.is_empty() {
            refuse_unused(passphrase, encryption.as_ref())?;
        }
        return Ok(damages);
    }
    let (mut store, encryption) = open_store(path, Access::Read, passphrase, &mut strict)?;
    let found = found_in(store.as_mut(), encryption.is_some())?;
    refuse_unused(passphrase, encryption.as_ref())?;
    match found {
        Found::Image(_, functions) => (functions.check)(store),
        Found::Udif => udif::check(store, advance),
    }
}

fn open_store(
    path: &Path,
    access: Access,
    passphrase: Option<&Passphrase>,
    on_damage: &mut OnDamage<'_>,
) -> Result<(Box<dyn Store>, Option<Facts>)> {
    let mut file = HostFile::open(path, access)?;
    // An old encrypted image is marked at its end, where a sparse one may hold any bytes.
    if Start::of(&mut file)?.format().is_some() || !crypt::is_container(&mut file)? {
        return Ok((Box::new(file), None));
    }
    let container = Container::open_around(Box::new(file), passphrase, on_damage)?;
    let facts = container.facts();
    Ok((Box::new(container), Some(facts)))
}

/// The properties of an image by its bytes.
enum Found {
    /// A format that is made here, and its functions.
    Image(ImageFormat, File),
    /// A UDIF.
    Udif,
}

/// The format of an image: that of its first bytes or its last, or `UDRW` where nothing tells of another one.
///
/// # Errors
/// `Unsupported` for a kind that is not read, or a UDIF with bytes behind its end; `NotAnImage`; `Damaged` for a header whose signature was damaged: it must
/// not pass for a raw disk.
fn found_in(store: &mut dyn Store, encrypted: bool) -> Result<Found> {
    let start = Start::of(store)?;
    if let Some((format, functions)) = start.format() {
        return Ok(Found::Image(format, functions));
    }
    // An unreadable signature is none: what is missing there is reported when the disk is read.
    if unless_damaged(udif::is_there(store))? == Some(true) {
        return Ok(Found::Udif);
    }
    if !encrypted {
        udif::refuse_one_that_goes_on(store)?;
        // A disk may begin with any bytes, and who encrypted it made it a disk.
        unless_damaged(foreign::refuse(store))?;
    }
    if let Some(name) = start.nearly() {
        return Err(damaged(format!("its first bytes are those of {name}, except the signature")));
    }
    if !encrypted {
        // What was decrypted is an image, be it a damaged one.
        foreign::refuse_what_is_no_disk(store)?;
    }
    Ok(Found::Image(ImageFormat::Udrw, RAW))
}

/// Refuses a passphrase for an image without an encryption header: with a lost header, ciphertext would be copied as
/// content.
fn refuse_unused(passphrase: Option<&Passphrase>, encryption: Option<&Facts>) -> Result<()> {
    if passphrase.is_none() || encryption.is_some() {
        return Ok(());
    }
    Err(invalid(
        "a passphrase is given, but the image does not seem to be encrypted: leave the passphrase out if it is not, or use a good copy if it is",
    ))
}
