//! What the bytes of an image say, at the places where the formats have them: headers written by hand, and images.

use std::fs;
use std::path::Path;

use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::format::ImageFormat;
use diskimage::open::{self, Spec};

use super::identify;
use crate::image::file_volume::FileVolume;
use crate::record::ImageFacts;

/// Puts bytes into a file of zeros.
fn file(path: &Path, length: usize, fields: &[(usize, &[u8])]) {
    let mut bytes = vec![0; length];
    for (at, field) in fields {
        bytes[*at..at + field.len()].copy_from_slice(field);
    }
    fs::write(path, bytes).unwrap();
}

fn plain(format: &str) -> ImageFacts {
    ImageFacts {
        on_image: Some(true),
        format: Some(format.to_owned()),
        encrypted: Some(false),
        ..ImageFacts::default()
    }
}

/// An image of which nothing else is known.
fn unknown() -> ImageFacts {
    ImageFacts { on_image: Some(true), ..ImageFacts::default() }
}

#[test]
fn each_header_says_what_the_image_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    // A real sparse image: 80,000 sectors in bands of 2048.
    let sprs: &[(usize, &[u8])] =
        &[(0, b"sprs\0\0\0\x03\0\0\x08\0\0\0\0\x01\0\x01\x38\x80"), (30, b"\0\0\0\x01\x38\x80")];
    file(&path, 4096, sprs);
    let expected = ImageFacts {
        band_bytes: Some(1_048_576),
        nominal_bytes: Some(40_960_000),
        ..plain("UDSP")
    };
    assert_eq!(identify(&path, None).unwrap(), expected);

    // Chunks of 1 MiB, sectors of 4096 bytes, 1000 of them.
    let shdw: &[(usize, &[u8])] =
        &[(0, b"shdw"), (0x36, &[0x03, 0xe8]), (0x41, &[0x10]), (0x44, &[0x10])];
    file(&path, 4096, shdw);
    let expected = ImageFacts {
        band_bytes: Some(1_048_576),
        sector_bytes: Some(4096),
        nominal_bytes: Some(4_096_000),
        ..plain("ASIF")
    };
    assert_eq!(identify(&path, None).unwrap(), expected);

    let raw = ImageFacts { nominal_bytes: Some(81_920), ..plain("UDRW") };
    for mark in [(0, b"dskbvolm"), (512, b"EFI PART")] {
        file(&path, 81_920, &[(mark.0, mark.1)]);
        assert_eq!(identify(&path, None).unwrap(), raw);
        // A packed image is no raw disk, and what it unpacks to is not looked at.
        file(&path, 81_920, &[(mark.0, mark.1), (81_920 - 512, b"koly")]);
        assert_eq!(identify(&path, None).unwrap(), unknown());
    }
    // Zeros and noise may be a raw disk, or encrypted in a way that is not known.
    file(&path, 81_920, &[]);
    assert_eq!(identify(&path, None).unwrap(), unknown());

    for bits in [128_u8, 0] {
        let token: &[(usize, &[u8])] =
            &[(0, b"encrcdsa\0\0\0\x02"), (0x14, &[0x80, 0, 0, 1, 0, 0, 1 - bits / 128, bits])];
        file(&path, 122_368, token);
        let expected = ImageFacts {
            on_image: Some(true),
            encrypted: Some(true),
            cipher: Some("AES".into()),
            key_bits: Some(if bits == 0 { 256 } else { 128 }),
            ..ImageFacts::default()
        };
        assert_eq!(identify(&path, None).unwrap(), expected, "and nothing of what is inside");
    }
}

#[test]
fn a_bundle_says_what_it_is_in_its_description_and_its_token() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("image.sparsebundle");
    fs::create_dir(&bundle).unwrap();
    identify(&bundle, None).unwrap_err();
    let info = "<plist version=\"1.0\"><dict><key>CFBundleInfoDictionaryVersion</key><string>6.0</string>\
                <key>band-size</key><integer>4194304</integer><key>bundle-backingstore-version</key><integer>1</integer>\
                <key>diskimage-bundle-type</key><string>com.apple.diskimage.sparsebundle</string>\
                <key>size</key><integer>40960000</integer></dict></plist>";
    fs::write(bundle.join("Info.plist"), info).unwrap();
    let expected = ImageFacts {
        band_bytes: Some(4_194_304),
        nominal_bytes: Some(40_960_000),
        ..plain("UDSB")
    };
    assert_eq!(identify(&bundle, None).unwrap(), expected);
    fs::write(bundle.join("token"), "").unwrap();
    assert_eq!(identify(&bundle, None).unwrap(), expected, "as a plain bundle has it");
    let token: &[(usize, &[u8])] =
        &[(0, b"encrcdsa\0\0\0\x02"), (0x14, &[0x80, 0, 0, 1, 0, 0, 1, 0])];
    file(&bundle.join("token"), 122_368, token);
    let expected = ImageFacts {
        encrypted: Some(true),
        cipher: Some("AES".into()),
        key_bits: Some(256),
        ..expected
    };
    assert_eq!(identify(&bundle, None).unwrap(), expected);
}

#[test]
fn the_passphrase_opens_what_is_inside_and_another_one_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let right = Passphrase::new(b"right".to_vec()).unwrap();
    let wrong = Passphrase::new(b"wrong".to_vec()).unwrap();
    for (format, band_bytes, sector_bytes) in [
        (ImageFormat::Udrw, None, None),
        (ImageFormat::Udsp, Some(2_097_152), None),
        (ImageFormat::Asif, Some(1_048_576), Some(512)),
        (ImageFormat::Asif, Some(1_048_576), Some(4096)),
    ] {
        for (size, key_bits) in [(KeySize::Aes128, 128), (KeySize::Aes256, 256)] {
            let path = folder.path().join(format!("{format}-{key_bits}-{sector_bytes:?}"));
            let key = NewKey { size, passphrase: &right, iterations: Some(10) };
            let own_bands = band_bytes.filter(|_| format == ImageFormat::Udsp);
            let spec = Spec {
                format,
                len_bytes: 40_960_000,
                band_bytes: own_bands,
                block_bytes: sector_bytes.filter(|bytes| *bytes != 512),
                key: Some(key),
            };
            // Held open for writing, as while it is attached.
            let opened = open::create(&path, &spec).unwrap();
            let _volume = FileVolume::format(opened.image).unwrap();
            let outside = ImageFacts {
                on_image: Some(true),
                encrypted: Some(true),
                cipher: Some("AES".into()),
                key_bits: Some(key_bits),
                ..ImageFacts::default()
            };
            assert_eq!(identify(&path, None).unwrap(), outside);
            let expected = ImageFacts {
                format: Some(format.to_string()),
                band_bytes,
                sector_bytes,
                nominal_bytes: Some(40_960_000),
                ..outside
            };
            assert_eq!(identify(&path, Some(&right)).unwrap(), expected);
            identify(&path, Some(&wrong)).unwrap_err();
        }
    }
}
