//! UDIF files put together by hand: a disk, its maps, the property list and the trailer.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use plist::{Dictionary, Value};

/// Bytes of a block.
pub const BLOCK: usize = 8192;

/// Packs a block: the number that stands for how, and the block packed.
pub type Pack = fn(&[u8]) -> (u32, Vec<u8>);

/// Not at all.
pub fn plain(block: &[u8]) -> (u32, Vec<u8>) {
    (1, block.to_vec())
}

/// As in a UDZO.
pub fn zlib(block: &[u8]) -> (u32, Vec<u8>) {
    let mut writer = ZlibEncoder::new(Vec::new(), Compression::new(6));
    writer.write_all(block).unwrap();
    (0x8000_0005, writer.finish().unwrap())
}

/// What to make.
#[derive(Debug, Clone, Copy)]
pub struct Built<'a> {
    /// Its content, of more than 8 blocks.
    pub disk: &'a [u8],
    /// How blocks are packed.
    pub pack: Pack,
    /// Whether there is a property list.
    pub mapped: bool,
    /// Whether the maps have checksums.
    pub summed: bool,
    /// Bytes in the file before its data.
    pub before: usize,
    /// Bytes in the data before the second partition's.
    pub shift: usize,
}

impl<'a> Built<'a> {
    /// A UDRO of this disk.
    pub fn of(disk: &'a [u8]) -> Self {
        Self { disk, pack: plain, mapped: true, summed: true, before: 0, shift: 0 }
    }

    /// The file. Its disk has two partitions, of 8 blocks and of the rest.
    pub fn bytes(&self) -> Vec<u8> {
        let mut data = Vec::new();
        let (maps, sums): (Vec<_>, Vec<_>) = if self.mapped {
            let (first, second) = self.disk.split_at(8 * BLOCK);
            let first = (self.map(0, first, &mut data, 0), crc32fast::hash(&kept(first)));
            data.resize(data.len() + self.shift, 0);
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

    fn map(&self, first: usize, content: &[u8], data: &mut Vec<u8>, shift: usize) -> Vec<u8> {
        let mut blocks = Vec::new();
        for (number, block) in content.chunks(BLOCK).enumerate() {
            let zeros = block.iter().all(|byte| *byte == 0);
            let packed = if zeros {
                // the second kind of what holds nothing: free sectors
                (if is_free(number, block) { 2_u32 } else { 0 }, Vec::new())
            } else {
                (self.pack)(block)
            };
            blocks.extend(packed.0.to_be_bytes());
            blocks.extend([0; 4]);
            blocks.extend((number as u64 * BLOCK as u64 / 512).to_be_bytes());
            blocks.extend((block.len() as u64 / 512).to_be_bytes());
            blocks.extend(((data.len() - shift) as u64).to_be_bytes());
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
        map.extend((shift as u64).to_be_bytes());
        map.resize(64, 0);
        if self.summed {
            map.extend(sum(crc32fast::hash(&kept(content))));
        }
        map.resize(200, 0);
        map.extend(u32::try_from(blocks.len() / 40).unwrap().to_be_bytes());
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
