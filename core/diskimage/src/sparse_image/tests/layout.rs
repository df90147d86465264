//! Byte for byte, after descriptions of images that others made.

use system::flush::Durability;

use super::{BAND, again, bytes_at, image, sound};
use crate::disk::VirtualDisk;
use crate::testing::content;
use crate::testing::memory::MemoryStore;

/// The first bytes of an image that OS X 10.8 made: 80,000 sectors, seven bands.
const REAL: [u8; 64] = [
    0x73, 0x70, 0x72, 0x73, 0, 0, 0, 3, 0, 0, 0x08, 0, 0, 0, 0,
    1, // magic, version, band, flags
    0, 0x01, 0x38, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // sectors, next, sectors
    0, 0x01, 0x38, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
];

/// Its band ids, in the order of slots.
const REAL_IDS: [u32; 7] = [1, 2, 0x14, 0x26, 0x27, 0x28, 5];

fn real_header() -> Vec<u8> {
    let mut bytes = REAL.to_vec();
    bytes.extend(REAL_IDS.iter().flat_map(|id| id.to_be_bytes()));
    bytes.resize(4096, 0);
    bytes
}

#[test]
fn an_image_with_the_bands_of_one_that_os_x_made_has_its_header_and_its_length() {
    let memory = MemoryStore::default();
    let mut disk = super::SparseImage::create(Box::new(memory.clone()), 40_960_000, None).unwrap();
    for (slot, id) in (1..).zip(REAL_IDS) {
        disk.write_at(&[slot; 9], u64::from(id - 1) << 20).unwrap();
    }
    disk.flush(Durability::None).unwrap();
    let bytes = memory.bytes();
    assert!(bytes[..4096] == real_header());
    assert_eq!(bytes.len(), 7_344_128);
    for slot in 0..7 {
        assert_eq!(bytes[4096 + (slot << 20)], u8::try_from(slot).unwrap() + 1);
    }
}

/// Three nodes of bands of 4 KiB, laid out by hand: bands in reverse order, each filled by the low byte of its number.
fn three_nodes() -> Vec<u8> {
    let bands = 1008 + 1010 + 5_u32;
    let id_of_slot = |slot: u32| bands - slot;
    let mut bytes = Vec::new();
    let node = |bytes: &mut Vec<u8>, head: &[u8], ids: std::ops::Range<u32>| {
        let start = bytes.len();
        bytes.extend(head);
        bytes.extend(ids.clone().flat_map(|slot| id_of_slot(slot).to_be_bytes()));
        bytes.resize(start + 4096, 0);
        for slot in ids {
            bytes.extend([(id_of_slot(slot) - 1).to_le_bytes()[0]; 4096]);
        }
    };
    let (second, third) = (4096 + 1008 * 4096_u64, 2 * 4096 + 2018 * 4096_u64);
    let sectors = bands * 8;
    let mut head = b"sprs\0\0\0\x03\0\0\0\x08\0\0\0\x01".to_vec();
    head.extend(sectors.to_be_bytes());
    head.extend(second.to_be_bytes());
    head.extend(u64::from(sectors).to_be_bytes());
    head.resize(64, 0);
    node(&mut bytes, &head, 0..1008);
    let mut head = b"sprs\0\0\0\x01\0\0\0\x01".to_vec();
    head.extend(third.to_be_bytes());
    head.resize(56, 0);
    node(&mut bytes, &head, 1008..2018);
    let mut head = b"sprs\0\0\0\x02\0\0\0\x01".to_vec();
    head.resize(56, 0);
    node(&mut bytes, &head, 2018..bands);
    bytes
}

#[test]
fn nodes_are_added_at_once_or_one_flush_at_a_time() {
    for bands_in_a_flush in [2023, 100] {
        let memory = MemoryStore::default();
        let mut disk = image(&memory, 2023 * BAND, BAND);
        for band in (0..2023_u64).rev() {
            disk.write_at(&[band.to_le_bytes()[0]; 4096], band * BAND).unwrap();
            if band % bands_in_a_flush == 0 {
                disk.flush(Durability::None).unwrap();
                drop(disk);
                sound(&memory);
                disk = again(&memory);
            }
        }
        assert!(memory.bytes() == three_nodes());
    }
}

#[test]
fn a_disk_of_more_than_two_to_the_32_sectors_is_described_and_used() {
    let memory = MemoryStore::default();
    let len_bytes = 3 << 40;
    let mut disk = image(&memory, len_bytes, 1 << 20);
    disk.write_at(&content(3, 512), len_bytes - 512).unwrap();
    disk.flush(Durability::None).unwrap();
    let bytes = memory.bytes();
    assert_eq!(bytes[16..36], [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x80, 0, 0, 0]);
    assert_eq!(bytes[64..68], [0, 0x30, 0, 0]);
    assert_eq!(bytes_at(&mut again(&memory), len_bytes - 512, 512), content(3, 512));
}
