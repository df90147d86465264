//! Maps of partitions that are written field by field, and parts of a disk.

use super::{Partition, Scheme, file_system, map, only};
use crate::asif::Asif;
use crate::crypt::{Container, HEADER, KeySize};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::raw::RawDisk;
use crate::sparse_image::SparseImage;
use crate::testing::memory::MemoryStore;
use crate::testing::partitioned::{MIB, gpt, put};
use crate::testing::{content, key};

fn disk(bytes: &[u8]) -> RawDisk {
    RawDisk::open(Box::new(MemoryStore::of(bytes))).unwrap()
}

fn partition(
    number: u32,
    start: usize,
    kind: &str,
    name: &str,
    file_system: &'static str,
) -> Partition {
    Partition {
        number,
        start_bytes: start as u64,
        len_bytes: MIB as u64,
        kind: kind.to_owned(),
        name: name.to_owned(),
        file_system: Some(file_system),
    }
}

#[test]
fn a_gpt_is_read_for_sectors_of_both_sizes() {
    for sector in [512, 4096] {
        let found = map(&mut disk(&gpt(sector))).unwrap().unwrap();
        assert_eq!((found.scheme, found.sector_bytes), (Scheme::Gpt, Some(sector as u64)));
        // A raw disk has blocks of 512 bytes.
        let note = "counts in sectors of 4096 bytes, but the disk has blocks of 512";
        assert_eq!(found.notes.iter().any(|told| told.contains(note)), sector == 4096);
        let expected = [
            partition(1, MIB, "EFI System", "EFI System Partition", "FAT32"),
            partition(3, 2 * MIB, "Apple APFS", "Größe", "APFS"),
        ];
        assert_eq!(found.partitions, expected);
    }
}

#[test]
fn a_gpt_whose_first_copy_is_damaged_is_read_from_the_last_sector() {
    let mut bytes = gpt(512);
    let mut header = bytes[512..604].to_vec();
    // The list of the copy can lie anywhere: here in the third sector still.
    put(&mut header, 24, &8191_u64.to_le_bytes());
    put(&mut header, 16, &[0; 4]);
    let sum = crc32fast::hash(&header);
    put(&mut header, 16, &sum.to_le_bytes());
    put(&mut bytes, 8191 * 512, &header);
    bytes[512 + 40] ^= 1;
    let found = map(&mut disk(&bytes)).unwrap().unwrap();
    assert_eq!(found.partitions.len(), 2);
    assert!(found.notes[0].contains("its copy at the end is used"), "{:?}", found.notes);
    // With no sound copy only the record before it is there, which protects what is not described.
    bytes[8191 * 512 + 40] ^= 1;
    let found = map(&mut disk(&bytes)).unwrap().unwrap();
    assert_eq!((found.scheme, found.partitions.len()), (Scheme::Mbr, 0));
    assert!(found.notes[0].contains("no GPT of this disk can be read"), "{:?}", found.notes);
    assert!(found.beyond_the_end.is_empty());
}

#[test]
fn a_gpt_of_another_form_is_not_read_though_its_checksums_are_right() {
    // Its signature, the length of its header, the number of its entries (1024 at most), and their length (128 to
    // 4096).
    let others: [(usize, &[u8]); 5] = [
        (0, b"EFI part"),
        (12, &96_u32.to_le_bytes()),
        (80, &1025_u32.to_le_bytes()),
        (84, &64_u32.to_le_bytes()),
        (84, &8192_u32.to_le_bytes()),
    ];
    for (at, value) in others {
        let mut bytes = gpt(512);
        let mut header = bytes[512..604].to_vec();
        put(&mut header, at, value);
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
        let length = number(80) as usize * number(84) as usize;
        let sum = crc32fast::hash(&bytes[1024..1024 + length]);
        put(&mut header, 88, &sum.to_le_bytes());
        put(&mut header, 16, &[0; 4]);
        let sum = crc32fast::hash(&header);
        put(&mut header, 16, &sum.to_le_bytes());
        put(&mut bytes, 512, &header);
        let found = map(&mut disk(&bytes)).unwrap().unwrap();
        assert_eq!((found.scheme, found.partitions), (Scheme::Mbr, vec![]), "{value:?} at {at}");
    }
}

#[test]
fn an_apple_map_is_read_without_its_room_and_itself() {
    let mut bytes = vec![0; 4 * MIB];
    let entries = [
        ("Apple", "Apple_partition_map", 1_u32, 63_u32),
        ("disk image", "Apple_HFS", 2048, 2048),
        ("", "Apple_Free", 4096, 2048),
    ];
    for (number, (name, kind, start, length)) in entries.into_iter().enumerate() {
        let at = 512 * (number + 1);
        put(&mut bytes, at, b"PM\0\0\0\0\0\x03");
        put(&mut bytes, at + 8, &start.to_be_bytes());
        put(&mut bytes, at + 12, &length.to_be_bytes());
        put(&mut bytes, at + 16, name.as_bytes());
        put(&mut bytes, at + 48, kind.as_bytes());
    }
    put(&mut bytes, MIB + 1024, b"H+\0\x04");
    let found = map(&mut disk(&bytes)).unwrap().unwrap();
    assert_eq!(found.scheme, Scheme::Apm);
    assert_eq!(found.partitions, [partition(2, MIB, "Apple_HFS", "disk image", "HFS+")]);
}

#[test]
fn a_boot_record_is_read_and_one_of_a_file_system_is_none() {
    let mut bytes = vec![0; 4 * MIB];
    put(&mut bytes, 510, &[0x55, 0xaa]);
    assert_eq!(map(&mut disk(&bytes)).unwrap(), None);
    // The second entry: type 07, from sector 2048 on, 2048 sectors. The third lies beyond the disk's end.
    put(&mut bytes, 462 + 4, &[7, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0]);
    put(&mut bytes, 478 + 4, &[7, 0, 0, 0, 0, 16, 0, 0, 1, 16, 0, 0]);
    put(&mut bytes, MIB + 3, b"EXFAT   ");
    let found = map(&mut disk(&bytes)).unwrap().unwrap();
    assert_eq!(found.scheme, Scheme::Mbr);
    assert_eq!(found.partitions, [partition(2, MIB, "NTFS or exFAT", "", "exFAT")]);
    // Code where entries would be.
    put(&mut bytes, 446, &[0x33]);
    assert_eq!(map(&mut disk(&bytes)).unwrap(), None);
}

#[test]
fn a_boot_record_counts_in_the_blocks_of_the_disk() {
    let memory = MemoryStore::default();
    let mut disk = Asif::create_in_blocks(Box::new(memory), 4 * MIB as u64, 4096).unwrap();
    let mut bytes = vec![0; 4 * MIB];
    put(&mut bytes, 510, &[0x55, 0xaa]);
    // Type 07, from block 256 on, 256 blocks.
    put(&mut bytes, 462 + 4, &[7, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
    put(&mut bytes, MIB + 3, b"EXFAT   ");
    disk.write_at(&bytes, 0).unwrap();
    let found = map(&mut disk).unwrap().unwrap();
    assert_eq!(found.partitions, [partition(2, MIB, "NTFS or exFAT", "", "exFAT")]);
    assert!(found.is_for_blocks_of(4096) && !found.is_for_blocks_of(512));
}

#[test]
fn a_disk_without_a_map_may_bear_a_file_system() {
    let mut bytes = vec![0; MIB];
    assert_eq!(file_system(&mut disk(&bytes), 0).unwrap(), None);
    put(&mut bytes, 32, b"NXSB");
    assert_eq!(
        (map(&mut disk(&bytes)).unwrap(), file_system(&mut disk(&bytes), 0).unwrap()),
        (None, Some("APFS"))
    );
    // Too short for any.
    assert_eq!(map(&mut disk(&[0; 512])).unwrap(), None);
}

#[test]
fn a_partition_is_a_disk_of_its_own_and_what_lies_beside_it_stays() {
    let memory = MemoryStore::default();
    let mut whole = SparseImage::create(Box::new(memory.clone()), 4 * MIB as u64, None).unwrap();
    let mut bytes = gpt(512);
    bytes[2 * MIB + 100..3 * MIB].copy_from_slice(&content(4, MIB as u64 - 100));
    whole.write_at(&bytes, 0).unwrap();
    let mut part = only(Box::new(whole), 3).unwrap();
    assert_eq!(part.len_bytes(), MIB as u64);
    let mut found = vec![0; MIB];
    part.read_at(&mut found, 0).unwrap();
    assert!(found == bytes[2 * MIB..3 * MIB]);
    assert_eq!(part.next_data(5).unwrap(), Some(5..MIB as u64));
    assert_eq!(part.next_data(MIB as u64).unwrap(), None);
    for beyond in [MIB as u64, u64::MAX] {
        assert_eq!(part.write_at(&[1], beyond).unwrap_err().kind(), Kind::Invalid);
        assert_eq!(part.read_at(&mut [1], beyond).unwrap_err().kind(), Kind::Invalid);
        assert_eq!(part.discard(beyond, 1).unwrap_err().kind(), Kind::Invalid);
    }
    assert_eq!(part.compact().unwrap_err().kind(), Kind::Invalid);
    part.write_at(b"new", 7).unwrap();
    part.discard(1000, MIB as u64 - 1000).unwrap();
    part.flush(system::flush::Durability::None).unwrap();
    drop(part);
    put(&mut bytes, 2 * MIB + 7, b"new");
    bytes[2 * MIB + 1000..3 * MIB].fill(0);
    let mut whole = SparseImage::open(Box::new(memory)).unwrap();
    let mut found = vec![0; 4 * MIB];
    whole.read_at(&mut found, 0).unwrap();
    assert!(found == bytes);
}

#[test]
fn zeros_that_are_written_into_a_partition_are_written_into_the_image() {
    let (memory, key) = (MemoryStore::default(), key(KeySize::Aes128, "open sesame"));
    let container = Container::create(Box::new(memory.clone()), &key).unwrap();
    let mut whole = RawDisk::create(Box::new(container), 4 * MIB as u64).unwrap();
    whole.write_at(&gpt(512), 0).unwrap();
    let mut part = only(Box::new(whole), 3).unwrap();
    let mut zeroed = |offset| {
        part.write_zeros(offset, 512)?;
        Ok::<_, crate::error::ImageError>(memory.bytes().split_off(HEADER + 2 * MIB + 512))
    };
    assert_ne!(zeroed(512).unwrap()[..512], [0; 512], "encrypted zeros are noise");
    assert_eq!(zeroed(MIB as u64).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn a_partition_that_is_not_there_is_refused_with_those_that_are() {
    let refused = |bytes: &[u8]| only(Box::new(disk(bytes)), 2).map(drop).unwrap_err();
    let error = refused(&gpt(512));
    assert_eq!(error.kind(), Kind::Invalid);
    assert_eq!(error.to_string(), "it has no partition 2: choose one of 1, 3");
    let error = refused(&[0; 4096]);
    assert_eq!(error.to_string(), "it has no partition 2, nor any other: leave --partition out");
}
