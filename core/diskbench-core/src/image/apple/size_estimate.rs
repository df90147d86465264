//! How much of the disk an image may take.

use crate::cell::{Cell, Format};
use crate::image::Peak;
use crate::image::apple::capabilities::Mac;
use crate::program::tools;

/// Upper bound of an image's allocated size without files. A new ASIF image of 100 GB used "less than 1 GB", a new raw
/// one of 125 GB 336 MB (article of 21 October 2024), a new bundle 14.8 MB.
const ASIF_ITSELF: u64 = 1_000_000_000;
const ITSELF: u64 = 400_000_000;

/// An image uses 1 / this more than what was written: a bundle with 640 files had 104.08 GB in its bands, a raw image
/// with the same files 91.63 GB (the same article), an eighth more; a sixth is a safe bound. Deleted files count: nothing
/// makes APFS reuse their blocks before free ones, and of 3.3 GiB deleted under macOS 26 an ASIF image gave 1.3 back and
/// a sparse image nothing (smoothbricks/codebase on GitHub, specs/cowshed/01_storage.md).
const MORE_FRACTION: u64 = 6;

/// Until here a plain image takes its whole nominal size until it is attached for the second time: "100 GB on disk at
/// creation", then 334 MB (article of 9 January 2023), and still so under macOS 15 ("For that initial mount, the disk
/// image isn't a sparse file").
const SPARSE_AT_ONCE_SINCE: u32 = 26;

/// Upper bound of an image's allocated size in bytes, for this use of its volume.
pub(crate) fn most_bytes(cell: &Cell, peak: Peak) -> u64 {
    // Stand-ins make a sparse file at once in every imitated release.
    let whole = tools::stand_in().is_none()
        && tools::are_of_macos()
        && Mac::this().major().is_some_and(|major| major < SPARSE_AT_ONCE_SINCE);
    most(cell, peak, whole)
}

fn most(cell: &Cell, peak: Peak, whole_at_first: bool) -> u64 {
    let itself = match cell.format {
        Format::Asif => ASIF_ITSELF,
        Format::Udrw | Format::Udsp | Format::Udsb | Format::Native | Format::Vm => ITSELF,
    };
    let files = peak.written_bytes.saturating_add(peak.written_bytes / MORE_FRACTION);
    if cell.format == Format::Udrw && whole_at_first {
        return cell.nominal_bytes.saturating_add(itself);
    }
    files.min(cell.nominal_bytes).saturating_add(itself)
}

#[cfg(test)]
mod tests {
    use super::most;
    use crate::cell::{Cell, Driver, Encryption, Format};
    use crate::image::Peak;
    use crate::testing::cell;

    const PEAK: Peak = Peak {
        bytes: 53_300_000_000,
        paged_bytes: 53_300_600_000,
        written_bytes: 53_300_600_000,
        files: 160,
    };

    fn of(format: Format) -> Cell {
        Cell { driver: Driver::Apple, format, encryption: Encryption::None, ..cell() }
    }

    #[test]
    fn an_image_takes_its_files_a_sixth_more_and_something_for_itself() {
        // 53.3006 GB and a sixth are 62,184,033,333 bytes.
        assert_eq!(most(&of(Format::Udsb), PEAK, true), 62_184_033_333 + 400_000_000);
        assert_eq!(most(&of(Format::Asif), PEAK, false), 62_184_033_333 + 1_000_000_000);
    }

    #[test]
    fn a_plain_image_takes_its_nominal_size_where_it_is_not_sparse_at_once() {
        assert_eq!(most(&of(Format::Udrw), PEAK, true), 100_400_000_000);
        assert_eq!(most(&of(Format::Udrw), PEAK, false), 62_184_033_333 + 400_000_000);
    }

    #[test]
    fn no_image_takes_much_more_than_its_nominal_size() {
        let full = Peak { written_bytes: 99_000_000_000, ..PEAK };
        assert_eq!(most(&of(Format::Udsp), full, false), 100_400_000_000);
    }

    #[test]
    fn files_that_were_deleted_since_still_take_their_space() {
        // 64 GB of files, and a sixth, are 74,666,666,666 bytes.
        let used = Peak { written_bytes: 64_000_000_000, ..PEAK };
        assert_eq!(most(&of(Format::Asif), used, false), 74_666_666_666 + 1_000_000_000);
    }
}
