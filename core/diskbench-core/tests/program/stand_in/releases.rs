//! What each release knows.

use crate::common::Ended;
use crate::common::stand_in::Mac;

fn blank(mac: &Mac, name: &str, options: &[&str]) -> Ended {
    let place = mac.place(name);
    let mut arguments = vec!["image", "create", "blank", "--size", "20000768"];
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
        assert_eq!(help.stdout.contains("ASIF"), asif, "{macos} {help:?}");
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
