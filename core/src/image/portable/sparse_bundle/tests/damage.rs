//! Each kind of damage is named, and what can be read in spite of it is.

use std::fs;
use std::path::Path;

use super::{BAND, again, place, plain, sound};
use crate::image::portable::disk::{Damage, VirtualDisk};
use crate::image::portable::sparse_bundle::{SparseBundle, check, check_with};
use crate::image::portable::store::Access;

/// What is found in a bundle of five bands, the first two of which are there, after a change; and whether it opens.
fn after(change: impl Fn(&Path)) -> (Vec<String>, bool) {
    let (_folder, path) = place();
    let mut disk = plain(&path, 5 * BAND, BAND);
    disk.write_at(&[1; 2 * 4096], 0).unwrap();
    drop(disk);
    sound(&path);
    change(&path);
    let lines = check(&path, None).unwrap().into_iter().map(|Damage(line)| line).collect();
    (lines, SparseBundle::open(&path, Access::Read, None).is_ok())
}

fn replaced(path: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(path.join(name)).unwrap();
    assert!(text.contains(from));
    fs::write(path.join(name), text.replace(from, to)).unwrap();
}

#[track_caller]
fn one((lines, opened): (Vec<String>, bool), expected: &str, opens: bool) {
    assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    assert_eq!(opened, opens, "{expected}");
}

#[test]
fn a_description_that_is_of_no_use_is_named_and_its_copy_used() {
    for (from, to, expected) in [
        ("band-size", "hand-size", "Info.plist: the key band-size is missing"),
        (">size<", ">sise<", "Info.plist: the key size is missing"),
        ("diskimage-bundle-type", "x", "the key diskimage-bundle-type is missing"),
        ("image.sparsebundle", "image.other", "diskimage-bundle-type is not com.apple"),
        ("CFBundleInfo", "CFBundle", "the key CFBundleInfoDictionaryVersion is missing"),
        ("bundle-backingstore-version", "x", "the key bundle-backingstore-version is missing"),
        (">1<", ">3<", "bundle-backingstore-version 3 is not known"),
        ("20480", "20481", "size 20481 is no multiple of 512"),
        ("20480", "0", "size 0 is no multiple of 512"),
        ("20480", "-512", "the key size is missing or no number"),
        ("20480", "18446744073709551104", "size 18446744073709551104"),
        ("4096", "4097", "band-size 4097"),
        ("4096", "0", "band-size 0"),
        ("4096", "1099511627776", "band-size 1099511627776"),
        ("<dict>", "<dict", "Info.plist: it is no property list"),
        ("<dict>", &"<array>".repeat(1000), "too many lists"),
        ("</dict>", &" ".repeat(70_000), "Info.plist is longer than 65536 bytes"),
    ] {
        one(after(|path| replaced(path, "Info.plist", from, to)), expected, true);
    }
    one(after(|path| fs::remove_file(path.join("Info.plist")).unwrap()), "is missing", true);
    one(
        after(|path| fs::write(path.join("Info.plist"), "").unwrap()),
        "Info.plist: it is no",
        true,
    );
    one(
        after(|path| fs::write(path.join("Info.bckup"), "").unwrap()),
        "Info.bckup: it is no",
        true,
    );
    one(after(|path| replaced(path, "Info.bckup", "20480", "40960")), "differ", true);
    let (lines, opens) = after(|path| {
        fs::write(path.join("Info.plist"), "").unwrap();
        fs::remove_file(path.join("Info.bckup")).unwrap();
    });
    assert_eq!((lines.len(), opens), (2, false));
}

#[test]
fn files_that_are_no_bands_are_named() {
    let bands = |name: &'static str, length: usize| {
        after(move |path| fs::write(path.join("bands").join(name), vec![1; length]).unwrap())
    };
    for name in ["A", "01", "00", "x", "0x1", "+1", "1.tmp", "fffffffffffffffff", ".DS_Store"] {
        one(bands(name, 1), "is not named as a band is", true);
    }
    one(bands("5", 1), "bands/5 lies beyond the disk's end: its last band is 4", false);
    one(bands("ffffffffffffffff", 1), "lies beyond the disk's end", false);
    one(bands("3", 4097), "bands/3 is 4097 bytes long, longer than a band of 4096", false);
    let folder = after(|path| fs::create_dir(path.join("bands/3")).unwrap());
    one(folder, "bands/3 is no file", false);
    let link =
        after(|path| std::os::unix::fs::symlink("/etc/hosts", path.join("bands/3")).unwrap());
    one(link, "bands/3 is no file", false);
    one(after(|path| fs::remove_dir_all(path.join("bands")).unwrap()), "folder bands", false);
    one(after(|path| fs::remove_file(path.join("token")).unwrap()), "token is missing", true);
}

#[test]
fn a_band_that_is_no_whole_number_of_encrypted_blocks_is_named() {
    let (_folder, path) = place();
    drop(plain(&path, 5 * BAND, BAND));
    fs::write(path.join("bands/2"), [1; 700]).unwrap();
    sound(&path);
    let found = check_with(&path, true).unwrap();
    assert!(found.len() == 1 && found[0].0.contains("no whole number of encrypted blocks"));
}

#[test]
fn a_flood_of_damage_is_cut_short() {
    let (lines, _) = after(|path| {
        for n in 0..150 {
            fs::write(path.join(format!("bands/x{n}")), b"").unwrap();
        }
    });
    assert_eq!(lines.len(), 101);
    assert_eq!(lines[100], "and 50 more of the kind");
}

#[test]
fn a_bundle_opened_by_its_copy_is_whole() {
    let (_folder, path) = place();
    let mut disk = plain(&path, 5 * BAND, BAND);
    disk.write_at(&[1; 5 * 4096], 0).unwrap();
    drop(disk);
    fs::remove_file(path.join("Info.plist")).unwrap();
    crate::image::portable::model::assert_same(&mut again(&path), &[1; 5 * 4096]);
}
