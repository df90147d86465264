//! Resolves the arguments of `diskbench image`: checks the request, reads passphrases.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::disk::{LONGEST, SECTOR};
use diskimage::format::ImageFormat;
use diskimage::open::{Spec, place};
use diskimage::store::Access;
use system::file;

use crate::cli::image::{
    ConvertArguments, CreateArguments, ImageArguments, LayoutArguments, NewPassphraseArguments,
    PartitionArguments, PassphraseArguments,
};
use crate::error::image::failure;
use crate::error::{Error, Result};
use crate::passphrase::{self, End, Use};
use crate::progress::Style;

/// The destination that means standard output.
const STDOUT: &str = "-";

/// An image that is there.
#[derive(Debug, Clone)]
pub(super) struct ExistingImage {
    /// Where.
    pub path: PathBuf,
    /// What opens it, if that is given.
    pub passphrase: Option<Passphrase>,
    /// The chosen partition of its disk; none for the whole disk.
    pub partition: Option<u32>,
}

impl ExistingImage {
    /// The same, but only this partition of its disk.
    pub(super) fn only(self, PartitionArguments { partition }: PartitionArguments) -> Self {
        Self { partition, ..self }
    }
}

/// An image that is to be.
#[derive(Debug)]
pub(super) struct NewImage {
    /// Where.
    pub path: PathBuf,
    /// What it is like. A copy gets the length of its source.
    pub spec: Spec,
}

/// An image and its copy.
#[derive(Debug)]
pub(super) struct ConvertTask {
    /// What is copied.
    pub source: ExistingImage,
    /// The copy.
    pub destination: Destination,
    /// Whether the copy is read again and compared.
    pub verify: bool,
    /// Whether damage is read around.
    pub salvage: bool,
    /// How progress is shown.
    pub progress: Style,
}

/// The destination of a copy.
#[derive(Debug)]
pub(super) enum Destination {
    /// A new image.
    Image(NewImage),
    /// Standard output, as a raw disk.
    Stdout,
}

/// Two images to compare.
///
/// # Errors
/// As [`existing`], of either.
pub(super) fn to_compare(
    path: PathBuf,
    other: PathBuf,
    passphrase: PassphraseArguments,
) -> Result<(ExistingImage, ExistingImage)> {
    check_there(&other)?;
    let one = existing(ImageArguments { path, passphrase })?;
    let other = ExistingImage { path: other, ..one.clone() };
    Ok((one, other))
}

/// An image and the passphrase that will open it.
///
/// # Errors
/// As [`existing`]; exit code 2 when the new passphrase is missing or cannot be read.
pub(super) fn to_change_passphrase(
    image: ImageArguments,
    new: NewPassphraseArguments,
) -> Result<(ExistingImage, Passphrase)> {
    let number = new.descriptor().ok_or_else(|| {
        Error::input(
            "the new passphrase is missing: pipe it as the line behind the old one and add \
             --new-passphrase-stdin, or use --new-passphrase-fd N",
        )
    })?;
    let end = image.passphrase.end();
    let image = existing(image)?;
    Ok((image, passphrase::read(number, Use::Make, end)?))
}

/// An image to make.
///
/// # Errors
/// Exit code 2 when it makes no sense or the passphrase cannot be read, 4 when its place is taken.
pub(super) fn to_create(arguments: CreateArguments) -> Result<NewImage> {
    let CreateArguments { path, format, size, layout, passphrase } = arguments;
    check_layout(format, layout)?;
    let unit = layout.block.unwrap_or(SECTOR);
    if size == 0 || !size.is_multiple_of(unit) {
        return Err(Error::input(format!(
            "--size {size} is no disk: give a multiple of {unit} bytes, such as 100GiB"
        )));
    }
    if size > LONGEST {
        return Err(Error::input(format!(
            "--size {size} is longer than a file can be: give at most {LONGEST} bytes"
        )));
    }
    check_free(&path)?;
    check_name(&path, format)?;
    let from = encrypted(layout.encryption, passphrase.descriptor(), "--passphrase")?;
    let image = new(path, format, layout, from, passphrase.end())?;
    Ok(NewImage { spec: Spec { len_bytes: size, ..image.spec }, ..image })
}

/// An image to copy.
///
/// # Errors
/// As [`existing`] and [`to_create`].
pub(super) fn to_convert(arguments: ConvertArguments) -> Result<ConvertTask> {
    let ConvertArguments { source, destination, to, layout, passphrase, new_passphrase, .. } =
        arguments;
    let (verify, salvage, partition) = (arguments.verify, arguments.salvage, arguments.partition);
    let progress = arguments.progress.style();
    // All checks are done before a passphrase is read.
    check_there(&source)?;
    if destination.as_os_str() == STDOUT {
        check_stdout(to, layout, new_passphrase, verify || salvage)?;
        let source = existing(ImageArguments { path: source, passphrase })?.only(partition);
        let destination = Destination::Stdout;
        return Ok(ConvertTask { source, destination, verify, salvage, progress });
    }
    check_layout(to, layout)?;
    check_free(&destination)?;
    check_name(&destination, to)?;
    check_outside(&source, &destination)?;
    let from = encrypted(layout.encryption, new_passphrase.descriptor(), "--new-passphrase")?;
    // The source's first: that is the order of the lines when both come from one place.
    let source = existing(ImageArguments { path: source, passphrase })?.only(partition);
    let destination = Destination::Image(new(destination, to, layout, from, passphrase.end())?);
    Ok(ConvertTask { source, destination, verify, salvage, progress })
}

/// What is written to standard output can be the bytes of the disk only, is never read again, and is for a program.
fn check_stdout(
    to: ImageFormat,
    layout: LayoutArguments,
    passphrase: NewPassphraseArguments,
    more: bool,
) -> Result<()> {
    let usual = layout.band.is_none() && layout.block.is_none();
    let plain = to == ImageFormat::Udrw && usual && layout.encryption.is_none();
    if !plain || passphrase.descriptor().is_some() {
        return Err(Error::input(
            "standard output (-) takes a raw disk only: use --to UDRW alone, or give the path of a new image",
        ));
    }
    if more {
        return Err(Error::input(
            "standard output (-) cannot be read back: leave --verify and --salvage out, or give \
             the path of a new image",
        ));
    }
    if io::stdout().is_terminal() {
        return Err(Error::input(
            "standard output (-) is a terminal: send it to a program or file (| or >)",
        ));
    }
    Ok(())
}

/// An image that is there, with its passphrase.
///
/// # Errors
/// When it is not there; exit code 2 when the passphrase cannot be read.
pub(super) fn existing(
    ImageArguments { path, passphrase }: ImageArguments,
) -> Result<ExistingImage> {
    check_there(&path)?;
    let passphrase = passphrase
        .descriptor()
        .map(|number| passphrase::read(number, Use::Open, passphrase.end()))
        .transpose()?;
    Ok(ExistingImage { path, passphrase, partition: None })
}

fn new(
    path: PathBuf,
    format: ImageFormat,
    layout: LayoutArguments,
    from: Option<(KeySize, i32)>,
    end: End,
) -> Result<NewImage> {
    let key = match from {
        Some((size, number)) => {
            let passphrase = passphrase::read(number, Use::Make, end)?;
            Some(NewKey { size, passphrase, iterations: None })
        }
        None => None,
    };
    let (band_bytes, block_bytes) = (layout.band, layout.block);
    let spec = Spec { band_bytes, block_bytes, key, ..Spec::plain(format, 0) };
    Ok(NewImage { path, spec })
}

/// Checks before a passphrase is read.
fn check_there(path: &Path) -> Result<()> {
    place(path).map(drop).map_err(|error| failure(path, Access::Read, &error))
}

fn check_layout(format: ImageFormat, layout: LayoutArguments) -> Result<()> {
    if layout.band.is_some() && format.row().band_bytes.is_none() {
        return Err(Error::input(format!(
            "--band is for UDSP and UDSB: leave it out, {format} has no bands to choose"
        )));
    }
    match (layout.block, format.row().large_block_bytes) {
        (Some(_), None) => Err(Error::input(format!(
            "--block is for ASIF: leave it out, {format} has no blocks to choose"
        ))),
        (Some(block), Some(large)) if !format.row().has_blocks_of(block) => Err(Error::input(
            format!("--block {block} cannot be made: give {SECTOR} or {large}, or leave it out"),
        )),
        _ => Ok(()),
    }
}

fn check_free(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(Error::folder(format!(
            "{} already exists: choose another name, or move it away",
            path.display()
        ))),
        Err(_) => Ok(()),
    }
}

/// With the suffix of a format with a signature, a raw image would be taken for one with a damaged signature.
fn check_name(path: &Path, format: ImageFormat) -> Result<()> {
    match ImageFormat::marked_by_name(path) {
        Some(other) if !format.is_marked() => Err(Error::input(format!(
            "{} is named as an image of format {other}, and could not be opened as {format}: name it .dmg or .img",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// A source is never changed: so nothing is made inside of it.
fn check_outside(source: &Path, destination: &Path) -> Result<()> {
    let inside = match (source.canonicalize(), file::folder_of(destination).canonicalize()) {
        (Ok(source), Ok(folder)) => folder.starts_with(source),
        // A missing file is reported when it is opened.
        _ => false,
    };
    if inside {
        return Err(Error::input(format!(
            "{} is inside the image to be copied: choose a path outside it",
            destination.display()
        )));
    }
    Ok(())
}

/// Checks that there is a passphrase exactly if there is a cipher.
fn encrypted(
    cipher: Option<KeySize>,
    descriptor: Option<i32>,
    option: &str,
) -> Result<Option<(KeySize, i32)>> {
    match (cipher, descriptor) {
        (None, None) => Ok(None),
        (Some(cipher), Some(number)) => Ok(Some((cipher, number))),
        (Some(_), None) => Err(Error::input(format!(
            "--encryption needs a passphrase: pipe one line and add {option}-stdin, or use {option}-fd N"
        ))),
        (None, Some(_)) => Err(Error::input(format!(
            "a passphrase is given ({option}-...), but the new image is not encrypted: add --encryption AES-128 or AES-256"
        ))),
    }
}

impl PassphraseArguments {
    fn descriptor(self) -> Option<i32> {
        self.passphrase_stdin.then_some(passphrase::STDIN).or(self.passphrase_fd)
    }

    /// The end of passphrases, including that of a new image.
    const fn end(self) -> End {
        if self.passphrase_nul { End::Nul } else { End::Line }
    }
}

impl NewPassphraseArguments {
    fn descriptor(self) -> Option<i32> {
        self.new_passphrase_stdin.then_some(passphrase::STDIN).or(self.new_passphrase_fd)
    }
}
