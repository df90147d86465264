//! Whole images on the host's disk, through everything that can happen to one: written, discarded, flushed, detached and
//! attached, compacted, and converted into any other format and encryption. After each step they hold what a plain row of
//! bytes holds, and no damage.

use std::fs;
#[cfg(target_os = "linux")]
use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::{self, Write as _};
use std::ops::{ControlFlow, Range};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
#[cfg(target_os = "linux")]
use std::thread::sleep;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use sha2::{Digest, Sha256};

use crate::content::sha256;
use crate::convert::{Zeros, copy};
use crate::crypt::{KeySize, NewKey};
use crate::disk::{SECTOR, VirtualDisk};
use crate::error::Result;
use crate::format::ImageFormat;
use crate::open::{Spec, check, create, open};
use crate::raw::RawDisk;
use crate::row::Layout;
use crate::store::Access;
use crate::testing::memory::MemoryStore;
use crate::testing::reference::assert_same;
use crate::testing::{content, key, model};
#[cfg(target_os = "linux")]
use system::cache;
use system::flush::Durability;

#[test]
fn whatever_happens_to_an_image_it_holds_what_a_row_of_bytes_holds() {
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let inputs = vec(any::<u8>(), 4..150);
    let done = TestRunner::new(config).run(&inputs, |input| {
        model::run(&input);
        Ok(())
    });
    done.unwrap();
}

/// A kind of image: its format, cipher, and bands in bytes.
type Kind = (ImageFormat, Option<KeySize>, Option<u64>);

fn kind() -> impl Strategy<Value = Kind> {
    let cipher = select(vec![None, Some(KeySize::Aes128), Some(KeySize::Aes256)]);
    (select(ImageFormat::ALL.to_vec()), cipher, 8_u64..2048).prop_map(
        |(format, cipher, sectors)| {
            (format, cipher, format.row().band_bytes.map(|_| sectors * SECTOR))
        },
    )
}

/// A disk of up to 3 MiB: stretches of content, and of zeros where the seed is 0.
fn disk() -> impl Strategy<Value = Vec<u8>> {
    let seed = select(vec![0, 7, 9]);
    vec((1_u64..700, seed), 1..10).prop_map(|stretches| {
        stretches.into_iter().flat_map(|(sectors, seed)| content(seed, sectors * SECTOR)).collect()
    })
}

#[test]
fn any_chain_of_five_conversions_leaves_the_disk_and_its_checksum() {
    let key = key(KeySize::Aes128, "correct horse");
    let opened = |path: &Path, (_, cipher, _): Kind| {
        open(path, Access::Read, cipher.map(|_| &key.passphrase)).unwrap().image
    };
    let go_on = |_: u64| ControlFlow::Continue(());
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    let done = TestRunner::new(config).run(&(disk(), vec(kind(), 5)), |(disk, kinds)| {
        let folder = tempfile::tempdir().unwrap();
        let raw = folder.path().join("disk.img");
        fs::write(&raw, &disk).unwrap();
        let (mut last, mut was) = (raw, (ImageFormat::Udrw, None, None));
        for (number, kind) in kinds.into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            let (format, cipher, band_bytes) = kind;
            let key = cipher.map(|size| NewKey { size, ..key.clone() });
            let spec = Spec { band_bytes, key, ..Spec::plain(format, disk.len() as u64) };
            let mut to = create(&path, &spec).unwrap().image;
            let zeros = Zeros::of(format, cipher.is_some());
            copy(opened(&last, was).as_mut(), to.as_mut(), zeros, &mut &go_on).unwrap();
            to.flush(Durability::None).unwrap();
            drop(to);
            assert_eq!(check(&path, spec.passphrase()).unwrap(), []);
            (last, was) = (path, kind);
        }
        let mut end = opened(&last, was);
        let sum = sha256(end.as_mut(), &mut &go_on).unwrap();
        assert_eq!(sum[..], Sha256::digest(&disk)[..]);
        assert_same(end.as_mut(), &disk);
        Ok(())
    });
    done.unwrap();
}

/// An image whose reads are counted, in bytes.
struct Counted {
    image: Box<dyn VirtualDisk>,
    read: u64,
}

impl VirtualDisk for Counted {
    fn len_bytes(&self) -> u64 {
        self.image.len_bytes()
    }
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.read += buffer.len() as u64;
        self.image.read_at(buffer, offset)
    }
    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        self.image.next_data(from)
    }
}

#[test]
fn of_a_sparse_image_only_the_blocks_with_data_are_read_and_the_copy_is_equal() {
    const LENGTH: u64 = 2 << 30;
    // Beside the sources, since the folder for temporary files is often in memory itself.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let key = key(KeySize::Aes256, "correct horse");
    let parts = [(0, 512), ((700 << 20) - 100, 200), ((1 << 30) + 5, 5 << 20), (LENGTH - 1, 1)];
    for (number, key) in [None, Some(key)].into_iter().enumerate() {
        for format in ImageFormat::ALL {
            let path = folder.path().join(format!("{number}-{format}"));
            let spec = Spec { key: key.clone(), ..Spec::plain(format, LENGTH) };
            let mut image = create(&path, &spec).unwrap().image;
            for (offset, length) in parts {
                image.write_at(&content(9, length), offset).unwrap();
            }
            image.flush(Durability::None).unwrap();
            drop(image);
            let image = open(&path, Access::Read, spec.passphrase()).unwrap().image;
            let mut source = Counted { image, read: 0 };
            let memory = MemoryStore::default();
            let mut copied = RawDisk::create(Box::new(memory.clone()), LENGTH).unwrap();
            let mut reported = 0;
            let mut progress = |bytes| {
                reported += bytes;
                ControlFlow::Continue(())
            };
            copy(&mut source, &mut copied, Zeros::Skipped, &mut progress).unwrap();
            assert_eq!(reported, LENGTH, "{format}");
            for (offset, length) in parts {
                let mut found = vec![0; usize::try_from(length).unwrap()];
                copied.read_at(&mut found, offset).unwrap();
                assert!(found == content(9, length), "{format}: {length} bytes at {offset}");
            }
            let written: u64 = memory.pages().len() as u64 * 4096;
            assert!(written <= (5 << 20) + 6 * 4096, "{format}: {written} bytes");
            // Where holes of the host's files cannot be told from data all of it is read.
            let has_map = format.row().has_map || cfg!(target_os = "linux");
            let most = if has_map { 10 * (4 << 20) } else { LENGTH };
            assert!(source.read <= most, "{format}: {} bytes are read", source.read);
        }
    }
}

#[test]
fn what_will_be_read_is_asked_for_where_it_lies() {
    for format in ImageFormat::ALL {
        let Layout::File(file) = format.row().layout else { continue };
        let memory = MemoryStore::default();
        let mut image = (file.create)(Box::new(memory.clone()), 5 << 20, None).unwrap();
        // The later part first, so that the order in the file is another one.
        let (later, earlier) = (content(7, 1_200_000), content(9, 900_000));
        image.write_at(&later, 3_000_000).unwrap();
        image.write_at(&earlier, 1_000_000).unwrap();
        image.flush(Durability::None).unwrap();
        for (offset, bytes) in [(1_000_000, &earlier), (3_000_000, &later)] {
            image.will_read(offset, bytes.len() as u64).unwrap();
            let all = memory.bytes();
            let found: Vec<u8> = memory
                .asked()
                .into_iter()
                .map(|(offset, length)| {
                    usize::try_from(offset).unwrap()..usize::try_from(offset + length).unwrap()
                })
                .flat_map(|range| all[range].to_vec())
                .collect();
            assert!(found == *bytes, "{format}");
        }
        assert!(image.will_read(5 << 20, 1).is_err(), "{format}");
    }
}

/// The files that an image is made of.
#[cfg(target_os = "linux")]
fn files_of(path: &Path) -> impl Iterator<Item = File> {
    let of =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().map(|it| it.unwrap().path());
    let paths = of(path).chain(of(&path.join("bands"))).chain([path.to_owned()]);
    paths.filter(|path| path.is_file()).map(|path| File::open(path).unwrap())
}

/// Longest that a disk may take, on the busiest machine.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(600);

#[test]
#[cfg(target_os = "linux")]
fn of_an_image_on_a_disk_only_what_is_asked_for_is_read() {
    const PART: u64 = 65_536;
    // Beside the sources, since the folder for temporary files is often in memory itself.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let stat = Command::new("stat").args(["-f", "-c", "%T"]).arg(folder.path()).output().unwrap();
    if [&b"tmpfs\n"[..], b"ramfs\n"].contains(&stat.stdout.as_slice()) {
        // On the real stderr: what a passing test prints is not shown.
        let line =
            format!("skipped: {} is in memory, so no disk is read\n", folder.path().display());
        io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    let length_of = |file: &File| file.metadata().unwrap().len();
    let held = |path: &Path| -> u64 {
        let in_memory = |file: File| cache::resident_bytes(&file, length_of(&file)).unwrap();
        files_of(path).map(in_memory).sum()
    };
    for format in ImageFormat::ALL {
        let path = folder.path().join(format.name());
        let mut image = create(&path, &Spec::plain(format, 8 << 20)).unwrap().image;
        image.write_at(&vec![7; 8 << 20], 0).unwrap();
        image.flush(Durability::Fsync).unwrap();
        drop(image);
        files_of(&path).for_each(|file| cache::drop_pages(&file, length_of(&file)).unwrap());
        let mut image = open(&path, Access::Read, None).unwrap().image;
        let before = held(&path);
        let mut part = vec![0; usize::try_from(PART).unwrap()];
        // One after the other, as what makes systems read ahead.
        for number in 0..4 {
            image.read_at(&mut part, (2 << 20) + number * PART).unwrap();
        }
        let read = held(&path) - before;
        assert!(read <= 4 * PART + 32_768, "{format}: {read} bytes in memory");
        image.will_read(4 << 20, 1 << 20).unwrap();
        let start = Instant::now();
        while held(&path) - before < 4 * PART + (1 << 20) {
            assert!(start.elapsed() < PATIENCE, "{format}: nothing is read ahead");
            sleep(Duration::from_millis(1));
        }
    }
}
