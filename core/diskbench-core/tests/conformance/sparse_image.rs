//! UDSP, built from its description (`core/diskimage/src/sparse_image/node.rs`).

use std::path::Path;

use diskimage::format::ImageFormat;

use crate::common::random::Random;
use crate::{Format, Image, Other, SECTOR, change, common, put, readers};

const NODE: usize = 4096;

/// Slots behind the header and behind each further node.
const SLOTS: [usize; 2] = [1008, 1010];

pub const FORMAT: Format = Format {
    sound,
    faults: &[
        ("the version is 4", |image, _| set(image, 4, 4)),
        ("a band has no sectors", |image, _| set(image, 8, 0)),
        ("the two numbers of sectors differ", |image, random| {
            let other = random.of_range(1 << 20..=1 << 24);
            set(image, 16, u32::try_from(other).unwrap())
        }),
        ("the next node lies in this one", |image, random| {
            let next = random.of_range(1..=NODE);
            set(image, 24, u32::try_from(next).unwrap())
        }),
        ("a slot holds a band beyond the disk's end", beyond_the_end),
        ("a band is there twice", twice),
        ("the file ends within a slot", cut_short),
        ("something lies behind the disk's end", behind_the_end),
    ],
    others,
};

fn others(path: &Path) -> Vec<Other> {
    let bytes = std::fs::read(path).unwrap();
    let own = readers::file(ImageFormat::Udsp, &bytes).map(|(disk, _)| disk);
    vec![("the slow reader", own), ("keramics", keramics(path, &bytes))]
}

/// It refuses disks of more than 1008 bands, ends behind the last band that is used, and looks at no more slots than
/// the disk has bands: what lies behind is zeros to it.
fn keramics(path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let bands = usize::try_from(number(16).div_ceil(number(8))).unwrap();
    if (bands..SLOTS[0]).any(|slot| number(64 + 4 * slot) != 0) {
        return None;
    }
    common::keramics::sparse_image(path, None)
}

fn sound(random: &mut Random) -> Image {
    // One in ten needs several nodes.
    let (band, bands) = match random.percent(10) {
        true => (SECTOR * random.of_range(1..=3), random.of_range(1000..=3200)),
        false => (SECTOR * random.of_range(8..=64), random.of_range(1..=40)),
    };
    let length = (bands - 1) * band + SECTOR * random.of_range(1..=band / SECTOR);
    let often = random.of_range(30..=100);
    let mut used: Vec<usize> = (0..bands).filter(|_| random.percent(often)).collect();
    random.shuffle(&mut used);
    let mut disk = vec![0; bands * band];
    // Slots that are free hold what was there before.
    let mut slots: Vec<(usize, Vec<u8>)> = Vec::new();
    for number in used {
        if random.percent(15) {
            slots.push((0, random.bytes(band)));
        }
        let mut content = random.bytes(band);
        content[(length - number * band).min(band)..].fill(0);
        put(&mut disk, number * band, &content);
        slots.push((number + 1, content));
    }
    disk.truncate(length);
    Image { files: [(String::new(), file(band, length, &slots))].into(), disk }
}

fn file(band: usize, length: usize, slots: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let big = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    let mut header = vec![0; NODE];
    put(&mut header, 0, b"sprs");
    for (at, number) in
        [(4, 3), (8, band / SECTOR), (12, 1), (16, length / SECTOR), (32, length / SECTOR)]
    {
        put(&mut header, at, &big(number));
    }
    let (first, rest) = slots.split_at(slots.len().min(SLOTS[0]));
    let mut file = header;
    let lay = |file: &mut Vec<u8>, node: usize, ids: usize, slots: &[(usize, Vec<u8>)]| {
        for (number, (id, content)) in slots.iter().enumerate() {
            put(file, node + ids + 4 * number, &big(*id));
            file.extend(content);
        }
    };
    lay(&mut file, 0, 64, first);
    let (mut node, mut next_at) = (0, 20);
    for (number, slots) in rest.chunks(SLOTS[1]).enumerate() {
        let next = file.len();
        put(&mut file, node + next_at, &(next as u64).to_be_bytes());
        (node, next_at) = (next, 12);
        file.resize(next + NODE, 0);
        put(&mut file, node, b"sprs");
        put(&mut file, node + 4, &big(number + 1));
        put(&mut file, node + 8, &big(1));
        lay(&mut file, node, 56, slots);
    }
    file
}

fn bytes(image: &mut Image) -> &mut Vec<u8> {
    image.files.get_mut("").unwrap()
}

fn set(image: &mut Image, at: usize, value: u32) -> bool {
    change(bytes(image), at, value);
    true
}

fn number(image: &mut Image, at: usize) -> usize {
    usize::try_from(u32::from_be_bytes(bytes(image)[at..at + 4].try_into().unwrap())).unwrap()
}

/// The slots of the header that are in use: where their ids and contents lie.
fn used(image: &mut Image) -> Vec<(usize, usize)> {
    let band = number(image, 8) * SECTOR;
    (0..SLOTS[0])
        .map(|slot| (64 + 4 * slot, NODE + slot * band))
        .filter(|(id, _)| number(image, *id) != 0)
        .collect()
}

fn beyond_the_end(image: &mut Image, random: &mut Random) -> bool {
    let bands = image.disk.len().div_ceil(number(image, 8) * SECTOR);
    let used = used(image);
    let Some((id, _)) = used.get(random.below(used.len())) else { return false };
    let beyond = bands + random.of_range(1..=1000);
    set(image, *id, u32::try_from(beyond).unwrap())
}

fn twice(image: &mut Image, random: &mut Random) -> bool {
    let used = used(image);
    let (one, other) = (random.below(used.len()), random.below(used.len()));
    if one == other || used.is_empty() {
        return false;
    }
    let id = number(image, used[one].0);
    set(image, used[other].0, u32::try_from(id).unwrap())
}

fn cut_short(image: &mut Image, random: &mut Random) -> bool {
    let (band, length) = (number(image, 8) * SECTOR, bytes(image).len());
    // Of the last slot, if it is one of the header's.
    let is_last = used(image).last().is_some_and(|(_, content)| content + band == length);
    if is_last {
        let cut = random.of_range(1..=band);
        bytes(image).truncate(length - cut);
    }
    is_last
}

fn behind_the_end(image: &mut Image, random: &mut Random) -> bool {
    let band = number(image, 8) * SECTOR;
    let bands = image.disk.len().div_ceil(band);
    let rest = bands * band - image.disk.len();
    let used = used(image);
    let Some((_, content)) = used.iter().find(|(id, _)| number(image, *id) == bands) else {
        return false;
    };
    if rest > 0 {
        let at = content + band - 1 - random.below(rest);
        bytes(image)[at] = 1;
    }
    rest > 0
}
