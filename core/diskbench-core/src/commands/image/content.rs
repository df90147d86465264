//! The content of images: checksum, map, and comparison.

use diskimage::content::{self, Difference, Extent};
use diskimage::convert::Failure;
use diskimage::error::Kind as ImageKind;
use diskimage::open::{self, Opened};
use diskimage::store::Access::Read;
use serde::Serialize;

use crate::commands::image::convert::shown;
use crate::commands::image::resolve::ExistingImage;
use crate::commands::image::{advise_on_disk, damage, opened};
use crate::error::image::failure;
use crate::error::{Error, Result, one_line};
use crate::exit_code::ExitCode;
use crate::interrupt::Stop;
use crate::json;
use crate::progress::Style;
use crate::terminal::out;

/// Compares two disks.
///
/// # Errors
/// One line and an exit code.
pub(super) fn compare(
    one: &ExistingImage,
    other: &ExistingImage,
    style: Style,
    stop: &Stop,
) -> Result<ExitCode> {
    let (mut left, mut right) = (opened_either(one)?, opened_either(other)?);
    for (image, opened) in [(one, &left), (other, &right)] {
        damage::refuse_wrong_sums(image, opened.format, style, stop)?;
    }
    let len_bytes = left.image.len_bytes();
    let found = shown(style, "compare".to_owned(), len_bytes, stop, |advance| {
        content::difference(left.image.as_mut(), right.image.as_mut(), advance)
            .map_err(|reason| failed(reason, one, other))
    })?;
    for (image, opened) in [(one, &mut left), (other, &mut right)] {
        advise_on_disk(image, opened);
    }
    out(&match found {
        None => format!("the same {len_bytes} bytes"),
        Some(Difference::Byte(offset)) => format!("they differ, first at byte {offset}"),
        Some(Difference::Length(one, other)) => {
            format!("they differ in length: {one} and {other} bytes")
        }
    })?;
    Ok(if found.is_none() { ExitCode::Done } else { ExitCode::Damaged })
}

/// The passphrase is for those that are encrypted.
fn opened_either(image: &ExistingImage) -> Result<Opened> {
    let plain = open::open(&image.path, Read, None);
    match plain {
        Err(error) if error.kind() == ImageKind::PassphraseNeeded => opened(image, Read),
        _ => {
            let path = image.path.clone();
            opened(&ExistingImage { path, passphrase: None, partition: image.partition }, Read)
        }
    }
}

/// Prints the checksum as sha256sum does.
///
/// # Errors
/// One line and an exit code.
pub(super) fn checksum(image: &ExistingImage, style: Style, stop: &Stop) -> Result<ExitCode> {
    let mut from = opened(image, Read)?;
    damage::refuse_wrong_sums(image, from.format, style, stop)?;
    let len_bytes = from.image.len_bytes();
    let sum = shown(style, "checksum".to_owned(), len_bytes, stop, |advance| {
        content::sha256(from.image.as_mut(), advance).map_err(|reason| failed(reason, image, image))
    })?;
    advise_on_disk(image, &mut from);
    let digits: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    out(&one_line(&format!("{digits}  {}", image.path.display())))?;
    Ok(ExitCode::Done)
}

/// An entry of `qemu-img map --output=json`. An image of ours has no backing file, so its depth is 0 and all is
/// present.
#[derive(Serialize)]
struct Entry {
    start: u64,
    length: u64,
    depth: u64,
    present: bool,
    zero: bool,
    data: bool,
}

/// Shows which ranges the image holds.
///
/// # Errors
/// One line and an exit code.
pub(super) fn map(image: &ExistingImage, json: bool) -> Result<ExitCode> {
    let mut from = opened(image, Read)?;
    let extents = content::extents(from.image.as_mut())
        .map_err(|error| failure(&image.path, Read, &error))?;
    advise_on_disk(image, &mut from);
    out(&if json {
        json::pretty(&json::tree(&entries(&extents))?)
    } else {
        let lines = extents.iter().filter(|extent| extent.data).map(line);
        ["     start      length\n".to_owned()].into_iter().chain(lines).collect()
    })?;
    Ok(ExitCode::Done)
}

fn line(extent: &Extent) -> String {
    let length = extent.range.end - extent.range.start;
    format!("{:>10}  {length:>10}\n", extent.range.start)
}

fn entries(extents: &[Extent]) -> Vec<Entry> {
    let entry = |Extent { range, data }: &Extent| Entry {
        start: range.start,
        length: range.end - range.start,
        depth: 0,
        present: true,
        zero: !data,
        data: *data,
    };
    extents.iter().map(entry).collect()
}

fn failed(reason: Failure, one: &ExistingImage, other: &ExistingImage) -> Error {
    match reason {
        Failure::Source(error) => failure(&one.path, Read, &error),
        Failure::Destination(error) => failure(&other.path, Read, &error),
        Failure::Stopped => Error::stopped("run the same command again"),
    }
}
