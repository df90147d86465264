//! An image that was put together byte by byte from the description, not by the writer.

use system::flush::Durability;

use crate::asif::Asif;
use crate::asif::tests::{MIB, open, put};
use crate::asif::{check, metadata};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::testing::memory::MemoryStore;

/// A disk of 5 MiB and one sector, whose chunks are full, unmapped, partial, absent, unmapped, partial.
fn image() -> Vec<u8> {
    let mut bytes = vec![0; 9 * MIB];
    bytes[..12].copy_from_slice(b"shdw\0\0\0\x01\0\0\x02\0");
    put(&mut bytes, 0x10, 0x200);
    put(&mut bytes, 0x18, 0x8_0000);
    bytes[0x20..0x30].copy_from_slice(b"0123456789abcdef");
    put(&mut bytes, 0x30, 5 * 2048 + 1);
    put(&mut bytes, 0x38, 8_796_093_022_208);
    bytes[0x40..0x46].copy_from_slice(&[0, 0x10, 0, 0, 2, 0]);
    put(&mut bytes, 0x48, 4_294_967_295);
    // The first directory is old and names no table; the second one holds.
    put(&mut bytes, 0x200, 6);
    put(&mut bytes, 0x8_0000, 7);
    put(&mut bytes, 0x8_0008, 4);
    put(&mut bytes, 0x8_0008 + 33_288 * 8, 1);
    // The table of the metadata, which are full here, not partial.
    put(&mut bytes, MIB + 16_390 * 8, 1 << 62 | 2);
    bytes[2 * MIB..2 * MIB + 12].copy_from_slice(b"meta\0\0\0\x01\0\0\x02\0");
    let list = b"<plist version=\"1.0\"><dict><key>internal metadata</key><dict><key>stable uuid</key>\
        <string>DC5C7A3B-1915-43C2-944D-46C6C304B3B7</string></dict><key>user metadata</key><dict/></dict></plist>";
    put(&mut bytes, 2 * MIB + 0x0C, list.len() as u64);
    bytes[2 * MIB + 512..2 * MIB + 512 + list.len()].copy_from_slice(list);
    // The table of the disk, then its bitmap in chunk 3.
    put(&mut bytes, 4 * MIB, 1 << 62 | 7);
    put(&mut bytes, 4 * MIB + 8, 2 << 62);
    put(&mut bytes, 4 * MIB + 16, 3 << 62 | 6);
    put(&mut bytes, 4 * MIB + 32, 2 << 62);
    put(&mut bytes, 4 * MIB + 40, 3 << 62 | 8);
    put(&mut bytes, 4 * MIB + 2048 * 8, 3);
    // Sectors 0, 1, 3 and 2047 of chunk 2, and sector 0 of chunk 5.
    bytes[3 * MIB + 2 * 512] = 0b01_00_01_01;
    bytes[3 * MIB + 3 * 512 - 1] = 0b01_00_00_00;
    bytes[3 * MIB + 5 * 512] = 0b01;
    // Something everywhere, so that what is not to be seen would be seen.
    bytes[5 * MIB..6 * MIB].fill(0x55);
    bytes[6 * MIB..7 * MIB].fill(0x66);
    bytes[7 * MIB..8 * MIB].fill(0x77);
    bytes[8 * MIB..].fill(0x88);
    bytes
}

fn expected() -> Vec<u8> {
    let mut disk = vec![0; 5 * MIB + 512];
    disk[..MIB].fill(0x77);
    for sector in [0, 1, 3, 2047] {
        disk[2 * MIB + sector * 512..][..512].fill(0x66);
    }
    disk[5 * MIB..].fill(0x88);
    disk
}

fn contents(disk: &mut Asif) -> Vec<u8> {
    let mut found = vec![0xA5; usize::try_from(disk.len_bytes()).unwrap()];
    disk.read_at(&mut found, 0).unwrap();
    found
}

#[test]
fn an_image_by_the_description_is_read() {
    let memory = MemoryStore::of(image());
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    let mut disk = open(&memory);
    assert_eq!(metadata::text(&disk.header.uuid), "30313233-3435-3637-3839-616263646566");
    assert_eq!(disk.stable_uuid().unwrap().unwrap(), "dc5c7a3b-1915-43c2-944d-46c6c304b3b7");
    assert!(contents(&mut disk) == expected());
    disk.flush(Durability::Full).unwrap();
    assert_eq!(memory.changes(), 0, "reading changes nothing");
}

#[test]
fn an_image_by_the_description_is_written() {
    let memory = MemoryStore::of(image());
    let mut disk = open(&memory);
    let mut model = expected();
    for (offset, length) in [(100, 50), (MIB + 700, 10), (2 * MIB + 3 * 512 + 9, 600), (5 * MIB, 3)]
    {
        disk.write_at(&vec![0x11; length], offset as u64).unwrap();
        model[offset..offset + length].fill(0x11);
    }
    disk.flush(Durability::None).unwrap();
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    assert!(contents(&mut open(&memory)) == model);
    let bytes = memory.bytes();
    assert_eq!(bytes[4 * MIB + 8], 0xC0, "what was unmapped is partial");
    assert_eq!(bytes[3 * MIB + 512], 0b0100, "sector 1 of chunk 1");
    assert_eq!(bytes[3 * MIB + 2 * 512..][..2], [0b01_00_01_01, 0b01]);
}

#[test]
fn states_that_nobody_has_seen_are_refused() {
    for state in [0b10, 0b11] {
        let mut bytes = image();
        bytes[3 * MIB + 2 * 512 + 7] = state;
        let memory = MemoryStore::of(bytes);
        let mut sector = [0; 512];
        let mut disk = open(&memory);
        let refused = disk.read_at(&mut sector, 2 << 20).unwrap_err();
        assert_eq!(refused.kind(), Kind::Unsupported);
        let refused = disk.write_at(&sector, 2 << 20).unwrap_err();
        assert_eq!(refused.kind(), Kind::Unsupported);
        assert_eq!(check(&mut memory.clone()).unwrap_err().kind(), Kind::Unsupported);
    }
}

#[test]
fn the_last_chunk_of_a_file_may_end_behind_its_last_written_sector() {
    let mut bytes = image();
    bytes.truncate(8 * MIB + 512);
    let memory = MemoryStore::of(bytes.clone());
    assert_eq!(check(&mut memory.clone()).unwrap(), []);
    assert!(contents(&mut open(&memory)) == expected());
    bytes.truncate(8 * MIB + 511);
    let damages = check(&mut MemoryStore::of(bytes)).unwrap();
    assert_eq!(damages.len(), 1);
    assert!(damages[0].0.contains("cut off"), "{damages:?}");
}
