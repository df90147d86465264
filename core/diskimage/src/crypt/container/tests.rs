//! A container returns what was written to it, from another process and after a kill at any change.

use system::flush::Durability;

use super::{Container, is_container};
use crate::crypt::{KeySize, Passphrase};
use crate::error::{Kind, Result};
use crate::store::Store;
use crate::testing::memory::MemoryStore;
use crate::testing::power::PowerStore;
use crate::testing::{content, key};

const HEADER: usize = 122_368;

const WORDS: &str = "open sesame";

fn made(size: KeySize) -> (Container, MemoryStore) {
    let memory = MemoryStore::default();
    let key = key(size, WORDS);
    (Container::create(Box::new(memory.clone()), &key).unwrap(), memory)
}

fn opened(memory: &MemoryStore) -> Result<Container> {
    let passphrase = Passphrase::new(WORDS.into()).unwrap();
    Container::open(Box::new(memory.clone()), Some(&passphrase))
}

fn read(store: &mut dyn Store, offset: u64, length: usize) -> Vec<u8> {
    let mut found = vec![0xa5; length];
    store.read_at(&mut found, offset).unwrap();
    found
}

#[test]
fn a_container_tells_itself_from_other_files() {
    let (_, mut memory) = made(KeySize::Aes128);
    assert!(is_container(&mut memory).unwrap());
    for bytes in [&b""[..], b"encrcds", b"encrcdsb        "] {
        assert!(!is_container(&mut MemoryStore::of(bytes)).unwrap());
    }
}

#[test]
fn the_header_tells_the_payloads_length_and_the_file_is_padded() {
    let (mut container, memory) = made(KeySize::Aes256);
    container.set_len(13_654).unwrap();
    container.flush(Durability::None).unwrap();
    assert_eq!(&memory.bytes()[0x38..0x40], &13_654_u64.to_be_bytes());
    assert_eq!(memory.bytes().len(), HEADER + 13_824);
    container.write_at(&content(1, 13_654), 0).unwrap();
    assert_eq!(memory.bytes().len(), HEADER + 13_824);
    assert_eq!(read(&mut opened(&memory).unwrap(), 0, 13_654), content(1, 13_654));
    let beyond = container.read_at(&mut [0; 2], 13_653).unwrap_err();
    assert_eq!(beyond.kind(), Kind::Damaged);
    assert!(container.write_at(&[0; 2], 13_653).is_err());
}

#[test]
fn what_was_cut_off_does_not_come_back() {
    for kept in [0, 1, 511, 512, 513, 1000, 5119] {
        let (mut container, memory) = made(KeySize::Aes128);
        container.set_len(5120).unwrap();
        container.write_at(&[0xff; 5120], 0).unwrap();
        container.set_len(kept).unwrap();
        let mut container = opened(&memory).unwrap();
        container.set_len(5120).unwrap();
        let found = read(&mut container, 0, 5120);
        let (before, behind) = found.split_at(usize::try_from(kept).unwrap());
        assert!(before.iter().all(|byte| *byte == 0xff), "{kept}");
        assert!(behind.iter().all(|byte| *byte == 0), "{kept}");
    }
}

#[test]
fn a_range_that_is_punched_becomes_a_hole_and_its_neighbours_stay() {
    let all = content(5, 5120 + 100);
    for (offset, length) in
        [(0, 5220), (512, 512), (10, 20), (510, 4), (511, 514), (700, 3000), (5100, 120), (9, 0)]
    {
        let (mut container, memory) = made(KeySize::Aes256);
        container.set_len(5220).unwrap();
        container.write_at(&all, 0).unwrap();
        container.punch(offset as u64, length as u64).unwrap();
        let mut expected = all.clone();
        expected[offset..offset + length].fill(0);
        assert_eq!(read(&mut container, 0, 5220), expected, "{length} at {offset}");
        let payload = memory.bytes().split_off(HEADER);
        for (number, block) in payload.chunks(512).enumerate() {
            let range = number * 512..((number + 1) * 512).min(5220);
            let whole = offset <= range.start && range.end <= offset + length;
            let hole = block.iter().all(|byte| *byte == 0);
            assert_eq!(hole, whole, "block {number} with {length} at {offset}");
        }
    }
    let (mut container, _) = made(KeySize::Aes128);
    assert!(container.punch(0, 1).is_err());
}

#[test]
fn a_hole_stays_one_when_part_of_it_is_punched() {
    let (mut container, memory) = made(KeySize::Aes128);
    container.set_len(2048).unwrap();
    container.punch(100, 1000).unwrap();
    assert_eq!(memory.bytes().split_off(HEADER), [0; 2048]);
    assert!(!container.holes_are_zeros());
}

#[test]
fn a_truncated_file_is_damage() {
    let (mut container, memory) = made(KeySize::Aes128);
    container.set_len(1000).unwrap();
    container.flush(Durability::None).unwrap();
    let bytes = memory.bytes();
    for length in [8, 100, 0x60 + 615, 5000, HEADER - 1, HEADER, HEADER + 1023] {
        let damaged = MemoryStore::of(&bytes[..length]);
        let error = opened(&damaged).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged, "{length}");
    }
    assert!(opened(&MemoryStore::of(bytes)).is_ok());
}

#[test]
fn a_payload_within_the_header_is_damage() {
    let (_, memory) = made(KeySize::Aes128);
    let mut bytes = memory.bytes();
    for start in [0_u64, 0x5f, 0x100, u64::MAX, u64::MAX - 511] {
        bytes[0x40..0x48].copy_from_slice(&start.to_be_bytes());
        let error = opened(&MemoryStore::of(bytes.clone())).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged, "{start}");
    }
}

#[test]
fn no_container_grows_beyond_what_its_counter_can_tell() {
    let (mut container, memory) = made(KeySize::Aes128);
    let refused = container.set_len((1 << 41) + 1).unwrap_err();
    assert_eq!(refused.kind(), Kind::Invalid);
    assert!(refused.to_string().contains("2199023255552"), "{refused}");
    assert_eq!(memory.bytes().len(), HEADER);
}

#[test]
fn a_container_that_died_while_it_grew_opens_and_keeps_what_was_flushed() {
    let first = content(1, 1000);
    for changes in 0..60 {
        let (mut container, memory) = made(KeySize::Aes128);
        container.set_len(1000).unwrap();
        container.write_at(&first, 0).unwrap();
        container.flush(Durability::None).unwrap();
        memory.die_after(changes);
        let died = container
            .set_len(3_000_000)
            .and_then(|()| container.write_at(&content(2, 2_000_000), 700_000))
            .and_then(|()| container.set_len(5000))
            .and_then(|()| container.set_len(9000));
        let died = died.is_err();
        let mut again = opened(&MemoryStore::of(memory.bytes())).unwrap();
        assert_eq!(read(&mut again, 0, 1000), first, "killed after {changes}");
        let long = again.len_bytes();
        again.set_len(700_000).unwrap();
        if !(5000..=9000).contains(&long) {
            assert!([1000, 3_000_000].contains(&long), "killed after {changes}: {long}");
        }
        let rest = read(&mut again, 1000, 699_000);
        assert!(rest.iter().all(|byte| *byte == 0), "killed after {changes}");
        if !died {
            return;
        }
    }
    panic!("it was killed each time");
}

#[test]
fn the_file_is_never_shorter_than_the_header_says_after_a_power_failure() {
    let store = PowerStore::default();
    let key = key(KeySize::Aes128, WORDS);
    let mut container = Container::create(Box::new(store.clone()), &key).unwrap();
    for length in [5000, 50_000, 20_000, 60_000] {
        container.set_len(length).unwrap();
        container.flush(Durability::Fsync).unwrap();
        let outcomes = store.outcomes();
        for left in outcomes.into_iter().filter(|_| length != 5000) {
            Container::open(Box::new(PowerStore::of(left)), Some(&key.passphrase)).unwrap();
        }
    }
}
