//! The metadata of an image: a header of 512 bytes, followed by a property list. It is in the last chunk of the largest
//! possible disk, beyond the end of any real one.

use std::fmt::Write as _;

use plist::{Dictionary, Value};

use system::memory::in_memory;

use crate::asif::bitmap::Slice;
use crate::asif::directory::Directory;
use crate::asif::geometry::ENTRY;
use crate::asif::header::Header;
use crate::asif::table::{Entry, Status};
use crate::bytes::{put, u32_at, u64_at};
use crate::error::{ImageError, Result, damaged, not_known};
use crate::store::Store;

/// The first bytes.
const MAGIC: &[u8; 4] = b"meta";
/// The header's fields end here; behind them it is zeros.
const REST_AT: usize = 0x14;
/// The keys of the property list.
const INTERNAL: &str = "internal metadata";
/// See [`INTERNAL`].
const USER: &str = "user metadata";
/// The only key of the internal metadata that was ever seen.
const STABLE_UUID: &str = "stable uuid";
/// Words in keys that may indicate layers.
const OF_LAYERS: [&str; 5] = ["parent", "layer", "stack", "overlay", "shadow"];
/// Characters of a key or value that a message shows at most.
const MOST_SHOWN: usize = 60;
/// The only version there is.
const VERSION: u32 = 1;
/// Size of the header in bytes; the property list follows.
const HEADER: usize = 512;
/// Size in bytes that is kept for our property list, the rest of it zeros: a sector. The number at 0x0C is read as the
/// property list's length by one description and as its offset by the other; 512 is right for both.
const ROOM: usize = 512;
/// The size of our metadata in bytes.
pub(crate) const WRITTEN: usize = HEADER + ROOM;
/// Limit of metadata in bytes (Apple's are below 1024).
const LONGEST: u64 = 32 << 10;

/// Metadata that hold this number.
pub(crate) fn encode(stable_uuid: &[u8; 16]) -> [u8; WRITTEN] {
    let list = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>internal metadata</key>
	<dict>
		<key>stable uuid</key>
		<string>{}</string>
	</dict>
	<key>user metadata</key>
	<dict/>
</dict>
</plist>
"#,
        text(stable_uuid)
    );
    let mut bytes = [0; WRITTEN];
    put(&mut bytes, 0x00, MAGIC);
    put(&mut bytes, 0x04, &VERSION.to_be_bytes());
    put(&mut bytes, 0x08, &512_u32.to_be_bytes());
    // Eight bytes that are not aligned to eight.
    put(&mut bytes, 0x0C, &512_u64.to_be_bytes());
    put(&mut bytes, HEADER, list.as_bytes());
    bytes
}

/// Makes sure that the image's metadata, if it has any, hold what is known and no more.
///
/// # Errors
/// `Damaged` when they are not where they should be, or are no metadata; `Unsupported` when they hold more than is
/// known.
pub(crate) fn check(store: &mut dyn Store, header: &Header, directory: &Directory) -> Result<()> {
    if header.metadata_chunk == 0 {
        return Ok(());
    }
    let chunk_bytes = header.geometry.chunk_bytes;
    let spot = header.geometry.spot(header.metadata_chunk);
    let missing = || damaged("the metadata are missing");
    let table = directory.place(spot.table).ok_or_else(missing)?.saturating_mul(chunk_bytes);
    let entry = read_entry(store, table, spot.data)?;
    let mut size = LONGEST.min(chunk_bytes);
    match entry.status() {
        Status::Absent | Status::Unmapped => return Err(missing()),
        Status::Full => {}
        Status::Partial => {
            let bitmap = read_entry(store, table, spot.bitmap)?.chunk();
            let mut slice = vec![0; in_memory(header.geometry.slice_bytes())];
            let offset = bitmap.saturating_mul(chunk_bytes).saturating_add(spot.slice);
            store.read_at(&mut slice, offset)?;
            let slice = Slice::of(slice)?;
            if !slice.is_written(0) {
                return Err(missing());
            }
            size = size.min(slice.run_end(0, slice.end()) as u64 * header.geometry.sector_bytes);
        }
    }
    let offset = entry.chunk().saturating_mul(chunk_bytes);
    let size = size.min(store.len_bytes().saturating_sub(offset));
    let mut bytes = vec![0; in_memory(size)];
    store.read_at(&mut bytes, offset)?;
    known(&bytes)
}

fn read_entry(store: &mut dyn Store, table: u64, number: u64) -> Result<Entry> {
    let mut bytes = [0; 8];
    store.read_at(&mut bytes, table.saturating_add(number.saturating_mul(ENTRY)))?;
    Ok(Entry(u64::from_be_bytes(bytes)))
}

/// Makes sure that these are metadata, with no more than is known. `bytes` are the first of the chunk, as many as there
/// are, at most [`LONGEST`].
///
/// # Errors
/// `Damaged` when they are not metadata; `Unsupported` when they hold more than is known.
fn known(bytes: &[u8]) -> Result<()> {
    if !bytes.starts_with(MAGIC) {
        return Err(damaged("the metadata do not begin with `meta`"));
    }
    if bytes.len() < HEADER {
        return Err(damaged("the metadata end in their header"));
    }
    let version = u32_at(bytes, 0x04);
    if version != VERSION {
        return Err(not_known(format_args!("the metadata are of version {version}")));
    }
    let start = in_memory(u32_at(bytes, 0x08).into());
    let length = in_memory(u64_at(bytes, 0x0C));
    let list = bytes.get(start..).unwrap_or_default();
    if start < HEADER || length == 0 || length > list.len() {
        return Err(damaged(format!(
            "the metadata have a header of {start} bytes and a property list of {length}, which do not fit"
        )));
    }
    let rest = bytes.get(REST_AT..start).unwrap_or_default();
    if let Some(at) = rest.iter().position(|&byte| byte != 0) {
        let at = REST_AT + at;
        let value = bytes.get(at).copied().unwrap_or_default();
        return Err(not_known(format_args!(
            "the byte at {at:#x} of the metadata's header is {value:#04x}, not 0"
        )));
    }
    let list = list.split(|&byte| byte == 0).next().unwrap_or_default();
    let list = Value::from_reader_xml(list).ok().and_then(Value::into_dictionary);
    let (list, internal) = list
        .as_ref()
        .and_then(|list| Some((list, internal(list)?)))
        .ok_or_else(|| damaged("the metadata contain no property list with a `stable uuid`"))?;
    only(list, "metadata", &[INTERNAL, USER])?;
    only(internal, INTERNAL, &[STABLE_UUID])?;
    list.get(USER).map_or(Ok(()), no_layers)
}

/// The framework's own dictionary, if it has the number of the image. Whatever stands beside that may change what the
/// image means.
///
/// The dictionary "internal metadata" is the framework's own: of its keys only `stable uuid` was ever seen, and any
/// other is refused. The content of "user metadata" belongs to other programs and is ignored, unless a key contains a
/// word of layers ([`OF_LAYERS`]): macOS 27 gives layers a `parentUUID` and a `layerUUID` (Apple's DiskImageKit), and
/// where they are kept is not published.
fn internal(list: &Dictionary) -> Option<&Dictionary> {
    let internal = list.get(INTERNAL)?.as_dictionary()?;
    internal.get(STABLE_UUID)?.as_string().is_some_and(is_uuid).then_some(internal)
}

/// Makes sure that a dictionary has no other keys than these.
fn only(dictionary: &Dictionary, name: &str, keys: &[&str]) -> Result<()> {
    let other = dictionary.iter().find(|(key, _)| !keys.contains(&key.as_str()));
    other.map_or(Ok(()), |(key, value)| Err(unknown_key(name, key, value)))
}

/// Makes sure that no key in here, however deep, speaks of layers.
fn no_layers(user: &Value) -> Result<()> {
    let mut left = vec![user];
    while let Some(value) = left.pop() {
        if let Some(array) = value.as_array() {
            left.extend(array);
        }
        for (key, value) in value.as_dictionary().into_iter().flatten() {
            let lower = key.to_ascii_lowercase();
            if OF_LAYERS.iter().any(|word| lower.contains(word)) {
                return Err(unknown_key(USER, key, value));
            }
            left.push(value);
        }
    }
    Ok(())
}

fn unknown_key(name: &str, key: &str, value: &Value) -> ImageError {
    // What another program wrote there may be of any length.
    let short = |text: &str| -> String { text.chars().take(MOST_SHOWN).collect() };
    let value = value.as_string().map_or_else(|| "no text".to_owned(), short);
    not_known(format_args!("the {name} have the key {:?} ({value:?})", short(key)))
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A number as it is written: 8, 4, 4, 4 and 12 digits.
fn text(uuid: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string does not fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::error::Kind;

    use super::{encode, known};

    const UUID: [u8; 16] = [
        0xdc, 0x5c, 0x7a, 0x3b, 0x19, 0x15, 0x43, 0xc2, 0x94, 0x4d, 0x46, 0xc6, 0xc3, 0x04, 0xb3,
        0xb7,
    ];

    #[test]
    fn metadata_hold_the_number_that_was_put_in() {
        let bytes = encode(&UUID);
        assert_eq!(bytes[..20], *b"meta\0\0\0\x01\0\0\x02\0\0\0\0\0\0\0\x02\0");
        assert!(bytes[512..].starts_with(b"<?xml"));
        assert!(bytes.ends_with(&[0]), "the property list has room");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("<string>dc5c7a3b-1915-43c2-944d-46c6c304b3b7</string>"));
        known(&bytes).unwrap();
    }

    #[test]
    fn the_length_may_be_that_of_the_list_alone() {
        let mut bytes = encode(&UUID);
        let length = bytes[512..].iter().position(|&byte| byte == 0).unwrap();
        bytes[12..20].copy_from_slice(&(length as u64).to_be_bytes());
        assert!(known(&bytes).is_ok());
    }

    #[test]
    fn metadata_that_make_no_sense_are_refused() {
        let good = encode(&UUID);
        for (at, byte) in [(0, b'M'), (10, 0), (10, 9), (12, 1), (512, b'!')] {
            let mut bytes = good;
            bytes[at] = byte;
            assert_eq!(known(&bytes).unwrap_err().kind(), Kind::Damaged, "{at}");
        }
        let other = String::from_utf8(good.to_vec()).unwrap().replace("dc5c7a3b-", "dc5c7a3bx");
        assert!(known(other.as_bytes()).is_err());
        assert!(known(b"").is_err());
    }

    /// Metadata with something more in the dictionaries.
    fn with(internal: &str, user: &str, beside: &str) -> Vec<u8> {
        let list = format!(
            "<plist version=\"1.0\"><dict><key>internal metadata</key><dict><key>stable uuid</key>\
             <string>DC5C7A3B-1915-43C2-944D-46C6C304B3B7</string>{internal}</dict>\
             <key>user metadata</key>{user}{beside}</dict></plist>"
        );
        let mut bytes = encode(&UUID)[..512].to_vec();
        bytes[12..20].copy_from_slice(&(list.len() as u64).to_be_bytes());
        bytes.extend(list.bytes());
        bytes
    }

    #[test]
    fn what_the_metadata_say_of_layers_or_nobody_knows_is_not_known() {
        let uuid = "<string>2B5C7A3B-1915-43C2-944D-46C6C304B3B7</string>";
        let key = |key: &str| format!("<key>{key}</key>{uuid}");
        let inside = |text: &str| format!("<dict><key>of mine</key><array>{text}</array></dict>");
        let dict = |key: &str| format!("<dict><key>{key}</key>{uuid}</dict>");
        for (bytes, named) in [
            (with(&key("parent uuid"), "<dict/>", ""), "parent uuid"),
            (with(&key("layerUUID"), "<dict/>", ""), "layerUUID"),
            (with(&key("anything"), "<dict/>", ""), "anything"),
            (with("", "<dict/>", &key("parentUUID")), "parentUUID"),
            (with("", &dict("ParentUUID"), ""), "ParentUUID"),
            (with("", &inside(&dict("com.apple.layer-type")), ""), "com.apple.layer-type"),
        ] {
            let error = known(&bytes).unwrap_err();
            assert_eq!(error.kind(), Kind::Unsupported, "{error}");
            assert!(error.to_string().contains(named), "{error}");
            assert!(error.to_string().contains("2B5C7A3B-1915-43C2"), "{error}");
        }
        for user in ["<dict/>".to_owned(), dict("my notes"), inside(uuid)] {
            assert!(known(&with("", &user, "")).is_ok(), "{user}");
        }
        for (at, named) in [(7, "version 3"), (0x14, "0x14"), (0x1FF, "0x1ff")] {
            let mut bytes = encode(&UUID);
            bytes[at] |= 2;
            let error = known(&bytes).unwrap_err();
            assert_eq!(error.kind(), Kind::Unsupported, "{error}");
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn a_list_that_is_nested_without_end_is_refused_in_a_small_stack() {
        for ends in [0, 2100] {
            let mut bytes = encode(&UUID)[..512].to_vec();
            bytes.extend(b"<plist version=\"1.0\">");
            bytes.extend(b"<array>".repeat(2100));
            bytes.extend(b"</array>".repeat(ends));
            bytes.extend(b"</plist>");
            assert!(bytes.len() < 32 << 10);
            let small = std::thread::Builder::new().stack_size(512 << 10);
            let refused = small.spawn(move || known(&bytes).is_err()).unwrap();
            assert!(refused.join().unwrap());
        }
    }
}
