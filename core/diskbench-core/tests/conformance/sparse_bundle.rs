//! UDSB, built from its description: a folder with `Info.plist`, its copy, `token`, and a file for each band, named by
//! its number in hexadecimal.

use std::path::Path;

use plist::{Dictionary, Value};

use crate::common::random::Random;
use crate::{Format, Image, Other, SECTOR, common, put, readers};

pub const FORMAT: Format = Format {
    sound,
    faults: &[
        ("a band is longer than a band", |image, random| {
            let Some(name) = a_band(image, random) else { return false };
            let band = band_bytes(image);
            let more = random.of_range(1..=5000);
            image.files.get_mut(&name).unwrap().resize(band + more, 0);
            true
        }),
        ("a band lies beyond the disk's end", |image, random| {
            let bands = image.disk.len().div_ceil(band_bytes(image));
            let name = format!("bands/{:x}", bands + random.below(1000));
            image.files.insert(name, vec![1; SECTOR]).is_none()
        }),
        ("a band is there in two spellings", |image, random| {
            let Some(name) = a_band(image, random) else { return false };
            let bytes = image.files[&name].clone();
            image.files.insert(name.replace("bands/", "bands/0000"), bytes).is_none()
        }),
        ("something is not named as a band", |image, random| {
            let name = ["a 2", ".a.icloud", ".1.x7Q2pK", "g", "0x1", "-1"][random.below(6)];
            image.files.insert(format!("bands/{name}"), vec![1; SECTOR]).is_none()
        }),
        ("the two descriptions name two sizes of a band", |image, random| {
            let other = band_bytes(image) + SECTOR * random.of_range(1..=64);
            let info = info(random, other, image.disk.len());
            image.files.insert("Info.bckup".to_owned(), info);
            true
        }),
        ("no description makes sense", |image, _| {
            for name in ["Info.plist", "Info.bckup"] {
                image.files.insert(name.to_owned(), b"<plist/>".to_vec());
            }
            true
        }),
        ("the token is missing", |image, _| image.files.remove("token").is_some()),
        ("something lies behind the disk's end", |image, random| {
            let band = band_bytes(image);
            let bands = image.disk.len().div_ceil(band);
            let rest = bands * band - image.disk.len();
            let last = number_of_each(image).into_iter().find(|(_, number)| *number == bands - 1);
            let Some((name, _)) = last.filter(|_| rest > 0) else { return false };
            let bytes = image.files.get_mut(&name).unwrap();
            bytes.resize(band, 0);
            bytes[band - 1 - random.below(rest)] = 1;
            true
        }),
    ],
    others,
};

fn others(path: &Path) -> Vec<Other> {
    let own = readers::bundle(path, &|bytes, _| Some(bytes));
    vec![("the slow reader", own), ("keramics", keramics(path))]
}

/// A band that is missing, shorter than others, or not named as macOS would is an error to it, or read wrongly.
fn keramics(path: &Path) -> Option<Vec<u8>> {
    let lengths: Vec<u64> = std::fs::read_dir(path.join("bands"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    if lengths.iter().any(|length| *length != lengths[0]) {
        return None;
    }
    common::keramics::sparse_bundle(path, "Info.plist", None)
}

fn sound(random: &mut Random) -> Image {
    let band = SECTOR * random.of_range(8..=64);
    let bands = random.of_range(1..=40);
    let length = (bands - 1) * band + SECTOR * random.of_range(1..=band / SECTOR);
    let mut files = std::collections::BTreeMap::new();
    let mut disk = vec![0; bands * band];
    let plain = random.percent(30);
    for number in 0..bands {
        if !plain && random.percent(30) {
            continue;
        }
        let whole = (length - number * band).min(band);
        let there = if plain || random.percent(60) { whole } else { random.below(whole + 1) };
        let mut content = random.bytes(there);
        put(&mut disk, number * band, &content);
        if plain || random.percent(20) {
            // A band can be a whole one, also the last.
            content.resize(band, 0);
        }
        let name = match if plain { 0 } else { random.below(10) } {
            0..7 => format!("{number:x}"),
            7 => format!("{number:X}"),
            8 => format!("{number:04x}"),
            _ => format!("{number:08X}"),
        };
        files.insert(format!("bands/{name}"), content);
    }
    disk.truncate(length);
    // The folder is there also without a band.
    for name in [".DS_Store", "._0", "@eaDir"] {
        if files.is_empty() || random.percent(20) {
            files.insert(format!("bands/{name}"), random.bytes(100));
        }
    }
    for (name, often) in [("lock", 80), ("mapped/0", 20), ("com.apple.TimeMachine.plist", 20)] {
        if random.percent(often) {
            files.insert(name.to_owned(), Vec::new());
        }
    }
    files.insert("token".to_owned(), Vec::new());
    for name in ["Info.plist", "Info.bckup"] {
        files.insert(name.to_owned(), info(random, band, length));
    }
    Image { files, disk }
}

/// A description, as XML or binary; a program may have added a key.
fn info(random: &mut Random, band: usize, length: usize) -> Vec<u8> {
    let text = |text: &str| Value::String(text.to_owned());
    let number = |number: usize| Value::Integer((number as u64).into());
    let mut keys = Dictionary::from_iter([
        ("CFBundleInfoDictionaryVersion".to_owned(), text("6.0")),
        ("band-size".to_owned(), number(band)),
        ("bundle-backingstore-version".to_owned(), number(1)),
        ("diskimage-bundle-type".to_owned(), text("com.apple.diskimage.sparsebundle")),
        ("size".to_owned(), number(length)),
    ]);
    if random.percent(20) {
        keys.insert("comment".to_owned(), text("of another program"));
    }
    let (keys, mut bytes) = (Value::Dictionary(keys), Vec::new());
    match random.percent(20) {
        true => keys.to_writer_binary(&mut bytes).unwrap(),
        false => keys.to_writer_xml(&mut bytes).unwrap(),
    }
    bytes
}

/// Names of the bands' files and their numbers.
fn number_of_each(image: &Image) -> Vec<(String, usize)> {
    let names = image.files.keys().filter_map(|name| {
        let number = usize::from_str_radix(name.strip_prefix("bands/")?, 16).ok()?;
        Some((name.clone(), number))
    });
    names.collect()
}

fn a_band(image: &Image, random: &mut Random) -> Option<String> {
    let names = number_of_each(image);
    names.get(random.below(names.len())).map(|(name, _)| name.clone())
}

fn band_bytes(image: &Image) -> usize {
    let described = ["Info.plist", "Info.bckup"].iter().find_map(|name| {
        let value = Value::from_reader(std::io::Cursor::new(image.files.get(*name)?)).ok()?;
        value.as_dictionary()?.get("band-size")?.as_unsigned_integer()
    });
    usize::try_from(described.unwrap()).unwrap()
}
