//! A disk, and what packs its blocks in each kind of UDIF.

use std::io::Write;

use lzma_rust2::{XzOptions, XzWriter};

use crate::testing::content;
use crate::testing::udif::{BLOCK, Pack, plain, zlib};
use crate::udif::UdifKind;

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

pub(super) const KINDS: [(Pack, UdifKind); 6] = [
    (plain, UdifKind::Udro),
    (|block| (0x8000_0004, adc(block)), UdifKind::Udco),
    (zlib, UdifKind::Udzo),
    (bzip2, UdifKind::Udbz),
    (lzfse, UdifKind::Ulfo),
    (lzma, UdifKind::Ulmo),
];

fn bzip2(block: &[u8]) -> (u32, Vec<u8>) {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(6));
    writer.write_all(block).unwrap();
    (0x8000_0006, writer.finish().unwrap())
}

fn lzfse(block: &[u8]) -> (u32, Vec<u8>) {
    let mut packed = Vec::new();
    lzfse_rust::encode_bytes(block, &mut packed).unwrap();
    (0x8000_0007, packed)
}

fn lzma(block: &[u8]) -> (u32, Vec<u8>) {
    let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).unwrap();
    writer.write_all(block).unwrap();
    (0x8000_0008, writer.finish().unwrap())
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
