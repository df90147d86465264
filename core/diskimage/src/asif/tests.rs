//! Images against the model, against the description byte by byte, and killed at each write.

use crate::asif::Asif;
use crate::disk::VirtualDisk;
use crate::store::Store;
use crate::testing::memory::MemoryStore;

mod apple;
mod crash;
mod damage;
mod layout;
mod not_known;
mod power;
mod space;

const MIB: usize = 1 << 20;

fn open(memory: &MemoryStore) -> Asif {
    Asif::open(Box::new(memory.clone())).unwrap()
}

#[test]
fn data_are_found_behind_tables_that_are_missing() {
    let memory = MemoryStore::default();
    // A table is of 129,024 chunks of 1 MiB: this is in the fourth one, and the three before are not there.
    let (chunk, len_bytes) = (4 * 129_024 - 1, 6 * 129_024 * MIB as u64);
    let mut disk = Asif::create(Box::new(memory), len_bytes).unwrap();
    assert_eq!(disk.next_data(0).unwrap(), None);
    let start = chunk * MIB as u64;
    disk.write_at(&[1], start + 5).unwrap();
    for offset in [0, 129_024 * MIB as u64, start] {
        assert_eq!(disk.next_data(offset).unwrap(), Some(start..start + MIB as u64));
    }
    assert_eq!(disk.next_data(start + MIB as u64).unwrap(), None);
}

#[test]
fn an_image_is_opened_without_reading_the_tables_that_are_holes_of_the_file() {
    const TABLES: u64 = 1000;
    let memory = MemoryStore::default();
    let len_bytes = 2 * TABLES * 129_024 * MIB as u64;
    drop(Asif::create(Box::new(memory.clone()), len_bytes).unwrap());
    // The directories are where the header states, with a number before their entries.
    let header = memory.bytes();
    let place = |at: usize| u64::from_be_bytes(header[at..at + 8].try_into().unwrap());
    let first = memory.len_bytes() / MIB as u64 + 1;
    let mut store = memory.clone();
    store.set_len((first + TABLES) * MIB as u64).unwrap();
    for table in 0..TABLES {
        for directory in [place(0x10), place(0x18)] {
            memory.put(&(first + table).to_be_bytes(), directory + 8 * (table + 2));
        }
    }
    let before = memory.read_bytes();
    let mut disk = open(&memory);
    let read = memory.read_bytes() - before;
    assert!(read < 64 * MIB as u64, "{read} bytes are read");
    assert_eq!(disk.next_data(0).unwrap(), None);
}
