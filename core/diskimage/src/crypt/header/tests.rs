use super::{HEADER, Header, PROTECTOR, Protector};
use crate::crypt::KeySize;
use crate::crypt::wrap::Wrap;
use crate::error::Kind;

fn example() -> Header {
    Header {
        size: KeySize::Aes256,
        block_bytes: 512,
        uuid: [0xee; 16],
        payload_bytes: 0x0102_0304_0506,
        payload_at: 0x1_de00,
        protectors: vec![Protector {
            iterations: 0x0003_d090,
            salt: (1..21).collect(),
            vector: (1..9).collect(),
            wrap: Wrap::Aes192,
            wrapped: vec![0xcc; 64],
        }],
    }
}

/// The fields in the order of the table, as an independent description has them.
#[test]
fn every_field_lies_where_others_found_it() {
    let bytes = example().bytes().unwrap();
    assert_eq!(bytes.len(), 122_368);
    let expected: [(usize, &[u8]); 26] = [
        (0x00, b"encrcdsa"),
        (0x08, &[0, 0, 0, 2]),
        (0x0c, &[0, 0, 0, 16]),
        (0x10, &[0, 0, 0, 5]),
        (0x14, &[0x80, 0, 0, 1]),
        (0x18, &[0, 0, 1, 0]),
        (0x1c, &[0, 0, 0, 91]),
        (0x20, &[0, 0, 0, 160]),
        (0x24, &[0xee; 16]),
        (0x34, &[0, 0, 2, 0]),
        (0x38, &[0, 0, 1, 2, 3, 4, 5, 6]),
        (0x40, &[0, 0, 0, 0, 0, 1, 0xde, 0]),
        (0x48, &[0, 0, 0, 1]),
        (0x4c, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0, 0, 0, 2, 0x68]),
        (0x60, &[0, 0, 0, 103]),
        (0x64, &[0, 0, 0, 0]),
        (0x68, &[0, 3, 0xd0, 0x90]),
        (0x6c, &[0, 0, 0, 20]),
        (0x70, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 0, 0]),
        (0x90, &[0, 0, 0, 8]),
        (0x94, &[1, 2, 3, 4, 5, 6, 7, 8, 0, 0]),
        (0xb4, &[0, 0, 0, 192, 0x80, 0, 0, 1]),
        (0xbc, &[0, 0, 0, 7, 0, 0, 0, 6]),
        (0xc4, &[0, 0, 0, 64]),
        (0xc8, &[0xcc; 64]),
        (0x108, &[0; 1024]),
    ];
    for (at, field) in expected {
        assert_eq!(&bytes[at..at + field.len()], field, "{at:#x}");
    }
}

#[test]
fn a_size_of_blocks_that_has_no_place_in_a_header_is_never_written_as_another() {
    let refused = Header { block_bytes: 1 << 32, ..example() }.bytes().unwrap_err();
    assert_eq!(refused.kind(), Kind::Internal);
}

#[test]
fn what_is_written_is_read() {
    for wrap in [Wrap::Aes192, Wrap::TripleDes] {
        let mut header = example();
        header.protectors[0].wrap = wrap;
        assert_eq!(Header::parse(&header.bytes().unwrap()).unwrap(), header);
    }
}

#[test]
fn a_header_that_is_cut_short_is_damage() {
    let bytes = example().bytes().unwrap();
    let needed = 0x60 + PROTECTOR;
    for length in 0..needed {
        let error = Header::parse(&bytes[..length]).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged, "{length}");
    }
    assert!(Header::parse(&bytes[..needed]).is_ok());
}

#[test]
fn what_is_not_known_is_named() {
    for (at, value, words) in [
        (0x08, 3, "the version is 3"),
        (0x0c, 8, "length of an initial vector is 8"),
        (0x10, 6, "mode of the cipher is 6"),
        (0x14, 17, "the cipher is 17"),
        (0x18, 192, "192 bits"),
        (0x1c, 1, "the way initial vectors are made is 1"),
        (0x20, 128, "key for initial vectors is 128"),
        (0x34, 1024, "the block size is 1024"),
        (0x38, 0x10000, "at most 2199023255552 are known to work"),
        (0x4c, 2, "a certificate only"),
        (0x4c, 3, "a keychain only"),
        (0x60, 1, "the key derivation is 1"),
        (0xb4, 128, "size of the wrapping key is 128"),
        (0xb8, 1, "wrapped by cipher 1"),
        (0xbc, 0, "padding of the wrapped keys is 0"),
        (0xc0, 5, "mode of the wrapping is 5"),
    ] {
        let error = Header::parse(&changed(at, value)).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn numbers_that_make_no_sense_are_damage() {
    for (at, value, words) in [
        (0x00, 0, "encrcdsa"),
        (0x48, 0, "0 protectors"),
        (0x48, 65, "65 protectors"),
        (0x50, 1, "cut short"),
        (0x54, 0x1_de00, "cut short"),
        (0x54, u32::MAX, "cut short"),
        (0x5c, 100, "cut short"),
        (0x68, 0, "0 rounds"),
        (0x68, 20_000_001, "20000001 rounds"),
        (0x68, u32::MAX, "4294967295 rounds"),
        (0x6c, 33, "33 bytes"),
        (0x90, u32::MAX, "4294967295 bytes"),
        (0xc4, 513, "513 bytes"),
    ] {
        let error = Header::parse(&changed(at, value)).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged, "{at:#x}: {error}");
        assert!(error.to_string().contains(words), "{at:#x}: {error}");
    }
}

#[test]
fn a_passphrase_beside_a_certificate_is_found() {
    let mut bytes = changed(0x48, 2);
    // The second entry lies where the first protector lay, which moves behind it.
    bytes.copy_within(0x60..0x60 + PROTECTOR, 0x1000);
    bytes.copy_within(0x4c..0x60, 0x60);
    bytes[0x64..0x6c].copy_from_slice(&0x1000_u64.to_be_bytes());
    bytes[0x4c..0x50].copy_from_slice(&2_u32.to_be_bytes());
    assert_eq!(Header::parse(&bytes).unwrap().protectors, example().protectors);
    assert_eq!(bytes.len(), HEADER);
}

fn changed(at: usize, value: u32) -> Vec<u8> {
    let mut bytes = example().bytes().unwrap();
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
    bytes
}
