//! How blocks are packed, and unpacking one.

use std::io::{self, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::ZlibDecoder;
use lzfse_rust::LzfseRingDecoder;
use lzma_rust2::XzReader;

use crate::udif::adc;

/// Memory in KiB that unpacking a block of ULMO may take: a dictionary as long as the longest block, and as much again.
const MOST_LZMA_KIB: u32 = 32 << 10;

/// What a block is packed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packer {
    /// Apple Data Compression.
    Adc,
    /// zlib.
    Zlib,
    /// bzip2.
    Bzip2,
    /// LZFSE.
    Lzfse,
    /// LZMA2, in an xz stream.
    Lzma,
}

impl Packer {
    /// All of them, with their types in a map.
    const TYPES: [(u32, Self); 5] = [
        (0x8000_0004, Self::Adc),
        (0x8000_0005, Self::Zlib),
        (0x8000_0006, Self::Bzip2),
        (0x8000_0007, Self::Lzfse),
        (0x8000_0008, Self::Lzma),
    ];

    /// That of a block of this type.
    pub(crate) fn of(kind: u32) -> Option<Self> {
        Self::TYPES.iter().find(|(known, _)| *known == kind).map(|(_, packer)| *packer)
    }

    /// Unpacks a block and fills the room, which is as long as its sectors.
    ///
    /// # Errors
    /// Whatever the unpacker says; a block of another length is invalid data.
    pub(crate) fn unpack(self, packed: &[u8], room: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Adc => adc::unpack(packed, room),
            Self::Zlib => fill(ZlibDecoder::new(packed), room),
            Self::Bzip2 => fill(BzDecoder::new(packed), room),
            Self::Lzfse => fill(LzfseRingDecoder::default().reader(packed), room),
            Self::Lzma => fill(XzReader::new_mem_limit(packed, false, MOST_LZMA_KIB), room),
        }
    }
}

fn fill(mut from: impl Read, room: &mut [u8]) -> io::Result<()> {
    from.read_exact(room)?;
    match from.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "it is longer than its sectors")),
    }
}
