//! Compressed images (UDIF) on the command line: told what they are, checked, converted, and never changed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

mod common;

use common::{Ended, Study};
use plist::{Dictionary, Value};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Bytes of a block.
const BLOCK: usize = 4096;

/// A disk of 10 blocks with a block of zeros, and a partition map: a boot record of one entry of type AF (HFS+).
fn disk() -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..10 * BLOCK).map(|n| (n * 7 + n / 255).to_le_bytes()[0] | 1).collect();
    bytes[446..510].fill(0);
    bytes[450] = 0xaf;
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[3 * BLOCK..4 * BLOCK].fill(0);
    bytes
}

/// A zlib stream of one block that is stored as it is (RFC 1950 and 1951).
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(bytes);
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// CRC-32, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

fn sum(crc: u32) -> Vec<u8> {
    [2_u32, 32, crc].iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A UDZO of this disk, in one partition.
fn udzo(disk: &[u8]) -> Vec<u8> {
    let (mut data, mut blocks) = (Vec::new(), Vec::new());
    for (number, block) in (0_u64..).zip(disk.chunks(BLOCK)) {
        let zeros = block.iter().all(|byte| *byte == 0);
        let packed = if zeros { Vec::new() } else { stored(block) };
        blocks.extend(if zeros { [0; 4] } else { 0x8000_0005_u32.to_be_bytes() });
        blocks.extend([0; 4]);
        let sectors = BLOCK as u64 / 512;
        for number in [number * sectors, sectors, data.len() as u64, packed.len() as u64] {
            blocks.extend(number.to_be_bytes());
        }
        data.extend(packed);
    }
    let mut map = b"mish\0\0\0\x01\0\0\0\0\0\0\0\0".to_vec();
    map.extend((disk.len() as u64 / 512).to_be_bytes());
    map.resize(64, 0);
    map.extend(sum(crc(disk)));
    map.resize(200, 0);
    map.extend((u32::try_from(blocks.len() / 40).unwrap()).to_be_bytes());
    map.extend(blocks);
    let list = list(map);
    let mut last = b"koly\0\0\0\x04\0\0\x02\0\0\0\0\x01".to_vec();
    last.resize(512, 0);
    let mut put = |at: usize, bytes: &[u8]| last[at..at + bytes.len()].copy_from_slice(bytes);
    put(32, &(data.len() as u64).to_be_bytes());
    put(80, &sum(crc(&data)));
    put(216, &(data.len() as u64).to_be_bytes());
    put(224, &(list.len() as u64).to_be_bytes());
    put(352, &sum(crc(&crc(disk).to_be_bytes())));
    put(492, &(disk.len() as u64 / 512).to_be_bytes());
    [data, list, last].concat()
}

fn list(map: Vec<u8>) -> Vec<u8> {
    let dictionary =
        |key: &str, value| Value::Dictionary(Dictionary::from_iter([(key.to_owned(), value)]));
    let map = dictionary("Data", Value::Data(map));
    let mut text = Vec::new();
    dictionary("resource-fork", dictionary("blkx", Value::Array(vec![map])))
        .to_writer_xml(&mut text)
        .unwrap();
    text
}

fn call(study: &Study, words: &[&str], path: &Path) -> Ended {
    let mut arguments = vec!["image", words[0], path.to_str().unwrap()];
    arguments.extend(&words[1..]);
    study.call(&arguments)
}

#[test]
fn a_compressed_image_is_told_checked_and_converted_to_every_format() {
    let study = Study::new();
    let (path, disk) = (study.path("x.dmg"), disk());
    fs::write(&path, udzo(&disk)).unwrap();
    let info = call(&study, &["info"], &path).done().stdout.clone();
    assert!(info.contains("format      UDZO") && info.contains("40960 bytes"), "{info}");
    let json = call(&study, &["info", "--json"], &path).done().stdout.clone();
    assert!(json.contains("\"format\": \"UDZO\""), "{json}");
    assert_eq!(call(&study, &["check"], &path).done().stdout, "no damage found\n");
    for format in ["UDRW", "UDSP", "UDSB", "ASIF"] {
        let (copy, back) =
            (study.path(&format!("copy-{format}")), study.path(&format!("{format}.img")));
        let to = copy.to_str().unwrap();
        call(&study, &["convert", to, "--to", format, "--progress", "none"], &path).done();
        let to = back.to_str().unwrap();
        call(&study, &["convert", to, "--to", "UDRW", "--progress", "none"], &copy).done();
        assert!(fs::read(&back).unwrap() == disk, "{format}");
    }
}

#[test]
fn a_compressed_image_is_never_changed() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let bytes = udzo(&disk());
    fs::write(&path, &bytes).unwrap();
    let refused = call(&study, &["compact"], &path);
    let line = refused.refused_with(2);
    assert!(
        line.contains("a UDZO image is only read: convert it to another format first"),
        "{line}"
    );
    let refused =
        call(&study, &["convert", study.path("y").to_str().unwrap(), "--to", "UDZO"], &path);
    assert!(refused.refused_with(2).contains("UDZO"), "no image of it is made");
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn a_compressed_image_with_a_changed_byte_is_damaged_and_no_copy_of_it_is_left() {
    let study = Study::new();
    let path = study.path("x.dmg");
    let mut bytes = udzo(&disk());
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let checked = call(&study, &["check"], &path);
    assert_eq!(checked.code, 6, "{checked:?}");
    assert!(checked.stdout.contains("cannot be unpacked"), "{checked:?}");
    let copy = study.path("copy.img");
    let to = copy.to_str().unwrap();
    let refused = call(&study, &["convert", to, "--to", "UDRW", "--progress", "none"], &path);
    let line = refused.refused_with(6);
    assert!(line.contains("the block of sectors 0 to 8 cannot be unpacked"), "{line}");
    assert!(!copy.exists());
}

#[test]
fn a_compressed_image_inside_an_encrypted_one_is_read_with_its_passphrase() {
    let study = Study::new();
    let (path, disk) = (study.path("locked.dmg"), disk());
    let mut inside = udzo(&disk);
    // Encryption goes by blocks, and the container's header says how long the content is.
    let length = inside.len() as u64;
    assert!(!length.is_multiple_of(512), "else it would be taken for a compressed image itself");
    inside.resize(inside.len().next_multiple_of(512), 0);
    let raw = study.path("raw.img");
    fs::write(&raw, inside).unwrap();
    let script = |words: &str, paths: [&Path; 2]| {
        let program = study.command(&[]).get_program().to_owned();
        let made = Command::new("sh")
            .args(["-c", &format!("printf x | \"$0\" image {words} --progress none")])
            .arg(program)
            .args(paths)
            .output()
            .unwrap();
        Ended::of(&made).done();
    };
    let encrypt = "convert \"$1\" \"$2\" --to UDRW --encryption AES-128 --new-passphrase-stdin";
    script(encrypt, [&raw, &path]);
    let mut bytes = fs::read(&path).unwrap();
    // Bytes 0x38 to 0x40 of the header are the length of the content.
    bytes[0x38..0x40].copy_from_slice(&length.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let copy = study.path("copy.img");
    script("convert \"$1\" \"$2\" --to UDRW --passphrase-stdin", [&path, &copy]);
    assert!(fs::read(&copy).unwrap() == disk);
}
