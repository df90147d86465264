//! The first 512 bytes of the file.
//!
//! Every byte is either a known field or zero: in the 19 blank images by Apple's tools in nicholas-lonsinger/kernova
//! (10 GB to 10 TB), all other bytes are zeros. Other values are refused: a flag, or a parent image for missing chunks,
//! would otherwise be silently misread.

use crate::asif::MAGIC;
use crate::asif::geometry::Geometry;
use crate::bytes::{all_zero, array_at, part, put, u16_at, u32_at, u64_at};
use crate::disk::Sizes;
use crate::error::{Result, damaged, internal, not_known};
use crate::store::Store;

/// Size in bytes.
pub(crate) const SIZE: usize = 512;
/// The only version there is.
const VERSION: u32 = 1;

/// Fields that must be zero: where they begin and end, and what fox-it/dissect.hypervisor calls them (`c_asif.py`).
/// Apple's own reader rejects segments (huven/asif-format). The field at 0x50 has the size of a UUID.
const ZEROS: [((usize, usize), &str); 7] = [
    ((0x0C, 0x10), "flags"),
    ((0x46, 0x48), "total_segments"),
    ((0x50, 0x60), "unknown field"),
    ((0x60, 0x64), "read_only_flags"),
    ((0x64, 0x68), "metadata_flags"),
    ((0x68, 0x6C), "metadata_read_only_flags"),
    ((0x6C, SIZE), "unknown field"),
];
/// Bytes of such a field that a message shows at most.
const MOST_SHOWN: usize = 16;

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// The sizes.
    pub geometry: Geometry,
    /// Offsets of the two directories in bytes.
    pub directories: [u64; 2],
    /// A number for this image.
    pub uuid: [u8; 16],
    /// The chunk of the (largest) disk that holds the metadata; 0 for none.
    pub metadata_chunk: u64,
}

/// Whether these first bytes of a file are a header, whatever its signature: chunks of 1 MiB, sectors that there are,
/// and a length that the disk can have.
pub(crate) fn is_like(start: &[u8]) -> bool {
    let (sectors, most) = (u64_at(start, 0x30), u64_at(start, 0x38));
    let chunks = u32_at(start, 0x40) == 1 << 20 && matches!(u16_at(start, 0x44), 512 | 4096);
    chunks && (1..=most).contains(&sectors)
}

/// The disk's properties in the header.
///
/// # Errors
/// As [`Header::load`].
pub(crate) fn sizes(store: &mut dyn Store) -> Result<Sizes> {
    let geometry = Header::load(store)?.geometry;
    Ok(Sizes {
        len_bytes: geometry.len_bytes(),
        band_bytes: Some(geometry.chunk_bytes),
        block_bytes: Some(geometry.sector_bytes),
    })
}

impl Header {
    /// As it stands in the file.
    pub(crate) fn encode(&self) -> Result<[u8; SIZE]> {
        let chunk = u32::try_from(self.geometry.chunk_bytes).map_err(internal)?;
        let sector = u16::try_from(self.geometry.sector_bytes).map_err(internal)?;
        let size = u32::try_from(SIZE).map_err(internal)?;
        let mut bytes = [0; SIZE];
        put(&mut bytes, 0x00, MAGIC);
        put(&mut bytes, 0x04, &VERSION.to_be_bytes());
        put(&mut bytes, 0x08, &size.to_be_bytes());
        let [one, other] = self.directories;
        put(&mut bytes, 0x10, &one.to_be_bytes());
        put(&mut bytes, 0x18, &other.to_be_bytes());
        put(&mut bytes, 0x20, &self.uuid);
        put(&mut bytes, 0x30, &self.geometry.sectors.to_be_bytes());
        put(&mut bytes, 0x38, &self.geometry.max_sectors.to_be_bytes());
        put(&mut bytes, 0x40, &chunk.to_be_bytes());
        put(&mut bytes, 0x44, &sector.to_be_bytes());
        put(&mut bytes, 0x48, &self.metadata_chunk.to_be_bytes());
        Ok(bytes)
    }

    /// Reads it from the file.
    ///
    /// # Errors
    /// `Damaged` when it makes no sense, or lies about a file of this length; `Unsupported` when it says what is not
    /// known.
    pub(crate) fn load(store: &mut dyn Store) -> Result<Self> {
        if store.len_bytes() < SIZE as u64 {
            return Err(damaged(format!(
                "the file has {} bytes, less than a header: it was cut off",
                store.len_bytes()
            )));
        }
        let mut bytes = [0; SIZE];
        store.read_at(&mut bytes, 0)?;
        let header = Self::decode(&bytes)?;
        header.check_places(store.len_bytes())?;
        Ok(header)
    }

    fn decode(bytes: &[u8; SIZE]) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err(damaged("the file does not begin with `shdw`: it is not an ASIF image"));
        }
        let version = u32_at(bytes, 0x04);
        let size = u32_at(bytes, 0x08);
        if version != VERSION || usize::try_from(size) != Ok(SIZE) {
            return Err(not_known(format_args!(
                "the header is of version {version} and {size} bytes, not of version {VERSION} and {SIZE} bytes"
            )));
        }
        zeros(bytes)?;
        let geometry = Geometry {
            chunk_bytes: u64::from(u32_at(bytes, 0x40)),
            sector_bytes: u64::from(u16_at(bytes, 0x44)),
            sectors: u64_at(bytes, 0x30),
            max_sectors: u64_at(bytes, 0x38),
        };
        Ok(Self {
            geometry: geometry.checked()?,
            directories: [u64_at(bytes, 0x10), u64_at(bytes, 0x18)],
            uuid: array_at(bytes, 0x20),
            metadata_chunk: u64_at(bytes, 0x48),
        })
    }

    fn check_places(&self, len_bytes: u64) -> Result<()> {
        let size = self.geometry.directory_bytes();
        for offset in self.directories {
            if offset < SIZE as u64 {
                return Err(damaged(format!(
                    "a directory is at {offset}, inside the header: the header is damaged"
                )));
            }
            if offset.checked_add(size).is_none_or(|end| end > len_bytes) {
                return Err(damaged(format!(
                    "a directory of {size} bytes is at {offset}, beyond the file's end at {len_bytes}: \
                     the file was cut off, or the header is damaged"
                )));
            }
        }
        let [one, other] = self.directories;
        if one.abs_diff(other) < size {
            return Err(damaged(format!(
                "the directories at {one} and {other} overlap: the header is damaged"
            )));
        }
        let chunk = self.metadata_chunk;
        let reserved = self.geometry.disk_chunks()..self.geometry.chunks();
        if chunk != 0 && !reserved.contains(&chunk) {
            return Err(damaged(format!(
                "the metadata are in chunk {chunk}, not between the disk's end and the largest disk's end: \
                 the header is damaged"
            )));
        }
        Ok(())
    }
}

/// Makes sure that the fields of unknown meaning are zero.
fn zeros(bytes: &[u8; SIZE]) -> Result<()> {
    for &(range, name) in &ZEROS {
        let (start, end) = range;
        let field = part(bytes, start..end);
        if !all_zero(field) {
            // Enough to identify it: the last field is long.
            let value: String =
                field.iter().take(MOST_SHOWN).map(|byte| format!("{byte:02x}")).collect();
            return Err(not_known(format_args!(
                "the header's {name} at {start:#x} is {value} in hexadecimal, not 0"
            )));
        }
    }
    Ok(())
}
