//! Damaged images of every kind are copied only if nothing is lost. Each image is changed once, at a random position;
//! then either the copy is refused, or it contains the original disk, or the same as another reader finds in the
//! changed image. No format has checksums of its index: one that was changed into another valid one is read differently
//! by every reader.
//!
//! `DISKBENCH_MUTATIONS=300 cargo test --test mutations -- --nocapture` tries so many of each kind and prints how they
//! ended.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may stop, and print figures"
)]

#[path = "../program/common/random.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod random;
mod readers;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;

use diskimage::convert::{Failure, Zeros, copy};
use diskimage::crypt::KeySize::{Aes128, Aes256};
use diskimage::crypt::{self, Container, KeySize, Passphrase};
use diskimage::error::Kind;
use diskimage::format::ImageFormat;
use diskimage::open::{self, Spec};
use diskimage::raw::RawDisk;
use diskimage::store::{Access, HostFile, Store};
use diskimage::testing::key;
use diskimage::testing::memory::MemoryStore;
use system::flush::Durability;

use random::Random;

/// Mutations of each kind, unless the environment asks for another number.
const FEW: u64 = 40;

/// Neither a whole number of bands nor of chunks.
const LENGTH: usize = (3 << 20) + 7 * 512;

const BAND: usize = 64 << 10;

/// Where the encrypted blocks of an image of one file begin.
const HEADER: usize = 122_368;

/// The bytes of a header whose change no reader can notice: they lead to other keys, or to another length.
const SILENT: [std::ops::Range<usize>; 3] = [0x38..0x48, 0x94..0xb4, 0xc4..0x108];

const PASSPHRASE: &str = "mutant";

/// A disk with something at its start, in the middle, at borders of bands and chunks, and in its last byte.
fn disk() -> Vec<u8> {
    let mut random = Random::of(7);
    let mut bytes = vec![0; LENGTH];
    for (start, length) in [
        (0, 5000),
        (BAND - 3, 7),
        (3 * BAND, 2 * BAND),
        ((1 << 20) - 700, 3000),
        ((2 << 20) + 100_000, 1),
        (LENGTH - 1000, 1000),
    ] {
        bytes[start..start + length].fill_with(|| random.byte() | 1);
    }
    bytes[446..510].fill(0);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes
}

/// Makes the image as a program does that writes, deletes and writes again.
fn make(path: &Path, format: ImageFormat, cipher: Option<KeySize>, disk: &[u8]) {
    let spec = Spec {
        band_bytes: format.row().band_bytes.map(|_| BAND as u64),
        key: cipher.map(|size| key(size, PASSPHRASE)),
        ..Spec::plain(format, LENGTH as u64)
    };
    let mut image = open::create(path, &spec).unwrap().image;
    image.write_at(&[9; 3 * BAND], 9 * BAND as u64).unwrap();
    image.flush(Durability::None).unwrap();
    image.discard(9 * BAND as u64, 3 * BAND as u64).unwrap();
    image.flush(Durability::None).unwrap();
    for (number, piece) in disk.chunks(5 * 512).enumerate() {
        if piece.iter().any(|byte| *byte != 0) {
            image.write_at(piece, (number * 5 * 512) as u64).unwrap();
        }
    }
    image.flush(Durability::None).unwrap();
}

/// Every file of an image by its name in it; the empty name is that of an image of one file.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files_of(path: &Path, name: &Path, files: &mut Files) {
    let place = if name.as_os_str().is_empty() { path.to_owned() } else { path.join(name) };
    if place.is_file() {
        files.insert(name.to_owned(), fs::read(place).unwrap());
        return;
    }
    for entry in fs::read_dir(place).unwrap() {
        files_of(path, &name.join(entry.unwrap().file_name()), files);
    }
}

fn lay(files: &Files, path: &Path) {
    for (name, bytes) in files {
        let place = if name.as_os_str().is_empty() { path.to_owned() } else { path.join(name) };
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
}

/// What an image of one file holds before its format is looked at: its bytes, decrypted where they are encrypted.
fn inside(path: &Path, encrypted: bool) -> Option<Vec<u8>> {
    if !encrypted {
        return fs::read(path).ok();
    }
    let passphrase = Passphrase::new(PASSPHRASE.into()).unwrap();
    let file = Box::new(HostFile::open(path, Access::Read).ok()?);
    let mut container = Container::open(file, Some(&passphrase)).ok()?;
    let mut bytes = vec![0; usize::try_from(container.len_bytes()).ok()?];
    container.read_at(&mut bytes, 0).ok()?;
    Some(bytes)
}

/// What another reader finds.
fn read(path: &Path, format: ImageFormat, encrypted: bool) -> Option<Vec<u8>> {
    if path.is_file() {
        return readers::file(format, &inside(path, encrypted)?).map(|(disk, _)| disk);
    }
    let passphrase = Passphrase::new(PASSPHRASE.into()).unwrap();
    let token = match encrypted {
        true => crypt::open_token(&path.join("token"), Some(&passphrase)).ok()?,
        false => None,
    };
    readers::bundle(path, &|mut bytes, place| {
        if let Some(token) = &token {
            let whole = bytes.len().is_multiple_of(512) && place.is_multiple_of(512);
            whole.then(|| token.decrypt(&mut bytes, (place / 512) as u64))?;
        }
        Some(bytes)
    })
}

/// Places of bytes that are no content, in the header of the container and in what it holds; and for each byte of the
/// file whether it is content.
fn structure(path: &Path, format: ImageFormat, encrypted: bool) -> (Vec<usize>, Vec<bool>) {
    let start = if encrypted { HEADER } else { 0 };
    let inside = inside(path, encrypted).unwrap();
    let (_, extents) = readers::file(format, &inside).unwrap();
    let mut content = vec![false; inside.len()];
    for extent in extents {
        let end = content.len().min(extent.file + extent.length);
        content[extent.file..end].fill(true);
    }
    let header = if encrypted { &fs::read(path).unwrap()[..HEADER] } else { &[][..] };
    let of_header = (0..header.len()).filter(|place| header[*place] != 0);
    let behind = (0..inside.len()).filter(|place| !content[*place] && inside[*place] != 0);
    let places = of_header.chain(behind.map(|place| start + place)).collect();
    (places, [vec![false; start], content.clone()].concat())
}

/// Changes a file; gives the range that was changed, and what was done.
fn change(bytes: &mut Vec<u8>, structure: &[usize], random: &mut Random) -> (usize, usize, String) {
    let at = match structure.len() {
        0 => random.below(bytes.len()),
        some if random.below(2) == 0 => structure[random.below(some)],
        _ => random.below(bytes.len()),
    };
    let end = |length: usize| bytes.len().min(at + length);
    let (end, what) = match random.below(10) {
        0..3 => (end(1), "a bit turned"),
        3..5 => (end(1), "a byte replaced"),
        5 => (end(8), "8 bytes zeroed"),
        6 => (end(4096), "4096 bytes zeroed"),
        7 => (end(16), "16 bytes replaced"),
        8 => (bytes.len(), "cut off"),
        _ => (bytes.len(), "made longer"),
    };
    match what {
        "a bit turned" => bytes[at..end].iter_mut().for_each(|byte| *byte ^= 1 << random.below(8)),
        "8 bytes zeroed" | "4096 bytes zeroed" => bytes[at..end].fill(0),
        "cut off" => bytes.truncate(at),
        "made longer" => {
            let more = 1 + random.below(5000);
            let fill = if random.below(2) == 0 { 0 } else { 0xa7 };
            bytes.resize(bytes.len() + more, fill);
        }
        _ => bytes[at..end].fill_with(|| random.byte()),
    }
    (at, end, what.to_owned())
}

/// Changes the folder of a bundle, or one of its files.
fn change_bundle(files: &mut Files, random: &mut Random) -> (PathBuf, usize, usize, String) {
    let names: Vec<PathBuf> = files.keys().cloned().collect();
    let bands: Vec<&PathBuf> = names.iter().filter(|name| name.starts_with("bands")).collect();
    let band = bands[random.below(bands.len())].clone();
    let number = band.file_name().unwrap().to_str().unwrap().to_owned();
    let called = |name: String| Path::new("bands").join(name);
    let (name, what) = match random.below(14) {
        0 => (called(format!("{number:0>8}")), "a band spelled with zeros"),
        1 => (called(number.to_uppercase()), "a band spelled in capitals"),
        2 => (called(format!("{}", 10 + random.below(60))), "a band with another number"),
        3 => (called(format!("{number} 2")), "a band with a name of no band"),
        4 => (called(format!("._{number}")), "a file of the system beside the bands"),
        5 => (called(format!("00{number}")), "a band that is there twice"),
        6 => (called("3.x7Q2pK".to_owned()), "another file beside the bands"),
        7 => {
            let gone = names[random.below(names.len())].clone();
            files.remove(&gone);
            return (gone, 0, 0, "a file that is gone".to_owned());
        }
        _ => {
            // A description or a token as often as a band.
            let some: Vec<&PathBuf> =
                names.iter().filter(|name| !name.starts_with("bands")).collect();
            let name =
                if random.below(2) == 0 { band } else { some[random.below(some.len())].clone() };
            let (start, end, what) = change(files.get_mut(&name).unwrap(), &[], random);
            return (name.clone(), start, end, format!("{what} in {}", name.display()));
        }
    };
    match what {
        "a file of the system beside the bands" | "another file beside the bands" => {
            files.insert(name.clone(), vec![1; 700]);
        }
        "a band that is there twice" => {
            files.insert(name.clone(), files[&band].clone());
        }
        _ => {
            let bytes = files.remove(&band).unwrap();
            files.insert(name.clone(), bytes);
        }
    }
    (name, 0, 0, what.to_owned())
}

/// Whether a change is one that leads to other keys or another length, or leaves nothing of the header's start: no
/// reader can notice it.
fn is_silent(name: &Path, start: usize, end: usize, encrypted: bool) -> bool {
    let header = name.as_os_str().is_empty() || name == Path::new("token");
    let gone = start < 8 && end > 0x24;
    let silent = gone || SILENT.iter().any(|range| start < range.end && range.start < end);
    encrypted && header && silent
}

/// The disk in an image, copied; or why it is refused.
fn copied(path: &Path, format: ImageFormat, encrypted: bool) -> Result<Vec<u8>, Kind> {
    let passphrase = encrypted.then(|| Passphrase::new(PASSPHRASE.into()).unwrap());
    let opened = open::open(path, Access::Read, passphrase.as_ref());
    let mut opened = opened.map_err(|error| error.kind())?;
    // The program refuses by the name what has lost its mark.
    if opened.format != format {
        return Err(Kind::Damaged);
    }
    let memory = MemoryStore::default();
    let length = opened.image.len_bytes();
    let mut raw = RawDisk::create(Box::new(memory.clone()), length).unwrap();
    match copy(opened.image.as_mut(), &mut raw, Zeros::Skipped, &mut |_| ControlFlow::Continue(()))
    {
        Ok(()) => Ok(memory.bytes()),
        Err(Failure::Source(error)) => Err(error.kind()),
        Err(other) => panic!("{other:?}"),
    }
}

fn mutate(format: ImageFormat, cipher: Option<KeySize>) {
    let count = std::env::var("DISKBENCH_MUTATIONS").map_or(FEW, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let encrypted = cipher.is_some();
    let disk = disk();
    let (sound, path) = (folder.path().join("sound"), folder.path().join("mutant"));
    make(&sound, format, cipher, &disk);
    // The other reader must be one: it reads what is not changed.
    assert!(read(&sound, format, encrypted).unwrap() == disk, "the other reader");
    let mut original = Files::new();
    files_of(&sound, Path::new(""), &mut original);
    let (structure, content) =
        if sound.is_file() { structure(&sound, format, encrypted) } else { Default::default() };
    let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
    for number in 0..count {
        let mut random = Random::of(number);
        let mut files = original.clone();
        let (name, start, end, what) = if sound.is_file() {
            let bytes = files.values_mut().next().unwrap();
            let (start, end, what) = change(bytes, &structure, &mut random);
            (PathBuf::new(), start, end, what)
        } else {
            change_bundle(&mut files, &mut random)
        };
        lay(&files, &path);
        if !sound.is_file() {
            fs::create_dir_all(path.join("bands")).unwrap();
        }
        let copied = copied(&path, format, encrypted);
        let refused = copied.as_ref().err();
        let case =
            format!("{format:?} {cipher:?} {number}: {what} at {start} to {end}: {refused:?}");
        let how = match copied {
            Err(kind) => {
                let ours = [Kind::Internal, Kind::Io, Kind::InUse, Kind::Exists];
                assert!(!ours.contains(&kind), "{case}");
                "refused"
            }
            Ok(found) if found == disk => "the disk as it was",
            Ok(_) if is_silent(&name, start, end, encrypted) => "other keys or another length",
            Ok(found) => {
                let other_reader = read(&path, format, encrypted);
                assert!(other_reader.is_some_and(|read| read == found), "lost: {case}");
                if name.starts_with("bands") || content.get(start) == Some(&true) {
                    "the content that was changed"
                } else {
                    "what the changed index or header says"
                }
            }
        };
        *ends.entry(how).or_default() += 1;
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.unwrap();
    }
    println!("{format:?} {cipher:?}, {count} mutations: {ends:?}");
}

#[test]
fn no_damaged_image_is_copied_with_a_loss() {
    thread::scope(|scope| {
        for (format, size) in ImageFormat::ALL.into_iter().zip([Aes256, Aes128].into_iter().cycle())
        {
            scope.spawn(move || mutate(format, None));
            scope.spawn(move || mutate(format, Some(size)));
        }
    });
}
