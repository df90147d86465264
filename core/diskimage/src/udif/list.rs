//! The property list of a UDIF file: the maps of blocks, one for each partition.

use std::ops::Range;

use plist::{Dictionary, Value};
use system::memory::in_memory;

use crate::error::{Result, damaged, unsupported};
use crate::store::Store;

/// Longest list in bytes that is read: that of a packed disk of 1 TB in blocks of 256 KiB has 216 MiB. Reading that takes
/// 0.8 GB of memory.
const LONGEST: u64 = 256 << 20;

/// More tags than this are not read: each becomes a value in memory, which is larger, and values in values are freed by
/// a call in a call, as deep as half of them. A map of 128 partitions has some 3,000.
const MOST_TAGS: usize = 1 << 13;

/// Characters of a map's name that are kept: each line of damage has it, and a name may be as long as the list.
const MOST_OF_A_NAME: usize = 60;

/// A map as it stands in the list: what it is called, and its bytes.
pub(crate) struct Entry {
    /// Such as `disk image (Apple_HFS : 4)`, or its beginning.
    pub name: String,
    /// The map.
    pub bytes: Vec<u8>,
}

/// Reads the maps.
///
/// # Errors
/// `Damaged` when it is no such list; `Unsupported` when it is longer than any that is known.
pub(crate) fn load(store: &mut dyn Store, place: Range<u64>) -> Result<Vec<Entry>> {
    let length = place.end - place.start;
    if length > LONGEST {
        return Err(unsupported(format!(
            "its property list has {length} bytes, and at most {LONGEST} are read: convert it on a Mac first"
        )));
    }
    let mut text = vec![0; in_memory(length)];
    store.read_at(&mut text, place.start)?;
    entries(&text).ok_or_else(|| damaged("its property list contains no maps of blocks"))
}

fn entries(text: &[u8]) -> Option<Vec<Entry>> {
    if text.split(|byte| *byte == b'<').count() > MOST_TAGS {
        return None;
    }
    let list = Value::from_reader_xml(text).ok()?;
    let maps = list.as_dictionary()?.get("resource-fork")?.as_dictionary()?.get("blkx")?;
    maps.as_array()?.iter().map(|map| entry(map.as_dictionary()?)).collect()
}

fn entry(map: &Dictionary) -> Option<Entry> {
    let name = ["CFName", "Name"].iter().find_map(|key| map.get(key)?.as_string());
    Some(Entry {
        name: name.unwrap_or("a partition without a name").chars().take(MOST_OF_A_NAME).collect(),
        bytes: map.get("Data")?.as_data()?.to_vec(),
    })
}
