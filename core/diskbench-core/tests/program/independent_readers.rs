//! Images of ours, read by readers that others wrote.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may stop and tell"
)]

use std::path::Path;

use diskimage::format::ImageFormat;
use diskimage::open::{Spec, create};
use system::flush::Durability;

use crate::common::keramics::{self, assert_reads};

const MIB: u64 = 1 << 20;

/// Bytes that repeat nowhere, so that no place is taken for another.
fn content(length: u64) -> Vec<u8> {
    (0..length / 8)
        .flat_map(|n| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes())
        .collect()
}

fn plain(format: ImageFormat, len_bytes: u64, band_bytes: Option<u64>) -> Spec {
    Spec { band_bytes, ..Spec::plain(format, len_bytes) }
}

/// Makes an image, writes these ranges, discards those, and flushes; gives what the disk must hold.
fn written(path: &Path, spec: &Spec, writes: &[(u64, u64)], discards: &[(u64, u64)]) -> Vec<u8> {
    let range = |(start, length): (u64, u64)| {
        usize::try_from(start).unwrap()..usize::try_from(start + length).unwrap()
    };
    let content = content(spec.len_bytes);
    let mut expected = vec![0; content.len()];
    let mut image = create(path, spec).unwrap().image;
    for place in writes {
        let bytes = &content[range(*place)];
        image.write_at(bytes, place.0).unwrap();
        expected[range(*place)].copy_from_slice(bytes);
    }
    image.flush(Durability::None).unwrap();
    for (start, length) in discards {
        image.discard(*start, *length).unwrap();
        expected[range((*start, *length))].fill(0);
    }
    image.flush(Durability::Fsync).unwrap();
    expected
}

#[test]
fn keramics_reads_a_sparse_image_of_few_bands() {
    let folder = tempfile::tempdir().unwrap();
    for (name, band_bytes, len_bytes) in [
        ("default", None, 20 * MIB),
        ("partial", None, 20 * MIB - 512),
        ("most", Some(65_536), 1008 * 65_536),
        ("odd", Some(4608), 1008 * 4608),
    ] {
        let path = folder.path().join(name);
        let spec = plain(ImageFormat::Udsp, len_bytes, band_bytes);
        let last = len_bytes - 1024;
        let writes = [
            (3 * MIB + 7, MIB),
            (100, 50_000),
            (2 * MIB, 65_536 + 4608),
            (last, 1024),
            (MIB, 1),
            (len_bytes / 2, MIB),
        ];
        let discards = [(3 * MIB, 300_000), (len_bytes / 2 + 5, 700_000)];
        let expected = written(&path, &spec, &writes, &discards);
        assert_reads(keramics::sparse_image(&path, None), &expected);
    }
}

#[test]
fn keramics_reads_a_sparse_bundle_whose_bands_are_full() {
    let folder = tempfile::tempdir().unwrap();
    for (name, band_bytes, len_bytes) in [
        ("default", None, 30 * MIB),
        ("small", Some(65_536), 20 * MIB + 512),
        ("odd", Some(66_048), 10 * MIB),
    ] {
        let path = folder.path().join(name);
        let spec = plain(ImageFormat::Udsb, len_bytes, band_bytes);
        // Written in two halves, from a place within a band on; what is discarded leaves every band's end.
        let writes = [(len_bytes / 2 + 7, len_bytes - len_bytes / 2 - 7), (0, len_bytes / 2 + 7)];
        let expected = written(&path, &spec, &writes, &[(1000, 40_000), (5 * MIB, 300)]);
        for info in ["Info.plist", "Info.bckup"] {
            assert_reads(keramics::sparse_bundle(&path, info, None), &expected);
        }
    }
}
