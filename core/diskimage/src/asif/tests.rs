//! Images against the model, against the description byte by byte, and killed at each write.

use crate::asif::Asif;
use crate::testing::memory::MemoryStore;
use crate::testing::model;

mod crash;
mod damage;
mod hand_built;
mod layout;
mod not_known;
mod sectors;
mod space;

const MIB: usize = 1 << 20;

/// Writes one of the format's numbers into an image that is put together by hand.
fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
}

fn open(memory: &MemoryStore) -> Asif {
    Asif::open(Box::new(memory.clone())).unwrap()
}

fn same_as_the_model(store: impl Fn() -> MemoryStore) {
    model::check(
        |len_bytes| {
            let memory = store();
            let disk = Asif::create(Box::new(memory.clone()), len_bytes).unwrap();
            (Box::new(disk), memory)
        },
        |memory| {
            let damages = super::check(&mut memory.clone()).unwrap();
            assert_eq!(damages, [], "after a flush");
            Box::new(open(memory))
        },
    );
}

#[test]
fn an_image_is_a_plain_row_of_bytes() {
    same_as_the_model(MemoryStore::default);
}

#[test]
fn an_image_is_a_plain_row_of_bytes_in_an_encrypted_store() {
    same_as_the_model(|| MemoryStore::default().with_noisy_holes());
}
