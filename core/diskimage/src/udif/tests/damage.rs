//! What is wrong with a UDIF.

use std::fs;
use std::ops::Range;
use std::thread;

use crate::disk::{LONGEST, VirtualDisk};
use crate::error::{Kind, Result};
use crate::format::ImageFormat;
use crate::open::open_damaged;
use crate::salvage::Salvaged;
use crate::store::Access;
use crate::testing::memory::MemoryStore;
use crate::testing::udif::{BLOCK, Built, zlib};
use crate::udif::tests::opened;
use crate::udif::tests::packed::{KINDS, disk};
use crate::udif::{Udif, check};

fn open(bytes: &[u8]) -> Result<Udif> {
    Udif::open(Box::new(MemoryStore::of(bytes)))
}

fn findings(bytes: &[u8]) -> Vec<String> {
    let found = check(Box::new(MemoryStore::of(bytes)), &mut |_, _| ()).unwrap();
    found.into_iter().map(|damage| damage.0).collect()
}

/// The file with a number at a place of its trailer.
fn with_trailer(mut bytes: Vec<u8>, at: usize, number: &[u8]) -> Vec<u8> {
    let place = bytes.len() - 512 + at;
    bytes[place..place + number.len()].copy_from_slice(number);
    bytes
}

/// The file with a number at a place of the first map.
fn with_map(disk: &[u8], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    with_maps(disk, |maps| {
        let map = maps[0].as_dictionary_mut().unwrap();
        let mut data = map.get("Data").unwrap().as_data().unwrap().to_vec();
        change(&mut data);
        map.insert("Data".to_owned(), plist::Value::Data(data));
    })
}

/// The file with other maps, which are found in the property list.
fn with_maps(disk: &[u8], change: impl Fn(&mut Vec<plist::Value>)) -> Vec<u8> {
    let bytes = Built::of(disk).bytes();
    let trailer = bytes.len() - 512;
    let list = bytes[..trailer].windows(5).position(|five| five == b"<?xml").unwrap();
    let mut root = plist::Value::from_reader_xml(&bytes[list..trailer]).unwrap();
    let fork = root.as_dictionary_mut().unwrap().get_mut("resource-fork").unwrap();
    let maps = fork.as_dictionary_mut().unwrap().get_mut("blkx").unwrap();
    change(maps.as_array_mut().unwrap());
    let mut text = Vec::new();
    root.to_writer_xml(&mut text).unwrap();
    let length = (text.len() as u64).to_be_bytes();
    with_trailer([&bytes[..list], &text, &bytes[trailer..]].concat(), 224, &length)
}

/// The file with these bytes before the last tag of its property list.
fn with_list(bytes: &[u8], more: &[u8]) -> Vec<u8> {
    let (end, trailer) = (b"</plist>", bytes.len() - 512);
    let place = bytes[..trailer].windows(end.len()).rposition(|tag| tag == end).unwrap();
    let list = bytes[..trailer].windows(5).position(|five| five == b"<?xml").unwrap();
    let length = ((trailer - list + more.len()) as u64).to_be_bytes();
    with_trailer([&bytes[..place], more, &bytes[place..]].concat(), 224, &length)
}

#[test]
fn a_list_may_be_as_long_as_that_of_a_large_disk_but_not_of_many_values() {
    let good = Built::of(&disk()).bytes();
    let long = with_list(&good, &vec![b' '; 17 << 20]);
    assert_eq!(open(&long).unwrap().len_bytes(), disk().len() as u64);
    let many = with_list(&good, &b"<true/>".repeat(1 << 16));
    let error = open(&many).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Damaged, "{error}");
    let length = 257 << 20;
    let longest = MemoryStore::of_length(length + 512);
    let trailer = with_trailer(good, 216, &[0; 8]);
    let trailer = with_trailer(trailer, 224, &length.to_be_bytes());
    longest.put(&trailer[trailer.len() - 512..], length);
    let error = Udif::open(Box::new(longest)).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported, "{error}");
}

#[test]
fn of_a_maps_name_damage_has_the_beginning() {
    let bytes = with_maps(&disk(), |maps| {
        let map = maps[0].as_dictionary_mut().unwrap();
        map.insert("CFName".to_owned(), plist::Value::String("ä".repeat(1 << 20)));
        map.insert("Data".to_owned(), plist::Value::Data(Vec::new()));
    });
    let found = findings(&bytes);
    assert!(found[0].starts_with("the map of ää"), "{found:?}");
    assert!(found[0].len() < 200, "{} bytes", found[0].len());
}

#[test]
fn a_list_of_lists_in_lists_is_damage_under_any_name_in_a_small_stack() {
    for depth in [4000, 32_000] {
        let nested = [b"<x:array>".repeat(depth), b"</x:array>".repeat(depth)].concat();
        let bytes = with_list(&Built::of(&disk()).bytes(), &nested);
        let small = thread::Builder::new().stack_size(1 << 20);
        let found = small.spawn(move || findings(&bytes)).unwrap().join().unwrap();
        assert_eq!(found, ["its property list contains no maps of blocks"]);
    }
}

/// Puts a number into block `number` of a map.
fn block(map: &mut [u8], number: usize, at: usize, value: &[u8]) {
    let place = 204 + number * 40 + at;
    map[place..place + value.len()].copy_from_slice(value);
}

#[test]
fn a_changed_byte_of_the_content_is_found_by_the_checksums() {
    let disk = disk();
    for (pack, kind) in KINDS {
        let good = Built { pack, ..Built::of(&disk) }.bytes();
        let mut bad = good.clone();
        bad[3000] ^= 4;
        let found = findings(&bad);
        assert!(
            found.iter().any(|line| line.starts_with("the data has the CRC-32")),
            "{kind}: {found:?}"
        );
        assert!(found.iter().any(|line| line.contains("(Apple_HFS : 0)")), "{kind}: {found:?}");
        assert!(!found.iter().any(|line| line.contains("(Apple_HFS : 1)")), "{kind}: {found:?}");
    }
}

#[test]
fn zeros_of_the_longest_disk_are_checked_at_once() {
    let sectors = (LONGEST / 512).to_be_bytes();
    let bytes = with_maps(&disk(), |maps| {
        let first = maps[0].as_dictionary_mut().unwrap();
        let mut map = first.get("Data").unwrap().as_data().unwrap().to_vec();
        map[16..24].copy_from_slice(&sectors);
        map[200..204].copy_from_slice(&1_u32.to_be_bytes());
        block(&mut map, 0, 0, &0_u32.to_be_bytes());
        block(&mut map, 0, 16, &sectors);
        first.insert("Data".to_owned(), plist::Value::Data(map));
        maps.truncate(1);
    });
    let mut most = 0;
    let bytes = with_trailer(bytes, 492, &sectors);
    let found = check(Box::new(MemoryStore::of(&bytes)), &mut |_, all| {
        most = all;
        assert!(all < 1 << 30, "{all} bytes to read");
    });
    assert!(most > 0);
    let found = found.unwrap();
    assert!(found[0].0.starts_with("the content of disk image (Apple_HFS : 0)"), "{found:?}");
}

#[test]
fn a_wrong_checksum_of_the_checksums_is_damage() {
    let disk = disk();
    let found = findings(&with_trailer(Built::of(&disk).bytes(), 360, &[9; 4]));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("the list of checksums has the CRC-32"), "{found:?}");
}

#[test]
fn what_contradicts_itself_is_damaged_and_nothing_is_read_from_it() {
    let disk = disk();
    let good = || Built::of(&disk).bytes();
    let far = u64::MAX.to_be_bytes();
    let sector = (BLOCK as u64 / 512).to_be_bytes();
    for (bytes, words) in [
        (with_trailer(good(), 32, &far), "its last block states that the data are"),
        (with_trailer(good(), 216, &far), "its last block states that the property list"),
        (with_trailer(good(), 492, &far), "its last block says 18446744073709551615"),
        (with_trailer(good(), 224, &9_u64.to_be_bytes()), "contains no maps of blocks"),
        (with_map(&disk, |map| map[0] = b'x'), "is not a map of blocks"),
        (with_map(&disk, |map| map.truncate(100)), "is not a map of blocks"),
        (with_map(&disk, |map| map[200..204].fill(0xff)), "states 4294967295 blocks"),
        (with_map(&disk, |map| map[8..16].fill(0xff)), "reaches beyond the disk"),
        (with_map(&disk, |map| block(map, 7, 16, &far)), "reaches beyond the disk"),
        (with_map(&disk, |map| block(map, 1, 24, &far)), "lies beyond the file's data"),
        (with_map(&disk, |map| block(map, 1, 32, &[0; 8])), "is shorter than its sectors"),
        (with_map(&disk, |map| block(map, 1, 8, &[0; 8])), "two blocks hold sectors 0 to 16"),
        (with_map(&disk, |map| block(map, 0, 16, &[0; 8])), "no blocks hold sectors 0 to 16"),
        (with_map(&disk, |map| block(map, 7, 0, &[0xff; 4])), "no blocks hold sectors 112 to 128"),
        (with_map(&disk, |map| map[16..24].copy_from_slice(&sector)), "reaches beyond the disk"),
    ] {
        let error = open(&bytes).map(drop).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged, "{words}: {error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        assert_eq!(findings(&bytes)[0], error.to_string());
    }
}

#[test]
fn a_damaged_map_or_block_is_given_up_by_name_and_everything_else_is_salvaged() {
    let disk = disk();
    let far = u64::MAX.to_be_bytes();
    let lines: [(Vec<u8>, Range<usize>, &[&str]); 3] = [
        (
            with_map(&disk, |map| map[0] = b'x'),
            0..8 * BLOCK,
            &[
                "the map of disk image (Apple_HFS : 0) is not a map of blocks",
                "no blocks hold sectors 0 to 128",
            ],
        ),
        (
            with_map(&disk, |map| block(map, 1, 24, &far)),
            BLOCK..2 * BLOCK,
            &[
                "a block of disk image (Apple_HFS : 0) lies beyond the file's data",
                "no blocks hold sectors 16 to 32",
            ],
        ),
        (
            with_trailer(Built::of(&disk).bytes(), 492, &far),
            0..0,
            &["its blocks hold 323 sectors, and its last block says 18446744073709551615"],
        ),
    ];
    for (mut bytes, lost, expected) in lines {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dmg");
        fs::write(&path, &bytes).unwrap();
        let (mut opened, damage) = open_damaged(&path, None).unwrap();
        let told: Vec<&str> = damage.iter().map(|damage| damage.0.as_str()).collect();
        assert_eq!(told, expected);
        let mut found = vec![1; disk.len()];
        opened.image.read_at(&mut found, 0).unwrap();
        let mut rest = disk.clone();
        rest[lost].fill(0);
        assert!(found == rest, "{expected:?}");
        // The content of the other map is compared as well, and the list of checksums with nothing.
        bytes[10 * BLOCK] ^= 1;
        let found = findings(&bytes).join("\n");
        assert!(found.contains("the content of disk image (Apple_HFS : 1)"), "{found}");
        assert!(!found.contains("the list of checksums"), "{found}");
    }
}

#[test]
fn a_map_beyond_the_stated_end_is_salvaged_into_the_gap_that_is_as_long_or_left_out() {
    let disk = disk();
    let far = [0, 1, 0, 0, 0, 0, 0, 0];
    let said = "the map of disk image (Apple_HFS : 0) states the first sector 281474976710656, \
                but the disk ends at sector ";
    let flipped = with_map(&disk, |map| map[8..16].copy_from_slice(&far));
    let shorter = |map: &mut Vec<u8>| {
        map[8..16].copy_from_slice(&far);
        block(map, 7, 0, &[0xff; 4]);
        map[16..24].copy_from_slice(&112_u64.to_be_bytes());
    };
    let left_out = with_map(&disk, shorter);
    // Without a length there is nothing to doubt a map by.
    let unstated = with_trailer(flipped.clone(), 492, &[0; 8]);
    let lines: [(&[u8], Range<usize>, Vec<String>); 2] = [
        (&flipped, 0..0, vec![format!("{said}323: it fits the gap at sector 0 and is read there")]),
        (
            &left_out,
            0..8 * BLOCK,
            vec![
                format!("{said}323: no single gap is as long as it, so it is left out"),
                "no blocks hold sectors 0 to 128".to_owned(),
            ],
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dmg");
    for (bytes, lost, expected) in lines {
        assert_eq!(open(bytes).map(drop).unwrap_err().kind(), Kind::Damaged);
        assert_eq!(findings(bytes), expected);
        fs::write(&path, bytes).unwrap();
        let (mut opened, damage) = open_damaged(&path, None).unwrap();
        let told: Vec<String> = damage.into_iter().map(|damage| damage.0).collect();
        assert_eq!(told, expected);
        let mut rest = disk.clone();
        rest[lost].fill(0);
        assert_eq!(opened.image.len_bytes(), rest.len() as u64);
        let mut found = vec![1; rest.len()];
        opened.image.read_at(&mut found, 0).unwrap();
        assert!(found == rest, "{expected:?}");
    }
    fs::write(&path, unstated).unwrap();
    let (opened, _) = open_damaged(&path, None).unwrap();
    assert!(opened.image.len_bytes() > 1 << 50);
}

#[test]
fn a_stated_end_within_a_whole_disk_takes_no_map_away() {
    let disk = disk();
    let bytes = with_trailer(Built::of(&disk).bytes(), 492, &100_u64.to_be_bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dmg");
    fs::write(&path, bytes).unwrap();
    let (mut opened, damage) = open_damaged(&path, None).unwrap();
    assert_eq!(damage[0].0, "its blocks hold 323 sectors, and its last block says 100");
    let mut found = vec![1; disk.len()];
    opened.image.read_at(&mut found, 0).unwrap();
    assert!(found == disk);
}

#[test]
fn an_image_with_bytes_behind_its_end_is_refused_with_the_length_to_cut_it_to() {
    let good = Built { pack: zlib, ..Built::of(&disk()) }.bytes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dmg");
    let opened = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        crate::open::open(&path, Access::Read, None)
    };
    for behind in [1, 512, 4096, (64 << 10) - 512] {
        let error = opened(&[&good[..], &vec![0; behind]].concat()).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        let end = good.len();
        let told = format!(
            "lies {behind} bytes before the end: cut the file to {end} bytes (truncate -s {end})"
        );
        assert!(error.to_string().contains(&told), "{error}");
    }
    // A raw disk that holds such a file near its end is a disk.
    let before = vec![0; 512 - good.len() % 512 + 4096];
    let raw = opened(&[&before[..], &good, &[0; 4096]].concat()).unwrap();
    assert_eq!(raw.format, ImageFormat::Udrw);
}

#[test]
fn what_is_not_known_is_refused_and_not_called_damaged() {
    let disk = disk();
    let fork = with_trailer(Built { mapped: false, ..Built::of(&disk) }.bytes(), 48, &[1; 8]);
    for (bytes, words) in [
        (with_trailer(Built::of(&disk).bytes(), 60, &[0, 0, 0, 3]), "one of 3 segments"),
        (fork, "in a resource fork"),
        (with_map(&disk, |map| block(map, 1, 0, &[0x80, 0, 0, 9])), "not known (0x80000009)"),
        (
            with_map(&disk, |map| {
                block(map, 1, 0, &[0x80, 0, 0, 5]);
                block(map, 1, 16, &(1_u64 << 16).to_be_bytes());
                map[16..24].copy_from_slice(&(1_u64 << 17).to_be_bytes());
            }),
            "has more than 16777216 bytes",
        ),
    ] {
        let error = open(&bytes).map(drop).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported, "{words}: {error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_block_that_cannot_be_unpacked_is_named_and_the_others_are_read() {
    let disk = disk();
    for (pack, kind) in KINDS.into_iter().skip(1) {
        let mut bytes = Built { pack, ..Built::of(&disk) }.bytes();
        // the middle of the first block, whose content does not pack well; more than one byte, since ADC has no structure there
        bytes[1..4000].fill(0);
        let mut image = opened(&bytes);
        let mut found = vec![0; 512];
        match image.read_at(&mut found, 0) {
            Ok(()) => assert_ne!(found, disk[..512], "{kind}: the checksums are what tells"),
            Err(error) => {
                assert_eq!(error.kind(), Kind::Damaged);
                assert!(error.to_string().contains("the block of sectors 0 to 16"), "{error}");
            }
        }
        image.read_at(&mut found, 12 * BLOCK as u64).unwrap();
        assert_eq!(found, disk[12 * BLOCK..12 * BLOCK + 512], "{kind}");
        assert!(!findings(&bytes).is_empty(), "{kind}");
    }
}

#[test]
fn of_a_packed_block_no_more_is_read_than_its_sectors_can_need() {
    let disk = disk();
    // Each sector is a block, and all are the same 16 MiB of the file.
    const DATA: u64 = 16 << 20;
    const SECTORS: u64 = 128;
    let packed = zlib(&[7; 512]).1;
    let bytes = with_map(&disk, |map| {
        map.truncate(204);
        map[200..204].copy_from_slice(&(SECTORS as u32).to_be_bytes());
        for number in 0..SECTORS {
            map.extend([0x80, 0, 0, 5, 0, 0, 0, 0]);
            map.extend([number, 1, 0, DATA].iter().flat_map(|field| field.to_be_bytes()));
        }
    });
    let list = bytes.windows(5).position(|five| five == b"<?xml").unwrap();
    let end = with_trailer(bytes[list..].to_vec(), 32, &DATA.to_be_bytes());
    let end = with_trailer(end, 216, &DATA.to_be_bytes());
    let store = MemoryStore::of_length(DATA + end.len() as u64);
    store.put(&packed, 0);
    store.put(&end, DATA);
    let mut image = Udif::open(Box::new(store.clone())).unwrap();
    let before = store.read_bytes();
    let mut found = vec![1; SECTORS as usize * 512];
    image.read_at(&mut found, 0).unwrap();
    assert!(found == vec![7; SECTORS as usize * 512]);
    let read = store.read_bytes() - before;
    assert!(read <= SECTORS * 8192, "{read} bytes are read");
}

#[test]
fn a_block_that_cannot_be_unpacked_is_tried_once_by_salvage() {
    let disk = disk();
    let mut bytes = Built { pack: zlib, ..Built::of(&disk) }.bytes();
    bytes[1..4000].fill(0);
    let store = MemoryStore::of(&bytes);
    let mut image = Udif::open(Box::new(store.clone())).unwrap();
    let before = store.read_bytes();
    let mut salvaged = Salvaged::of(&mut image);
    salvaged.read_at(&mut vec![1; BLOCK], 0).unwrap();
    assert_eq!(salvaged.lost().first(), Some(&(0..BLOCK as u64)));
    assert!(store.read_bytes() - before <= BLOCK as u64, "the packed block is read once");
}
