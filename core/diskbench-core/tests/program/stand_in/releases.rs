//! What each release knows.

use super::image;
use crate::common::stand_in::{Mac, Told};

const RELEASES: [&str; 5] = ["13", "14", "15", "26", "27"];

fn blank(mac: &Mac, name: &str, options: &[&str]) -> Told {
    let place = mac.place(name);
    let mut arguments = vec!["image", "create", "blank", "--size", "20M"];
    arguments.extend(options);
    arguments.push(&place);
    mac.call("diskutil", &arguments)
}

#[test]
fn what_diskutil_image_can_make_depends_on_the_release() {
    for (macos, raw, asif) in [
        ("13", false, false),
        ("14", true, false),
        ("15", true, false),
        ("26", true, true),
        ("27", true, true),
    ] {
        let mac = Mac::new(&["--macos", macos]);
        assert_eq!(blank(&mac, "a.dmg", &["--format", "RAW"]).code == 0, raw, "{macos}");
        assert_eq!(blank(&mac, "b.sparsebundle", &["--format", "UDSB"]).code == 0, raw, "{macos}");
        assert_eq!(blank(&mac, "a.asif", &["--format", "ASIF"]).code == 0, asif, "{macos}");
        let help = mac.call("diskutil", &["image", "create", "blank", "--help"]);
        assert_eq!(help.out.contains("ASIF"), asif, "{macos} {help:?}");
        assert_eq!(mac.call("diskutil", &["image", "attach", "--help"]).code, 0, "{macos}");
        // No release makes UDSP here.
        assert_ne!(blank(&mac, "d.sparseimage", &["--format", "UDSP"]).code, 0, "{macos}");
    }
}

#[test]
fn asif_is_attached_by_diskutil_from_15_on_and_never_by_hdiutil() {
    let maker = Mac::new(&[]);
    let place = maker.place("a.asif");
    assert_eq!(blank(&maker, "a.asif", &["--format", "ASIF"]).code, 0);
    for (macos, attaches) in
        [("13", false), ("14", false), ("15", true), ("26", true), ("27", true)]
    {
        let mac = Mac::new(&["--macos", macos]);
        let told = mac.call("diskutil", &["image", "attach", "--noMount", &place]);
        assert_eq!(told.code == 0, attaches, "{macos} {told:?}");
        mac.call("diskutil", &["eject", "disk4"]);
        assert_eq!(mac.call("hdiutil", &["attach", "-nomount", &place]).code, 1, "{macos}");
    }
}

#[test]
fn hdiutil_works_on_every_release_and_27_warns_on_stderr_alone() {
    for macos in RELEASES {
        let mac = Mac::new(&["--macos", macos]);
        let (image, at) = image(&mac, "SPARSE", "a.sparseimage");
        let attached = ["attach", "-plist", "-nobrowse", "-mountpoint", &at, &image];
        let attached = mac.call("hdiutil", &attached);
        let detached = mac.call("hdiutil", &["detach", "disk4"]);
        assert!(attached.keys().contains_key("system-entities"));
        assert_eq!(detached.out, "\"disk4\" ejected.\n");
        let (on_attach, on_detach) = if macos == "27" {
            (
                "hdiutil: WARNING: 'hdiutil attach -nobrowse ...' is deprecated. Please use \
                 'diskutil image attach --mountOptions nobrowse ...' instead.\n",
                "hdiutil: WARNING: 'hdiutil detach ...' is deprecated. Please use 'diskutil eject ...' instead.\n",
            )
        } else {
            ("", "")
        };
        assert_eq!((attached.code, attached.err.as_str()), (0, on_attach), "{macos}");
        assert_eq!((detached.code, detached.err.as_str()), (0, on_detach), "{macos}");
    }
}

#[test]
fn a_warning_stands_before_what_went_wrong() {
    let mac = Mac::new(&["--macos", "27"]);
    let told = mac.call("hdiutil", &["detach", "disk9"]);
    let lines: Vec<&str> = told.err.lines().collect();
    assert!(lines[0].contains("WARNING: 'hdiutil detach ...' is deprecated"));
    assert_eq!(lines[1], "hdiutil: detach failed - No such file or directory");
    assert_eq!((told.code, lines.len()), (1, 2));
}

/// A job of GitHub on macOS 26 asked for a folder in which no volume was mounted (Aquaticat/Monochromatic).
#[test]
fn diskutil_tells_what_it_cannot_find_in_its_output_and_from_26_on_by_its_exit_code() {
    for (macos, code) in [("15", 0), ("26", 1)] {
        let told = Mac::new(&["--macos", macos]).call("diskutil", &["info", "-plist", "disk99"]);
        assert_eq!((told.code, told.err.as_str()), (code, ""), "{macos}");
        for line in ["<key>Error</key>", "<string>Could not find disk: disk99</string>"] {
            assert!(told.out.contains(line), "{told:?}");
        }
    }
}

#[test]
fn diskutil_makes_a_mount_point_from_27_on_and_takes_it_away() {
    for (macos, makes) in [("15", false), ("26", false), ("27", true)] {
        let mac = Mac::new(&["--macos", macos]);
        assert_eq!(blank(&mac, "a.dmg", &["--format", "RAW", "--volumeName", "X"]).code, 0);
        let at = mac.place("new");
        let image = mac.place("a.dmg");
        let told = mac.call("diskutil", &["image", "attach", "--mountPoint", &at, &image]);
        assert_eq!(told.code == 0, makes, "{macos} {told:?}");
        assert_eq!(std::path::Path::new(&at).exists(), makes);
        mac.call("diskutil", &["eject", "disk4"]);
        assert!(!std::path::Path::new(&at).exists());
        let nowhere = mac.place("no/such/parent");
        let told = mac.call("diskutil", &["image", "attach", "--mountPoint", &nowhere, &image]);
        assert_eq!(told.code, 1, "{macos}");
    }
}

#[test]
fn diskutil_s_devices_have_bare_names_and_friendly_hints() {
    let mac = Mac::new(&[]);
    assert_eq!(blank(&mac, "a.asif", &["--format", "ASIF", "--volumeName", "X"]).code, 0);
    let at = mac.new_folder("volume");
    let image = mac.place("a.asif");
    let options = [
        "image",
        "attach",
        "--plist",
        "--mountOptions",
        "nobrowse,noowners",
        "--mountPoint",
        &at,
        &image,
    ];
    let found = super::entities(&mac.call("diskutil", &options).keys());
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, hint, _)| (name.as_str(), hint.as_deref().unwrap())).collect();
    assert_eq!(
        found,
        [
            ("disk4", "GUID_partition_scheme"),
            ("disk4s1", "Apple_APFS"),
            ("disk5", "Apple_APFS_Container"),
            ("disk5s1", "Apple_APFS_Volume")
        ]
    );
    assert!(mac.call("diskutil", &["image", "info", &image]).keys().contains_key("Image Format"));
}
