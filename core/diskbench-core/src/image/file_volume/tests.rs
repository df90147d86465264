//! Files come back as they were written, from another mount and after a kill at any change.

use std::collections::BTreeMap;
use std::io;

use diskimage::raw::RawDisk;
use diskimage::testing::content;
use diskimage::testing::memory::MemoryStore;
use system::flush::Durability;

use super::extents::{Extent, PAGE};
use super::table::Layout;
use super::{FileVolume, Stored};

/// A disk of 2 MiB; its files begin behind two halves of 64 KiB.
const LEN: u64 = 2 << 20;

const FILES: u64 = 4096 + 2 * 65_536;

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
fn another_process_finds_the_files_with_their_sizes_and_content() {
    let (mut volume, memory) = fresh();
    let sizes = [1, 4095, 4096, 4097, 100_000, 8192];
    for (id, size) in (1..).zip(sizes) {
        write(&mut volume, id, size).unwrap();
    }
    volume.delete(&[2, 5]).unwrap();
    let expected = BTreeMap::from([(1, 1), (3, 4096), (4, 4097), (6, 8192)]);
    assert_holds(&mut volume, &expected);
    drop(volume);
    assert_holds(&mut mount(&memory).unwrap(), &expected);
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
fn a_file_that_finds_no_gap_of_its_size_lies_in_several() {
    let (mut volume, memory) = fresh();
    let quarter = Layout::of(LEN).unwrap().files().length / 4 / PAGE * PAGE;
    for id in 1..=4 {
        write(&mut volume, id, quarter).unwrap();
    }
    volume.delete(&[1, 3]).unwrap();
    let stored = write(&mut volume, 5, quarter + 5000).unwrap();
    assert_eq!(stored.extents.len(), 2);
    let expected = BTreeMap::from([(2, quarter), (4, quarter), (5, quarter + 5000)]);
    assert_holds(&mut volume, &expected);
    assert_holds(&mut mount(&memory).unwrap(), &expected);
}

#[test]
fn a_full_volume_says_so_and_takes_nothing() {
    let (mut volume, _) = fresh();
    let all = Layout::of(LEN).unwrap().files().length;
    let error = write(&mut volume, 1, all + 1).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    write(&mut volume, 1, all).unwrap();
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
fn the_journal_goes_on_in_the_other_half_when_one_is_full() {
    let (mut volume, memory) = fresh();
    // Each round takes two records of 1023: the halves are changed several times.
    for round in 0..2000 {
        write(&mut volume, round, 5000).unwrap();
        if round > 2 {
            volume.delete(&[round - 3]).unwrap();
        }
    }
    let expected = (1997..2000).map(|id| (id, 5000)).collect();
    assert_holds(&mut mount(&memory).unwrap(), &expected);
    // And a process that goes on with it.
    let mut volume = mount(&memory).unwrap();
    volume.delete(&[1998]).unwrap();
    let expected = [1997, 1999].into_iter().map(|id| (id, 5000)).collect();
    assert_holds(&mut mount(&memory).unwrap(), &expected);
}

#[test]
fn a_table_that_is_full_says_so() {
    let memory = MemoryStore::default();
    let disk = RawDisk::create(Box::new(memory.clone()), 8 << 20).unwrap();
    let mut volume = FileVolume::format(Box::new(disk)).unwrap();
    for id in 0..1023 {
        write(&mut volume, id, 1).unwrap();
    }
    let error = write(&mut volume, 2000, 1).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
    assert_eq!(listed(&mount(&memory).unwrap()).len(), 1023);
}

/// What is done in the test of kills: files that come, go, and fill each other's gaps. `sure` is what must be there, and
/// `going` what is being deleted.
fn live(
    volume: &mut FileVolume,
    sure: &mut BTreeMap<u64, u64>,
    going: &mut Vec<u64>,
) -> io::Result<()> {
    let quarter = Layout::of(LEN).unwrap().files().length / 4 / PAGE * PAGE;
    let mut delete = |volume: &mut FileVolume, sure: &mut BTreeMap<u64, u64>, ids: &[u64]| {
        sure.retain(|id, _| !ids.contains(id));
        *going = ids.to_vec();
        volume.delete(ids)?;
        going.clear();
        Ok::<(), io::Error>(())
    };
    let put = |volume: &mut FileVolume, sure: &mut BTreeMap<u64, u64>, id: u64, size: u64| {
        write(volume, id, size)?;
        sure.insert(id, size);
        Ok::<(), io::Error>(())
    };
    for id in 1..=4 {
        put(volume, sure, id, quarter)?;
    }
    delete(volume, sure, &[1, 3])?;
    // In two places.
    put(volume, sure, 11, quarter + 9000)?;
    delete(volume, sure, &[2])?;
    put(volume, sure, 12, 3000)?;
    // Through the change of the halves.
    for id in 100..120 {
        put(volume, sure, id, 1)?;
        delete(volume, sure, &[id])?;
    }
    Ok(())
}

/// A volume without files whose half is nearly full.
fn worn() -> Vec<u8> {
    let (mut volume, memory) = fresh();
    for id in 1000..1500 {
        write(&mut volume, id, 1).unwrap();
        volume.delete(&[id]).unwrap();
    }
    memory.bytes()
}

#[test]
fn a_kill_at_any_change_leaves_every_committed_file_and_a_volume_to_go_on_with() {
    let worn = worn();
    let whole = MemoryStore::of(worn.clone());
    live(&mut mount(&whole).unwrap(), &mut BTreeMap::new(), &mut Vec::new()).unwrap();
    assert!(whole.bytes()[4096 + 65_536..][..8] == *b"dskbhalf", "the halves were changed");
    for killed_after in 0..whole.changes() {
        let memory = MemoryStore::of(worn.clone());
        let mut volume = mount(&memory).unwrap();
        memory.die_after(killed_after);
        let (mut sure, mut going) = (BTreeMap::new(), Vec::new());
        live(&mut volume, &mut sure, &mut going).unwrap_err();
        drop(volume);
        memory.revive();
        let mut found = mount(&memory).unwrap_or_else(|error| panic!("{killed_after}: {error}"));
        let mut expected = sure.clone();
        // A deletion that was not yet noted, or a file that was noted with the last change.
        let unsure: Vec<(u64, u64)> =
            listed(&found).into_iter().filter(|(id, _)| !sure.contains_key(id)).collect();
        assert!(unsure.len() <= going.len().max(1), "{killed_after}: {unsure:?}");
        expected.extend(unsure);
        assert_holds(&mut found, &expected);
        // It can be gone on with.
        write(&mut found, 5000, 1).unwrap();
        expected.insert(5000, 1);
        drop(found);
        assert_holds(&mut mount(&memory).unwrap(), &expected);
    }
}

#[test]
fn a_change_that_fails_spoils_nothing_but_the_file_that_was_being_written() {
    let worn = worn();
    for fails_after in 0.. {
        let memory = MemoryStore::of(worn.clone());
        let mut volume = mount(&memory).unwrap();
        memory.fail_once_after(fails_after);
        let mut sure = BTreeMap::new();
        // Twelve rounds: through the change of the halves.
        for id in 0..12 {
            let (keep, go) = (100 + id, 200 + id);
            for (id, size) in [(keep, 5000), (go, 9000)] {
                let stored = volume.begin(id, size).unwrap();
                let written = volume
                    .write_at(&stored, &content(seed(id), size), 0)
                    .and_then(|()| volume.commit(id, &stored, Durability::None));
                match written {
                    Ok(()) => assert_eq!(sure.insert(id, size), None),
                    Err(_) => volume.abandon(id, stored).unwrap(),
                }
                // Whatever happens next, another process finds just these.
                assert_holds(&mut volume, &sure);
                if memory.changes() > fails_after {
                    assert_holds(&mut killed_now(&memory), &sure);
                }
            }
            if sure.contains_key(&go) && volume.delete(&[go]).is_err() {
                // Either way it is there or gone, and its place is nobody else's before it is.
                if volume.find(go).is_ok() {
                    volume.delete(&[go]).unwrap();
                }
            }
            sure.remove(&go);
            volume.flush(Durability::None).unwrap();
        }
        assert_holds(&mut volume, &sure);
        assert_holds(&mut killed_now(&memory), &sure);
        if memory.changes() <= fails_after {
            break;
        }
    }
}

#[test]
fn what_is_committed_after_a_change_of_halves_that_failed_is_found_by_the_next_process() {
    let worn = worn();
    for fails_after in 0.. {
        let memory = MemoryStore::of(worn.clone());
        let mut volume = mount(&memory).unwrap();
        for id in 0..13 {
            write(&mut volume, id, 1).unwrap();
        }
        // Ten records are left in this half: these eleven do not fit, but the next one does.
        memory.fail_once_after(fails_after);
        if volume.delete(&(0..11).collect::<Vec<_>>()).is_ok() {
            assert!(fails_after > 3, "{fails_after}");
            break;
        }
        write(&mut volume, 50, 5000).unwrap();
        let expected = listed(&volume);
        assert!(expected.contains_key(&50) && expected.contains_key(&12));
        assert_holds(&mut killed_now(&memory), &expected);
    }
}

/// What another process finds when this one is killed now.
fn killed_now(memory: &MemoryStore) -> FileVolume {
    mount(&MemoryStore::of(memory.bytes())).unwrap()
}

#[test]
fn records_that_were_written_together_and_of_which_the_first_are_missing_do_not_count() {
    let (mut volume, memory) = fresh();
    for id in 1..=5 {
        write(&mut volume, id, 5000).unwrap();
    }
    volume.delete(&[1, 2, 3]).unwrap();
    drop(volume);
    // The first of the three deletions never got there: it is the sixth record.
    let mut bytes = memory.bytes();
    bytes[4096 + 6 * 64..][..64].fill(0);
    let memory = MemoryStore::of(bytes);
    let mut volume = mount(&memory).unwrap();
    assert_eq!(listed(&volume).len(), 5);
    // What is written in its place does not bring the other two back.
    write(&mut volume, 6, 5000).unwrap();
    drop(volume);
    assert_eq!(listed(&mount(&memory).unwrap()).len(), 6);
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
    assert!(refusal(&|bytes| bytes.truncate(512)).contains("made for a disk of 2097152"));
    assert!(refusal(&|bytes| bytes[17] ^= 1).contains("first block is damaged"));
    assert!(refusal(&|bytes| bytes[4096 + 9] ^= 1).contains("neither half"));
    // The third of five records.
    assert!(refusal(&|bytes| bytes[4096 + 3 * 64 + 20] ^= 1).contains("record 3 cannot be read"));
    assert!(refusal(&|bytes| bytes.resize(4 << 20, 0)).contains("made for a disk"));
}

#[test]
fn a_table_whose_records_contradict_each_other_is_damaged() {
    use super::table::{Entry, Table};
    let part = |id, offset, length| Entry::Part {
        id,
        size: 4096,
        number: 0,
        count: 1,
        extent: Extent { offset, length },
    };
    let cases = [
        vec![part(1, FILES, 4096), part(2, FILES, 4096)],
        vec![part(1, FILES, 4096), part(1, FILES + 4096, 4096)],
        vec![part(1, 4096, 4096)],
        vec![part(1, LEN, 4096)],
        vec![part(1, FILES, 8192)],
        vec![Entry::Deleted { id: 1 }],
    ];
    for entries in cases {
        let memory = MemoryStore::default();
        let mut disk = RawDisk::create(Box::new(memory.clone()), LEN).unwrap();
        let mut table = Table::format(&mut disk).unwrap();
        table.append(&mut disk, &entries, &mut std::iter::empty(), Durability::None).unwrap();
        let error = mount(&memory).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{entries:?}");
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
