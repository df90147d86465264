//! Images against the model, against the description byte by byte, and killed at each write.

use crate::asif::Asif;
use crate::disk::VirtualDisk;
use crate::testing::memory::MemoryStore;

mod apple;
mod crash;
mod damage;
mod layout;
mod not_known;
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
