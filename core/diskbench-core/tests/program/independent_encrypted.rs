//! Encrypted images of ours, read by a reader that we did not write: `keramics-formats` 0.0.1.
//!
//! Its limits, kept to here: it knows no hole (a block, band or slot that was never written is noise or an error to it),
//! so every byte is written; a sparse image has at most 1008 bands.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "helpers of tests may stop, and cut numbers to bytes"
)]

use std::path::Path;

use diskimage::crypt::{KeySize, Passphrase};
use diskimage::format::ImageFormat;
use diskimage::open::{Spec, change_passphrase, create};
use diskimage::testing::key;
use system::flush::Durability;

use crate::common::keramics::{assert_reads, disk};

const WORDS: &str = "correct horse battery staple";
const MIB: usize = 1 << 20;

/// Bytes that differ from block to block; some blocks are zeros, which are written like any other.
fn content(length: usize) -> Vec<u8> {
    let byte = |n: usize| {
        let block = n / 512;
        if block % 7 == 3 { 0 } else { (n % 251) as u8 ^ (block % 253) as u8 }
    };
    (0..length).map(byte).collect()
}

/// Makes an image of ours with this content, written in pieces that no block or band ends with.
fn made(path: &Path, format: ImageFormat, size: KeySize, content: &[u8]) {
    let spec = Spec {
        band_bytes: format.row().band_bytes.map(|_| MIB as u64),
        key: Some(key(size, WORDS)),
        ..Spec::plain(format, content.len() as u64)
    };
    let mut image = create(path, &spec).unwrap().image;
    let mut at = 0;
    for piece in content.chunks(700_001) {
        image.write_at(piece, at).unwrap();
        at += piece.len() as u64;
    }
    image.flush(Durability::None).unwrap();
}

#[test]
fn encrypted_images_are_read() {
    let folder = tempfile::tempdir().unwrap();
    // Of a bundle whole bands: it fails on a band that is shorter than the others.
    for (format, length) in [
        (ImageFormat::Udrw, 3 * MIB + 512),
        (ImageFormat::Udsp, 5 * MIB + 1024),
        (ImageFormat::Udsb, 5 * MIB),
    ] {
        for size in [KeySize::Aes128, KeySize::Aes256] {
            let content = content(length);
            let path = folder.path().join(format!("{format}-{size:?}"));
            made(&path, format, size, &content);
            assert_eq!(disk(&path, format, Some(b"wrong")), None, "{format}");
            assert_reads(disk(&path, format, Some(WORDS.as_bytes())), &content);
        }
    }
}

#[test]
fn an_image_whose_passphrase_was_changed_is_read_with_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let content = content(3 * MIB);
    let (path, format) = (folder.path().join("changed.dmg"), ImageFormat::Udrw);
    made(&path, format, KeySize::Aes256, &content);
    let new = b"another";
    let passphrase = |words: &[u8]| Passphrase::new(words.to_vec()).unwrap();
    change_passphrase(&path, Some(&passphrase(WORDS.as_bytes())), &passphrase(new), Some(1000))
        .unwrap();
    assert_eq!(disk(&path, format, Some(WORDS.as_bytes())), None);
    assert_reads(disk(&path, format, Some(new)), &content);
}
