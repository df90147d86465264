//! Encrypted bundles: what they hold, and what other readers see of them.

use std::fs;
use std::path::Path;

use super::{BAND, bands, place};
use crate::crypt::{KeySize, NewKey, Token, open_token, token};
use crate::disk::VirtualDisk;
use crate::error::Kind;
use crate::sparse_bundle::{SparseBundle, check, public_facts};
use crate::store::Access;
use crate::testing::key;
use crate::testing::reference::assert_same;

fn new_key() -> NewKey {
    key(KeySize::Aes128, "correct horse")
}

pub(crate) fn new_keys() -> Token {
    token(&new_key()).unwrap()
}

/// The keys of a bundle that is there.
pub(crate) fn keys_of(path: &Path) -> Token {
    open_token(&path.join("token"), Some(&new_key().passphrase)).unwrap().unwrap()
}

pub(crate) fn create(path: &Path, len_bytes: u64, band_bytes: u64) -> SparseBundle {
    SparseBundle::create(path, len_bytes, Some(band_bytes), Some(new_keys())).unwrap()
}

pub(crate) fn again(path: &Path) -> SparseBundle {
    SparseBundle::open(path, Access::Write, Some(keys_of(path))).unwrap()
}

/// What other readers see: every band there decrypted whole, zeros where there is none.
fn seen_by_others(path: &Path, len_bytes: u64, band_bytes: u64) -> Vec<u8> {
    let keys = keys_of(path);
    let mut disk = vec![0; usize::try_from(len_bytes.next_multiple_of(band_bytes)).unwrap()];
    for (name, length) in bands(path) {
        let start = u64::from_str_radix(&name, 16).unwrap() * band_bytes;
        let mut bytes = fs::read(path.join("bands").join(name)).unwrap();
        assert!(length.is_multiple_of(512));
        // Others decrypt a block of zeros like any other one: it shows as noise.
        for (number, block) in (start / 512..).zip(bytes.chunks_mut(512)) {
            assert!(block.iter().any(|byte| *byte != 0), "a hole in {number}");
            keys.decrypt(block, number);
        }
        let start = usize::try_from(start).unwrap();
        disk[start..start + bytes.len()].copy_from_slice(&bytes);
    }
    disk.truncate(usize::try_from(len_bytes).unwrap());
    disk
}

#[test]
fn blocks_are_numbered_through_the_whole_disk() {
    let (_folder, path) = place();
    let mut disk = create(&path, 100 * BAND, BAND);
    disk.write_at(&[3; 512], 33 * BAND + 1024).unwrap();
    // Blocks 264 and 265 are filled, as 266 is the one that was written. 264 = 0x108.
    let mut expected = [[0; 1024].as_slice(), &[3; 512]].concat();
    keys_of(&path).encrypt(&mut expected, 264);
    assert!(fs::read(path.join("bands/21")).unwrap() == expected);
    assert!(fs::read(path.join("token")).unwrap().starts_with(b"encrcdsa"));
}

#[test]
fn a_block_of_zeros_in_a_file_is_zeros() {
    let (_folder, path) = place();
    drop(create(&path, 10 * BAND, BAND));
    fs::write(path.join("bands/2"), [0; 2048]).unwrap();
    let mut disk = again(&path);
    assert_same(&mut disk, &[0; 10 * 4096]);
    disk.write_at(&[1; 3], 2 * BAND + 600).unwrap();
    let mut expected = vec![0; 10 * 4096];
    expected[2 * 4096 + 600..2 * 4096 + 603].fill(1);
    assert_same(&mut disk, &expected);
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
    assert_same(&mut disk, &expected);
    assert!(seen_by_others(&path, 10 * BAND, BAND) == expected);
}

#[test]
fn a_bundle_with_more_blocks_than_32_bits_count_is_refused_and_the_longest_one_is_not() {
    const LONGEST: u64 = 1 << 41;
    for (len_bytes, fits) in [(LONGEST, true), (LONGEST + 512, false)] {
        let (_folder, path) = place();
        drop(create(&path, len_bytes, 1 << 30));
        let tried = [
            SparseBundle::open(&path, Access::Read, Some(keys_of(&path))).map(drop),
            check(&path, Some(keys_of(&path))).map(drop),
            public_facts(&path).map(drop),
        ];
        for tried in tried {
            match tried {
                Ok(()) => assert!(fits, "{len_bytes}"),
                Err(error) => {
                    assert_eq!((error.kind(), fits), (Kind::Unsupported, false), "{error}");
                }
            }
        }
    }
    // Blocks that are not encrypted are not counted.
    let (_folder, path) = place();
    drop(SparseBundle::create(&path, LONGEST + 512, None, None).unwrap());
    SparseBundle::open(&path, Access::Read, None).unwrap();
}
