//! Each program's own rule for what comes through stdin.

use crate::common::stand_in::Mac;

#[test]
fn a_line_feed_is_part_of_what_hdiutil_reads_and_not_of_what_diskutil_reads() {
    for (kind, name) in
        [("UDIF", "a.dmg"), ("SPARSE", "a.sparseimage"), ("SPARSEBUNDLE", "a.sparsebundle")]
    {
        let mac = Mac::new(&[]);
        let image = mac.place(name);
        let create = [
            "create",
            "-size",
            "20m",
            "-type",
            kind,
            "-encryption",
            "AES-256",
            "-stdinpass",
            &image,
        ];
        assert_eq!(mac.call_with("hdiutil", &create, "secret").code, 0);
        let attach = ["attach", "-nomount", "-stdinpass", &image];
        let refused = mac.call_with("hdiutil", &attach, "secret\n");
        assert_eq!(refused.refusal(), (1, "hdiutil: attach failed - Authentication error"));
        assert_eq!(mac.call_with("hdiutil", &attach, "wrong").code, 1);
        assert!(mac.attached().is_empty());
        assert_eq!(mac.call_with("hdiutil", &attach, "secret").code, 0);
        mac.call("hdiutil", &["detach", "disk4"]).good();

        let attach = ["image", "attach", "--stdinpassphrase", "--noMount", &image];
        mac.call_with("diskutil", &attach, "secret\n").good();
        mac.call("diskutil", &["eject", "disk4"]).good();
        let all =
            mac.calls() + &std::fs::read_to_string(mac.folder().join("state/state.json")).unwrap();
        assert!(!all.contains("secret"));
    }
}

#[test]
fn an_encrypted_image_without_a_passphrase_is_refused_or_asks_for_ever() {
    let mac = Mac::new(&[]);
    let image = mac.place("a.dmg");
    let create = ["create", "-size", "20m", "-encryption", "AES-128", "-stdinpass", &image];
    assert_eq!(mac.call("hdiutil", &create).code, 1);
    assert_eq!(mac.call_with("hdiutil", &create, "secret").code, 0);
    let facts =
        mac.call_with("hdiutil", &["imageinfo", "-plist", "-stdinpass", &image], "secret").keys();
    assert_eq!(facts["Format"].as_string(), Some("UDRW"));
    let calls: [&[&str]; 3] =
        [&["attach", "-nomount", &image], &["imageinfo", &image], &["compact", &image]];
    for call in calls {
        let refused = mac.call("hdiutil", call);
        assert!(refused.err.ends_with("Authentication error\n"), "{refused:?}");
    }
    mac.order("ask-password", 1);
    for call in calls {
        assert!(mac.never_returns("hdiutil", call), "{call:?}");
    }
    mac.order("ask-password", 0);
    assert_eq!(mac.call("hdiutil", calls[0]).code, 1);
}
