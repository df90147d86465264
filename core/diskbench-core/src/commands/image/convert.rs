//! Copying an image.

use std::fs;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use diskimage::content::{self, Difference};
use diskimage::convert::{self, Failure, Zeros};
use diskimage::disk::{SECTOR, VirtualDisk};
use diskimage::error::Kind as ImageKind;
use diskimage::format::{AnyFormat, ImageFormat};
use diskimage::open::{self, Opened, Spec};
use diskimage::partition;
use diskimage::salvage::Salvaged;
use diskimage::store::Access::{Read, Write};

use crate::commands::image::resolve::{ConvertTask, Destination, ExistingImage, NewImage};
use crate::commands::image::{
    advise_on_disk, advise_on_unknown, begin, damage, interrupted, lines, opened, partition_of,
    publish, refuse_unmarked,
};
use crate::error::image::{failure, not_to_be_salvaged};
use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::progress::{Progress, Style, Totals};
use crate::terminal::{of_stdout, out, say};

/// Copies an image to a new one, or to standard output.
///
/// # Errors
/// One line and an exit code; the new image is then removed.
pub(super) fn perform(task: &ConvertTask, stop: &Stop) -> Result<ExitCode> {
    let new = match &task.destination {
        Destination::Image(new) if task.salvage => return salvage(new, task, stop),
        Destination::Image(new) => Some(new),
        Destination::Stdout => None,
    };
    let mut from = opened(&task.source, Read)?;
    damage::refuse_wrong_sums(&task.source, from.format, task.progress, stop)?;
    match new {
        Some(new) => to_image(from.image.as_mut(), from.format, new, task, stop)?,
        None => to_stdout(&mut from, task, stop)?,
    }
    advise_on_disk(&task.source, &mut from);
    Ok(ExitCode::Done)
}

/// Copies what can be read, and lists what cannot.
fn salvage(new: &NewImage, task: &ConvertTask, stop: &Stop) -> Result<ExitCode> {
    let source = &task.source;
    let (from, mut damaged) = open::open_damaged(&source.path, source.passphrase.as_ref())
        .map_err(|error| not_to_be_salvaged(&source.path, &error))?;
    refuse_unmarked(source, &from)?;
    let found = match damage::found(source, task.progress, stop) {
        Err(error) if error.exit() == ExitCode::Interrupted => return Err(error),
        // What a bad medium does not give is read around below.
        found => found.unwrap_or_default(),
    };
    for one in found {
        if !damaged.contains(&one) {
            damaged.push(one);
        }
    }
    let mut from = partition_of(source, from, Read)?;
    damaged.extend(damage::missing(source, &mut from));
    let mut salvaged = Salvaged::of(from.image.as_mut());
    to_image(&mut salvaged, from.format, new, task, stop)?;
    let mut lines: Vec<_> =
        lines(&damaged).into_iter().map(|line| format!("damage: {line}")).collect();
    for range in salvaged.lost() {
        lines.push(format!("lost: {} bytes at {}", range.end - range.start, range.start));
    }
    advise_on_unknown(source, &mut from);
    if lines.is_empty() {
        // Neither what was overwritten nor what was cut off without a trace is known.
        out(if from.format == ImageFormat::Udrw {
            "every byte that the image has was copied"
        } else {
            "everything that the image's index names was copied"
        })?;
        return Ok(ExitCode::Done);
    }
    out(&lines.join("\n")).map_err(|error| {
        error.placed(&format!(
            "{} is made, but nothing lists what it lacks (remove it before you run again)",
            new.path.display()
        ))
    })?;
    Ok(ExitCode::Damaged)
}

fn to_image(
    from: &mut dyn VirtualDisk,
    format: AnyFormat,
    new: &NewImage,
    task: &ConvertTask,
    stop: &Stop,
) -> Result<()> {
    let source = &task.source;
    let len_bytes = from.len_bytes();
    let block_bytes = new.spec.block_bytes.or_else(|| kept_block(from, new.spec.format));
    if let Some(block) = block_bytes
        && !len_bytes.is_multiple_of(block)
    {
        return Err(Error::input(format!(
            "the disk of {} has {len_bytes} bytes, not a whole number of blocks of {block}: leave --block out",
            source.path.display()
        )));
    }
    let (permissions, group) =
        permissions(&source.path).map_err(|error| failure(&source.path, Read, &error.into()))?;
    let spec = Spec { len_bytes, permissions, block_bytes, ..new.spec.clone() };
    advise_on_blocks(from, block_bytes);
    let mut pending = begin(new, &spec)?;
    let unwritable = |error| failure(&new.path, Write, &error);
    pending.limit_other_groups(group).map_err(unwritable)?;
    let to = pending.image().map_err(unwritable)?;
    let zeros = Zeros::of(spec.format, spec.key.is_some());
    let label = format!("{format} to {}", spec.format);
    shown(task.progress, label, len_bytes, stop, |advance| {
        convert::copy(from, to, zeros, advance).map_err(|reason| failed(reason, source, new))
    })?;
    if task.verify {
        verify(from, to, new, task, stop)?;
    }
    publish(pending, new, stop)?;
    advise_on_content(new);
    Ok(())
}

/// The size of the source's blocks, where the copy can have it: a partition map or a file system may count in them.
fn kept_block(from: &dyn VirtualDisk, to: ImageFormat) -> Option<u64> {
    let whole = |block: &u64| from.len_bytes().is_multiple_of(*block);
    from.block_bytes().filter(|block| to.row().has_blocks_of(*block)).filter(whole)
}

/// A note if a copy has blocks of another size, unless its partition map is for these.
fn advise_on_blocks(from: &mut dyn VirtualDisk, block_bytes: Option<u64>) {
    let (before, after) = (from.block_bytes().unwrap_or(SECTOR), block_bytes.unwrap_or(SECTOR));
    let map = partition::map(from).unwrap_or_default();
    if before != after && map.is_none_or(|map| !map.is_for_blocks_of(after)) {
        say(&format!(
            "note: the source has blocks of {before} bytes, and the copy has blocks of {after}: systems may find no partitions or \
             file system in the copy"
        ));
    }
}

/// The permission bits for a copy, and the group of its source: the owner of a copy may read and write it, and others may
/// do what they may with the source.
fn permissions(source: &Path) -> io::Result<(u32, u32)> {
    let found = fs::metadata(source)?;
    let mut others = found.permissions().mode();
    if let Ok(bands) = fs::metadata(source.join("bands")) {
        others &= bands.permissions().mode();
    }
    Ok((0o600 | others & 0o066, found.gid()))
}

/// A note if the bytes of a raw image begin or end like another format, for which it would be taken.
fn advise_on_content(new: &NewImage) {
    if new.spec.format != ImageFormat::Udrw {
        return;
    }
    let told = match open::open(&new.path, Read, new.spec.passphrase()) {
        Ok(opened) if opened.format == ImageFormat::Udrw => return,
        Ok(opened) => format!("is taken for a {} image", opened.format),
        Err(error) if error.kind() == ImageKind::Unsupported => format!("is refused ({error})"),
        Err(error) if error.kind() == ImageKind::Damaged => format!("is refused ({error})"),
        // It is in use, or the system refuses: that says nothing about its bytes.
        Err(_) => return,
    };
    say(&one_line(&format!(
        "note: the disk begins or ends like another image, so this raw copy of it {told}: another format keeps it apart"
    )));
}

fn verify(
    from: &mut dyn VirtualDisk,
    to: &mut dyn VirtualDisk,
    new: &NewImage,
    task: &ConvertTask,
    stop: &Stop,
) -> Result<()> {
    let len_bytes = to.len_bytes();
    let found = shown(task.progress, "verify".to_owned(), len_bytes, stop, |advance| {
        content::difference(from, to, advance).map_err(|reason| failed(reason, &task.source, new))
    })?;
    match found {
        None => Ok(()),
        Some(Difference::Length(..)) => {
            Err(Error::fault("the copy's length differs from the source's"))
        }
        Some(Difference::Byte(offset)) => Err(Error::new(
            ExitCode::Damaged,
            format!(
                "the copy differs from the source at byte {offset}, and is removed: unless something changed the source meanwhile, check the disk of {}, then run again",
                new.path.display()
            ),
        )),
    }
}

fn to_stdout(from: &mut Opened, task: &ConvertTask, stop: &Stop) -> Result<()> {
    advise_on_blocks(from.image.as_mut(), None);
    let mut stdout = io::stdout().lock();
    let label = format!("{} to standard output", from.format);
    let len_bytes = from.image.len_bytes();
    shown(task.progress, label, len_bytes, stop, |advance| {
        let mut closed = None;
        let copied = content::read(from.image.as_mut(), &mut |bytes| {
            if let Err(error) = stdout.write_all(bytes) {
                closed = Some(error);
                return ControlFlow::Break(());
            }
            advance(bytes.len() as u64)
        });
        if let Some(error) = closed {
            return Err(of_stdout(&error));
        }
        copied.map_err(|reason| match reason {
            Failure::Source(error) | Failure::Destination(error) => {
                failure(&task.source.path, Read, &error)
            }
            Failure::Stopped => Error::stopped("only part of the disk was written"),
        })?;
        // What is behind the last line feed is still in memory, and at the end of the program nobody sees an error.
        stdout.flush().map_err(|error| of_stdout(&error))
    })
}

/// Processes a whole disk, with progress and cancellation.
pub(super) fn shown<T>(
    style: Style,
    label: String,
    len_bytes: u64,
    stop: &Stop,
    work: impl FnOnce(&mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<T>,
) -> Result<T> {
    let (meter, totals) = (Meter::new(), Totals { files: None, bytes: len_bytes });
    let progress = Progress::start(style, label, totals, meter.clone());
    let mut advance = |bytes| {
        meter.add_bytes(bytes);
        if stop.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let done = work(&mut advance)?;
    progress.finish("done");
    Ok(done)
}

fn failed(reason: Failure, source: &ExistingImage, new: &NewImage) -> Error {
    match reason {
        Failure::Source(error) => failure(&source.path, Read, &error),
        Failure::Destination(error) => failure(&new.path, Write, &error),
        Failure::Stopped => interrupted(),
    }
}
