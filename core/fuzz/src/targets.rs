//! One function for each parser: what it must bear, whatever the input. Each says whether it took the input for sound,
//! so that the seeds' tests can tell that they reach what they are meant to reach.

use std::path::PathBuf;
use std::{fs, io, thread};

use diskbench_core::cell::Cell;
use diskbench_core::image::file_volume::FileVolume;
use diskbench_core::protocol::forecast;
use diskbench_core::record::digest;
use diskbench_core::verify;
use diskimage::asif::{self, Asif};
use diskimage::crypt::{Container, Passphrase, is_container};
use diskimage::disk::{Damage, VirtualDisk};
use diskimage::error::{ImageError, Kind, Result};
use diskimage::nbd::Export;
use diskimage::raw::RawDisk;
use diskimage::sparse_bundle::{self, SparseBundle};
use diskimage::sparse_image::{self, SparseImage};
use diskimage::store::{Access, Store};
use diskimage::testing::memory::MemoryStore;
use diskimage::testing::model;
use diskimage::udif::{self, Udif};
use system::flush::Durability;

use crate::pieces;

/// What every seed is encrypted with.
const PASSPHRASE: &[u8] = b"fuzz";

/// More rounds of PBKDF2 than this only take time: the input is passed over. The seeds have one.
const MOST_ROUNDS: u32 = 16;

/// Read at each place, in bytes: more than a sector and a page, less than a band.
const LOOK: usize = 5000;

/// Length in bytes of a file with a header, as everybody writes it, and the 8 KiB of the seeds behind it.
const FILE: u64 = 0x1_de00 + 8192;

/// A target: feeds an input to a parser, and says whether that took it for sound.
pub type Target = fn(&[u8]) -> bool;

/// Every target and its function. The seeds of each lie in the folder of its name.
pub const TARGETS: [(&str, Target); 11] = [
    ("asif", asif),
    ("cell", cell),
    ("container", container),
    ("disk", disk),
    ("encrcdsa", encrcdsa),
    ("info_plist", info_plist),
    ("nbd", nbd),
    ("record", record),
    ("sparse_image", sparse_image),
    ("udif", udif),
    ("volume", volume),
];

type Opened = Result<Box<dyn VirtualDisk>>;
type Open = fn(Box<dyn Store>) -> Opened;

/// A sparse image (`sprs`), in pieces.
pub fn sparse_image(input: &[u8]) -> bool {
    image(&pieces::unpack(input), sparse_image::check, |store| {
        Ok(Box::new(SparseImage::open(store)?))
    })
}

/// An ASIF (`shdw`), in pieces.
pub fn asif(input: &[u8]) -> bool {
    image(&pieces::unpack(input), asif::check, |store| Ok(Box::new(Asif::open(store)?)))
}

/// A compressed image (`koly`), in pieces.
pub fn udif(input: &[u8]) -> bool {
    let memory = pieces::unpack(input);
    let sound =
        udif::check(Box::new(memory.clone()), &mut |_, _| ()).is_ok_and(|damage| damage.is_empty());
    match Udif::open(Box::new(memory)) {
        Ok(mut disk) => look(&mut disk, sound),
        Err(error) => assert!(!sound, "no damage was found in what cannot be opened: {error}"),
    }
    sound
}

/// What a client sends to a server of a disk. Whatever it is, the image stays sound.
pub fn nbd(input: &[u8]) -> bool {
    let memory = MemoryStore::default();
    let disk = SparseImage::create(Box::new(memory.clone()), 3 << 20, None);
    let export = Export::new(Box::new(disk.expect("memory has room")), true);
    let served = export.serve(input, io::sink());
    let damage = sparse_image::check(&mut memory.clone()).expect("memory can be read");
    assert!(damage.is_empty(), "{damage:?}");
    served.is_ok()
}

/// A raw image in an encryption container, in pieces.
pub fn container(input: &[u8]) -> bool {
    let memory = pieces::unpack(input);
    if asks_for_many_rounds(&memory) {
        return false;
    }
    let Ok(container) = Container::open(Box::new(memory.clone()), passphrase().as_ref()) else {
        return false;
    };
    let facts = container.facts();
    // Ciphertext has no sums: whatever its keys open is a disk.
    let Ok(mut disk) = RawDisk::open(Box::new(container)) else { return false };
    look(&mut disk, true);
    // An older image, whose blocks have 4096 bytes, is only read.
    change(Box::new(disk), facts.block_bytes == 512);
    true
}

/// The header of an encryption container: the input, then zeros.
pub fn encrcdsa(input: &[u8]) -> bool {
    let mut memory = MemoryStore::of_length(FILE.max(input.len() as u64));
    memory.put(input, 0);
    if asks_for_many_rounds(&memory) {
        return false;
    }
    is_container(&mut memory).expect("memory can be read");
    Container::open(Box::new(memory), passphrase().as_ref()).is_ok()
}

/// The description of a sparse bundle, `Info.plist`, in a bundle without bands. A bundle is a folder: this target needs
/// files.
pub fn info_plist(input: &[u8]) -> bool {
    BUNDLE.with(|bundle| {
        let bundle = bundle.0.as_path();
        fs::write(bundle.join("Info.plist"), input).expect("the folder can be written to");
        match SparseBundle::open(bundle, Access::Read, None) {
            Ok(mut image) => {
                look(&mut image, true);
                true
            }
            Err(error) => {
                assert_eq!(error.kind(), Kind::Damaged, "{error}");
                let damage = sparse_bundle::check(bundle, None);
                assert!(!damage.is_ok_and(|damage| damage.is_empty()), "no damage was found");
                false
            }
        }
    })
}

thread_local! {
    /// The folder of this thread's bundle.
    static BUNDLE: Bundle = Bundle::new();
}

/// A folder that goes with its thread. (What a fuzzer's end leaves is put away by `workflow/prove.sh fuzz`.)
struct Bundle(PathBuf);

impl Bundle {
    fn new() -> Self {
        let name = format!("diskbench-seed-{}-{:?}", std::process::id(), thread::current().id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("bands")).expect("the folder for temporary files is there");
        fs::write(folder.join("token"), []).expect("the folder can be written to");
        Self(folder)
    }
}

impl Drop for Bundle {
    fn drop(&mut self) {
        let _gone_already = fs::remove_dir_all(&self.0);
    }
}

/// The table of files of a portable volume, in pieces of the disk that it lies on. Its files must lie apart and within the
/// disk, and be there the next time.
pub fn volume(input: &[u8]) -> bool {
    let memory = pieces::unpack(input);
    let mount = || FileVolume::mount(Box::new(RawDisk::open(Box::new(memory.clone()))?));
    let Ok(mut volume) = mount() else { return false };
    let length = memory.len_bytes();
    let mut files: Vec<(u64, u64)> = volume.list().collect();
    let mut extents = Vec::new();
    let mut buffer = vec![0; LOOK];
    for (id, size) in &files {
        let stored = volume.find(*id).expect("what is listed is there").clone();
        for place in [0, size / 2, size.saturating_sub(1)] {
            let count = volume.read_at(&stored, &mut buffer, place).expect("a file can be read");
            assert_eq!(count as u64, (size - place).min(LOOK as u64));
        }
        extents.extend(stored.extents.iter().copied());
    }
    extents.sort();
    assert!(extents.iter().all(|extent| extent.end() <= length), "a file beyond the end");
    assert!(extents.windows(2).all(|two| two[0].end() <= two[1].offset), "files overlap");
    if let Some((id, _)) = files.pop() {
        volume.delete(&[id]).expect("a file can be deleted");
    }
    let id = (0..).find(|id| files.iter().all(|(other, _)| other != id)).unwrap_or(0);
    if let Ok(stored) = volume.begin(id, 9000) {
        volume.write_at(&stored, &[7; 9000], 0).expect("there is room");
        volume.commit(id, &stored, Durability::None).expect("it can be noted");
        files.push((id, 9000));
    }
    volume.flush(Durability::None).expect("it can be flushed");
    drop(volume);
    let mut again: Vec<_> = mount().expect("it can be mounted again").list().collect();
    files.sort();
    again.sort();
    assert_eq!(files, again);
    true
}

/// A record. Its checksum is made to fit, else nothing behind it would ever be reached.
pub fn record(input: &[u8]) -> bool {
    let as_it_is = verify::check(input).is_ok();
    let Ok(mut tree) = serde_json::from_slice::<serde_json::Value>(input) else { return false };
    let sum = digest::of_record(tree.clone());
    if let Some(object) = tree.as_object_mut() {
        object.insert("sha256".into(), sum.into());
    }
    let sealed = verify::check(tree.to_string().as_bytes());
    assert!(!as_it_is || sealed.is_ok(), "a sound record is sound with its own checksum");
    sealed.is_ok()
}

/// A cell's description, its protocol included. What is taken comes back from its own text.
pub fn cell(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(cell) = Cell::parse(text) else { return false };
    let again = serde_json::to_string(&cell).expect("a cell can be written");
    assert_eq!(Cell::parse(&again).ok().as_ref(), Some(&cell));
    // Its steps are tried on an image that holds nothing but sizes.
    forecast::check(&cell).is_ok()
}

/// Made-up actions on a made-up disk, compared with a plain row of bytes; see [`model`].
pub fn disk(input: &[u8]) -> bool {
    model::run(input)
}

fn passphrase() -> Option<Passphrase> {
    Passphrase::new(PASSPHRASE.to_vec()).ok()
}

/// Whether a container's header asks for so many rounds that the input is only slow. The places are those of the
/// format's description: number of protectors at 0x48, 20 bytes for each from 0x4C on (type, u64 offset, u64 size),
/// the rounds 8 bytes into each record.
fn asks_for_many_rounds(memory: &MemoryStore) -> bool {
    let mut memory = memory.clone();
    let mut number = |offset: u64| {
        let mut bytes = [0; 4];
        memory.read_at(&mut bytes, offset).map_or(0, |()| u32::from_be_bytes(bytes))
    };
    (0..u64::from(number(0x48)).min(1024)).any(|protector| {
        let entry = 0x4C + 20 * protector;
        let offset = u64::from(number(entry + 4)) << 32 | u64::from(number(entry + 8));
        offset.checked_add(8).is_some_and(|place| number(place) > MOST_ROUNDS)
    })
}

/// What every image must bear, damaged or not; and what one without damage must do.
fn image(
    memory: &MemoryStore,
    check: fn(&mut dyn Store) -> Result<Vec<Damage>>,
    open: Open,
) -> bool {
    let is_sound =
        |memory: &MemoryStore| check(&mut memory.clone()).is_ok_and(|damage| damage.is_empty());
    let sound = is_sound(memory);
    assert_eq!(memory.changes(), 0, "looking for damage changes nothing");
    let mut disk = match open(Box::new(memory.clone())) {
        Ok(disk) => disk,
        Err(error) => {
            assert!(!sound, "no damage was found in what cannot be opened: {error}");
            return false;
        }
    };
    look(disk.as_mut(), sound);
    let Some(changed) = change(disk, sound) else { return sound };
    assert!(is_sound(memory), "damaged by use: {:?}", check(&mut memory.clone()));
    let mut disk = open(Box::new(memory.clone())).expect("what has no damage can be opened");
    for (place, bytes) in changed {
        let mut found = vec![0xa5; bytes.len()];
        disk.read_at(&mut found, place).expect("what has no damage can be read");
        assert!(found == bytes, "{} bytes at {place} differ", bytes.len());
    }
    true
}

/// Reads at telling places.
fn look(disk: &mut dyn VirtualDisk, sound: bool) {
    let length = disk.len_bytes();
    let mut buffer = vec![0; LOOK];
    for place in places(length) {
        let count = LOOK.min(usize::try_from(length - place).unwrap_or(LOOK));
        let read = disk.read_at(&mut buffer[..count], place);
        assert!(!sound || read.is_ok(), "{count} bytes at {place}: {read:?}");
    }
    assert!(disk.read_at(&mut buffer[..1], length).is_err(), "beyond the end");
    assert!(disk.read_at(&mut buffer[..2], u64::MAX).is_err(), "beyond every end");
    let _bands = disk.bands();
}

/// Writes, discards, flushes and compacts. What a sound image must hold afterwards: place and bytes; none when it is
/// damaged, or the store is full.
fn change(mut disk: Box<dyn VirtualDisk>, sound: bool) -> Option<Vec<(u64, Vec<u8>)>> {
    let length = disk.len_bytes();
    let first = vec![0x5a; LOOK.min(usize::try_from(length).unwrap_or(LOOK))];
    let last = vec![0xc3; first.len().min(700)];
    let last_place = length - last.len() as u64;
    let middle = length / 2;
    let done = (|| {
        disk.write_at(&first, 0)?;
        disk.write_at(&last, last_place)?;
        disk.flush(Durability::None)?;
        disk.discard(middle, (length - middle).min(3_000_000))?;
        disk.write_at(&last, last_place)?;
        disk.compact()
    })();
    match done {
        Ok(()) if sound => {}
        Ok(()) => return None,
        Err(error) if !sound || is_full(&error) => return None,
        Err(error) => panic!("a sound image cannot be used: {error}"),
    }
    let kept = first.len().min(usize::try_from(middle).unwrap_or(LOOK));
    let kept = kept.min(usize::try_from(last_place).unwrap_or(LOOK));
    Some(vec![(0, first[..kept].to_vec()), (last_place, last)])
}

fn is_full(error: &ImageError) -> bool {
    error.io().is_some_and(|error| error.kind() == io::ErrorKind::StorageFull)
}

/// Places on a disk: both ends, the middle, and both sides of what formats divide disks by.
fn places(length: u64) -> impl Iterator<Item = u64> {
    [0, 511, 4095, (1 << 20) - 1, (8 << 20) - 1, 1 << 30, 1 << 37]
        .into_iter()
        .chain([length / 2, length.saturating_sub(LOOK as u64), length.saturating_sub(1)])
        .filter(move |place| *place < length)
}
