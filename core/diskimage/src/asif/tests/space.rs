//! What an image takes of the host's disk, and large disks.

use system::flush::Durability;

use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::info::footprint;
use crate::store::{Access, HostFile};
use crate::testing::memory::MemoryStore;

const MIB: u64 = 1 << 20;
/// What one table stands for.
const TABLE: u64 = 135_291_469_824;

#[test]
fn a_disk_of_three_tables_is_sparse_on_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.asif");
    let mut disk =
        Asif::create(Box::new(HostFile::create(&path).unwrap()), 300_000_000_000).unwrap();
    let places = [0, TABLE - 700, TABLE + 5 * MIB, 2 * TABLE - 1, 299_999_999_000];
    for (seed, offset) in (1..).zip(places) {
        disk.write_at(&[seed; 1000], offset).unwrap();
    }
    disk.flush(Durability::None).unwrap();
    assert!(footprint(&path).unwrap().allocated_bytes < 8 * MIB);
    drop(disk);
    let mut store = HostFile::open(&path, Access::Read).unwrap();
    assert_eq!(check(&mut store).unwrap(), []);
    let mut disk = Asif::open(Box::new(store)).unwrap();
    for (seed, offset) in (1..).zip(places) {
        let mut found = [0xA5; 1000];
        disk.read_at(&mut found, offset).unwrap();
        assert_eq!(found, [seed; 1000]);
    }
    let mut found = [0xA5; 2000];
    disk.read_at(&mut found, TABLE + 5 * MIB - 500).unwrap();
    assert_eq!((found[499], found[500], found[1499], found[1500]), (0, 3, 3, 0));
    assert_eq!(disk.bands().unwrap().count, 7, "two of the five lie across the end of a chunk");
}

#[test]
fn what_is_discarded_goes_back_to_the_host_at_once_and_is_used_again_after_a_flush() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.asif");
    let file = HostFile::create(&path).unwrap();
    let mut disk = Asif::create(Box::new(file), 1 << 30).unwrap();
    let write = |disk: &mut Asif, chunks: std::ops::Range<u64>| {
        for chunk in chunks {
            disk.write_at(&[7; 1 << 20], chunk * MIB).unwrap();
        }
        disk.flush(Durability::Fsync).unwrap();
    };
    let apparent = || footprint(&path).unwrap().apparent_bytes;
    write(&mut disk, 0..32);
    let (full, length) = (footprint(&path).unwrap().allocated_bytes, apparent());
    assert!(full > 32 * MIB && full < 34 * MIB, "{full}");
    assert_eq!(
        length,
        (4 + 1 + 32) * MIB,
        "header, metadata and its table and bitmap, table, data"
    );
    disk.discard(4 * MIB, 24 * MIB).unwrap();
    assert!(footprint(&path).unwrap().allocated_bytes <= full - 24 * MIB);
    assert_eq!(disk.bands().unwrap().count, 8);
    disk.flush(Durability::None).unwrap();
    write(&mut disk, 100..124);
    assert_eq!(apparent(), length);
    disk.discard(100 * MIB, 20 * MIB).unwrap();
    disk.compact().unwrap();
    assert_eq!(apparent(), (4 + 1 + 12) * MIB);
    assert_eq!(disk.bands().unwrap().count, 12);
}

#[test]
fn a_part_of_a_chunk_that_is_discarded_goes_back_to_the_host_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.asif");
    let file = HostFile::create(&path).unwrap();
    let mut disk = Asif::create(Box::new(file), 1 << 30).unwrap();
    disk.write_at(&vec![7; 2 << 20], 0).unwrap();
    disk.flush(Durability::Fsync).unwrap();
    let full = footprint(&path).unwrap().allocated_bytes;
    disk.discard(MIB - 300_000, 700_000).unwrap();
    // Whole units of the host's file system, at most 64 KiB, at three ends.
    assert!(footprint(&path).unwrap().allocated_bytes <= full - 500_000);
    assert_eq!(disk.bands().unwrap().count, 2);
}

#[test]
fn compaction_gives_back_chunks_of_zeros() {
    let memory = MemoryStore::default();
    let mut disk = Asif::create(Box::new(memory.clone()), 10 * MIB + 512).unwrap();
    disk.write_at(&vec![0; 10 << 20], 512).unwrap();
    disk.write_at(&[1], 7 * MIB).unwrap();
    assert_eq!(disk.bands().unwrap().count, 11);
    disk.compact().unwrap();
    assert_eq!(disk.bands().unwrap().count, 1);
    assert_eq!(memory.bytes().len() as u64, (4 + 1 + 1) * MIB);
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
}

#[test]
fn discarding_all_of_the_largest_disk_takes_no_time() {
    let memory = MemoryStore::default();
    let length = (1 << 52) - MIB;
    let mut disk = Asif::create(Box::new(memory.clone()), length).unwrap();
    disk.write_at(&[1; 512], length - 512).unwrap();
    disk.discard(0, length).unwrap();
    disk.flush(Durability::None).unwrap();
    assert_eq!(disk.bands().unwrap().count, 0);
    let mut found = [9; 512];
    disk.read_at(&mut found, length - 512).unwrap();
    assert_eq!(found, [0; 512]);
    drop(disk);
    assert_eq!(check(&mut memory.clone()).unwrap(), [], "the metadata stay");
}

#[test]
fn a_file_that_claims_four_pebibytes_is_checked_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.asif");
    drop(Asif::create(Box::new(HostFile::create(&path).unwrap()), 1 << 30).unwrap());
    // A terabyte, as the host may say of a file with nothing in it.
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let mut store = HostFile::open(&path, Access::Read).unwrap();
    assert_eq!(check(&mut store).unwrap(), []);
}

#[test]
fn a_sequential_write_changes_the_file_by_the_data_and_its_length_only() {
    let memory = MemoryStore::default();
    let mut disk = Asif::create(Box::new(memory.clone()), 1 << 30).unwrap();
    disk.write_at(&[1; 512], 0).unwrap();
    let before = memory.changes();
    for n in 0..8 {
        disk.write_at(&[1; 1 << 20], 512 + n * MIB).unwrap();
    }
    // Two pieces each, in 8 new chunks.
    assert_eq!(memory.changes() - before, 8 * 2 + 8);
    let before = memory.changes();
    disk.flush(Durability::None).unwrap();
    // Slice, table, directory and its number.
    assert_eq!(memory.changes() - before, 5);
}
