//! What a bundle says about itself, in `Info.plist` and, the same again, in `Info.bckup`.

use std::io;

use plist::{Dictionary, Value};

use system::memory::in_memory;

use crate::disk::{LARGEST_BAND, LONGEST, SECTOR};
use crate::error::{ImageError, Result, damaged, internal, unsupported};

/// The file.
pub(crate) const INFO: &str = "Info.plist";

/// Its copy.
pub(crate) const BACKUP: &str = "Info.bckup";

/// Longest such file in bytes that is read; real ones have about 500. Lists in lists are freed by a call in a call: as many
/// as fit into it do not fill a thread's stack.
pub(crate) const LONGEST_INFO: u64 = 1 << 16;

const TYPE: &str = "com.apple.diskimage.sparsebundle";

/// How a binary property list begins.
const BINARY: &[u8] = b"bplist";

/// Longest binary one in bytes; this description takes about 300.
const LONGEST_BINARY: usize = 4096;

/// The description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Info {
    /// Size of a band in bytes.
    pub band_bytes: u64,
    /// Length of the disk in bytes.
    pub len_bytes: u64,
}

impl Info {
    /// The file's text, as `hdiutil` writes it.
    pub(crate) fn text(&self) -> String {
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleInfoDictionaryVersion</key>
	<string>6.0</string>
	<key>band-size</key>
	<integer>{}</integer>
	<key>bundle-backingstore-version</key>
	<integer>1</integer>
	<key>diskimage-bundle-type</key>
	<string>{TYPE}</string>
	<key>size</key>
	<integer>{}</integer>
</dict>
</plist>
"#,
            self.band_bytes, self.len_bytes
        )
    }

    /// Reads the file.
    ///
    /// # Errors
    /// `Damaged` with what is wrong.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let value = value(bytes)?;
        let keys = value.as_dictionary().ok_or_else(|| damaged("it is not a dictionary"))?;
        text(keys, "CFBundleInfoDictionaryVersion")?;
        let kind = text(keys, "diskimage-bundle-type")?;
        if kind != TYPE {
            return Err(damaged(format!("diskimage-bundle-type is not {TYPE}")));
        }
        let version = number(keys, "bundle-backingstore-version")?;
        if !(1..=2).contains(&version) {
            return Err(damaged(format!("bundle-backingstore-version {version} is not known")));
        }
        let (band_bytes, len_bytes) = (number(keys, "band-size")?, number(keys, "size")?);
        if band_bytes == 0 || band_bytes > LARGEST_BAND || !band_bytes.is_multiple_of(SECTOR) {
            return Err(damaged(format!(
                "band-size {band_bytes} is not a multiple of {SECTOR} up to {LARGEST_BAND}"
            )));
        }
        if len_bytes == 0 || len_bytes > LONGEST || !len_bytes.is_multiple_of(SECTOR) {
            return Err(damaged(format!(
                "size {len_bytes} is not a multiple of {SECTOR} that a disk can have"
            )));
        }
        Ok(Self { band_bytes, len_bytes })
    }
}

/// The same description of a disk of another length: all other keys stay, also those that are not known.
///
/// # Errors
/// `Damaged` when it is no list of keys; `Unsupported` when it would be too long to be read.
pub(crate) fn with_len_bytes(bytes: &[u8], len_bytes: u64) -> Result<Vec<u8>> {
    let mut value = value(bytes)?;
    let keys = value.as_dictionary_mut().ok_or_else(|| damaged("it is not a dictionary"))?;
    keys.insert("size".to_owned(), Value::from(len_bytes));
    let mut text = Vec::new();
    value.to_writer_xml(&mut text).map_err(internal)?;
    text.push(b'\n');
    if text.len() as u64 > LONGEST_INFO {
        return Err(unsupported(format!(
            "{INFO} would have {} bytes, and at most {LONGEST_INFO} are read: make a copy first (image convert), and change that",
            text.len()
        )));
    }
    Ok(text)
}

fn value(bytes: &[u8]) -> Result<Value> {
    if bytes.starts_with(BINARY) {
        return binary(bytes);
    }
    Value::from_reader_xml(bytes).map_err(|error| no_list(&error))
}

/// As `plutil -convert binary1` makes it. In a binary list one object can stand in many places, and so can a list of lists:
/// few bytes would fill any memory. A description is one flat list, and short.
fn binary(bytes: &[u8]) -> Result<Value> {
    if bytes.len() > LONGEST_BINARY || binary_lists(bytes).is_none_or(|lists| lists > 1) {
        return Err(damaged("it is not a property list of a bundle: it is not one short list"));
    }
    Value::from_reader(io::Cursor::new(bytes)).map_err(|error| no_list(&error))
}

/// How many lists are among the objects. The last 32 bytes say where the table of objects is, how many there are and how long
/// each entry is; an object begins with its type.
fn binary_lists(bytes: &[u8]) -> Option<usize> {
    let trailer = bytes.get(bytes.len().checked_sub(32)?..)?;
    let width = usize::from(*trailer.get(6)?);
    let number = |bytes: &[u8]| bytes.iter().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
    let (count, table) = (number(trailer.get(8..16)?), number(trailer.get(24..32)?));
    let mut entries = bytes.get(in_memory(table)..)?.chunks_exact(width.clamp(1, 8));
    let mut lists = 0;
    for _ in 0..count {
        let kind = bytes.get(in_memory(number(entries.next()?)))? >> 4;
        lists += usize::from(matches!(kind, 0xa | 0xc | 0xd));
    }
    Some(lists)
}

fn no_list(error: &plist::Error) -> ImageError {
    damaged(format!("it is not a property list: {error}"))
}

fn text<'a>(keys: &'a Dictionary, key: &str) -> Result<&'a str> {
    let found = keys.get(key).and_then(Value::as_string);
    found.ok_or_else(|| damaged(format!("the key {key} is missing or not a text")))
}

fn number(keys: &Dictionary, key: &str) -> Result<u64> {
    let found = keys.get(key).and_then(Value::as_unsigned_integer);
    found.ok_or_else(|| damaged(format!("the key {key} is missing or not a number")))
}
