//! Compressed images (UDIF), written field by field: blocks, a map of them in a property list, and the trailer.

use plist::{Dictionary, Value};

/// What blocks hold.
pub const ZEROS: u32 = 0;
pub const PLAIN: u32 = 1;
pub const ZLIB: u32 = 0x8000_0005;

/// A block: what it holds, packed, and unpacked.
pub type Block = (u32, Vec<u8>, Vec<u8>);

/// A block of a zlib stream that is stored as it is (RFC 1950 and 1951), or none of zeros.
pub fn stored(bytes: &[u8]) -> Block {
    if bytes.iter().all(|byte| *byte == 0) {
        return (ZEROS, Vec::new(), bytes.to_vec());
    }
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
    (ZLIB, stream, bytes.to_vec())
}

/// CRC-32, bit by bit.
pub fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

fn sum(crc: u32) -> Vec<u8> {
    [2_u32, 32, crc].iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// An image of these blocks, in one partition.
pub fn image(all: &[Block]) -> Vec<u8> {
    let (mut data, mut disk, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, packed, unpacked) in all {
        blocks.extend(kind.to_be_bytes());
        blocks.extend([0; 4]);
        let (first, sectors) = (disk.len() as u64 / 512, unpacked.len() as u64 / 512);
        for number in [first, sectors, data.len() as u64, packed.len() as u64] {
            blocks.extend(number.to_be_bytes());
        }
        data.extend(packed);
        disk.extend(unpacked);
    }
    let mut map = b"mish\0\0\0\x01\0\0\0\0\0\0\0\0".to_vec();
    map.extend((disk.len() as u64 / 512).to_be_bytes());
    map.resize(64, 0);
    map.extend(sum(crc(&disk)));
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
    put(352, &sum(crc(&crc(&disk).to_be_bytes())));
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
