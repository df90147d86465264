//! `UDIF`, which ends with a block that begins with `koly`: which of its kinds a file is.
//!
//! The block names a property list, the list holds a map for each partition, and each entry of a map says how a run of
//! sectors is packed. The first packed run tells the kind. Nothing of this is trusted: what cannot be read is a UDIF
//! whose kind is not known.

use plist::Value;

use system::memory::in_memory;

use crate::error::Result;
use crate::foreign::Bytes;

/// How the last block begins: its mark, version 4, its own length of 512 bytes.
pub(crate) const TRAILER: &[u8; 12] = b"koly\0\0\0\x04\0\0\x02\0";

/// Length of the last block in bytes.
pub(crate) const TRAILER_BYTES: u64 = 512;

/// Where the block says where the list begins and how long it is.
const LIST_AT: u64 = 216;

/// Longest list in bytes that is read: that of a packed disk of some 100 GB.
const LONGEST_LIST: u64 = 16 << 20;

/// More opening tags of lists than this are not read: the parser goes as deep as they do. A map of 128 partitions has fewer.
const MOST_LISTS: usize = 512;

/// Where a map counts its entries, and where they begin, 40 bytes each.
const COUNT_AT: usize = 200;
const ENTRIES_AT: usize = 204;
const ENTRY: usize = 40;

/// How a run of sectors is packed, and what `hdiutil` calls an image of such runs.
const PACKED: [(u32, &str); 5] = [
    (0x8000_0004, "a UDIF image packed with ADC (UDCO)"),
    (0x8000_0005, "a UDIF image packed with zlib (UDZO)"),
    (0x8000_0006, "a UDIF image packed with bzip2 (UDBZ)"),
    (0x8000_0007, "a UDIF image packed with LZFSE (ULFO)"),
    (0x8000_0008, "a UDIF image packed with LZMA (ULMO)"),
];

/// What it is called where nothing more can be found out.
const ANY: &str = "a UDIF image";

/// What a file is that ends with such a block.
///
/// # Errors
/// Whatever the system says.
pub(crate) fn kind(bytes: Bytes<'_>) -> Result<&'static str> {
    let Some(trailer) = bytes.len_bytes().checked_sub(TRAILER_BYTES) else { return Ok(ANY) };
    let mut place = [0; 16];
    bytes.read_at(&mut place, trailer + LIST_AT)?;
    let place = u128::from_be_bytes(place);
    let start = u64::try_from(place >> 64).unwrap_or_default();
    let length = u64::try_from(place & u128::from(u64::MAX)).unwrap_or_default();
    if length == 0 {
        return Ok("a UDIF image without a map of blocks (read/write, UDRW)");
    }
    let inside = start.checked_add(length).is_some_and(|end| end <= trailer);
    if !inside || length > LONGEST_LIST {
        return Ok(ANY);
    }
    let mut list = vec![0; in_memory(length)];
    bytes.read_at(&mut list, start)?;
    Ok(kind_of(&list).unwrap_or(ANY))
}

fn kind_of(list: &[u8]) -> Option<&'static str> {
    let opens = |tag: &&[u8]| tag.starts_with(b"dict") || tag.starts_with(b"array");
    if list.split(|byte| *byte == b'<').filter(opens).count() > MOST_LISTS {
        return None;
    }
    let list = Value::from_reader_xml(list).ok()?;
    let maps = list.as_dictionary()?.get("resource-fork")?.as_dictionary()?.get("blkx")?;
    let mut any = false;
    for map in maps.as_array()? {
        for number in types(map.as_dictionary()?.get("Data")?.as_data()?) {
            any = true;
            if let Some(kind) = packed(number) {
                return Some(kind);
            }
        }
    }
    any.then_some("a UDIF image whose blocks are not packed (UDRO)")
}

fn packed(number: u32) -> Option<&'static str> {
    PACKED.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// The types of a map's entries, as many as there are.
fn types(map: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let word = |at: usize| {
        let bytes = map.get(at..at.checked_add(4)?)?;
        Some(bytes.iter().fold(0, |sum: u32, byte| sum << 8 | u32::from(*byte)))
    };
    let count = word(COUNT_AT).unwrap_or(0);
    (0..count as usize)
        .map_while(move |entry| word(entry.checked_mul(ENTRY)?.checked_add(ENTRIES_AT)?))
}
