//! The programs that tell facts, and those that keep quiet.

use serde_json::json;

use super::{attach, image};
use crate::common::stand_in::Mac;
use crate::common::{Ended, Study, cell};

#[test]
fn a_release_says_its_version_and_build_until_it_is_upgraded() {
    let mac = Mac::new(&["--macos", "27"]);
    let is = |version: &str, build: &str| {
        assert_eq!(mac.call("sw_vers", &["--productVersion"]).good(), format!("{version}\n"));
        assert_eq!(mac.call("sw_vers", &["-buildVersion"]).good(), format!("{build}\n"));
    };
    is("27.0", "26A428");
    let before = mac.call("sysctl", &["-n", "kern.bootsessionuuid"]).out;
    mac.upgrade("27.1", "26B77");
    is("27.1", "26B77");
    assert_ne!(mac.call("sysctl", &["-n", "kern.bootsessionuuid"]).out, before);
}

#[test]
fn a_restart_detaches_everything() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    mac.attach_foreign(&mac.place("other.sparsebundle"));
    assert_eq!(mac.attached().len(), 2);
    let start = |name: &str| mac.call("sysctl", &["-n", name]).good().to_owned();
    let before = start("kern.bootsessionuuid");
    assert_eq!(before, start("kern.bootsessionuuid"));
    mac.reboot();
    assert!(mac.attached().is_empty());
    let after = start("kern.bootsessionuuid");
    assert!(after.len() == 37 && after != before, "{before:?} {after:?}");
}

#[test]
fn the_core_believes_to_be_on_that_mac() {
    let (mac, study) = (Mac::new(&["--macos", "26.4", "--build", "25E241"]), Study::new());
    let mut cell = cell();
    cell["release"] = json!("macos-26.4-25E241");
    cell["encryption"] = json!("FileVault");
    let mut command = study.run_command(&cell, &[]);
    let output = command.env("DISKBENCH_STAND_IN", mac.folder()).output().unwrap();
    Ended::of(&output).done();
    let host = study.record("fresh")["host"].clone();
    assert_eq!(host["chip"].as_str(), Some("Apple M4 Pro"), "{host}");
    assert_eq!(host["storage"]["bus"].as_str(), Some("Apple Fabric"), "{host}");
}
