//! UDIF files put together by hand: a disk, its maps, the property list and the trailer.

use std::io::Write;

use lzma_rust2::{XzOptions, XzWriter};
use plist::{Dictionary, Value};

use crate::testing::content;
use crate::udif::unpack::Packer;

/// Bytes of a block.
pub(super) const BLOCK: usize = 8192;

/// Bytes of the disk below that are whole blocks of zeros.
pub(super) const ZERO_BYTES: usize = 5 * BLOCK;

/// A disk: content that packs well and content that does not, zeros among it, and a short block at the end.
pub(super) fn disk() -> Vec<u8> {
    let mut disk = content(3, (20 * BLOCK + 3 * 512) as u64);
    for (number, block) in disk.chunks_mut(BLOCK).enumerate() {
        match number {
            2..=5 | 9 => block.fill(0),
            11..=14 => block.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at / 100) as u8),
            _ => {}
        }
    }
    disk
}

/// What to make.
#[derive(Debug, Clone)]
pub(super) struct Built<'a> {
    pub disk: &'a [u8],
    /// How blocks are packed; none for not at all.
    pub packer: Option<Packer>,
    /// Whether there is a property list.
    pub mapped: bool,
    /// Bytes in the file before its data, and in the data before the second partition's.
    pub before: usize,
    pub shift: u64,
}

impl<'a> Built<'a> {
    pub(super) fn of(disk: &'a [u8]) -> Self {
        Self { disk, packer: None, mapped: true, before: 0, shift: 0 }
    }

    /// The file. Its disk has two partitions, of 8 blocks and of the rest.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut data = Vec::new();
        let (maps, sums): (Vec<_>, Vec<_>) = if self.mapped {
            let (first, second) = self.disk.split_at(8 * BLOCK);
            let first = (self.map(0, first, &mut data, 0), crc32fast::hash(&kept(first)));
            data.resize(data.len() + self.shift as usize, 0);
            let second = (
                self.map(8 * BLOCK, second, &mut data, self.shift),
                crc32fast::hash(&kept(second)),
            );
            [first, second].into_iter().unzip()
        } else {
            data.extend(self.disk);
            (Vec::new(), Vec::new())
        };
        let list = if self.mapped { list(maps) } else { Vec::new() };
        let sums: Vec<u8> = sums.iter().flat_map(|sum| sum.to_be_bytes()).collect();
        let start = self.before as u64;
        let mut trailer = vec![0; 512];
        let mut put =
            |at: usize, bytes: &[u8]| trailer[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"koly\0\0\0\x04\0\0\x02\0\0\0\0\x01");
        put(24, &start.to_be_bytes());
        put(32, &(data.len() as u64).to_be_bytes());
        put(56, &1_u32.to_be_bytes());
        put(60, &1_u32.to_be_bytes());
        put(80, &sum(crc32fast::hash(&data)));
        put(216, &(start + data.len() as u64).to_be_bytes());
        put(224, &(list.len() as u64).to_be_bytes());
        put(352, &sum(crc32fast::hash(&sums)));
        put(492, &(self.disk.len() as u64 / 512).to_be_bytes());
        [vec![0x55; self.before], data, list, trailer].concat()
    }

    fn map(&self, first: usize, content: &[u8], data: &mut Vec<u8>, shift: u64) -> Vec<u8> {
        let mut blocks = Vec::new();
        for (number, block) in content.chunks(BLOCK).enumerate() {
            let zeros = block.iter().all(|byte| *byte == 0);
            let packed = match self.packer {
                // the second kind of what holds nothing: free sectors
                _ if zeros => (if is_free(number, block) { 2_u32 } else { 0 }, Vec::new()),
                None => (1, block.to_vec()),
                Some(packer) => pack(packer, block),
            };
            blocks.extend(packed.0.to_be_bytes());
            blocks.extend([0; 4]);
            blocks.extend((number as u64 * BLOCK as u64 / 512).to_be_bytes());
            blocks.extend((block.len() as u64 / 512).to_be_bytes());
            blocks.extend((data.len() as u64 - shift).to_be_bytes());
            blocks.extend((packed.1.len() as u64).to_be_bytes());
            data.extend(packed.1);
        }
        for kind in [0x7fff_fffe_u32, 0xffff_ffff] {
            blocks.extend(kind.to_be_bytes());
            blocks.extend([0; 36]);
        }
        let mut map = b"mish\0\0\0\x01".to_vec();
        map.extend((first as u64 / 512).to_be_bytes());
        map.extend((content.len() as u64 / 512).to_be_bytes());
        map.extend(shift.to_be_bytes());
        map.resize(64, 0);
        map.extend(sum(crc32fast::hash(&kept(content))));
        map.resize(200, 0);
        map.extend((blocks.len() as u32 / 40).to_be_bytes());
        map.extend(blocks);
        map
    }
}

/// Every other block of zeros is one of free sectors.
fn is_free(number: usize, block: &[u8]) -> bool {
    number % 2 == 1 && block.iter().all(|byte| *byte == 0)
}

/// What checksums are made of, as in images that hdiutil made: all sectors but the free ones.
fn kept(content: &[u8]) -> Vec<u8> {
    let blocks = content.chunks(BLOCK).enumerate();
    blocks
        .filter(|(number, block)| !is_free(*number, block))
        .flat_map(|(_, block)| block.to_vec())
        .collect()
}

fn sum(crc: u32) -> Vec<u8> {
    [2_u32, 32, crc].iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn list(maps: Vec<Vec<u8>>) -> Vec<u8> {
    let dictionary = |pairs: Vec<(&str, Value)>| {
        let pairs = pairs.into_iter().map(|(key, value)| (key.to_owned(), value));
        Value::Dictionary(pairs.collect::<Dictionary>())
    };
    let maps = maps.into_iter().enumerate().map(|(number, map)| {
        let name = Value::String(format!("disk image (Apple_HFS : {number})"));
        dictionary(vec![("CFName", name), ("Data", Value::Data(map))])
    });
    let fork = dictionary(vec![("blkx", Value::Array(maps.collect()))]);
    let mut text = Vec::new();
    dictionary(vec![("resource-fork", fork)]).to_writer_xml(&mut text).unwrap();
    text
}

fn pack(packer: Packer, block: &[u8]) -> (u32, Vec<u8>) {
    match packer {
        Packer::Adc => (0x8000_0004, adc(block)),
        Packer::Zlib => {
            let mut writer =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
            writer.write_all(block).unwrap();
            (0x8000_0005, writer.finish().unwrap())
        }
        Packer::Bzip2 => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(6));
            writer.write_all(block).unwrap();
            (0x8000_0006, writer.finish().unwrap())
        }
        Packer::Lzfse => {
            let mut packed = Vec::new();
            lzfse_rust::encode_bytes(block, &mut packed).unwrap();
            (0x8000_0007, packed)
        }
        Packer::Lzma => {
            let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).unwrap();
            writer.write_all(block).unwrap();
            (0x8000_0008, writer.finish().unwrap())
        }
    }
}

/// Runs of one byte become a literal and a copy from one byte back, all else literals.
fn adc(block: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let same = block[at..].iter().take_while(|byte| **byte == block[at]).count();
        packed.extend([0x80, block[at]]);
        at += 1;
        match same - 1 {
            more @ 4.. => {
                let more = more.min(67);
                packed.extend([0x40 | (more - 4) as u8, 0, 0]);
                at += more;
            }
            more @ 3 => {
                packed.extend([0, 0]);
                at += more;
            }
            _ => {}
        }
    }
    packed
}
