//! Runs the commands of `diskbench image`.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

mod content;
mod convert;
mod damage;
mod facts;
mod resolve;
mod serve;

use crate::cli::image::ImageCommand;
use crate::commands::image::resolve::{
    ExistingImage, NewImage, existing, to_change_passphrase, to_compare, to_convert, to_create,
};
use crate::error::image::failure;
use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::interrupt::Stop;
use crate::json;
use crate::meter::Meter;
use crate::progress::{Progress, Style, Totals};
use crate::terminal::{out, say};
use diskimage::crypt::Passphrase;
use diskimage::disk::{Advance, Damage};
use diskimage::error::{ImageError, Kind as ImageKind};
use diskimage::format::{AnyFormat, ImageFormat};
use diskimage::info::{footprint, info};
use diskimage::open::{self, Opened, Spec};
use diskimage::partition::{self, PartitionMap, Scheme};
use diskimage::pending::PendingImage;
use diskimage::store::Access::{self, Read, Write};
use diskimage::udif;

/// How often a wait polls the cancellation flag.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Does it.
///
/// # Errors
/// One line and an exit code: 2 when it makes no sense or a passphrase cannot be read, 4 when the place of a new image
/// is taken.
pub(crate) fn perform(command: ImageCommand) -> Result<ExitCode> {
    match command {
        ImageCommand::Create(arguments) => create(&to_create(arguments)?, &Stop::on_signals()?),
        ImageCommand::Info { json, image } => show_info(&existing(image)?, json),
        ImageCommand::Check { image, progress } => {
            check(&existing(image)?, progress.style_at_terminal(), &Stop::on_signals()?)
        }
        ImageCommand::Convert(arguments) => {
            convert::perform(&to_convert(arguments)?, &Stop::on_signals()?)
        }
        ImageCommand::Resize { size, image } => {
            resize(existing(image)?, size, &Stop::on_signals()?)
        }
        ImageCommand::Compact { image, progress } => {
            compact(existing(image)?, progress.style_at_terminal(), &Stop::on_signals()?)
        }
        ImageCommand::Compare { path, other, passphrase, progress } => {
            let (one, other) = to_compare(path, other, passphrase)?;
            content::compare(&one, &other, progress.style(), &Stop::on_signals()?)
        }
        ImageCommand::Checksum { partition, image, progress } => {
            let image = existing(image)?.only(partition);
            content::checksum(&image, progress.style(), &Stop::on_signals()?)
        }
        ImageCommand::Map { partition, json, image } => {
            content::map(&existing(image)?.only(partition), json)
        }
        ImageCommand::ChangePassphrase { image, new_passphrase } => {
            let (image, new) = to_change_passphrase(image, new_passphrase)?;
            change_passphrase(&image, &new)
        }
        ImageCommand::Serve { partition, socket, writable, image } => {
            let access = if writable { Write } else { Read };
            let image = existing(image)?.only(partition);
            serve::serve(&image, &socket, access, &Stop::on_signals()?)
        }
    }
}

fn create(new: &NewImage, stop: &Stop) -> Result<ExitCode> {
    publish(begin(new, &new.spec)?, new, stop)?;
    let Spec { format, len_bytes, .. } = new.spec;
    out(&one_line(&format!("{}: {format}, {len_bytes} bytes", new.path.display())))?;
    Ok(ExitCode::Done)
}

fn show_info(image: &ExistingImage, json: bool) -> Result<ExitCode> {
    let found = info(&image.path, image.passphrase.as_ref())
        .map_err(|error| unopened(image, Read, &error))?;
    if json {
        out(&json::pretty(&json::tree(&found)?))?;
    } else {
        out(&facts::text(&found))?;
    }
    if found.format.is_some_and(|format| format == ImageFormat::Udrw)
        && ImageFormat::marked_by_name(&image.path).is_some()
    {
        say(&one_line(&format!("note: {}", without_mark(&image.path))));
    }
    Ok(ExitCode::Done)
}

fn check(image: &ExistingImage, style: Style, stop: &Stop) -> Result<ExitCode> {
    let mut damaged = damage::found(image, style, stop)?;
    let (is_whole, image) = (damaged.is_empty(), image.clone());
    let (unchecked, missing, left) = unless_stopped("check", style, stop, move |_| {
        let (mut unchecked, mut missing) = (None, Vec::new());
        if is_whole {
            let mut opened = opened(&image, Read)?;
            unchecked = not_compared(&opened);
            missing = damage::missing(&image, &mut opened);
            let unnamed = opened.image.unnamed_bands();
            advise_on_unnamed(unnamed.map_err(|error| failure(&image.path, Read, &error))?);
            advise_on_unknown(&image, &mut opened);
        }
        let left = open::left(&image.path).map_err(|error| failure(&image.path, Read, &error))?;
        Ok((unchecked, missing, left))
    })?;
    damaged.extend(missing);
    advise_on_left(&left);
    if damaged.is_empty() {
        out(&match unchecked {
            Some(what) => format!("no damage found; but {what}"),
            None => "no damage found".to_owned(),
        })?;
        return Ok(ExitCode::Done);
    }
    out(&lines(&damaged).join("\n"))?;
    Ok(ExitCode::Damaged)
}

/// What of an image without damage was not compared with a checksum, where that can be expected.
fn not_compared(opened: &Opened) -> Option<&'static str> {
    match opened.format {
        AnyFormat::Image(ImageFormat::Udrw) => Some("a raw image has no checksums to verify"),
        AnyFormat::Udif(_) => opened.unchecked,
        AnyFormat::Image(_) => None,
    }
}

fn lines(damaged: &[Damage]) -> Vec<String> {
    damaged.iter().map(|damage| one_line(&damage.0)).collect()
}

fn compact(image: ExistingImage, style: Style, stop: &Stop) -> Result<ExitCode> {
    let (before, after) = unless_stopped("compact", style, stop, move |advance| {
        let failed = |error| failure(&image.path, Write, &error);
        let mut opened = opened(&image, Write)?;
        let allocated = || footprint(&image.path).map(|found| found.allocated_bytes);
        let before = allocated().map_err(failed)?;
        opened.image.compact_with(advance).map_err(failed)?;
        Ok((before, allocated().map_err(failed)?))
    })?;
    out(&format!("allocated: {before} -> {after} bytes"))?;
    Ok(ExitCode::Done)
}

fn resize(image: ExistingImage, len_bytes: u64, stop: &Stop) -> Result<ExitCode> {
    let (before, map) = unless_stopped("resize", Style::Silent, stop, move |_| {
        let failed = |error| failure(&image.path, Write, &error);
        let mut opened = opened(&image, Write)?;
        let before = opened.image.len_bytes();
        let map = partition::map(opened.image.as_mut()).unwrap_or_default();
        diskimage::resize::resize(&mut opened, len_bytes).map_err(failed)?;
        Ok((before, map))
    })?;
    out(&format!("length: {before} -> {len_bytes} bytes"))?;
    if len_bytes < before {
        say(&format!(
            "note: a file system that was not made shorter before is cut off now: image resize --size {before} makes it whole again"
        ));
    }
    if before < len_bytes && map.as_ref().is_some_and(|map| map.scheme == Scheme::Gpt) {
        say(
            "note: partitions are as long as before, and the copy of the partition table is no longer at the disk's end: \
             diskutil repairDisk on a Mac, or sgdisk --move-second-header, puts it there",
        );
    }
    // In the longer disk nothing shows any more that it was cut short.
    for missing in map.iter().flat_map(PartitionMap::missing).filter(|_| before < len_bytes) {
        say(&format!("note: {missing}; in the longer disk that part is zeros"));
    }
    Ok(ExitCode::Done)
}

fn change_passphrase(image: &ExistingImage, new: &Passphrase) -> Result<ExitCode> {
    let others = open::change_passphrase(&image.path, image.passphrase.as_ref(), new, None)
        .map_err(|error| unopened(image, Write, &error))?;
    if others > 0 {
        say(&format!(
            "note: the image can still be opened in other ways ({others}): by another passphrase, a certificate or a keychain"
        ));
    }
    out("passphrase changed")?;
    Ok(ExitCode::Done)
}

/// Does long work in a thread, which is abandoned on cancellation: a check changes nothing, and a compaction leaves an
/// intact image whenever the process ends, even if killed. Progress is shown as soon as the work reports any.
fn unless_stopped<T: Send + 'static>(
    label: &str,
    style: Style,
    stop: &Stop,
    work: impl FnOnce(Advance<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, waiting) = sync_channel(1);
    let (all, meter) = (Arc::new(OnceLock::new()), Meter::new());
    let (reported, counted) = (Arc::clone(&all), meter.clone());
    thread::spawn(move || {
        let mut advance = |bytes: u64, all| {
            reported.get_or_init(|| all);
            counted.add_bytes(bytes.saturating_sub(counted.bytes()));
        };
        drop(done.send(work(&mut advance)));
    });
    let mut progress = None;
    loop {
        if let (None, Some(bytes)) = (&progress, all.get()) {
            let totals = Totals { files: None, bytes: *bytes };
            progress = Some(Progress::start(style, label.to_owned(), totals, meter.clone()));
        }
        match waiting.recv_timeout(LOOK_EVERY) {
            Ok(result) => {
                if let (Some(progress), Ok(_)) = (progress, &result) {
                    progress.finish("done");
                }
                return result;
            }
            Err(RecvTimeoutError::Timeout) if !stop.requested() => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(Error::stopped(
                    "nothing in the image is lost; run the same command again",
                ));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::fault("the work ended without a result"));
            }
        }
    }
}

fn opened(image: &ExistingImage, access: Access) -> Result<Opened> {
    let opened = open::open(&image.path, access, image.passphrase.as_ref())
        .map_err(|error| unopened(image, access, &error))?;
    refuse_unmarked(image, &opened)?;
    partition_of(image, opened, access)
}

/// The error for an image that does not open; it recommends to salvage only what can be salvaged.
fn unopened(image: &ExistingImage, access: Access, error: &ImageError) -> Error {
    let is_damaged = error.kind() == ImageKind::Damaged;
    if is_damaged && open::open_damaged(&image.path, image.passphrase.as_ref()).is_err() {
        return Error::new(
            ExitCode::Damaged,
            format!("{} is damaged: {error}; use a good copy of it", image.path.display()),
        );
    }
    failure(&image.path, access, error)
}

/// Only the chosen partition, if any.
fn partition_of(image: &ExistingImage, opened: Opened, access: Access) -> Result<Opened> {
    let Some(number) = image.partition else { return Ok(opened) };
    let mut disk = opened.image;
    advise_on_map(partition::map(disk.as_mut()).unwrap_or_default().as_ref());
    let disk = partition::only(disk, number).map_err(|error| match error.kind() {
        ImageKind::Damaged => Error::new(
            ExitCode::Damaged,
            format!(
                "{} is damaged: {error}; use a good copy of it, or copy what is there of the whole disk (image convert --salvage, without --partition)",
                image.path.display()
            ),
        ),
        _ => failure(&image.path, access, &error),
    })?;
    Ok(Opened { image: disk, ..opened })
}

/// What is to be known of the map of partitions itself.
fn advise_on_map(map: Option<&PartitionMap>) {
    for note in map.iter().flat_map(|map| &map.notes) {
        say(&format!("note: {note}"));
    }
}

fn refuse_unmarked(image: &ExistingImage, opened: &Opened) -> Result<()> {
    if opened.format == ImageFormat::Udrw && ImageFormat::marked_by_name(&image.path).is_some() {
        return Err(Error::new(ExitCode::Damaged, without_mark(&image.path)));
    }
    Ok(())
}

fn begin(new: &NewImage, spec: &Spec) -> Result<PendingImage> {
    let pending =
        PendingImage::create(&new.path, spec).map_err(|error| failure(&new.path, Write, &error))?;
    advise_on_name(new);
    advise_on_band(spec);
    if let (Some(_), Some(note)) = (&spec.key, spec.format.own_encryption()) {
        say(&one_line(&format!("note: {note}")));
    }
    Ok(pending)
}

fn publish(pending: PendingImage, new: &NewImage, stop: &Stop) -> Result<()> {
    if stop.requested() {
        return Err(interrupted());
    }
    pending.publish().map_err(|error| failure(&new.path, Write, &error))
}

fn interrupted() -> Error {
    Error::stopped("the unfinished image was removed; run the same command again")
}

/// The user chooses the name of a new image, but macOS detects the format by the suffix.
fn advise_on_name(new: &NewImage) {
    let format = new.spec.format;
    let usual = format.row().extensions;
    let extension = extension(&new.path);
    if let Some(first) = usual.first()
        && !usual.contains(&extension.as_str())
    {
        say(&one_line(&format!(
            "note: {} is made under this name, but macOS expects {format} to end with .{first}",
            new.path.display()
        )));
    }
}

/// Smallest band of a bundle that macOS makes and opens, and what all are a multiple of, in bytes.
const LEAST_BAND: u64 = 1 << 20;
const BAND_UNIT: u64 = 4096;

/// Other bands of a bundle can be made, but macOS does not open them.
fn advise_on_band(spec: &Spec) {
    if spec.format.is_bundle()
        && let Some(band) = spec.band_bytes
        && (band < LEAST_BAND || !band.is_multiple_of(BAND_UNIT))
    {
        say(&format!(
            "note: macOS does not open a sparse bundle with bands of {band} bytes: give a multiple of {BAND_UNIT} from {LEAST_BAND} on"
        ));
    }
}

/// Discarded chunks are as good as free; a lost entry of the index looks the same, and compacting would lose its data.
fn advise_on_unnamed(bands: u64) {
    if bands > 0 {
        say(&format!(
            "note: the index names no place on the disk for {bands} chunks of the file that hold data: they were discarded, \
             or their entries were lost; image compact would free them"
        ));
    }
}

/// Files that systems leave in a bundle are not damage, but are named, since they are not copied.
fn advise_on_left(left: &[String]) {
    const MOST: usize = 5;
    let more = match left.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if !left.is_empty() {
        let names: Vec<&str> = left.iter().take(MOST).map(String::as_str).collect();
        let names = names.join(", ");
        say(&one_line(&format!(
            "note: no part of the disk, and passed over, in bands: {names}{more}"
        )));
    }
}

/// Hints in a disk that its image was truncated or encrypted.
fn advise_on_disk(image: &ExistingImage, opened: &mut Opened) {
    for Damage(note) in damage::missing(image, opened) {
        say(&one_line(&format!("note: {note}")));
    }
    advise_on_unknown(image, opened);
}

/// A hint where nothing in a disk shows what it is.
fn advise_on_unknown(image: &ExistingImage, opened: &mut Opened) {
    if image.partition.is_some() {
        return;
    }
    let disk = opened.image.as_mut();
    let map = partition::map(disk).unwrap_or_default();
    advise_on_map(map.as_ref());
    // A compressed image has its signature at the end: without it, it is read as a raw disk.
    let looks_the_same = match opened.format {
        AnyFormat::Image(ImageFormat::Udrw) => "a compressed image that was cut short",
        AnyFormat::Image(format) if format.is_bundle() && opened.encryption.is_none() => {
            "an encrypted bundle whose file token was emptied"
        }
        _ => return,
    };
    let is_known = map.is_some()
        || partition::file_system(disk, 0).is_ok_and(|found| found.is_some())
        || disk.next_data(0).is_ok_and(|data| data.is_none());
    if is_known {
        return;
    }
    let cut = match opened.format {
        AnyFormat::Image(ImageFormat::Udrw) => udif::looks_cut_short(disk).unwrap_or_default(),
        _ => None,
    };
    let told = cut.map_or_else(|| format!("{looks_the_same} looks the same"), str::to_owned);
    say(&format!("note: this disk has no known partition map or file system; {told}"));
}

fn without_mark(path: &Path) -> String {
    format!(
        "{} lacks the signature that its name promises: its first bytes are damaged, or the keys in its header; use a good copy of it, \
         or if it is a raw disk, rename it to end with .img",
        path.display()
    )
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
