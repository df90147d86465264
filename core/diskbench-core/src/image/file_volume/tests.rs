//! Files come back as they were written, also from another mount.

use std::collections::BTreeMap;
use std::io;

use diskimage::raw::RawDisk;
use diskimage::testing::content;
use diskimage::testing::memory::MemoryStore;
use proptest::prelude::{any, proptest};
use system::flush::Durability;

use super::{Extent, FileVolume, PAGE, Stored, coalesced, numbers, paged, place_of_files, records};

/// A disk of 2 MiB; its files begin behind a table of 64 KiB.
const LEN: u64 = 2 << 20;

const FILES: u64 = 4096 + 65_536;

/// Room for files.
const ALL: u64 = LEN - FILES;

fn fresh() -> (FileVolume, MemoryStore) {
    let memory = MemoryStore::default();
    let disk = RawDisk::create(Box::new(memory.clone()), LEN).unwrap();
    (FileVolume::format(Box::new(disk)).unwrap(), memory)
}

fn mount(memory: &MemoryStore) -> io::Result<FileVolume> {
    FileVolume::mount(Box::new(RawDisk::open(Box::new(memory.clone()))?))
}

fn seed(id: u64) -> u8 {
    (id % 250) as u8 + 1
}

fn write(volume: &mut FileVolume, id: u64, size: u64) -> io::Result<Stored> {
    let stored = volume.begin(id, size)?;
    for (offset, block) in (0..).step_by(8192).zip(content(seed(id), size).chunks(8192)) {
        volume.write_at(&stored, block, offset)?;
    }
    volume.commit(id, &stored, Durability::None)?;
    Ok(stored)
}

fn read(volume: &mut FileVolume, id: u64) -> Vec<u8> {
    let stored = volume.find(id).unwrap().clone();
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 8192];
        match volume.read_at(&stored, &mut buffer, bytes.len() as u64).unwrap() {
            0 => return bytes,
            found => bytes.extend_from_slice(&buffer[..found]),
        }
    }
}

fn listed(volume: &FileVolume) -> BTreeMap<u64, u64> {
    volume.list().collect()
}

#[track_caller]
fn assert_holds(volume: &mut FileVolume, expected: &BTreeMap<u64, u64>) {
    assert_eq!(&listed(volume), expected);
    for (id, size) in expected {
        assert!(read(volume, *id) == content(seed(*id), *size), "content of {id}");
    }
}

#[test]
fn files_follow_each_other_and_fill_the_first_gap_that_is_large_enough() {
    let (mut volume, _) = fresh();
    let place = |stored: Stored| {
        assert_eq!(stored.extents.len(), 1);
        (stored.extents[0].offset - FILES, stored.extents[0].length)
    };
    assert_eq!(place(write(&mut volume, 1, 10_000).unwrap()), (0, 12_288));
    assert_eq!(place(write(&mut volume, 2, 4096).unwrap()), (12_288, 4096));
    assert_eq!(place(write(&mut volume, 3, 5000).unwrap()), (16_384, 8192));
    volume.delete(&[1]).unwrap();
    assert_eq!(place(write(&mut volume, 4, 12_289).unwrap()), (24_576, 16_384));
    assert_eq!(place(write(&mut volume, 5, 12_288).unwrap()), (0, 12_288));
}

#[test]
fn a_deleted_file_leaves_zeros() {
    let (mut volume, memory) = fresh();
    write(&mut volume, 1, 10_000).unwrap();
    write(&mut volume, 2, 10_000).unwrap();
    volume.delete(&[1, 2]).unwrap();
    let bytes = memory.bytes();
    assert!(bytes[usize::try_from(FILES).unwrap()..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_full_volume_says_so_and_takes_nothing() {
    let (mut volume, _) = fresh();
    let error = write(&mut volume, 1, ALL + 1).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    write(&mut volume, 1, ALL).unwrap();
    assert_eq!(write(&mut volume, 2, 1).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(volume.begin(1, 1).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_file_that_is_abandoned_gives_its_room_back() {
    let (mut volume, memory) = fresh();
    let stored = volume.begin(1, 10_000).unwrap();
    volume.write_at(&stored, &[7; 8192], 0).unwrap();
    volume.abandon(1, stored.clone()).unwrap();
    volume.flush(Durability::None).unwrap();
    assert_eq!(volume.begin(2, 10_000).unwrap(), stored);
    assert!(listed(&mount(&memory).unwrap()).is_empty());
    let bytes = memory.bytes();
    assert!(bytes[usize::try_from(FILES).unwrap()..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_table_that_is_full_says_so() {
    let memory = MemoryStore::default();
    let disk = RawDisk::create(Box::new(memory.clone()), 8 << 20).unwrap();
    let mut volume = FileVolume::format(Box::new(disk)).unwrap();
    for id in 0..1024 {
        write(&mut volume, id, 1).unwrap();
    }
    let error = write(&mut volume, 2000, 1).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
    assert_eq!(listed(&mount(&memory).unwrap()).len(), 1024);
}

#[test]
fn what_is_no_volume_or_damaged_is_refused_with_the_reason() {
    let (mut volume, memory) = fresh();
    for id in 1..=5 {
        write(&mut volume, id, 5000).unwrap();
    }
    let good = memory.bytes();
    let refusal = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let error = mount(&MemoryStore::of(bytes)).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        error.to_string()
    };
    assert!(refusal(&|bytes| bytes.fill(0)).contains("no volume"));
    assert!(refusal(&|bytes| bytes.truncate(512)).contains("no volume"));
    assert!(refusal(&|bytes| bytes[8] = 1).contains("has version 1"));
    assert!(refusal(&|bytes| bytes.resize(4 << 20, 0)).contains("created for a disk of 2097152"));
    // The size of the third of five files.
    assert!(
        refusal(&|bytes| bytes[4096 + 2 * 64 + 18] ^= 1).contains("file 3 has invalid extents")
    );
}

#[test]
fn a_table_whose_records_contradict_each_other_is_damaged() {
    // One, number of the file, its size, where it lies, how long that is.
    let cases: [&[[u64; 5]]; 10] = [
        &[[1, 1, 4096, FILES, 4096], [1, 2, 4096, FILES, 4096]],
        &[[1, 1, 8192, FILES, 8192], [1, 2, 4096, FILES + 4096, 4096]],
        &[[1, 1, 4096, FILES, 4096], [1, 1, 4096, FILES + 4096, 4096]],
        &[[1, 1, 4096, 4096, 4096]],
        &[[1, 1, 4096, LEN, 4096]],
        &[[1, 1, 4096, FILES, 8192]],
        &[[1, 1, 4096, FILES + 1, 4096]],
        &[[1, 1, 4096, FILES, 4000]],
        &[[1, 1, 4096, u64::MAX - 4095, 4096]],
        &[[2, 1, 4096, FILES, 4096]],
    ];
    for records in cases {
        let (volume, memory) = fresh();
        drop(volume);
        let mut bytes = memory.bytes();
        let table = records.iter().flat_map(|record| numbers(*record));
        bytes[4096..].iter_mut().zip(table).for_each(|(byte, new)| *byte = new);
        let error = mount(&MemoryStore::of(bytes)).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{records:?}");
    }
}

#[test]
fn a_table_takes_little_and_holds_the_largest_cell() {
    assert_eq!(place_of_files(100_000_000_000).start, 4096 + 16_777_216);
    assert!(records(100_000_000_000) > 200_000);
    assert_eq!((place_of_files(1 << 20).start, records(1 << 20)), (FILES, 1024));
    // 1 GB: a 1024th, in whole pages.
    assert_eq!(place_of_files(1_000_000_000).start, 4096 + 978_944);
    for too_small in [0, 512, FILES, FILES + 4095] {
        assert!(place_of_files(too_small).is_empty(), "{too_small}");
    }
    assert_eq!(place_of_files(FILES + 4096), FILES..FILES + 4096);
}

#[test]
fn neighbours_become_one() {
    let pages = |offset: u64, length: u64| Extent { offset: offset * PAGE, length: length * PAGE };
    let found = coalesced(vec![pages(5, 1), pages(1, 2), pages(3, 2), pages(8, 1)]);
    assert_eq!(found, [pages(1, 5), pages(8, 1)]);
}

proptest! {
    #[test]
    fn whatever_comes_and_goes_files_lie_apart_and_no_room_is_lost(
        steps in proptest::collection::vec((any::<bool>(), 0_usize..8, 1_u64..200_000), 1..60)
    ) {
        let (mut volume, memory) = fresh();
        let mut expected = BTreeMap::new();
        for (id, (delete, which, size)) in (0..).zip(steps) {
            let free = ALL - expected.values().map(|size| paged(*size)).sum::<u64>();
            if let Some(gone) = expected.keys().nth(which).copied().filter(|_| delete) {
                volume.delete(&[gone]).unwrap();
                expected.remove(&gone);
            } else if write(&mut volume, id, size).is_ok() {
                expected.insert(id, size);
            } else {
                assert!(free < paged(size), "{free} bytes are free");
            }
        }
        assert_holds(&mut volume, &expected);
        assert_holds(&mut mount(&memory).unwrap(), &expected);
    }
}

#[test]
fn a_file_is_read_ahead_to_its_end_and_no_further_and_each_part_is_asked_for_once() {
    const BLOCK: u64 = 1 << 20;
    let memory = MemoryStore::default();
    let disk = RawDisk::create(Box::new(memory.clone()), 32 * BLOCK).unwrap();
    let mut volume = FileVolume::format(Box::new(disk)).unwrap();
    write(&mut volume, 1, 10_000).unwrap();
    let stored = write(&mut volume, 2, 7 * BLOCK + 500_000).unwrap();
    write(&mut volume, 3, 10_000).unwrap();
    let mut block = vec![0; usize::try_from(BLOCK).unwrap()];
    assert_eq!(memory.asked(), []);
    for offset in (0..stored.size_bytes).step_by(block.len()) {
        volume.read_at(&stored, &mut block, offset).unwrap();
    }
    let asked = memory.asked();
    let start = stored.extents[0].offset;
    // All but the first block, which is read at once, without a gap.
    assert_eq!(asked[0], (start + BLOCK, 4 * BLOCK));
    assert!(asked.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0), "{asked:?}");
    let (last, length) = *asked.last().unwrap();
    assert_eq!(last + length, start + stored.size_bytes);
    let small = volume.find(3).unwrap().clone();
    volume.read_at(&small, &mut block, 0).unwrap();
    assert_eq!(memory.asked(), []);
}
