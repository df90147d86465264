//! Images that are made, attached, detached and compacted.

use std::fs;
use std::path::Path;

use super::{attach, entities, image, on_disk};
use crate::common::stand_in::Mac;
use plist::Value;

/// GPT, physical store, container with a number of its own, volume.
const APFS_HINTS: [&str; 4] = [
    "GUID_partition_scheme",
    "Apple_APFS",
    "EF57347C-0000-11AA-AA11-00306543ECAC",
    "41504653-0000-11AA-AA11-00306543ECAC",
];

#[test]
fn an_image_becomes_four_devices_and_its_volume_is_mounted_where_asked() {
    for (kind, name) in
        [("UDIF", "a.dmg"), ("SPARSE", "a.sparseimage"), ("SPARSEBUNDLE", "a.sparsebundle")]
    {
        let mac = Mac::new(&[]);
        let (image, at) = image(&mac, kind, name);
        let found = entities(&attach(&mac, &image, &at));
        let names: Vec<&str> = found.iter().map(|(name, _, _)| name.as_str()).collect();
        assert_eq!(names, ["/dev/disk4", "/dev/disk4s1", "/dev/disk5", "/dev/disk5s1"]);
        let hints: Vec<&str> = found.iter().filter_map(|(_, hint, _)| hint.as_deref()).collect();
        assert_eq!(hints, APFS_HINTS);
        assert_eq!(found[3].2.as_deref(), Some(at.as_str()));
        assert!(found[..3].iter().all(|(_, _, at)| at.is_none()));

        fs::write(Path::new(&at).join("thesis"), "content").unwrap();
        assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).good(), "\"disk4\" ejected.\n");
        assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
        attach(&mac, &image, &at);
        assert_eq!(fs::read(Path::new(&at).join("thesis")).unwrap(), b"content");
        assert_eq!(mac.call("hdiutil", &["detach", &at]).good(), "\"disk4\" ejected.\n");
        assert!(mac.attached().is_empty());
    }
}

#[test]
fn a_large_image_has_a_slice_for_efi() {
    let mac = Mac::new(&[]);
    let image = mac.place("big.sparseimage");
    mac.call("hdiutil", &["create", "-size", "12g", "-type", "SPARSE", &image]).good();
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
fn nothing_attached_is_no_key_and_no_registry_entry() {
    let mac = Mac::new(&["--macos", "15"]);
    let keys = mac.call("hdiutil", &["info", "-plist"]).keys();
    // The root of the capture of macOS 15, without images.
    assert!(keys.keys().eq(["framework", "revision", "vendor"]), "{keys:?}");
    assert_eq!(keys["framework"].as_string(), Some("683.100.3"));
    let registry = ["-r", "-c", "AppleDiskImageDevice", "-l", "-w0", "-a"];
    assert_eq!(mac.call("ioreg", &registry).good(), "");
}

#[test]
fn other_file_systems_and_no_partition_table_have_other_devices() {
    let mac = Mac::new(&[]);
    let attached = |name: &str, options: &[&str]| {
        let image = mac.place(name);
        let mut arguments = vec!["create", "-size", "50m", "-type", "UDIF"];
        arguments.extend(options);
        arguments.push(&image);
        mac.call("hdiutil", &arguments).good();
        let found =
            entities(&mac.call("hdiutil", &["attach", "-plist", "-nomount", &image]).keys());
        mac.call("hdiutil", &["detach", "disk4"]).good();
        found.into_iter().map(|(name, hint, _)| (name, hint.unwrap())).collect::<Vec<_>>()
    };
    let is = |found: &[(String, String)], expected: &[(&str, &str)]| {
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, hint)| (name.as_str(), hint.as_str())).collect();
        assert_eq!(found, expected);
    };
    let gpt = ("/dev/disk4", "GUID_partition_scheme");
    is(&attached("hfs.dmg", &["-fs", "HFS+J"]), &[gpt, ("/dev/disk4s1", "Apple_HFS")]);
    let exfat = attached("exfat.dmg", &["-fs", "ExFAT"]);
    is(&exfat, &[gpt, ("/dev/disk4s1", "Microsoft Basic Data")]);
    let bare = attached("bare.dmg", &["-layout", "NONE", "-fs", "APFS"]);
    is(
        &bare,
        &[("/dev/disk4", ""), ("/dev/disk5", APFS_HINTS[2]), ("/dev/disk5s1", APFS_HINTS[3])],
    );
    // A layout without a file system: nothing but a disk, and nothing to mount.
    let image = mac.place("none.dmg");
    mac.call("hdiutil", &["create", "-size", "50m", "-layout", "GPTSPUD", &image]).good();
    let refused = mac.call("hdiutil", &["attach", &image]);
    assert_eq!(refused.refusal(), (1, "hdiutil: attach failed - no mountable file systems"));
    assert!(mac.attached().is_empty());
}

#[test]
fn an_attached_image_is_given_as_it_is() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "SPARSEBUNDLE", "a.sparsebundle");
    let first = attach(&mac, &image, &at);
    let other = mac.new_folder("other");
    assert_eq!(attach(&mac, &image, &other), first);
    assert_eq!(mac.attached().len(), 1);
}

#[test]
fn the_registry_names_the_image_and_its_devices_below_it() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a b.dmg");
    attach(&mac, &image, &at);
    let told = mac.call("ioreg", &["-r", "-c", "AppleDiskImageDevice", "-l", "-w0", "-a"]);
    let devices = Value::from_reader_xml(told.good().as_bytes()).unwrap().into_array().unwrap();
    assert_eq!(devices.len(), 1);
    let url = devices[0].as_dictionary().unwrap()["DiskImageURL"].as_string().unwrap();
    assert_eq!(url, format!("file://{}", image.replace(' ', "%20")));
    let mut whole = Vec::new();
    disks(&devices[0], &mut whole);
    assert_eq!(whole, ["disk4", "disk5"]);
}

#[test]
fn udsp_can_be_served_by_the_older_driver() {
    let mac = Mac::new(&["--hdix-for-udsp"]);
    let (image, at) = image(&mac, "SPARSE", "a.sparseimage");
    attach(&mac, &image, &at);
    let told = |class: &str| mac.call("ioreg", &["-r", "-c", class, "-l", "-a"]).good().to_owned();
    assert_eq!(told("AppleDiskImageDevice"), "");
    assert!(told("IOHDIXHDDriveOutKernel").contains("<key>image-path</key>"));
    assert!(mac.call("hdiutil", &["info", "-plist"]).good().contains(&image));
}

#[test]
fn a_look_alike_is_attached_by_somebody_else_and_kept_apart() {
    let mac = Mac::new(&[]);
    let theirs = mac.place("image.sparsebundle");
    mac.attach_foreign(&theirs);
    let attached = mac.attached();
    assert_eq!(attached[0]["image"].as_str(), Some(theirs.as_str()));
    assert_eq!(attached[0]["foreign"].as_bool(), Some(true));
    // Nothing is mounted where somebody has files.
    let (ours, at) = image(&mac, "UDIF", "ours.dmg");
    fs::write(Path::new(&at).join("thesis"), "content").unwrap();
    assert_eq!(mac.call("hdiutil", &["attach", "-mountpoint", &at, &ours]).code, 1);
    assert_eq!(fs::read(Path::new(&at).join("thesis")).unwrap(), b"content");
    assert_eq!(mac.attached().len(), 1);
}

/// The whole disks below an entry.
fn disks(entry: &Value, found: &mut Vec<String>) {
    let keys = entry.as_dictionary().unwrap();
    if keys.get("Whole").and_then(Value::as_boolean) == Some(true) {
        found.push(keys["BSD Name"].as_string().unwrap().to_owned());
    }
    for child in keys.get("IORegistryEntryChildren").and_then(Value::as_array).into_iter().flatten()
    {
        disks(child, found);
    }
}

#[test]
fn names_are_completed_and_what_is_there_is_refused() {
    let mac = Mac::new(&[]);
    let bare = mac.place("x");
    let create =
        |place: &str| mac.call("hdiutil", &["create", "-size", "20m", "-type", "SPARSE", place]);
    assert_eq!(create(&bare).good(), format!("created: {bare}.sparseimage\n"));
    assert_eq!(create(&bare).refusal(), (1, "hdiutil: create failed - File exists"));
    let told = mac.call("hdiutil", &["create", "-size", "20m", "-ov", "-type", "SPARSE", &bare]);
    assert_eq!(told.code, 0);
    let wrong = mac.call("hdiutil", &["create", "-size", "20m", "-type", "UDRW", &bare]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.err.contains("invalid argument for -type"), "{wrong:?}");
    let unknown = mac.call("hdiutil", &["attach", "-frobnicate", &bare]);
    assert_eq!((unknown.code, unknown.out.as_str()), (1, ""));
}

#[test]
fn sizes_are_binary_with_hdiutil_and_decimal_with_diskutil() {
    let mac = Mac::new(&[]);
    let (binary, decimal, asif) = (mac.place("b.dmg"), mac.place("d.dmg"), mac.place("a.asif"));
    mac.call("hdiutil", &["create", "-size", "20m", "-type", "UDIF", &binary]).good();
    assert_eq!(fs::metadata(&binary).unwrap().len(), 20 * 1024 * 1024);
    let blank = |format: &str, size: &str, place: &str| {
        let options = ["image", "create", "blank", "--format", format, "--size", size, place];
        let told = mac.call("diskutil", &options);
        assert_eq!(told.good().lines().last().unwrap(), format!("{place} created"));
    };
    blank("RAW", "20M", &decimal);
    // Whole sectors.
    assert_eq!(fs::metadata(&decimal).unwrap().len(), 20_000_256);
    blank("ASIF", "50G", &asif);
    let info = mac.call("diskutil", &["image", "info", "--plist", &asif]).keys();
    let sizes = info["Size Info"].as_dictionary().unwrap();
    // 50 GB become 50,000,003,072.
    assert_eq!(sizes["Total Bytes"].as_unsigned_integer(), Some(50_000_003_072));
    assert_eq!(info["Image Format"].as_string(), Some("ASIF"));
}

#[test]
fn a_band_has_the_size_that_is_asked_for() {
    let mac = Mac::new(&[]);
    let place = mac.place("a.sparsebundle");
    let key = "sparse-band-size=4096";
    let options = ["create", "-size", "100m", "-type", "SPARSEBUNDLE", "-imagekey", key, &place];
    mac.call("hdiutil", &options).good();
    let text = fs::read_to_string(Path::new(&place).join("Info.plist")).unwrap();
    // 4096 sectors.
    assert!(text.contains("<integer>2097152</integer>"), "{text}");
}

#[test]
fn an_image_grows_when_it_is_detached_and_gives_back_when_it_is_compacted() {
    for (kind, name) in [("SPARSE", "a.sparseimage"), ("SPARSEBUNDLE", "a.sparsebundle")] {
        let mac = Mac::new(&[]);
        let (image, at) = image(&mac, kind, name);
        let image = Path::new(&image);
        let fresh = on_disk(image);
        attach(&mac, image.to_str().unwrap(), &at);
        let file = Path::new(&at).join("file");
        fs::write(&file, vec![1; 40 << 20]).unwrap();
        let busy = mac.call("hdiutil", &["compact", image.to_str().unwrap()]);
        assert!(busy.err.ends_with("Resource temporarily unavailable\n"), "{busy:?}");
        mac.call("hdiutil", &["detach", &at]).good();
        let full = on_disk(image);
        assert!(full.0 >= fresh.0 + 40 * 4096, "{name} {full:?}");
        if kind == "SPARSEBUNDLE" {
            // 41 MB in bands of 8 MB.
            assert_eq!(full.1 - fresh.1, 5);
        }
        attach(&mac, image.to_str().unwrap(), &at);
        fs::remove_file(file).unwrap();
        mac.call("hdiutil", &["detach", &at]).good();
        assert_eq!(on_disk(image).1, full.1);
        let told = mac.call("hdiutil", &["compact", image.to_str().unwrap()]);
        // The ellipsis is one character.
        assert!(told.good().starts_with("Starting to compact…\nReclaiming free space…\n..."));
        assert!(told.out.ends_with(" out of 100.0 MB possible.\n"), "{told:?}");
        assert!(on_disk(image).0 < full.0, "{name}");
    }
}

#[test]
fn compacting_is_refused_on_battery_and_for_images_that_cannot() {
    let mac = Mac::new(&["--mac", "macbook-pro-m3-pro", "--on-battery"]);
    let (sparse, _) = image(&mac, "SPARSE", "a.sparseimage");
    let refused = mac.call("hdiutil", &["compact", &sparse]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("-batteryallowed"));
    mac.call("hdiutil", &["compact", "-batteryallowed", &sparse]).good();
    let raw = mac.place("a.dmg");
    mac.call("hdiutil", &["create", "-size", "20m", "-type", "UDIF", &raw]).good();
    let asif = mac.place("a.asif");
    mac.call("diskutil", &["image", "create", "blank", "--format", "ASIF", "--size", "20M", &asif])
        .good();
    for image in [raw, asif] {
        assert_eq!(mac.call("hdiutil", &["compact", "-batteryallowed", &image]).code, 1);
    }
    let exfat = mac.place("x.sparseimage");
    let options = ["create", "-size", "20m", "-type", "SPARSE", "-fs", "ExFAT", &exfat];
    mac.call("hdiutil", &options).good();
    let told = mac.call("hdiutil", &["compact", "-batteryallowed", &exfat]);
    assert!(told.good().ends_with("Reclaimed 0 bytes out of 0 bytes possible.\n"));
}

#[test]
fn the_content_of_an_image_that_is_gone_is_thrown_away_and_that_of_a_renamed_one_is_not() {
    let mac = Mac::new(&[]);
    let (first, at) = image(&mac, "UDIF", "first.dmg");
    attach(&mac, &first, &at);
    fs::write(Path::new(&at).join("kept"), "content").unwrap();
    mac.call("hdiutil", &["detach", &at]).good();
    let renamed = mac.place("renamed.dmg");
    fs::rename(&first, &renamed).unwrap();
    let volumes = || fs::read_dir(mac.folder().join("state/volumes")).unwrap().count();
    let gone = mac.place("gone.dmg");
    mac.call("hdiutil", &["create", "-size", "20m", &gone]).good();
    attach(&mac, &gone, &at);
    mac.call("hdiutil", &["detach", &at]).good();
    assert_eq!(volumes(), 2);
    fs::remove_file(&gone).unwrap();
    mac.call("hdiutil", &["create", "-size", "20m", &mac.place("next.dmg")]).good();
    assert_eq!(volumes(), 1);
    attach(&mac, &renamed, &at);
    assert_eq!(fs::read(Path::new(&at).join("kept")).unwrap(), b"content");
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
