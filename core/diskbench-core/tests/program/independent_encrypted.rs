//! Encrypted images of ours, read by a reader that we did not write: `keramics-formats` 0.0.1.
//!
//! Its limits, kept to here: it knows no hole (a block, band or slot that was never written is noise or an error to it),
//! so every byte is written; a sparse image has at most 1008 bands.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "helpers of tests may stop, and cut numbers to bytes"
)]

use std::path::{Path, PathBuf};

use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::format::ImageFormat;
use diskimage::open::{Spec, change_passphrase, create};
use keramics_core::{DataStreamReference, open_os_data_stream};
use keramics_formats::cdsaencr::{CdsaEncrContainer, CdsaEncrCredential};
use keramics_formats::sparsebundle::SparseBundleImage;
use keramics_formats::sparseimage::SparseImageFile;
use keramics_formats::{FileResolverReference, OsFileResolver, PathComponent};
use system::flush::Durability;

const WORDS: &[u8] = b"correct horse battery staple";
const SIZES: [KeySize; 2] = [KeySize::Aes128, KeySize::Aes256];
const MIB: usize = 1 << 20;

fn credentials() -> [CdsaEncrCredential; 1] {
    [CdsaEncrCredential::Passphrase(WORDS.to_vec())]
}

fn wrong_credentials() -> [CdsaEncrCredential; 1] {
    [CdsaEncrCredential::Passphrase(b"wrong".to_vec())]
}

/// Bytes that differ from block to block; some blocks are zeros, which are written like any other.
fn content(length: usize) -> Vec<u8> {
    let byte = |n: usize| {
        let block = n / 512;
        if block % 7 == 3 { 0 } else { (n % 251) as u8 ^ (block % 253) as u8 }
    };
    (0..length).map(byte).collect()
}

/// Makes an image of ours with this content, written in pieces that no block or band ends with.
fn made(path: &Path, format: ImageFormat, size: KeySize, band_bytes: Option<u64>, content: &[u8]) {
    let passphrase = Passphrase::new(WORDS.to_vec()).unwrap();
    let key = NewKey { size, passphrase: &passphrase, iterations: Some(1000) };
    let spec = Spec {
        format,
        len_bytes: content.len() as u64,
        band_bytes,
        block_bytes: None,
        key: Some(key),
    };
    let mut image = create(path, &spec).unwrap().image;
    let mut at = 0;
    for piece in content.chunks(700_001) {
        image.write_at(piece, at).unwrap();
        at += piece.len() as u64;
    }
    image.flush(Durability::None).unwrap();
}

fn assert_reads(stream: &DataStreamReference, expected: &[u8]) {
    let mut stream = stream.write().unwrap();
    assert_eq!(stream.get_size().unwrap(), expected.len() as u64);
    let mut found = vec![0xa5; expected.len()];
    stream.read_exact(&mut found).unwrap();
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "first byte that differs");
}

#[test]
fn an_encrypted_raw_image_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (number, size) in SIZES.into_iter().enumerate() {
        let content = content(3 * MIB + 512);
        let path = folder.path().join(format!("{number}.dmg"));
        made(&path, ImageFormat::Udrw, size, None, &content);
        let mut container = CdsaEncrContainer::new();
        container.read_data_stream(&open_os_data_stream(&path).unwrap()).unwrap();
        assert_eq!(container.get_block_size(), 512);
        assert!(!matches!(container.unlock(&wrong_credentials()), Ok(true)));
        assert!(container.unlock(&credentials()).unwrap());
        assert_reads(&container.get_data_stream().unwrap(), &content);
    }
}

#[test]
fn an_encrypted_sparse_image_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (number, size) in SIZES.into_iter().enumerate() {
        let content = content(5 * MIB + 1024);
        let path: PathBuf = folder.path().join(format!("{number}.sparseimage"));
        made(&path, ImageFormat::Udsp, size, Some(MIB as u64), &content);
        let mut file = SparseImageFile::new();
        file.read_data_stream(&open_os_data_stream(&path).unwrap()).unwrap();
        assert!(file.is_locked());
        assert!(file.unlock(&credentials()).unwrap());
        assert_reads(&file.get_data_stream().unwrap(), &content);
    }
}

#[test]
fn an_encrypted_sparse_bundle_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (number, size) in SIZES.into_iter().enumerate() {
        // Whole bands: it fails on a band that is shorter than the others.
        let content = content(5 * MIB);
        let path = folder.path().join(format!("{number}.sparsebundle"));
        made(&path, ImageFormat::Udsb, size, Some(MIB as u64), &content);
        let resolver = FileResolverReference::new(Box::new(OsFileResolver::new(path)));
        let mut image = SparseBundleImage::new();
        image.open(&resolver, &PathComponent::from("Info.plist")).unwrap();
        assert!(image.is_locked());
        assert!(image.unlock(&credentials()).unwrap());
        assert_reads(&image.get_data_stream().unwrap(), &content);
    }
}

#[test]
fn an_image_whose_passphrase_was_changed_is_read_with_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let content = content(3 * MIB);
    let path = folder.path().join("changed.dmg");
    made(&path, ImageFormat::Udrw, KeySize::Aes256, None, &content);
    let (old, new) = (WORDS.to_vec(), b"another".to_vec());
    let passphrase = |words: &Vec<u8>| Passphrase::new(words.clone()).unwrap();
    change_passphrase(&path, Some(&passphrase(&old)), &passphrase(&new), Some(1000)).unwrap();
    let mut container = CdsaEncrContainer::new();
    container.read_data_stream(&open_os_data_stream(&path).unwrap()).unwrap();
    assert!(!matches!(container.unlock(&credentials()), Ok(true)));
    assert!(container.unlock(&[CdsaEncrCredential::Passphrase(new)]).unwrap());
    assert_reads(&container.get_data_stream().unwrap(), &content);
}
