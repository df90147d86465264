//! Images built from the descriptions of the formats, not by our writer: in every order and state that the
//! descriptions allow, or with one violation. Valid ones are read as intended, by us and by
//! other readers, also after we have written to them; the others are refused, or found damaged.
//!
//! `DISKBENCH_CONFORMANCE=10000 cargo test --test conformance -- --nocapture` makes so many of each kind.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests may stop, and print figures"
)]

mod asif;
#[path = "../program/common/mod.rs"]
mod common;
#[path = "../mutations/readers.rs"]
mod readers;
mod sparse_bundle;
mod sparse_image;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::random::Random;
use diskimage::error::Kind;
use diskimage::open::{check, open};
use diskimage::store::Access;
use system::flush::Durability;

/// Images of each kind, unless the environment asks for another number.
const FEW: u64 = 100;

const SECTOR: usize = 512;

/// An image: its files by their names, of which the empty one is an image of one file, and the disk that it holds.
pub struct Image {
    files: BTreeMap<String, Vec<u8>>,
    disk: Vec<u8>,
}

/// A format, laid out by its description.
struct Format {
    /// A sound image of a seed.
    sound: fn(&mut Random) -> Image,
    /// What the description does not allow: what it is, and how an image is given it; false when this one cannot have
    /// it.
    faults: &'static [(&'static str, Fault)],
    /// What readers of others find, where they can read it.
    others: fn(&Path) -> Vec<Other>,
}

/// Another reader, and the disk that it finds.
type Other = (&'static str, Option<Vec<u8>>);

type Fault = fn(&mut Image, &mut Random) -> bool;

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Makes a number in a row of bytes another one; all are big-endian.
fn change(bytes: &mut [u8], at: usize, value: u32) {
    put(bytes, at, &value.to_be_bytes());
}

fn count() -> u64 {
    std::env::var("DISKBENCH_CONFORMANCE").map_or(FEW, |count| count.parse().unwrap())
}

fn lay(image: &Image, path: &Path) {
    for (name, bytes) in &image.files {
        let place = if name.is_empty() { path.to_owned() } else { path.join(name) };
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

/// The whole disk, or the kind of error.
fn read(path: &Path) -> Result<Vec<u8>, Kind> {
    let mut image = open(path, Access::Read, None).map_err(|error| error.kind())?.image;
    let mut disk = vec![0xa5; usize::try_from(image.len_bytes()).unwrap()];
    image.read_at(&mut disk, 0).map_err(|error| error.kind())?;
    Ok(disk)
}

fn sound_ones_are_read_and_written(format: &Format) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let mut agreed: BTreeMap<(&str, bool), u64> = BTreeMap::new();
    for seed in 0..count() {
        let mut random = Random::of(seed);
        let mut image = (format.sound)(&mut random);
        lay(&image, &path);
        for is_written in [false, true] {
            if is_written {
                write(&path, &mut image.disk, &mut random);
            }
            let what = format!("seed {seed}, written by us: {is_written}");
            assert_eq!(check(&path, None).unwrap(), [], "{what}");
            assert!(read(&path).as_ref() == Ok(&image.disk), "{what}: {:?}", read(&path).err());
            for (reader, found) in (format.others)(&path) {
                let times = agreed.entry((reader, is_written)).or_default();
                let Some(found) = found else { continue };
                let differ = found.iter().zip(&image.disk).position(|(one, other)| one != other);
                let lengths = (found.len(), image.disk.len());
                assert!(
                    found == image.disk,
                    "{what}: {reader} reads another disk: {lengths:?}, at {differ:?}"
                );
                *times += 1;
            }
        }
        remove(&path);
    }
    assert!(agreed.values().all(|times| *times > 0), "{agreed:?}");
    println!("{} sound images; read alike by {agreed:?}", count());
}

/// Writes and discards parts of a disk that others laid out.
fn write(path: &Path, disk: &mut [u8], random: &mut Random) {
    let mut image = open(path, Access::Write, None).unwrap().image;
    for _ in 0..random.of_range(1..=6) {
        let start = random.below(disk.len());
        let part = &mut disk[start..];
        let length = part.len().min(random.of_range(1..=50_000));
        let bytes = random.bytes(length);
        if random.percent(70) {
            image.write_at(&bytes, start as u64).unwrap();
            put(part, 0, &bytes);
        } else {
            image.discard(start as u64, length as u64).unwrap();
            part[..length].fill(0);
        }
    }
    image.flush(Durability::None).unwrap();
}

fn unsound_ones_are_refused(format: &Format) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..count() {
        let mut random = Random::of(seed);
        let mut image = (format.sound)(&mut random);
        let (what, fault) = format.faults[random.below(format.faults.len())];
        if !fault(&mut image, &mut random) {
            continue;
        }
        lay(&image, &path);
        let found = read(&path).map(drop);
        let kinds = [Err(Kind::Damaged), Err(Kind::Unsupported)];
        assert!(kinds.contains(&found), "seed {seed}, {what}: {found:?}");
        let damage = check(&path, None);
        assert!(!damage.is_ok_and(|lines| lines.is_empty()), "seed {seed}, {what}: not found");
        *refused.entry(what).or_default() += 1;
        remove(&path);
    }
    for (what, _) in format.faults {
        assert!(refused.contains_key(what), "no image has had this: {what}");
    }
    println!("unsound images, all refused: {refused:?}");
}

macro_rules! formats {
    ($($format:ident: $sound:ident, $unsound:ident;)*) => {
        $(
            #[test]
            fn $sound() {
                sound_ones_are_read_and_written(&$format::FORMAT);
            }

            #[test]
            fn $unsound() {
                unsound_ones_are_refused(&$format::FORMAT);
            }
        )*
    };
}

formats! {
    sparse_image: sound_sparse_images_are_read_and_written, unsound_sparse_images_are_refused;
    sparse_bundle: sound_sparse_bundles_are_read_and_written, unsound_sparse_bundles_are_refused;
    asif: sound_asifs_are_read_and_written, unsound_asifs_are_refused;
}
