//! Readers of the formats, written only from their public descriptions: the content of an image, as far as it can be
//! read. They share no code with the core, do not look for damage, and are slow.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use diskimage::format::ImageFormat;

fn number(bytes: &[u8], place: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(place..place.checked_add(length)?)?;
    bytes
        .iter()
        .try_fold(0_usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)))
}

/// A range of a file with a part of the disk in it.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub file: usize,
    pub disk: usize,
    pub length: usize,
}

/// The disk that these ranges make; beyond the file's end there is nothing.
fn disk_of(file: &[u8], length: usize, extents: &[Extent]) -> Option<Vec<u8>> {
    // More than any of these tests makes.
    let mut disk = (length < 64 << 20).then(|| vec![0; length])?;
    for extent in extents {
        let end = extent.length.min(length.saturating_sub(extent.disk));
        let bytes = file.get(extent.file..extent.file.checked_add(end)?)?;
        disk.get_mut(extent.disk..extent.disk + end)?.copy_from_slice(bytes);
    }
    Some(disk)
}

/// A row of bytes that is an image of one file: the disk, and where its parts lie.
pub fn file(format: ImageFormat, bytes: &[u8]) -> Option<(Vec<u8>, Vec<Extent>)> {
    let (length, extents) = match (format, bytes.get(..4)) {
        (ImageFormat::Udrw, _) => {
            (bytes.len(), vec![Extent { file: 0, disk: 0, length: bytes.len() }])
        }
        (ImageFormat::Udsp, Some(b"sprs")) => sparse_image(bytes)?,
        (ImageFormat::Asif, Some(b"shdw")) => asif(bytes)?,
        (ImageFormat::Udsp | ImageFormat::Asif | ImageFormat::Udsb, _) => return None,
    };
    Some((disk_of(bytes, length, &extents)?, extents))
}

/// UDSP: nodes of 4096 bytes with the numbers of the bands behind them.
fn sparse_image(bytes: &[u8]) -> Option<(usize, Vec<Extent>)> {
    let band = number(bytes, 8, 4)?.checked_mul(512)?;
    let length = number(bytes, 28, 8)?.checked_mul(512)?;
    let mut extents = Vec::new();
    let (mut node, mut ids, mut count, mut next) = (0, 64, 1008, number(bytes, 20, 8)?);
    loop {
        for slot in 0..count {
            let id = number(bytes, node + ids + 4 * slot, 4)?;
            if id != 0 {
                let (file, disk) =
                    (node + 4096 + slot.checked_mul(band)?, (id - 1).checked_mul(band)?);
                extents.push(Extent { file, disk, length: band });
            }
        }
        if next <= node {
            return (next == 0).then_some((length, extents));
        }
        node = next;
        (ids, count, next) = (56, 1010, number(bytes, node + 12, 8)?);
    }
}

/// ASIF: of two directories the one with the higher number, tables, and for partial chunks a bitmap of two bits a
/// sector.
fn asif(bytes: &[u8]) -> Option<(usize, Vec<Extent>)> {
    let (chunk, size) = (number(bytes, 0x40, 4)?, number(bytes, 0x44, 2)?);
    let length = number(bytes, 0x30, 8)?.checked_mul(size)?;
    if ![512, 4096].contains(&size) || chunk < 4096 {
        return None;
    }
    let directories = [number(bytes, 0x10, 8)?, number(bytes, 0x18, 8)?];
    let sequences = [number(bytes, directories[0], 8)?, number(bytes, directories[1], 8)?];
    let directory = directories[usize::from(sequences[1] > sequences[0])];
    let in_group = 4 * size;
    let per_table = chunk / (8 * (in_group + 1)) * in_group;
    if per_table == 0 {
        return None;
    }
    let mut extents = Vec::new();
    for wanted in 0..length.div_ceil(chunk) {
        let table = number(bytes, directory.checked_add(8 + 8 * (wanted / per_table))?, 8)?;
        if table == 0 {
            continue;
        }
        let (group, index) = (wanted % per_table / in_group, wanted % per_table % in_group);
        let place = table.checked_mul(chunk)?.checked_add(8 * group * (in_group + 1))?;
        let entry = number(bytes, place.checked_add(8 * index)?, 8)?;
        let at = |entry: usize| (entry & ((1 << 55) - 1)).checked_mul(chunk);
        match entry >> 62 {
            0 | 2 => {}
            1 => extents.push(Extent { file: at(entry)?, disk: wanted * chunk, length: chunk }),
            _ => {
                let bitmap = at(number(bytes, place.checked_add(8 * in_group)?, 8)?)?;
                for sector in 0..chunk / size {
                    let state = index * (chunk / size) + sector;
                    let byte = number(bytes, bitmap.checked_add(state / 4)?, 1)?;
                    if byte >> (state % 4 * 2) & 1 == 1 {
                        let (file, disk) =
                            (at(entry)? + size * sector, wanted * chunk + size * sector);
                        extents.push(Extent { file, disk, length: size });
                    }
                }
            }
        }
    }
    Some((length, extents))
}

/// The number behind a key of a property list.
fn value(text: &str, key: &str) -> Option<usize> {
    let (_, rest) = text.split_once(&format!("<key>{key}</key>"))?;
    let (_, rest) = rest.split_once("<integer>")?;
    rest.split_once("</integer>")?.0.parse().ok()
}

/// UDSB: a file for each band, decrypted by `plain` that is given the offset of the band in the disk.
pub fn bundle(path: &Path, plain: &dyn Fn(Vec<u8>, usize) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let described = |name| {
        let bytes = fs::read(path.join(name)).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some((value(&text, "band-size")?, value(&text, "size")?))
    };
    let (band, length) = described("Info.plist").or_else(|| described("Info.bckup"))?;
    let mut bands = BTreeMap::new();
    for entry in fs::read_dir(path.join("bands")).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        if let Ok(number) = usize::from_str_radix(&name, 16) {
            bands.insert(number, fs::read(entry.path()).ok()?);
        }
    }
    let mut disk = (length < 64 << 20).then(|| vec![0; length])?;
    for (number, bytes) in bands {
        let place = number.checked_mul(band)?;
        let bytes = plain(bytes, place)?;
        let end = bytes.len().min(length.checked_sub(place)?);
        disk.get_mut(place..place + end)?.copy_from_slice(bytes.get(..end)?);
    }
    Some(disk)
}
