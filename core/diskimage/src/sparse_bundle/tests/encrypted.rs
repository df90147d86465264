//! Encrypted bundles, with a cipher that can be followed by hand.

use std::fs;
use std::path::Path;

use super::{BAND, bands, place};
use crate::disk::VirtualDisk;
use crate::sparse_bundle::view::BlockCipher;
use crate::sparse_bundle::{SparseBundle, check_with};
use crate::store::Access;
use crate::testing::model;

/// Adds an odd number made from the block's number to each byte: no block of zeros has ciphertext of zeros, and the place
/// of each block shows.
struct Shift;

impl Shift {
    fn shift(blocks: &mut [u8], first_block: u64, change: fn(u8, u8) -> u8) {
        assert!(blocks.len().is_multiple_of(512), "whole blocks only");
        for (number, block) in (first_block..).zip(blocks.chunks_mut(512)) {
            let [low, high, ..] = number.to_le_bytes();
            let by = low.wrapping_mul(7).wrapping_add(high).wrapping_add(1) | 1;
            block.iter_mut().for_each(|byte| *byte = change(*byte, by));
        }
    }
}

impl BlockCipher for Shift {
    fn encrypt(&self, blocks: &mut [u8], first_block: u64) {
        Self::shift(blocks, first_block, u8::wrapping_add);
    }

    fn decrypt(&self, blocks: &mut [u8], first_block: u64) {
        for (number, block) in (first_block..).zip(blocks.chunks_mut(512)) {
            if block.iter().any(|byte| *byte != 0) {
                Self::shift(block, number, u8::wrapping_sub);
            }
        }
    }
}

pub(crate) fn cipher() -> Box<dyn BlockCipher> {
    Box::new(Shift)
}

pub(crate) fn create(path: &Path, len_bytes: u64, band_bytes: u64) -> SparseBundle {
    SparseBundle::create_with(path, len_bytes, Some(band_bytes), b"keys", Some(cipher())).unwrap()
}

pub(crate) fn again(path: &Path) -> SparseBundle {
    SparseBundle::open_with(path, Access::Write, Some(Box::new(Shift))).unwrap()
}

/// What other readers see: every band there decrypted whole, zeros where there is none.
fn seen_by_others(path: &Path, len_bytes: u64, band_bytes: u64) -> Vec<u8> {
    let mut disk = vec![0; usize::try_from(len_bytes.next_multiple_of(band_bytes)).unwrap()];
    for (name, length) in bands(path) {
        let start = u64::from_str_radix(&name, 16).unwrap() * band_bytes;
        let mut bytes = fs::read(path.join("bands").join(name)).unwrap();
        assert!(length.is_multiple_of(512));
        Shift::shift(&mut bytes, start / 512, u8::wrapping_sub);
        let start = usize::try_from(start).unwrap();
        disk[start..start + bytes.len()].copy_from_slice(&bytes);
    }
    disk.truncate(usize::try_from(len_bytes).unwrap());
    disk
}

#[test]
fn an_encrypted_bundle_is_a_disk_whatever_its_bands() {
    for band_bytes in [65_536, 66_048, 1 << 20, 8 << 20] {
        model::check(
            |len_bytes| {
                let place = place();
                (Box::new(create(&place.1, len_bytes, band_bytes)), place)
            },
            |(_, path)| {
                assert_eq!(check_with(path, Some(Box::new(Shift))).unwrap(), []);
                let mut disk = again(path);
                let len_bytes = disk.len_bytes();
                let mut ours = vec![0xa5; usize::try_from(len_bytes).unwrap()];
                disk.read_at(&mut ours, 0).unwrap();
                // No hole shows as noise.
                assert!(seen_by_others(path, len_bytes, band_bytes) == ours);
                Box::new(disk)
            },
        );
    }
}

#[test]
fn blocks_are_numbered_through_the_whole_disk() {
    let (_folder, path) = place();
    let mut disk = create(&path, 100 * BAND, BAND);
    disk.write_at(&[3; 512], 33 * BAND + 1024).unwrap();
    // Blocks 264 and 265 are filled, as 266 is the one that was written. 264 = 0x108.
    let mut expected = vec![8_u8 * 7 + 1 + 1; 512];
    expected.iter_mut().for_each(|byte| *byte |= 1);
    expected.extend([(9_u8 * 7 + 1 + 1) | 1; 512]);
    expected.extend([3 + ((10_u8 * 7 + 1 + 1) | 1); 512]);
    assert!(fs::read(path.join("bands/21")).unwrap() == expected);
    assert_eq!(fs::read(path.join("token")).unwrap(), b"keys");
}

#[test]
fn a_block_of_zeros_in_a_file_is_zeros() {
    let (_folder, path) = place();
    drop(create(&path, 10 * BAND, BAND));
    fs::write(path.join("bands/2"), [0; 2048]).unwrap();
    let mut disk = again(&path);
    model::assert_same(&mut disk, &[0; 10 * 4096]);
    disk.write_at(&[1; 3], 2 * BAND + 600).unwrap();
    let mut expected = vec![0; 10 * 4096];
    expected[2 * 4096 + 600..2 * 4096 + 603].fill(1);
    model::assert_same(&mut disk, &expected);
}

#[test]
fn what_is_discarded_at_the_end_of_a_band_is_cut_off_and_elsewhere_is_encrypted_zeros() {
    let (_folder, path) = place();
    let mut disk = create(&path, 10 * BAND, BAND);
    disk.write_at(&[1; 3 * 4096], 0).unwrap();
    disk.discard(1000, 500).unwrap();
    disk.discard(BAND + 1000, BAND).unwrap();
    assert_eq!(bands(&path), [("0".into(), 4096), ("1".into(), 1024), ("2".into(), 4096)]);
    let mut expected = vec![0; 10 * 4096];
    expected[..3 * 4096].fill(1);
    expected[1000..1500].fill(0);
    expected[4096 + 1000..2 * 4096 + 1000].fill(0);
    model::assert_same(&mut disk, &expected);
    assert!(seen_by_others(&path, 10 * BAND, BAND) == expected);
}
