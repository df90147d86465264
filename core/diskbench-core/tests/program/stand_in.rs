//! The programs that stand in for those of macOS, called as processes: what they tell is compared with what was
//! captured on Macs.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a finding")]

mod images;
mod releases;

use crate::common::stand_in::Mac;
use plist::{Dictionary, Value};

/// The devices of `system-entities`: name, hint and where it is mounted.
fn entities(keys: &Dictionary) -> Vec<(String, Option<String>, Option<String>)> {
    let entities = keys["system-entities"].as_array().unwrap();
    entities
        .iter()
        .map(|entity| {
            let entity = entity.as_dictionary().unwrap();
            let text = |key: &str| entity.get(key).and_then(Value::as_string).map(str::to_owned);
            (text("dev-entry").unwrap(), text("content-hint"), text("mount-point"))
        })
        .collect()
}

/// The call that makes an image of so many sectors.
fn create<'a>(kind: &'a str, sectors: &'a str, image: &'a str) -> [&'a str; 9] {
    ["create", "-sectors", sectors, "-type", kind, "-fs", "APFS", "-plist", image]
}

/// A new image of 20 MiB.
fn small(mac: &Mac, name: &str) -> String {
    let image = mac.place(name);
    mac.call("hdiutil", &create("UDIF", "40960", &image)).good();
    image
}

/// A new image of 100 MiB, and a mount point for it.
fn image(mac: &Mac, kind: &str, name: &str) -> (String, String) {
    let image = mac.place(name);
    mac.call("hdiutil", &create(kind, "204800", &image)).good();
    (image, mac.new_folder("volume"))
}

fn attach(mac: &Mac, image: &str, at: &str) -> Dictionary {
    let options = ["attach", "-plist", "-nobrowse", "-mountpoint", at, image];
    mac.call("hdiutil", &options).keys()
}
