//! Images whose sectors (the header's "block size") have 4096 bytes: put together from the description, and written on.

use system::flush::Durability;

use crate::asif::tests::{MIB, open, put};
use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::testing::memory::MemoryStore;

/// A disk of 3 MiB and two sectors: its chunks are absent, partial, full and partial.
///
/// By the description, 16,384 entries and their bitmap's are a group, seven groups a table for 112 GiB, and 37,450 tables
/// are 4 PiB; the last chunk is number 4,294,967,295.
fn image() -> Vec<u8> {
    let mut bytes = vec![0; 8 * MIB];
    bytes[..12].copy_from_slice(b"shdw\0\0\0\x01\0\0\x02\0");
    put(&mut bytes, 0x10, 0x1000);
    put(&mut bytes, 0x18, 0x8_0000);
    put(&mut bytes, 0x30, 3 * 256 + 2);
    put(&mut bytes, 0x38, 1 << 40);
    bytes[0x40..0x46].copy_from_slice(&[0, 0x10, 0, 0, 0x10, 0]);
    put(&mut bytes, 0x48, 4_294_967_295);
    put(&mut bytes, 0x1000, 1);
    put(&mut bytes, 0x1008, 4);
    put(&mut bytes, 0x1008 + 37_449 * 8, 1);
    // 37,449 x 7 x 16,384 chunks are before the last table, which has one group: the metadata are its last chunk.
    put(&mut bytes, MIB + 16_383 * 8, 1 << 62 | 2);
    let list =
        b"<plist version=\"1.0\"><dict><key>internal metadata</key><dict><key>stable uuid</key>\
        <string>dc5c7a3b-1915-43c2-944d-46c6c304b3b7</string></dict></dict></plist>";
    bytes[2 * MIB..2 * MIB + 12].copy_from_slice(b"meta\0\0\0\x01\0\0\x02\0");
    put(&mut bytes, 2 * MIB + 0x0C, list.len() as u64);
    bytes[2 * MIB + 512..2 * MIB + 512 + list.len()].copy_from_slice(list);
    put(&mut bytes, 4 * MIB + 8, 3 << 62 | 5);
    put(&mut bytes, 4 * MIB + 16, 1 << 62 | 6);
    put(&mut bytes, 4 * MIB + 24, 3 << 62 | 7);
    put(&mut bytes, 4 * MIB + 16_384 * 8, 3);
    // A slice has 64 bytes: sectors 0, 5 and 255 of chunk 1, and sector 1 of chunk 3.
    bytes[3 * MIB + 64] = 0b01;
    bytes[3 * MIB + 65] = 0b01_00;
    bytes[3 * MIB + 127] = 0b01_00_00_00;
    bytes[3 * MIB + 3 * 64] = 0b01_00;
    bytes[5 * MIB..6 * MIB].fill(0x55);
    bytes[6 * MIB..7 * MIB].fill(0x66);
    bytes[7 * MIB..].fill(0x77);
    bytes
}

fn expected() -> Vec<u8> {
    let mut disk = vec![0; 3 * MIB + 8192];
    for sector in [0, 5, 255] {
        disk[MIB + sector * 4096..][..4096].fill(0x55);
    }
    disk[2 * MIB..3 * MIB].fill(0x66);
    disk[3 * MIB + 4096..].fill(0x77);
    disk
}

fn contents(disk: &mut Asif) -> Vec<u8> {
    let mut found = vec![0xA5; usize::try_from(disk.len_bytes()).unwrap()];
    disk.read_at(&mut found, 0).unwrap();
    found
}

#[test]
fn an_image_with_sectors_of_4096_bytes_is_read() {
    let memory = MemoryStore::of(image());
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut disk = open(&memory);
    assert!(contents(&mut disk) == expected());
    assert_eq!(disk.stable_uuid().unwrap().unwrap(), "dc5c7a3b-1915-43c2-944d-46c6c304b3b7");
    let mut found = [0; 3];
    disk.read_at(&mut found, (3 << 20) + 4095).unwrap();
    assert_eq!(found, [0, 0x77, 0x77]);
}

#[test]
fn an_image_with_sectors_of_4096_bytes_is_written() {
    let memory = MemoryStore::of(image());
    let mut disk = open(&memory);
    let mut model = expected();
    for (offset, length) in [(100, 50), (MIB + 4000, 200), (2 * MIB - 9, 20), (3 * MIB + 1, 3)] {
        disk.write_at(&vec![0x11; length], offset as u64).unwrap();
        model[offset..offset + length].fill(0x11);
    }
    disk.discard((2 << 20) + 1000, 9000).unwrap();
    model[2 * MIB + 1000..][..9000].fill(0);
    disk.flush(Durability::None).unwrap();
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    assert!(contents(&mut open(&memory)) == model);
    // The sectors that were written, and one whose neighbours were.
    assert_eq!(memory.bytes()[3 * MIB + 64..][..2], [0b01_01, 0b01_00]);
}
