//! Encrypted images of older Macs: blocks of 4096 bytes (`encrcdsa`) are read, version 1 (`cdsaencr`) is named.
//!
//! The images are put together here from the description of the format, one unit of the cipher after the other, and not
//! by the code under test. That they are what others take for such images, `keramics-formats` 0.0.1 says, which reads
//! them too.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "helpers of tests may stop, and cut numbers to bytes"
)]

use diskimage::error::Kind;
use std::fs;
use std::path::Path;
use std::process::Command;

use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use des::TdesEde3;
use diskimage::crypt::Passphrase;
use diskimage::format::ImageFormat;
use diskimage::open::{self, Spec, check, create, open};
use diskimage::store::Access;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use system::flush::Durability;

use crate::common::keramics::{assert_reads, disk};

const WORDS: &[u8] = b"old passphrase";
const SALT: [u8; 20] = *b"salt of twenty bytes";
const VECTOR: [u8; 8] = *b"8 bytes.";
const ROUNDS: u32 = 1000;
const AES_KEY: [u8; 16] = *b"key of a disk...";
const HMAC_KEY: [u8; 20] = *b"key of its vectors..";
const BLOCK: usize = 4096;
/// Header and token are whole blocks.
const HEADER: usize = 122_880;
const MIB: usize = 1 << 20;

fn passphrase() -> Passphrase {
    Passphrase::new(WORDS.to_vec()).unwrap()
}

/// CBC without padding; a vector that is too short is followed by zeros.
fn cbc<Cipher: BlockCipherEncrypt>(cipher: &Cipher, vector: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut chain = Block::<Cipher>::default();
    chain.iter_mut().zip(vector).for_each(|(to, from)| *to = *from);
    let mut found = Vec::new();
    for unit in plain.chunks(chain.len()) {
        chain.iter_mut().zip(unit).for_each(|(byte, other)| *byte ^= other);
        cipher.encrypt_block(&mut chain);
        found.extend_from_slice(&chain);
    }
    found
}

/// Encrypts blocks, the first of which has this number; the last one is filled up by zeros.
fn encrypted(plain: &[u8], first: u32) -> Vec<u8> {
    let cipher = aes::Aes128::new_from_slice(&AES_KEY).unwrap();
    let mut found = Vec::new();
    for (number, block) in (first..).zip(plain.chunks(BLOCK)) {
        let mut block = block.to_vec();
        block.resize(BLOCK, 0);
        let mut mac = Hmac::<Sha1>::new_from_slice(&HMAC_KEY).unwrap();
        mac.update(&number.to_be_bytes());
        found.extend(cbc(&cipher, &mac.finalize().into_bytes()[..16], &block));
    }
    found
}

/// The header: keys wrapped with 3DES, as then.
fn header(payload_bytes: usize) -> Vec<u8> {
    let mut kek = [0; 24];
    pbkdf2::pbkdf2_hmac::<Sha1>(WORDS, &SALT, ROUNDS, &mut kek);
    // 16 + 20 + 5 bytes, and 7 of padding.
    let keys = [&AES_KEY[..], &HMAC_KEY, b"CKIE\0", &[7; 7]].concat();
    let wrapped = cbc(&TdesEde3::new_from_slice(&kek).unwrap(), &VECTOR, &keys);
    let mut bytes = vec![0; HEADER];
    bytes[..8].copy_from_slice(b"encrcdsa");
    for (at, number) in [
        (0x08, 2),
        (0x0C, 16),
        (0x10, 5),
        (0x14, 0x8000_0001),
        (0x18, 128),
        (0x1C, 91),
        (0x20, 160),
        (0x34, BLOCK as u32),
        (0x3C, payload_bytes as u32),
        (0x44, HEADER as u32),
        (0x48, 1),
        (0x4C, 1),
        (0x54, 0x60),
        (0x5C, 616),
        (0x60, 103),
        (0x68, ROUNDS),
        (0x6C, 20),
        (0x90, 8),
        (0xB4, 192),
        (0xB8, 17),
        (0xBC, 7),
        (0xC0, 6),
        (0xC4, wrapped.len() as u32),
    ] {
        bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
    bytes[0x70..0x84].copy_from_slice(&SALT);
    bytes[0x94..0x9C].copy_from_slice(&VECTOR);
    bytes[0xC8..0xC8 + wrapped.len()].copy_from_slice(&wrapped);
    bytes
}

fn container(payload: &[u8]) -> Vec<u8> {
    [header(payload.len()), encrypted(payload, 0)].concat()
}

/// Bytes that differ from sector to sector.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n % 251) as u8 ^ (n / 512 % 253) as u8).collect()
}

/// Makes a plain image of ours with this content.
fn plain(path: &Path, format: ImageFormat, content: &[u8]) {
    let spec = Spec { band_bytes: Some(MIB as u64), ..Spec::plain(format, content.len() as u64) };
    let mut image = create(path, &spec).unwrap().image;
    image.write_at(content, 0).unwrap();
    image.flush(Durability::None).unwrap();
}

/// Makes a bundle whose bands are encrypted.
fn bundle(path: &Path, content: &[u8]) {
    plain(path, ImageFormat::Udsb, content);
    for number in 0..content.len().div_ceil(MIB) {
        let band = path.join(format!("bands/{number:x}"));
        let first = number * MIB / BLOCK;
        fs::write(&band, encrypted(&fs::read(&band).unwrap(), first as u32)).unwrap();
    }
    fs::write(path.join("token"), header(0)).unwrap();
}

/// What we read: all of it, and ranges that no block begins or ends with.
fn assert_ours(path: &Path, format: ImageFormat, expected: &[u8]) {
    assert_eq!(check(path, Some(&passphrase())).unwrap(), []);
    let mut opened = open(path, Access::Read, Some(&passphrase())).unwrap();
    assert_eq!(opened.format, format);
    assert_eq!(opened.encryption.unwrap().block_bytes, 4096);
    assert_eq!(opened.image.len_bytes(), expected.len() as u64);
    let mut found = vec![0xA5; expected.len()];
    opened.image.read_at(&mut found, 0).unwrap();
    assert_eq!(found.iter().zip(expected).position(|(a, b)| a != b), None);
    for (offset, length) in [(0, 1), (4095, 2), (5000, 100), (513, 20_000), (MIB - 700, 5000)] {
        let mut found = vec![0xA5; length];
        opened.image.read_at(&mut found, offset as u64).unwrap();
        assert!(found == expected[offset..offset + length], "{length} bytes at {offset}");
    }
    let wrong = Passphrase::new(b"wrong".to_vec()).unwrap();
    let refused = open(path, Access::Read, Some(&wrong)).err().unwrap();
    assert_eq!(refused.kind(), Kind::WrongPassphrase);
}

#[test]
fn a_raw_image_with_blocks_of_4096_bytes_is_read_also_when_the_last_one_is_not_full() {
    let folder = tempfile::tempdir().unwrap();
    for length in [2 * MIB, 2 * MIB + 512, 3 * MIB - 512] {
        let (path, content) = (folder.path().join(format!("{length}.dmg")), content(length));
        fs::write(&path, container(&content)).unwrap();
        assert_ours(&path, ImageFormat::Udrw, &content);
        assert_reads(disk(&path, ImageFormat::Udrw, Some(WORDS)), &content);
    }
}

#[test]
fn a_sparse_image_with_blocks_of_4096_bytes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (path, inside, content) =
        (folder.path().join("x.sparseimage"), folder.path().join("plain"), content(3 * MIB + 512));
    plain(&inside, ImageFormat::Udsp, &content);
    fs::write(&path, container(&fs::read(inside).unwrap())).unwrap();
    assert_ours(&path, ImageFormat::Udsp, &content);
    assert_reads(disk(&path, ImageFormat::Udsp, Some(WORDS)), &content);
}

#[test]
fn a_sparse_bundle_with_blocks_of_4096_bytes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (path, content) = (folder.path().join("x.sparsebundle"), content(3 * MIB));
    bundle(&path, &content);
    assert_ours(&path, ImageFormat::Udsb, &content);
    assert_reads(disk(&path, ImageFormat::Udsb, Some(WORDS)), &content);
    // A band that is missing is zeros, and so is what lies behind the end of a short one.
    fs::remove_file(path.join("bands/1")).unwrap();
    let short = fs::OpenOptions::new().write(true).open(path.join("bands/2")).unwrap();
    short.set_len(8192).unwrap();
    let mut expected = content;
    expected[MIB..2 * MIB].fill(0);
    expected[2 * MIB + 8192..].fill(0);
    assert_ours(&path, ImageFormat::Udsb, &expected);
}

#[test]
fn what_is_cut_in_the_middle_of_a_block_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("x.dmg");
    let bytes = container(&content(2 * MIB + 512));
    fs::write(&image, &bytes[..bytes.len() - 512]).unwrap();
    assert_eq!(check(&image, Some(&passphrase())).unwrap().len(), 1);
    let path = folder.path().join("x.sparsebundle");
    bundle(&path, &content(2 * MIB));
    let band = fs::OpenOptions::new().write(true).open(path.join("bands/1")).unwrap();
    band.set_len(8192 + 512).unwrap();
    let found = check(&path, Some(&passphrase())).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.contains("encrypted blocks of 4096"), "{found:?}");
    // A token of another length than its blocks ask for.
    bundle(&folder.path().join("y.sparsebundle"), &content(MIB));
    fs::write(folder.path().join("y.sparsebundle/token"), &header(0)[..122_368]).unwrap();
    let found = check(&folder.path().join("y.sparsebundle"), Some(&passphrase())).unwrap();
    assert!(found[0].0.contains("122880 bytes"), "{found:?}");
}

#[test]
fn an_image_with_blocks_of_4096_bytes_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (image, sparse, bands) = (
        folder.path().join("x.dmg"),
        folder.path().join("x.sparseimage"),
        folder.path().join("x.sparsebundle"),
    );
    let inside = folder.path().join("plain");
    plain(&inside, ImageFormat::Udsp, &content(MIB));
    fs::write(&image, container(&content(MIB))).unwrap();
    fs::write(&sparse, container(&fs::read(inside).unwrap())).unwrap();
    bundle(&bands, &content(MIB));
    for (path, file) in
        [(&image, image.clone()), (&sparse, sparse.clone()), (&bands, bands.join("bands/0"))]
    {
        let before = fs::read(&file).unwrap();
        let mut opened = open(path, Access::Write, Some(&passphrase())).unwrap().image;
        for refused in [
            opened.write_at(&[1; 100], 5000),
            opened.discard(4096, 8192),
            opened.write_at(&[1; 8192], 0),
        ] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.kind(), Kind::Unsupported, "{refused}");
            assert!(refused.to_string().contains("image convert"), "{refused}");
        }
        drop(opened);
        assert!(fs::read(&file).unwrap() == before, "{}", file.display());
    }
}

#[test]
fn a_bundle_whose_bands_are_no_whole_blocks_of_4096_bytes_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sparsebundle");
    bundle(&path, &content(MIB));
    for name in ["Info.plist", "Info.bckup"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        fs::write(path.join(name), text.replace("1048576</integer>", "1049088</integer>")).unwrap();
    }
    let opened = open(&path, Access::Read, Some(&passphrase())).err().unwrap();
    let checked = check(&path, Some(&passphrase())).unwrap_err();
    assert_eq!((opened.kind(), checked.kind()), (Kind::Unsupported, Kind::Unsupported));
}

/// Exit code and the line on stderr.
fn diskbench(arguments: &[&str], path: &Path) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskbench"));
    let done = command.arg("image").args(arguments).arg(path).output().unwrap();
    (done.status.code().unwrap(), String::from_utf8(done.stderr).unwrap())
}

#[test]
fn version_1_is_named_wherever_it_occurs_and_never_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    // A raw image and a sparse image look alike: ciphertext, and a description of 1,276 bytes that ends with the mark.
    let mut trailer = vec![0x33; 1276];
    trailer[1268..].copy_from_slice(b"cdsaencr");
    let image = folder.path().join("x.dmg");
    fs::write(&image, [&content(MIB)[..], &trailer].concat()).unwrap();
    let odd = folder.path().join("x.sparseimage");
    fs::write(&odd, [&content(MIB + 77)[..], &trailer].concat()).unwrap();
    // A bundle keeps the same description in its token.
    let path = folder.path().join("x.sparsebundle");
    bundle(&path, &content(MIB));
    fs::write(path.join("token"), &trailer).unwrap();
    for path in [&image, &odd, &path] {
        for words in [None, Some(passphrase())] {
            let opened = open::open(path, Access::Read, words.as_ref()).err().unwrap();
            assert_eq!(opened.kind(), Kind::Unsupported, "{opened}");
            let checked = check(path, words.as_ref()).unwrap_err();
            assert_eq!(checked.kind(), Kind::Unsupported, "{checked}");
        }
        for command in ["info", "check"] {
            let (code, line) = diskbench(&[command], path);
            assert_eq!(code, 2, "{line}");
            assert!(line.contains("version 1 (cdsaencr)") && !line.contains("damaged"), "{line}");
            assert_eq!(line.lines().count(), 1, "{line}");
        }
    }
}
