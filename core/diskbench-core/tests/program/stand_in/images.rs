//! Images that are made, attached and detached.

use std::fs;
use std::path::Path;

use super::{attach, create, entities, image, small};
use crate::common::stand_in::Mac;

#[test]
fn a_large_image_has_a_slice_for_efi() {
    let mac = Mac::new(&["--macos", "15"]);
    let image = mac.place("big.sparseimage");
    mac.call("hdiutil", &create("SPARSE", "25165824", &image)).good();
    mac.call("hdiutil", &["attach", "-nomount", &image]).good();
    let keys = mac.call("hdiutil", &["info", "-plist"]).keys();
    let images = keys["images"].as_array().unwrap();
    let attached = images[0].as_dictionary().unwrap();
    // The capture of macOS 15, device numbers aside.
    let hints: Vec<String> =
        entities(attached).into_iter().filter_map(|(_, hint, _)| hint).collect();
    assert_eq!(
        hints,
        [
            "GUID_partition_scheme",
            "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
            "7C3457EF-0000-11AA-AA11-00306543ECAC",
            "EF57347C-0000-11AA-AA11-00306543ECAC",
            "41504653-0000-11AA-AA11-00306543ECAC"
        ]
    );
    assert_eq!(attached["blockcount"].as_unsigned_integer(), Some(25_165_824));
    assert_eq!(attached["image-type"].as_string(), Some("sparse disk image"));
    assert_eq!(attached["image-path"].as_string(), Some(image.as_str()));
    for (key, value) in [("diskimages2", false), ("image-encrypted", false), ("writeable", true)] {
        assert_eq!(attached[key].as_boolean(), Some(value), "{key}");
    }
    let known = [
        "autodiskmount",
        "blockcount",
        "blocksize",
        "diskimages2",
        "hdid-pid",
        "icon-path",
        "image-encrypted",
        "image-path",
        "image-type",
        "owner-uid",
        "removable",
        "system-entities",
        "writeable",
    ];
    assert!(attached.keys().eq(known), "{attached:?}");
}

#[test]
fn the_content_of_an_image_that_is_gone_is_thrown_away() {
    let mac = Mac::new(&[]);
    let volumes = || fs::read_dir(mac.folder().join("state/volumes")).unwrap().count();
    let (kept, at) = image(&mac, "UDIF", "kept.dmg");
    let gone = small(&mac, "gone.dmg");
    for image in [&kept, &gone] {
        attach(&mac, image, &at);
        mac.call("hdiutil", &["detach", &at]).good();
    }
    assert_eq!(volumes(), 2);
    fs::remove_file(&gone).unwrap();
    small(&mac, "next.dmg");
    assert_eq!(volumes(), 1);
}

#[test]
fn a_call_that_was_killed_leaves_a_mount_that_the_next_call_finishes() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    fs::write(Path::new(&at).join("thesis"), "content").unwrap();
    // As if it had been killed between taking the volume back and forgetting the device.
    let home = mac.folder().join("state/volumes/volume-1");
    fs::rename(&at, &home).unwrap();
    fs::create_dir(&at).unwrap();
    mac.call("hdiutil", &["info", "-plist"]).keys();
    assert_eq!(fs::read(Path::new(&at).join("thesis")).unwrap(), b"content");
    mac.call("hdiutil", &["detach", &at]).good();
}
