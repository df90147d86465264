//! What a cell asks of a portable image, and whether it can be had.

use std::path::Path;

use diskimage::crypt::NewKey;
use diskimage::error::{self, damaged};
use diskimage::format::{ImageFormat, Row};
use diskimage::open::{self, Opened, Spec};
use diskimage::store::Access;

use crate::cell::{Cell, Encryption, Format};
use crate::error::{Error, Result};
use crate::image::Peak;
use crate::image::file_volume::{PAGE, place_of_files, records};
use crate::image::passphrase::passphrase;

/// One of this many records of the table is for a file; the others are for further ranges of files.
const RECORDS_PER_FILE: u64 = 2;

/// Why a cell cannot be served by a portable image, if so; with what to do.
pub(crate) fn refusal(cell: &Cell) -> Option<String> {
    if let Err(reason) = format_of(cell) {
        return Some(reason.to_owned());
    }
    if cell.encryption.key_size().is_none() && cell.encryption != Encryption::None {
        return Some(format!(
            "driver portable cannot encrypt with {}, only the image itself: use none, AES-128 or AES-256",
            cell.encryption
        ));
    }
    if cell.restarts() {
        return Some(
            "driver portable has no guest to restart: measure this protocol inside a guest, with driver native and format VM"
                .to_owned(),
        );
    }
    None
}

/// Why the files do not fit into the image, if so, given the peak use of its volume.
pub(crate) fn too_small(cell: &Cell, peaks: &[Peak]) -> Option<String> {
    let most = |value: fn(&Peak) -> u64| peaks.iter().map(value).max();
    let (bytes, files) = (most(|peak| peak.paged_bytes)?, most(|peak| peak.files)?);
    let place = place_of_files(len_bytes(cell));
    let fits = bytes <= place.end - place.start
        && files.saturating_mul(RECORDS_PER_FILE) <= records(len_bytes(cell));
    (!fits).then(|| {
        format!(
            "an image of {} bytes cannot hold {files} files of {bytes} bytes at once: raise nominal_bytes or choose a smaller scale",
            cell.nominal_bytes
        )
    })
}

/// Upper bound of an image's allocated size in bytes, for this peak use of its volume.
///
/// Files use whole pages, and the table of files its own space. An encrypted band is written completely, however little
/// of it is used: that may be a band for each file, since files of different sizes are written and deleted, but hardly
/// more than twice the size of the files.
pub(crate) fn most_bytes(cell: &Cell, peak: Peak) -> u64 {
    let table = place_of_files(len_bytes(cell)).start;
    let band = match (cell.encryption.key_size(), format_of(cell).map(ImageFormat::row)) {
        (Some(_), Ok(Row { band_bytes: Some(usual), .. })) => cell.band_bytes.unwrap_or(usual),
        _ => 0,
    };
    let bands = peak.files.saturating_mul(band).min(peak.paged_bytes).saturating_add(band);
    peak.paged_bytes.saturating_add(table).saturating_add(bands)
}

/// The format of a cell's image, or why there is none that could be served.
fn format_of(cell: &Cell) -> std::result::Result<ImageFormat, &'static str> {
    cell.format.image().ok_or(if cell.format == Format::Vm {
        "format VM is a guest's own disk, which driver portable cannot reach: run study=vm-2026 inside the guest"
    } else {
        "driver portable measures images, and format native is not an image: use driver native"
    })
}

/// The image's length: the nominal size in whole pages. All of the study's are.
const fn len_bytes(cell: &Cell) -> u64 {
    cell.nominal_bytes / PAGE * PAGE
}

/// The image that this cell asks for.
///
/// # Errors
/// Never for cells that are not refused.
pub(super) fn wanted(cell: &Cell) -> Result<Spec> {
    let key = cell.encryption.key_size().zip(passphrase(cell));
    Ok(Spec {
        band_bytes: cell.band_bytes,
        block_bytes: cell.block_bytes,
        key: key.map(|(size, passphrase)| NewKey { size, passphrase, iterations: None }),
        ..Spec::plain(format_of(cell).map_err(Error::input)?, len_bytes(cell))
    })
}

/// Opens the image that was asked for.
///
/// # Errors
/// As [`open::open`], and `Damaged` when it is another kind of image.
pub(super) fn open(wanted: &Spec, path: &Path, access: Access) -> error::Result<Opened> {
    let opened = open::open(path, access, wanted.passphrase())?;
    let size = wanted.key.as_ref().map(|key| key.size);
    let found = opened.encryption.as_ref().map(|facts| facts.cipher);
    if opened.format != wanted.format || found != size {
        return Err(damaged("the image is not the one that was created"));
    }
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::{most_bytes, refusal};
    use crate::cell::{Cell, Driver, Encryption, Format, Step};
    use crate::image::Peak;
    use crate::protocol::forecast;
    use crate::testing::cell;

    fn portable(format: Format, encryption: Encryption) -> Cell {
        Cell { driver: Driver::Portable, format, encryption, ..cell() }
    }

    #[test]
    fn what_is_not_served_is_refused_with_what_to_do() {
        let reason = |cell: &Cell| refusal(cell).unwrap();
        let native = reason(&portable(Format::Native, Encryption::None));
        assert!(native.ends_with("use driver native"), "{native}");
        let vm = reason(&portable(Format::Vm, Encryption::None));
        assert!(vm.ends_with("run study=vm-2026 inside the guest"), "{vm}");
        for encryption in [Encryption::FileVault, Encryption::Apfs] {
            let why = reason(&portable(Format::Udrw, encryption));
            assert!(why.contains(encryption.name()) && why.contains("use none,"), "{why}");
        }
        let mut restarted = portable(Format::Udrw, Encryption::None);
        restarted.phases[0].steps.push(Step::Restart {});
        assert!(reason(&restarted).contains("no guest to restart"));
    }

    #[test]
    fn an_image_that_cannot_hold_the_files_is_refused_before_anything_is_made() {
        // At most 9 files are there at once, three of each size: 3 x (12,288 + 4096 + 73,728) bytes in whole pages,
        // behind a table of 4096 + 65,536 bytes.
        let least = 270_336 + 69_632;
        let mut cell = portable(Format::Udrw, Encryption::None);
        cell.nominal_bytes = least;
        assert_eq!(forecast::refusal(&cell), None);
        cell.nominal_bytes = least - 1;
        let reason = forecast::refusal(&cell).unwrap();
        assert!(
            reason.contains("9 files of 270336 bytes at once: raise nominal_bytes"),
            "{reason}"
        );
    }

    #[test]
    fn an_encrypted_band_counts_whole_and_a_plain_image_only_what_is_in_it() {
        let peak = Peak { bytes: 100_000, paged_bytes: 106_496, written_bytes: 106_496, files: 4 };
        let of = |format, encryption| most_bytes(&portable(format, encryption), peak);
        // 100 GB: a table of one page and 16 MiB.
        let plain = 106_496 + 4096 + 16_777_216;
        assert_eq!(of(Format::Udrw, Encryption::Aes256), plain);
        assert_eq!(of(Format::Udsb, Encryption::None), plain);
        assert_eq!(of(Format::Udsb, Encryption::Aes128), plain + 106_496 + 8_388_608);
    }
}
