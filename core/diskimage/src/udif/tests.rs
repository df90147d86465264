//! A UDIF is read as the disk that it was made of, and what is wrong with one is said.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod damage;
mod packed;

use proptest::prelude::*;

use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::testing::memory::MemoryStore;
use crate::testing::udif::{Built, plain, zlib};
use crate::udif::tests::packed::{KINDS, disk};
use crate::udif::{Udif, UdifKind, check, is_there};

pub(super) fn opened(bytes: &[u8]) -> Udif {
    Udif::open(Box::new(MemoryStore::of(bytes))).unwrap()
}

#[test]
fn each_kind_is_known_and_read_and_its_checksums_agree() {
    for (pack, kind) in KINDS {
        let disk = disk();
        let bytes = Built { pack, ..Built::of(&disk) }.bytes();
        assert!(is_there(&mut MemoryStore::of(&bytes)).unwrap());
        let mut image = opened(&bytes);
        assert_eq!((image.kind(), image.len_bytes()), (kind, disk.len() as u64));
        let mut found = vec![1; disk.len()];
        image.read_at(&mut found, 0).unwrap();
        assert!(found == disk, "{kind}");
        let mut last = (0, 0);
        let damage = check(Box::new(MemoryStore::of(&bytes)), &mut |done, all| last = (done, all));
        assert_eq!(damage.unwrap(), [], "{kind}");
        assert!(last.0 == last.1 && last.1 > 0, "{kind}: {last:?}");
    }
}

proptest! {
    #[test]
    fn any_part_of_it_is_that_part_of_the_disk(
        reads in prop::collection::vec((0_u64..1 << 18, 0_usize..100_000), 1..20),
        kind in 0..KINDS.len(),
    ) {
        let disk = disk();
        let bytes = Built { pack: KINDS[kind].0, ..Built::of(&disk) }.bytes();
        let mut image = opened(&bytes);
        for (offset, length) in reads {
            let start = usize::try_from(offset).unwrap().min(disk.len());
            let end = (start + length).min(disk.len());
            let mut found = vec![1; end - start];
            image.read_at(&mut found, start as u64).unwrap();
            prop_assert!(found == disk[start..end]);
        }
    }
}

#[test]
fn its_map_of_extents_leaves_out_what_is_zeros_or_free() {
    let disk = disk();
    for pack in [plain, zlib] {
        let mut image = opened(&Built { pack, ..Built::of(&disk) }.bytes());
        let mut seen = vec![false; disk.len()];
        let mut from = 0;
        while let Some(range) = image.next_data(from).unwrap() {
            assert!(range.start >= from && range.end > range.start);
            seen[range.start as usize..range.end as usize].fill(true);
            from = range.end;
        }
        let left_out: Vec<u8> =
            disk.iter().zip(&seen).filter(|(_, seen)| !**seen).map(|(byte, _)| *byte).collect();
        assert!(left_out.iter().all(|byte| *byte == 0));
        // the fixture has as many whole blocks of zeros
        assert_eq!(left_out.len(), packed::ZERO_BYTES);
    }
}

#[test]
fn a_block_that_is_read_in_parts_is_unpacked_once() {
    let disk = disk();
    let store = MemoryStore::of(Built { pack: zlib, ..Built::of(&disk) }.bytes());
    let mut image = Udif::open(Box::new(store.clone())).unwrap();
    let mut found = [0; 512];
    image.read_at(&mut found, 0).unwrap();
    assert_eq!(found, disk[..512]);
    // whatever the file holds now, the second part comes from memory
    store.put(&vec![0xff; 4096], 0);
    image.read_at(&mut found, 512).unwrap();
    assert_eq!(found, disk[512..1024]);
}

#[test]
fn data_that_begin_later_in_the_file_are_found() {
    let disk = disk();
    let built = Built { pack: zlib, ..Built::of(&disk) };
    for (before, shift) in [(1000, 0), (0, 700), (1000, 700)] {
        let bytes = Built { before, shift, ..built }.bytes();
        let mut found = vec![1; disk.len()];
        opened(&bytes).read_at(&mut found, 0).unwrap();
        assert!(found == disk, "{before} {shift}");
    }
}

#[test]
fn an_image_without_a_map_is_its_data() {
    let disk = disk();
    let bytes = Built { mapped: false, ..Built::of(&disk) }.bytes();
    let mut image = opened(&bytes);
    assert_eq!(image.kind(), UdifKind::Unmapped);
    let mut found = vec![1; disk.len()];
    image.read_at(&mut found, 0).unwrap();
    assert!(found == disk);
    assert_eq!(check(Box::new(MemoryStore::of(&bytes)), &mut |_, _| ()).unwrap(), []);
}

#[test]
fn content_is_called_unchecked_where_no_checksum_says_what_belongs_there() {
    let disk = disk();
    let built = Built::of(&disk);
    // newer images of macOS have checksums of their maps and none of their packed data
    for (mapped, summed, of_data, checked) in [
        (true, true, true, true),
        (true, true, false, true),
        (true, false, true, false),
        (true, false, false, false),
        (false, false, true, true),
        (false, false, false, false),
    ] {
        let mut bytes = Built { mapped, summed, ..built }.bytes();
        if !of_data {
            let kind = bytes.len() - 512 + 80;
            bytes[kind..kind + 4].fill(0);
        }
        let unchecked = opened(&bytes).unchecked();
        assert_eq!(unchecked.is_none(), checked, "{mapped} {summed} {of_data}: {unchecked:?}");
    }
}

#[test]
fn an_image_that_states_no_length_is_as_long_as_its_maps() {
    let disk = disk();
    let mut bytes = Built::of(&disk).bytes();
    assert_eq!(opened(&bytes).unchecked(), None);
    let sectors = bytes.len() - 512 + 492;
    bytes[sectors..sectors + 8].fill(0);
    let mut image = opened(&bytes);
    assert_eq!(image.len_bytes(), disk.len() as u64);
    let mut found = vec![1; disk.len()];
    image.read_at(&mut found, 0).unwrap();
    assert!(found == disk);
    assert_eq!(check(Box::new(MemoryStore::of(&bytes)), &mut |_, _| ()).unwrap(), []);
    assert!(image.unchecked().unwrap().contains("does not state the disk's length"));
}

#[test]
fn nothing_changes_it() {
    let mut image = opened(&Built::of(&disk()).bytes());
    for refused in [image.write_at(b"x", 0), image.discard(0, 512), image.compact()] {
        assert_eq!(refused.unwrap_err().kind(), Kind::Invalid);
    }
    assert_eq!(
        image.read_at(&mut [0; 2], image.len_bytes() - 1).unwrap_err().kind(),
        Kind::Invalid
    );
}
