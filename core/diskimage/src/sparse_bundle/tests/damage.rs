//! Each kind of damage is named, and what can be read in spite of it is.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use system::flush::Durability;

use super::{BAND, again, encrypted, place, plain, sound};
use crate::disk::{Damage, VirtualDisk};
use crate::error::Kind;
use crate::sparse_bundle::{SparseBundle, check, left};
use crate::store::Access;
use crate::testing::content;
use crate::testing::reference::assert_same;

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
        ("20480", "20481", "size 20481 is not a multiple of 512"),
        ("20480", "0", "size 0 is not a multiple of 512"),
        ("20480", "-512", "the key size is missing or not a number"),
        ("20480", "18446744073709551104", "size 18446744073709551104"),
        ("4096", "4097", "band-size 4097"),
        ("4096", "0", "band-size 0"),
        ("4096", "1099511627776", "band-size 1099511627776"),
        ("<dict>", "<dict", "Info.plist: it is not a property list"),
        (
            "<dict>",
            &["<x:array>".repeat(3400), "</x:array>".repeat(3400), "<dict>".into()].concat(),
            "Info.plist: it is not a property list",
        ),
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
    one(after(|path| replaced(path, "Info.bckup", "20480", "40960")), "name two lengths", true);
    // Bands of the longer one are not beyond the end, whichever of the two files names it.
    for name in ["Info.plist", "Info.bckup"] {
        one(after(|path| replaced(path, name, "20480", "4096")), "name two lengths", true);
    }
    // Nobody can tell which is right, and with the wrong one each band would lie elsewhere.
    one(
        after(|path| replaced(path, "Info.plist", ">4096<", ">8192<")),
        "name two sizes of a band",
        false,
    );
    let (lines, opens) = after(|path| {
        fs::write(path.join("Info.plist"), "").unwrap();
        fs::remove_file(path.join("Info.bckup")).unwrap();
    });
    assert_eq!((lines.len(), opens), (2, false));
}

/// A binary property list of a dictionary, by Apple's description of the format: objects, the table of where each is, and what
/// is where.
fn binary(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"bplist00".to_vec();
    let mut places = Vec::new();
    for object in objects {
        places.extend(u16::try_from(bytes.len()).unwrap().to_be_bytes());
        bytes.extend(object);
    }
    let table = bytes.len() as u64;
    bytes.extend(places);
    bytes.extend([0, 0, 0, 0, 0, 0, 2, 1]);
    for number in [objects.len() as u64, 0, table] {
        bytes.extend(number.to_be_bytes());
    }
    bytes
}

/// The objects of a description: the dictionary, its keys and its values.
fn described(len_bytes: u32) -> Vec<Vec<u8>> {
    let text =
        |text: &str| [&[0x5f, 0x10, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let number = |number: u32| [&[0x12][..], &number.to_be_bytes()].concat();
    vec![
        [&[0xd5][..], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]].concat(),
        text("CFBundleInfoDictionaryVersion"),
        text("band-size"),
        text("bundle-backingstore-version"),
        text("diskimage-bundle-type"),
        text("size"),
        text("6.0"),
        number(4096),
        number(1),
        text("com.apple.diskimage.sparsebundle"),
        number(len_bytes),
    ]
}

#[test]
fn a_binary_description_is_read_and_one_that_would_fill_the_memory_is_not() {
    let with =
        |bytes: Vec<u8>| after(move |path| fs::write(path.join("Info.plist"), &bytes).unwrap());
    assert_eq!(with(binary(&described(20480))), (vec![], true));
    // It is this one that is read, and the other is there.
    one(with(binary(&described(40960))), "name two lengths", true);
    let mut long = described(20480);
    long.push([&[0x4f, 0x11, 0x10, 0][..], &[0; 4096]].concat());
    // Each list holds the next one fifteen times.
    let mut deep = described(20480);
    deep.extend((11..26).map(|next| [&[0xaf][..], &[0x10, 15], &[next + 1; 15]].concat()));
    deep.push(vec![0x09]);
    let mut astray = binary(&described(20480));
    let end = astray.len();
    astray[end - 8..].fill(0xff);
    let mut many = binary(&described(20480));
    many[end - 24..end - 16].fill(0xff);
    for bytes in
        [binary(&long), binary(&deep), astray, many, b"bplist00".to_vec(), b"bplist".to_vec()]
    {
        one(with(bytes), "Info.plist: it is not a property list", true);
    }
}

#[test]
fn files_that_are_no_bands_are_named() {
    let bands = |name: &'static str, length: usize| {
        after(move |path| fs::write(path.join("bands").join(name), vec![1; length]).unwrap())
    };
    for name in ["x", "0x1", "+1", "1.tmp", "1 2", ".1.x7Q2pK", ".3.icloud", ".syncthing.3.tmp"] {
        one(bands(name, 1), "may be a renamed one", false);
    }
    for name in ["00", "01"] {
        one(bands(name, 1), "are the same band", false);
    }
    one(bands("fffffffffffffffff", 1), "is beyond the disk's end", false);
    one(bands("5", 1), "bands/5 is beyond the disk's end: its last band is 4", false);
    one(bands("ffffffffffffffff", 1), "is beyond the disk's end", false);
    one(bands("3", 4097), "bands/3 is 4097 bytes long, longer than a band of 4096", false);
    let folder = after(|path| fs::create_dir(path.join("bands/3")).unwrap());
    one(folder, "bands/3 is not a regular file", false);
    let link =
        after(|path| std::os::unix::fs::symlink("/etc/hosts", path.join("bands/3")).unwrap());
    one(link, "bands/3 is not a regular file", false);
    one(after(|path| fs::remove_dir_all(path.join("bands")).unwrap()), "folder bands", false);
    one(after(|path| fs::remove_file(path.join("token")).unwrap()), "token is missing", false);
}

#[test]
fn a_link_out_of_a_bundle_is_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("0"), [7; 4096]).unwrap();
    for (name, target, said) in [
        ("bands", elsewhere.path().to_owned(), "the folder bands is missing (a link"),
        ("token", elsewhere.path().join("0"), "token is missing (a link"),
        ("lock", elsewhere.path().join("new"), "lock is not a regular file"),
    ] {
        let (_folder, path) = place();
        drop(plain(&path, 5 * BAND, BAND));
        let link = path.join(name);
        drop(fs::remove_file(&link));
        drop(fs::remove_dir_all(&link));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let error = SparseBundle::open(&path, Access::Write, None).err().unwrap().to_string();
        assert!(error.starts_with(said), "{name}: {error}");
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn a_second_folder_of_bands_is_named_and_other_folders_are_not() {
    for name in ["bands (1)", "Bands", "bands 2", "bands.conflict"] {
        let (found, opened) = after(|path| fs::create_dir(path.join(name)).unwrap());
        one((found, opened), &format!("{name} lies beside bands"), false);
    }
    for name in ["mapped", "@eaDir", "com.apple.TimeMachine.Results"] {
        let (found, opened) = after(|path| fs::create_dir(path.join(name)).unwrap());
        assert!(found.is_empty() && opened, "{name}: {found:?}");
    }
    let (found, opened) = after(|path| fs::write(path.join("bands.txt"), "notes").unwrap());
    assert!(found.is_empty() && opened, "{found:?}");
}

#[test]
fn a_band_is_read_by_any_spelling_of_its_number_and_what_systems_leave_is_passed_over() {
    // The content of 11 bands is known; bands 1 and 10 get other names, and the last one is as long as a band.
    let (_folder, path) = place();
    let mut disk = plain(&path, 11 * BAND - 512, BAND);
    let expected = content(5, 11 * BAND - 512);
    disk.write_at(&expected, 0).unwrap();
    drop(disk);
    let folder = path.join("bands");
    fs::rename(folder.join("1"), folder.join("00000001")).unwrap();
    fs::rename(folder.join("a"), folder.join("0A")).unwrap();
    let last = fs::OpenOptions::new().write(true).open(folder.join("0A")).unwrap();
    last.set_len(BAND).unwrap();
    for name in [".DS_Store", "._00000001", "._2"] {
        fs::write(folder.join(name), [7; 4096]).unwrap();
    }
    fs::create_dir(folder.join("@eaDir")).unwrap();
    fs::write(folder.join("@eaDir/1"), [7; 512]).unwrap();
    sound(&path);
    assert_eq!(left(&path).unwrap(), [".DS_Store", "._00000001", "._2", "@eaDir"]);
    let mut disk = again(&path);
    assert_same(&mut disk, &expected);
    // They keep their names, and lose their files by them.
    disk.write_at(&[9; 8], BAND).unwrap();
    disk.discard(10 * BAND, BAND - 512).unwrap();
    disk.compact().unwrap();
    assert_eq!(&fs::read(folder.join("00000001")).unwrap()[..8], [9; 8]);
    assert!(!folder.join("0A").exists() && !folder.join("1").exists());
    drop(disk);
    sound(&path);
}

#[test]
fn content_behind_the_end_of_the_disk_is_damage_and_zeros_there_are_none() {
    let create: [fn(&Path) -> SparseBundle; 2] = [
        |path| plain(path, 2 * BAND + 512, BAND),
        |path| encrypted::create(path, 2 * BAND + 512, BAND),
    ];
    for (number, create) in create.into_iter().enumerate() {
        let (_folder, path) = place();
        let keys = || (number == 1).then(|| encrypted::keys_of(&path));
        let mut disk = create(&path);
        disk.write_at(&[1; 512], 2 * BAND).unwrap();
        drop(disk);
        // A band that is as long as any other: what is behind the end was never written.
        let band = fs::OpenOptions::new().write(true).open(path.join("bands/2")).unwrap();
        band.set_len(BAND).unwrap();
        assert_eq!(check(&path, keys()).unwrap(), []);
        SparseBundle::open(&path, Access::Read, keys()).unwrap();
        for place in [BAND - 1, 512] {
            band.write_all_at(&[1], place).unwrap();
            let found = check(&path, keys()).unwrap();
            assert!(
                found.len() == 1 && found[0].0.contains("behind the disk's end at 512"),
                "{found:?}"
            );
            let refused = SparseBundle::open(&path, Access::Read, keys()).map(|_| ());
            assert_eq!(refused.unwrap_err().kind(), Kind::Damaged);
        }
    }
}

#[test]
fn a_band_that_is_no_whole_number_of_encrypted_blocks_is_named() {
    let (_folder, path) = place();
    drop(plain(&path, 5 * BAND, BAND));
    fs::write(path.join("bands/2"), [1; 700]).unwrap();
    sound(&path);
    let found = check(&path, Some(encrypted::new_keys())).unwrap();
    assert!(found.len() == 1 && found[0].0.contains("not a whole number of encrypted blocks"));
}

#[test]
fn a_band_that_is_cut_while_it_is_read_is_named() {
    let create: [fn(&Path) -> SparseBundle; 2] =
        [|path| plain(path, 20 * BAND, BAND), |path| encrypted::create(path, 20 * BAND, BAND)];
    for create in create {
        let (_folder, path) = place();
        let mut disk = create(&path);
        disk.write_at(&[1; 20 * 4096], 0).unwrap();
        disk.flush(Durability::None).unwrap();
        let band = fs::OpenOptions::new().write(true).open(path.join("bands/11")).unwrap();
        band.set_len(1000).unwrap();
        let failed = disk.read_at(&mut [0; 20 * 4096], 0).unwrap_err();
        assert_eq!(failed.kind(), Kind::Damaged);
        assert!(
            failed.to_string().starts_with("bands/11 became shorter while it was read"),
            "{failed}"
        );
    }
}
