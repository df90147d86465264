//! Every format, plain and encrypted, made longer and shorter: killed at any change, refused, and read again.

use super::resize;
use crate::asif::Asif;
use crate::crypt::KeySize;
use crate::disk::{SECTOR, VirtualDisk};
use crate::error::Kind;
use crate::format::{AnyFormat, ImageFormat};
use crate::open::{Opened, Spec, check, create, open};
use crate::raw::RawDisk;
use crate::store::Access;
use crate::testing::memory::MemoryStore;
use crate::testing::model::Place;
use crate::testing::partitioned::{gpt, put};
use crate::testing::reference::assert_same;
use crate::testing::{content, key};
use std::fs;
use std::path::Path;
use system::flush::Durability;

const KIB: u64 = 1 << 10;

/// No multiple of any band: each image has a last band that is not full.
const LENGTH: u64 = 2500 * KIB + 512;
const FORMATS: [ImageFormat; 3] = [ImageFormat::Udrw, ImageFormat::Udsp, ImageFormat::Asif];

/// Every kind of image in memory. With bands as short as can be, an ASIF has blocks of 512 bytes.
fn every() -> impl Iterator<Item = Place> {
    FORMATS.into_iter().flat_map(|format| {
        [None, Some(KeySize::Aes128)]
            .map(|key| Place::of(MemoryStore::default(), format, 8 * SECTOR, key))
    })
}

/// Content in the first band, in the middle and, if asked for, at the end; gives what the disk holds.
fn filled(place: &Place, at_the_end: bool) -> Vec<u8> {
    let mut image = place.create(LENGTH).unwrap();
    let mut model = vec![0; usize::try_from(LENGTH).unwrap()];
    let parts = [(0, 700), (1300 * KIB + 9, 5000), (LENGTH - 900, 900)];
    // Bands that hold zeros are in use as well.
    image.write_at(&[0; 9000], LENGTH - 9000).unwrap();
    for (offset, length) in parts.into_iter().take(2 + usize::from(at_the_end)) {
        let bytes = content(7, length);
        image.write_at(&bytes, offset).unwrap();
        let start = usize::try_from(offset).unwrap();
        model[start..start + bytes.len()].copy_from_slice(&bytes);
    }
    image.flush(Durability::None).unwrap();
    model
}

/// The image, which must be without damage.
fn sound(place: &Place) -> Opened {
    let format = AnyFormat::Image(place.format);
    Opened { image: place.reopen(), format, encryption: None, unchecked: None }
}

#[test]
fn killed_at_any_change_it_has_the_old_length_or_the_new_one_and_all_content() {
    for place in every() {
        let longer = [LENGTH + 512, LENGTH + 64 * KIB, 3 * LENGTH];
        let shorter = [1400 * KIB, 2048 * KIB, 2048 * KIB + 512, LENGTH - 512];
        for new in longer.into_iter().chain(shorter) {
            let place = place.with(MemoryStore::default());
            let mut model = filled(&place, new > LENGTH);
            let before = place.memory.bytes();
            let mut whole = false;
            for allowed in 0..200 {
                let place = place.with(MemoryStore::of(&before));
                let mut opened = sound(&place);
                place.memory.die_after(allowed);
                whole = resize(&mut opened, new).is_ok();
                drop(opened);
                place.memory.revive();
                let mut opened = sound(&place);
                let length = opened.image.len_bytes();
                assert!(length == new || !whole && length == LENGTH, "{length} for {new}");
                model.resize(usize::try_from(length).unwrap(), 0);
                assert_same(opened.image.as_mut(), &model);
                // What was cut off does not come back.
                if whole && new < LENGTH {
                    resize(&mut opened, LENGTH).unwrap();
                    model.resize(usize::try_from(LENGTH).unwrap(), 0);
                    assert_same(sound(&place).image.as_mut(), &model);
                }
                if whole {
                    break;
                }
            }
            assert!(whole, "{}: {new} is never done", place.format);
        }
    }
}

#[test]
fn what_would_cut_something_off_is_refused_says_what_is_needed_and_changes_nothing() {
    for place in every() {
        let model = filled(&place, true);
        let before = place.memory.bytes();
        let mut opened = sound(&place);
        for new in [512, 1024 * KIB, LENGTH - 512] {
            let refused = resize(&mut opened, new).unwrap_err();
            assert_eq!(refused.kind(), Kind::Invalid);
            let expected = format!("give at least {LENGTH}");
            assert!(refused.to_string().contains(&expected), "{refused}");
        }
        for impossible in [0, 511, LENGTH + 1, u64::MAX] {
            let refused = resize(&mut opened, impossible).unwrap_err();
            assert_eq!(refused.kind(), Kind::Invalid, "{impossible}: {refused}");
        }
        assert_same(opened.image.as_mut(), &model);
        drop(opened);
        assert!(place.memory.bytes() == before, "{} has changed", place.format);
    }
}

fn bundle(path: &Path) -> Opened {
    let plain = Spec::plain(ImageFormat::Udsb, LENGTH);
    create(path, &Spec { band_bytes: Some(64 * KIB), ..plain }).unwrap()
}

#[test]
fn what_another_program_left_behind_the_end_of_an_asif_is_no_content_of_a_longer_disk() {
    let memory = MemoryStore::default();
    let mut image = Asif::create(Box::new(memory.clone()), 1024 * KIB).unwrap();
    let full = content(7, 1024 * KIB);
    image.write_at(&full, 0).unwrap();
    image.flush(Durability::None).unwrap();
    drop(image);
    // The number of sectors in the header: the chunk stays full.
    memory.put(&(512 * KIB / 512).to_be_bytes(), 0x30);
    let image = Box::new(Asif::open(Box::new(memory)).unwrap());
    let format = AnyFormat::Image(ImageFormat::Asif);
    let mut opened = Opened { image, format, encryption: None, unchecked: None };
    resize(&mut opened, 1024 * KIB).unwrap();
    let (kept, lost) = full.split_at(full.len() / 2);
    assert_same(opened.image.as_mut(), &[kept, &vec![0; lost.len()]].concat());
}

#[test]
fn of_a_bundle_that_was_resized_by_half_the_longer_length_counts() {
    for new in [3 * LENGTH, 2048 * KIB] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sparsebundle");
        let mut opened = bundle(&path);
        opened.image.write_at(&content(7, 700), 0).unwrap();
        opened.image.flush(Durability::None).unwrap();
        let texts = || ["Info.plist", "Info.bckup"].map(|name| fs::read(path.join(name)).unwrap());
        let old = texts();
        resize(&mut opened, new).unwrap();
        drop(opened);
        assert_eq!(check(&path, None).unwrap(), []);
        // Killed between the two: the first one that is written is the one that is there.
        let first = if new > LENGTH { "Info.bckup" } else { "Info.plist" };
        fs::write(path.join(first), &old[0]).unwrap();
        let opened = open(&path, Access::Read, None).unwrap();
        assert_eq!(opened.image.len_bytes(), new.max(LENGTH));
    }
}

#[test]
fn what_a_bundle_says_of_itself_beside_its_length_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sparsebundle");
    drop(bundle(&path));
    for name in ["Info.plist", "Info.bckup"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let text = text
            .replace("<integer>1</integer>", "<integer>2</integer>")
            .replace("\t<key>size</key>", "\t<key>of-another</key>\n\t<true/>\n\t<key>size</key>");
        fs::write(path.join(name), text).unwrap();
    }
    resize(&mut open(&path, Access::Write, None).unwrap(), 2 * LENGTH).unwrap();
    for name in ["Info.plist", "Info.bckup"] {
        let found = plist::Value::from_file(path.join(name)).unwrap();
        let keys = found.as_dictionary().unwrap();
        assert_eq!(keys["size"].as_unsigned_integer(), Some(2 * LENGTH));
        assert_eq!(keys["bundle-backingstore-version"].as_unsigned_integer(), Some(2));
        assert_eq!(keys["of-another"].as_boolean(), Some(true));
    }
    assert_eq!(fs::read_dir(&path).unwrap().count(), 5, "only what belongs there is there");
}

#[test]
fn a_description_that_could_not_be_read_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sparsebundle");
    drop(bundle(&path));
    for name in ["Info.plist", "Info.bckup"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let more = format!("<key>more</key><array>{}</array></dict>", "<true/>".repeat(8500));
        fs::write(path.join(name), text.replace("</dict>", &more)).unwrap();
    }
    let refused = resize(&mut open(&path, Access::Write, None).unwrap(), 2 * LENGTH).unwrap_err();
    assert_eq!(refused.kind(), Kind::Unsupported, "{refused}");
    assert_eq!(open(&path, Access::Read, None).unwrap().image.len_bytes(), LENGTH);
}

#[test]
fn a_link_that_lies_in_a_bundle_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("x.sparsebundle"), folder.path().join("other"));
    let mut opened = bundle(&path);
    fs::write(&other, "of somebody else").unwrap();
    for name in ["Info.plist", "Info.bckup"] {
        std::os::unix::fs::symlink(&other, path.join(format!("{name}.new"))).unwrap();
    }
    resize(&mut opened, 2 * LENGTH).unwrap();
    drop(opened);
    assert_eq!(fs::read_to_string(&other).unwrap(), "of somebody else");
    assert_eq!(check(&path, None).unwrap(), []);
    assert!(!path.join("Info.plist").is_symlink());
}

#[test]
fn a_description_that_cannot_be_read_is_not_replaced() {
    for name in ["Info.plist", "Info.bckup"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sparsebundle");
        let mut opened = bundle(&path);
        fs::write(path.join(name), "not known to us").unwrap();
        assert_eq!(resize(&mut opened, 2 * LENGTH).unwrap_err().kind(), Kind::Damaged);
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "not known to us");
    }
}

#[test]
fn a_disk_of_any_length_is_made_shorter_by_way_of_what_it_holds() {
    // Going through all bands of 8 EiB would take hours.
    for (format, longest) in [
        (ImageFormat::Udsb, i64::MAX as u64 / 512 * 512),
        (ImageFormat::Udsp, 4 << 50),
        (ImageFormat::Asif, 4 << 50),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let spec = Spec::plain(format, longest / 4096 * 4095 / 512 * 512);
        let mut opened = create(&path, &spec).unwrap();
        opened.image.write_at(&content(7, 700), 0).unwrap();
        resize(&mut opened, LENGTH).unwrap();
        assert_eq!(opened.image.len_bytes(), LENGTH, "{format}");
    }
}

#[test]
fn an_encrypted_image_grows_only_as_far_as_its_block_numbers_reach() {
    let folder = tempfile::tempdir().unwrap();
    for format in ImageFormat::ALL {
        let path = folder.path().join(format.name());
        let key = Some(key(KeySize::Aes128, "correct horse"));
        let spec = Spec { key, ..Spec::plain(format, 512 * KIB) };
        let mut opened = create(&path, &spec).unwrap();
        // 2^32 blocks of 512 bytes, and one more
        let refused = resize(&mut opened, (1 << 41) + 512).unwrap_err();
        assert_eq!(refused.kind(), Kind::Invalid, "{format}");
        assert_eq!(opened.image.len_bytes(), 512 * KIB, "{format}");
    }
}

#[test]
fn a_partition_that_ends_nowhere_is_not_cut_off_further() {
    let mut bytes = gpt(512);
    // The third entry's last sector, and both checksums.
    put(&mut bytes, 1024 + 2 * 128 + 40, &u64::MAX.to_le_bytes());
    let list = crc32fast::hash(&bytes[1024..1024 + 128 * 128]);
    put(&mut bytes, 512 + 88, &list.to_le_bytes());
    put(&mut bytes, 512 + 16, &[0; 4]);
    let header = crc32fast::hash(&bytes[512..512 + 92]);
    put(&mut bytes, 512 + 16, &header.to_le_bytes());
    let image = Box::new(RawDisk::open(Box::new(MemoryStore::of(bytes))).unwrap());
    let format = AnyFormat::Image(ImageFormat::Udrw);
    let mut opened = Opened { image, format, encryption: None, unchecked: None };
    let refused = resize(&mut opened, 2 << 20).unwrap_err();
    assert!(refused.to_string().contains("would cut off partition 3"), "{refused}");
}
