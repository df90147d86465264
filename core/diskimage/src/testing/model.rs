//! A made-up disk and actions on it, both read from bytes: after each action the disk must hold what a plain row of bytes
//! holds. Fuzzing makes up the bytes, and proptest in this crate's tests. The process can be killed at any change of the file; then the image must be without damage, and
//! what was flushed and not touched since must be there. (A bundle lies in files, not in memory: it is not killed here.)
//!
//! What an input costs is what is encrypted, read and compared: so disks are small and bands too. An ASIF's chunks and
//! tables of 1 MiB cannot be made smaller: it takes some 100 ms where the others take 10 to 40, and gets few actions when
//! it is encrypted.
//!
//! ```text
//! u8 format and size of bands or blocks, u8 encryption, u16 length in sectors, then again and again:
//! u8 action, u16 place, u16 length, u8 content
//! ```

use std::fs;
use std::path::PathBuf;
use std::thread;

use system::flush::Durability;

use crate::crypt::{Container, KeySize, Passphrase};
use crate::disk::{SECTOR, VirtualDisk};
use crate::error::Result;
use crate::findings::strict;
use crate::format::ImageFormat;
use crate::open::{self, Spec};
use crate::raw::RawDisk;
use crate::row::Layout;
use crate::store::{Access, Store};
use crate::testing::key;
use crate::testing::memory::MemoryStore;
use crate::testing::reference::Act::{Compact, Discard, Flush, Write};
use crate::testing::reference::{Reference, Windows};

const PASSPHRASE: &str = "fuzz";

/// Longest disk in sectors: 128 KiB, some bands; of an ASIF 2.5 MiB, some chunks.
const LONGEST: u64 = 256;
const LONGEST_ASIF: u64 = 5120;

/// Most actions of one input.
const MOST_ACTIONS: usize = 24;
const MOST_ACTIONS_ENCRYPTED_ASIF: usize = 4;

/// Most bytes that are written or discarded at once.
const MOST_BYTES: u64 = 1 << 20;

/// Sizes of bands in bytes, one of them no power of two.
const BANDS: [u64; 5] = [4096, 4608, 8192, 16_384, 65_536];

/// The longer one of an ASIF's blocks in bytes.
const LONG_BLOCK: u64 = 4096;

/// Unit of places and lengths in bytes; a length may be a byte or two more.
const STEP: u64 = 128;

/// Runs the input; whether it made a disk.
pub fn run(input: &[u8]) -> bool {
    let mut input = input.iter().copied();
    let mut next = || input.next();
    let (Some(format), Some(encryption)) = (next(), next()) else { return false };
    let mut pair = || Some(u64::from(next()?) | u64::from(next()?) << 8);
    let Some(sectors) = pair() else { return false };
    let format = usize::from(format);
    let place = Place::of(
        MemoryStore::default(),
        ImageFormat::ALL[format % ImageFormat::ALL.len()],
        BANDS[format / ImageFormat::ALL.len() % BANDS.len()],
        [None, Some(KeySize::Aes128), Some(KeySize::Aes256)][usize::from(encryption % 3)],
    );
    let asif = place.format == ImageFormat::Asif;
    let length = (sectors % if asif { LONGEST_ASIF } else { LONGEST } + 1) * SECTOR;
    let length = if asif { length.next_multiple_of(place.block_bytes()) } else { length };
    let few = asif && place.key.is_some();
    let mut disk = place.create(length).unwrap();
    disk.flush(Durability::None).expect("a new disk can be flushed");
    let windows = Windows { starts: &[0], len_bytes: length };
    let mut reference = Reference::of(windows, windows.zeros());
    for _ in 0..if few { MOST_ACTIONS_ENCRYPTED_ASIF } else { MOST_ACTIONS } {
        let Some(kind) = input.next() else { break };
        let mut pair = || Some(u64::from(input.next()?) | u64::from(input.next()?) << 8);
        let (Some(start), Some(count)) = (pair(), pair()) else { break };
        let Some(seed) = input.next() else { break };
        let start = start * STEP % length;
        let count = (count * STEP + u64::from(seed % 3)).min(length - start).min(MOST_BYTES);
        let done = act(&mut disk, &place, &mut reference, kind % 16, (start, count), seed);
        if let Err(error) = done {
            assert!(place.memory.is_dead(), "{error}");
            drop(disk);
            place.memory.revive();
            disk = place.reopen();
            reference = reference.survived(disk.as_mut(), "killed");
        }
    }
    // What waits to be killed may be killed now.
    if disk.flush(Durability::None).is_ok() {
        drop(disk);
        place.memory.revive();
        let mut disk = place.reopen();
        assert_eq!(disk.len_bytes(), length);
        reference.assert_same(disk.as_mut());
    }
    true
}

fn act(
    disk: &mut Box<dyn VirtualDisk>,
    place: &Place,
    reference: &mut Reference,
    kind: u8,
    (offset, length): (u64, u64),
    seed: u8,
) -> Result<()> {
    let act = match kind {
        0..=5 => Write(offset, length, seed),
        6..=7 => Discard(offset, length),
        8 | 10..=11 => Flush,
        9 => Compact,
        12 => {
            place.memory.die_after(u64::from(seed));
            return Ok(());
        }
        _ => return reference.compare(disk.as_mut(), offset, length),
    };
    reference.carry_out(disk.as_mut(), act)?;
    if act.is_flush() {
        reference.flushed();
    }
    if kind >= 10 {
        *disk = Box::new(RawDisk::create(Box::new(MemoryStore::default()), SECTOR)?);
        place.memory.revive();
        *disk = place.reopen();
    }
    Ok(())
}

/// Where this thread's bundle lies, if it makes one.
fn bundle() -> PathBuf {
    let name = format!("diskbench-disk-{}-{:?}", std::process::id(), thread::current().id());
    std::env::temp_dir().join(name)
}

/// Where the image lies, and how it is made and opened.
pub(crate) struct Place {
    pub(crate) memory: MemoryStore,
    pub(crate) format: ImageFormat,
    band_bytes: u64,
    key: Option<KeySize>,
    bundle: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _never_made = fs::remove_dir_all(&self.bundle);
    }
}

impl Place {
    pub(crate) fn of(
        memory: MemoryStore,
        format: ImageFormat,
        band_bytes: u64,
        key: Option<KeySize>,
    ) -> Self {
        Self { memory, format, band_bytes, key, bundle: bundle() }
    }

    /// The same with another memory.
    #[cfg(test)]
    pub(crate) fn with(&self, memory: MemoryStore) -> Self {
        Self::of(memory, self.format, self.band_bytes, self.key)
    }

    /// Size of an ASIF's blocks.
    const fn block_bytes(&self) -> u64 {
        if self.band_bytes == BANDS[0] { SECTOR } else { LONG_BLOCK }
    }

    pub(crate) fn create(&self, length: u64) -> Result<Box<dyn VirtualDisk>> {
        let row = self.format.row();
        let spec = Spec {
            band_bytes: row.band_bytes.map(|_| self.band_bytes),
            block_bytes: row.large_block_bytes.map(|_| self.block_bytes()),
            key: self.key.map(|size| key(size, PASSPHRASE)),
            ..Spec::plain(self.format, length)
        };
        let made = match row.layout {
            Layout::File(format) => open::create_in(Box::new(self.memory.clone()), &spec, format),
            Layout::Bundle => open::create(&self.bundle, &spec),
        };
        Ok(made?.image)
    }

    fn store(&self) -> Box<dyn Store> {
        let memory = Box::new(self.memory.clone());
        match self.passphrase() {
            None => memory,
            key => Box::new(
                Container::open(memory, key.as_ref()).expect("its container can be opened"),
            ),
        }
    }

    /// Opens the image, which must be without damage.
    pub(crate) fn reopen(&self) -> Box<dyn VirtualDisk> {
        match self.format.row().layout {
            Layout::File(format) => {
                assert_eq!((format.check)(self.store()).expect("it can be checked"), []);
                (format.open)(self.store(), &mut strict).expect("it can be opened")
            }
            Layout::Bundle => {
                let key = self.passphrase();
                let damage = open::check(&self.bundle, key.as_ref());
                assert_eq!(damage.expect("it can be checked"), []);
                let bundle = open::open(&self.bundle, Access::Write, key.as_ref());
                bundle.expect("it can be opened").image
            }
        }
    }

    fn passphrase(&self) -> Option<Passphrase> {
        self.key.map(|size| key(size, PASSPHRASE).passphrase)
    }
}
