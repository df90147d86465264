//! Images of ours, read by readers that others wrote.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may stop and tell"
)]

use std::io::SeekFrom;
use std::path::Path;

use diskimage::format::ImageFormat;
use diskimage::open::{Spec, create};
use keramics_core::{DataStreamReference, open_os_data_stream};
use keramics_formats::sparsebundle::SparseBundleImage;
use keramics_formats::sparseimage::SparseImageFile;
use keramics_formats::{FileResolverReference, OsFileResolver, PathComponent};
use system::flush::Durability;

const MIB: u64 = 1 << 20;

/// Bytes that repeat nowhere, so that no place is taken for another.
fn content(length: u64) -> Vec<u8> {
    (0..length / 8)
        .flat_map(|n| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes())
        .collect()
}

fn plain(format: ImageFormat, len_bytes: u64, band_bytes: Option<u64>) -> Spec<'static> {
    Spec { format, len_bytes, band_bytes, block_bytes: None, key: None }
}

/// Makes an image, writes these ranges, discards those, and flushes; gives what the disk must hold.
fn written(
    path: &Path,
    spec: &Spec<'_>,
    writes: &[(u64, u64)],
    discards: &[(u64, u64)],
) -> Vec<u8> {
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

/// Everything that a reader gives.
fn read_all(stream: &DataStreamReference, length: usize) -> Vec<u8> {
    let mut stream = stream.write().unwrap();
    let mut found = vec![0xa5; length];
    let mut done = 0;
    while done < length {
        let end = length.min(done + 100_000);
        let now = stream
            .read_at_position(&mut found[done..end], SeekFrom::Start(done as u64))
            .unwrap_or_else(|error| panic!("at {done}: {error}"));
        assert!(now > 0, "it ends at {done}");
        done += now;
    }
    found
}

fn assert_same(found: &[u8], expected: &[u8]) {
    assert_eq!(found.len(), expected.len());
    let differs = found.iter().zip(expected).position(|(one, other)| one != other);
    assert_eq!(differs, None, "first byte that differs");
}

/// Its limit: it refuses disks of more than 1008 bands, used or not, and ends behind the last band that is used.
fn sparse_image_by_keramics(path: &Path) -> (u64, DataStreamReference) {
    let mut file = SparseImageFile::new();
    file.read_data_stream(&open_os_data_stream(&path.to_owned()).unwrap()).unwrap();
    (file.get_media_size(), file.get_data_stream().unwrap())
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
        let (found_bytes, stream) = sparse_image_by_keramics(&path);
        assert_eq!(found_bytes, len_bytes);
        assert_same(&read_all(&stream, expected.len()), &expected);
    }
}

/// Its limit: a band that is missing, or shorter than what is read of it, is an error to it.
fn sparse_bundle_by_keramics(path: &Path, info: &str) -> (u64, DataStreamReference) {
    let resolver = FileResolverReference::new(Box::new(OsFileResolver::new(path.to_owned())));
    let mut image = SparseBundleImage::new();
    image.open(&resolver, &PathComponent::from(info)).unwrap();
    (image.get_media_size(), image.get_data_stream().unwrap())
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
            let (found_bytes, stream) = sparse_bundle_by_keramics(&path, info);
            assert_eq!(found_bytes, len_bytes);
            assert_same(&read_all(&stream, expected.len()), &expected);
        }
    }
}
