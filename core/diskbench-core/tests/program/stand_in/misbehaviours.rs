//! Each misbehaviour that can be ordered, once.

use std::path::Path;

use super::{attach, entities, image};
use crate::common::stand_in::Mac;

const BUSY: (i32, &str) = (16, "hdiutil: couldn't eject \"disk4\" - Resource busy");
const GONE: (i32, &str) = (1, "hdiutil: detach failed - No such file or directory");

fn attached() -> (Mac, String, String) {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    (mac, image, at)
}

#[test]
fn a_busy_device_is_busy_so_many_times_and_not_when_forced() {
    let (mac, image, at) = attached();
    mac.order("busy-detach", 2);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    assert_eq!(mac.call("hdiutil", &["detach", &at]).refusal(), BUSY);
    mac.call("hdiutil", &["detach", "disk4"]).good();
    attach(&mac, &image, &at);
    mac.order("busy-detach", 9);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    mac.call("hdiutil", &["detach", "disk4", "-force"]).good();
    assert!(mac.attached().is_empty());
}

#[test]
fn a_device_can_go_away_behind_a_failure() {
    let (mac, ..) = attached();
    mac.order("gone-after-detach", 1);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    assert!(mac.attached().is_empty());
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), GONE);
}

#[test]
fn a_number_can_be_somebody_else_s_at_once() {
    let (mac, ..) = attached();
    mac.order("gone-after-detach", 1);
    mac.order("reuse-numbers", 1);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    let left = mac.attached();
    assert_eq!((left.len(), left[0]["disk"].as_str()), (1, Some("disk4")));
    assert_eq!(left[0]["foreign"].as_bool(), Some(true));
}

#[test]
fn disk_arbitration_can_take_too_long() {
    let (mac, ..) = attached();
    mac.order("detach-timeout", 1);
    let refused = mac.call("hdiutil", &["detach", "disk4"]);
    assert_eq!(refused.refusal(), (1, "hdiutil: detach: timeout for DiskArbitration expired"));
    assert_eq!(mac.attached().len(), 1);
}

#[test]
fn only_diskutil_may_be_able_to_detach() {
    let (mac, ..) = attached();
    mac.order("always-busy-hdiutil-detach", 1);
    for call in [&["detach", "disk4"][..], &["detach", "disk4", "-force"]] {
        let refused = mac.call("hdiutil", call);
        assert_eq!(refused.refusal(), (16, "hdiutil: couldn't unmount \"disk4\" - Resource busy"));
    }
    assert_eq!(mac.call("diskutil", &["eject", "disk4"]).good(), "Disk disk4 ejected\n");
}

#[test]
fn diskutil_tells_on_stdout_who_holds_a_volume() {
    let (mac, ..) = attached();
    mac.order("eject-dissent", 1);
    let told = mac.call("diskutil", &["eject", "disk4"]);
    assert_eq!((told.code, told.err.as_str()), (1, ""));
    let lines: Vec<&str> = told.out.lines().collect();
    assert_eq!(lines[0], "Unmount of disk4 failed: at least one volume could not be unmounted");
    assert!(lines[1].starts_with("Unmount was dissented by PID 20848 (/System/Library/"));
    assert_eq!(lines[2], "Dissenter parent PPID 1 (/sbin/launchd)");
    let told = mac.call("diskutil", &["unmountDisk", "force", "disk4"]);
    assert_eq!(told.good(), "Forced unmount of all volumes on disk4 was successful\n");
    let told = mac.call("diskutil", &["eject", "/dev/disk5"]);
    assert_eq!(told.good(), "Disk disk4 ejected\n");
}

#[test]
fn a_failed_attach_can_leave_its_device() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    mac.order("leave-attached", 1);
    let refused = mac.call("hdiutil", &["attach", "-mountpoint", &at, &image]);
    assert_eq!(refused.refusal(), (1, "hdiutil: attach failed - Resource busy"));
    assert_eq!(mac.attached().len(), 1);
    mac.call("hdiutil", &["detach", "disk4"]).good();
    mac.order("helper-error", 1);
    let refused = mac.call("diskutil", &["image", "attach", "--mountPoint", &at, &image]);
    // With its curly apostrophe.
    let line = "Error: Couldn’t communicate with a helper application.";
    assert_eq!(refused.refusal(), (1, line));
    assert_eq!(mac.attached().len(), 1);
}

#[test]
fn an_image_can_be_locked_and_making_one_busy() {
    for (macos, code) in [("15", 1), ("26", 35)] {
        let mac = Mac::new(&["--macos", macos]);
        mac.order("resource-busy-create", 1);
        let place = mac.place("a.dmg");
        let refused = mac.call("hdiutil", &["create", "-size", "20m", &place]);
        assert_eq!(refused.refusal(), (1, "hdiutil: create failed - Resource busy"));
        mac.call("hdiutil", &["create", "-size", "20m", &place]).good();
        mac.order("locked-attach", 1);
        let refused = mac.call("hdiutil", &["attach", "-nomount", &place]);
        let line = "hdiutil: attach failed - Resource temporarily unavailable";
        assert_eq!(refused.refusal(), (code, line));
        mac.call("hdiutil", &["attach", "-nomount", &place]).good();
    }
}

#[test]
fn entities_come_in_any_order() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    mac.order("shuffle-entities", 1);
    let found = entities(&attach(&mac, &image, &at));
    assert_eq!(found[0], ("/dev/disk5s1".to_owned(), None, Some(at)));
    assert_eq!(found[3].0, "/dev/disk4");
}

#[test]
fn the_inventory_can_be_short() {
    let (mac, image, _) = attached();
    mac.order("truncate-info", 1);
    assert!(!mac.call("hdiutil", &["info", "-plist"]).keys().contains_key("images"));
    let whole = mac.call("hdiutil", &["info", "-plist"]);
    assert!(whole.good().contains(&image));
}

#[test]
fn calls_can_hang_and_hold_nobody_up() {
    let (mac, image, _) = attached();
    mac.order("hang detach", 1);
    assert!(mac.never_returns("hdiutil", &["detach", "disk4"]));
    mac.call("hdiutil", &["detach", "disk4"]).good();
    mac.order("hang diskutil-image attach", 1);
    mac.call("hdiutil", &["attach", "-nomount", &image]).good();
    mac.call("hdiutil", &["detach", "disk4"]).good();
    assert!(mac.never_returns("diskutil", &["image", "attach", "--noMount", &image]));
    mac.order("hang ioreg", 1);
    assert!(mac.never_returns("ioreg", &["-r", "-c", "AppleDiskImageDevice"]));
}

#[test]
fn the_disk_can_be_full() {
    let (mac, _, at) = attached();
    mac.order("no-space create", 1);
    let place = mac.place("new.dmg");
    let refused = mac.call("hdiutil", &["create", "-size", "20m", &place]);
    assert_eq!(refused.refusal(), (1, "hdiutil: create failed - No space left on device"));
    assert!(!Path::new(&place).exists());
    mac.order("no-space detach", 1);
    assert_eq!(mac.call("hdiutil", &["detach", &at]).code, 1);
    assert_eq!(mac.attached().len(), 1);
}

#[test]
fn compacting_can_reclaim_nothing() {
    let mac = Mac::new(&[]);
    let (image, _) = image(&mac, "SPARSE", "a.sparseimage");
    mac.order("stingy-compact", 1);
    let told = mac.call("hdiutil", &["compact", &image]);
    assert!(told.good().ends_with("Reclaimed 0 bytes out of 100.0 MB possible.\n"));
}
