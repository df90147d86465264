//! What a check finds, where reading alone does not: the checksums of compressed images.

use diskimage::disk::Damage;
use diskimage::error;
use diskimage::format::AnyFormat;
use diskimage::open::{self, Opened};
use diskimage::partition::{self, PartitionMap};
use diskimage::store::Access::Read;

use crate::commands::image::resolve::ExistingImage;
use crate::commands::image::unless_stopped;
use crate::error::Result;
use crate::error::image::failure;
use crate::interrupt::Stop;
use crate::progress::Style;

/// Every damage in an image.
///
/// # Errors
/// Those of opening it, except damage.
pub(super) fn found(image: &ExistingImage, style: Style, stop: &Stop) -> Result<Vec<Damage>> {
    let image = image.clone();
    unless_stopped("check", style, stop, move |advance| {
        open::check_with(&image.path, image.passphrase.as_ref(), advance)
            .map_err(|error| failure(&image.path, Read, &error))
    })
}

/// Partitions of the disk that reach beyond its end, as if the image was cut short.
pub(super) fn missing(image: &ExistingImage, opened: &mut Opened) -> Vec<Damage> {
    if image.partition.is_some() {
        return Vec::new();
    }
    let map = partition::map(opened.image.as_mut()).unwrap_or_default();
    map.iter().flat_map(PartitionMap::missing).map(Damage).collect()
}

/// Refuses a compressed image if its content does not match its checksums. Other formats have none.
///
/// # Errors
/// `Damaged`.
pub(super) fn refuse_wrong_sums(
    image: &ExistingImage,
    format: AnyFormat,
    style: Style,
    stop: &Stop,
) -> Result<()> {
    if matches!(format, AnyFormat::Image(_)) {
        return Ok(());
    }
    match found(image, style, stop)?.into_iter().next() {
        None => Ok(()),
        Some(first) => Err(failure(&image.path, Read, &error::damaged(first.0))),
    }
}
