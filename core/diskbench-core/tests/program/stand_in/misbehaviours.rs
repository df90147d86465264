//! Each misbehaviour that can be ordered, once.

use std::path::Path;

use super::{attach, entities, image, small};
use crate::common::stand_in::Mac;

const BUSY: (i32, &str) = (16, "hdiutil: couldn't eject \"disk4\" - Resource busy");

/// A Mac with an image that is attached as disk4, with its mount point.
fn attached() -> (Mac, String, String) {
    let mac = Mac::new(&["--macos", "26"]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    (mac, image, at)
}

#[test]
fn a_call_that_fails_says_so_as_on_a_mac_and_leaves_what_it_leaves_there() {
    let create = ["hdiutil", "create", "-sectors", "40960", "-type", "UDIF", "<new>"];
    let attach = ["hdiutil", "attach", "-nomount", "<other>"];
    let detach = ["hdiutil", "detach", "disk4"];
    let unmount = (16, "hdiutil: couldn't unmount \"disk4\" - Resource busy");
    let busy_attach = (1, "hdiutil: attach failed - Resource busy");
    // The call, its end, and how many images are attached then.
    for (order, call, end, left) in [
        ("resource-busy-create", &create[..], (1, "hdiutil: create failed - Resource busy"), 1),
        ("no-space create", &create, (1, "hdiutil: create failed - No space left on device"), 1),
        ("leave-attached", &attach, busy_attach, 2),
        (
            "locked-attach",
            &attach,
            (35, "hdiutil: attach failed - Resource temporarily unavailable"),
            1,
        ),
        (
            "helper-error",
            &["diskutil", "image", "attach", "--noMount", "<other>"],
            // With its curly apostrophe.
            (1, "Error: Couldn’t communicate with a helper application."),
            2,
        ),
        ("busy-detach", &detach, BUSY, 1),
        ("gone-after-detach", &detach, BUSY, 0),
        ("detach-timeout", &detach, (1, "hdiutil: detach: timeout for DiskArbitration expired"), 1),
        ("no-space detach", &detach, (1, "hdiutil: detach failed - No space left on device"), 1),
        ("always-busy-hdiutil-detach", &["hdiutil", "detach", "disk4", "-force"], unmount, 1),
    ] {
        let (mac, ..) = attached();
        let (new, other) = (mac.place("new.dmg"), small(&mac, "other.dmg"));
        mac.order(order, 1);
        let words: Vec<&str> = call
            .iter()
            .map(|word| match *word {
                "<new>" => new.as_str(),
                "<other>" => other.as_str(),
                word => word,
            })
            .collect();
        assert_eq!(mac.call(words[0], &words[1..]).refusal(), end, "{order}");
        assert_eq!(mac.attached().len(), left, "{order}");
        assert!(!Path::new(&new).exists(), "{order}");
    }
}

#[test]
fn an_order_is_used_up_and_a_busy_device_is_not_busy_when_forced() {
    let (mac, image, at) = attached();
    mac.order("busy-detach", 2);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    assert_eq!(mac.call("hdiutil", &["detach", &at]).refusal(), BUSY);
    mac.call("hdiutil", &["detach", "disk4"]).good();
    attach(&mac, &image, &at);
    mac.order("busy-detach", 1);
    mac.call("hdiutil", &["detach", "disk4", "-force"]).good();
    assert!(mac.attached().is_empty());
}

#[test]
fn the_number_of_a_device_that_has_gone_can_be_somebody_else_s_at_once() {
    let (mac, ..) = attached();
    mac.order("gone-after-detach", 1);
    mac.order("reuse-numbers", 1);
    assert_eq!(mac.call("hdiutil", &["detach", "disk4"]).refusal(), BUSY);
    let left = mac.attached();
    assert_eq!((left.len(), left[0]["disk"].as_str()), (1, Some("disk4")));
    assert_eq!(left[0]["foreign"].as_bool(), Some(true));
}

#[test]
fn diskutil_tells_on_stdout_who_holds_a_volume() {
    let (mac, ..) = attached();
    mac.order("eject-dissent", 1);
    let told = mac.call("diskutil", &["eject", "disk4"]);
    assert_eq!((told.code, told.stderr.as_str()), (1, ""));
    let lines: Vec<&str> = told.stdout.lines().collect();
    assert_eq!(lines[0], "Unmount of disk4 failed: at least one volume could not be unmounted");
    assert!(lines[1].starts_with("Unmount was dissented by PID 20848 (/System/Library/"));
    assert_eq!(lines[2], "Dissenter parent PPID 1 (/sbin/launchd)");
    let told = mac.call("diskutil", &["unmountDisk", "force", "disk4"]);
    assert_eq!(told.good(), "Forced unmount of all volumes on disk4 was successful\n");
    let told = mac.call("diskutil", &["eject", "/dev/disk5"]);
    assert_eq!(told.good(), "Disk disk4 ejected\n");
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
fn asking_what_an_image_is_can_leave_its_device_until_it_was_listed_once() {
    let mac = Mac::new(&["--macos", "26"]);
    let place = small(&mac, "a.dmg");
    mac.order("info-stays-attached", 1);
    for left in [1, 0] {
        mac.call("diskutil", &["image", "info", "--plist", &place]).keys();
        assert_eq!(mac.attached().len(), left);
        let ioreg = ["-r", "-c", "AppleDiskImageDevice", "-l", "-w0", "-a"];
        assert_eq!(mac.call("ioreg", &ioreg).good().contains("DiskImageURL"), left == 1);
        assert_eq!(mac.attached().len(), 0);
    }
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
fn compacting_can_reclaim_nothing() {
    let mac = Mac::new(&[]);
    let (image, _) = image(&mac, "SPARSE", "a.sparseimage");
    mac.order("stingy-compact", 1);
    let told = mac.call("hdiutil", &["compact", &image]);
    assert!(told.good().ends_with("Reclaimed 0 bytes out of 100.0 MB possible.\n"));
}
