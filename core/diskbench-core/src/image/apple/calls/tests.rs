//! The command lines follow hdiutil(1) and diskutil(8), and do not contain secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diskimage::format::ImageFormat;
use serde::Deserialize;

use super::{
    Wanted, info, info_of_disk, is_encrypted, is_out_of_backups, keep_out_of_backups, mount,
};
use crate::cell::{Cell, Driver, Encryption, Format};
use crate::image::apple::capabilities::Tool;
use crate::image::macos::detach::tests as detach;
use crate::image::macos::inventory::tests as inventory;
use crate::image::passphrase::passphrase_text;
use crate::interrupt::Stop;
use crate::program::Call;
use crate::testing::cell;

const PLACE: &str = "/Users/someone/work/image.dmg";

fn of(format: Format, encryption: Encryption) -> Wanted {
    Wanted::of(&Cell { driver: Driver::Apple, format, encryption, ..cell() }).unwrap()
}

fn line(call: &Call) -> String {
    format!("{} {}", call.program(), call.shown().join(" "))
}

/// The driver's command lines, from the manual pages. The probe uses the same lines (workflow/scripts/probe/lines.py),
/// so that its results apply to the driver.
#[derive(Deserialize)]
struct Known {
    lines: BTreeMap<String, String>,
    /// What a program calls a format, by program and format.
    types: BTreeMap<String, BTreeMap<String, String>>,
    /// How the name of an image ends, by format.
    extensions: BTreeMap<String, String>,
}

/// The lines, and which of them were compared.
struct Lines {
    known: Known,
    compared: BTreeSet<String>,
}

impl Lines {
    fn new() -> Self {
        let known = serde_json::from_str(include_str!("lines.json")).unwrap();
        Self { known, compared: BTreeSet::new() }
    }

    /// Compares a call with the line of this name, which has these values in it.
    #[track_caller]
    fn compare(&mut self, name: &str, values: &[(&str, &str)], call: &Call) {
        let mut expected = self.known.lines[name].clone();
        for (key, value) in values {
            expected = expected.replace(&format!("<{key}>"), value);
        }
        assert_eq!(line(call), expected, "{name}");
        self.compared.insert(name.to_owned());
    }
}

#[test]
fn every_call_is_a_line_of_the_file_that_the_probe_takes_its_own_from() {
    let mut lines = Lines::new();
    let (image, place) = (Path::new(PLACE), Path::new("/Users/someone/work/volume"));
    // 100 GB are 195,312,500 sectors of 512 bytes.
    let length = [("sectors", "195312500"), ("bytes", "100000000000")];
    for (tool, word) in [(Tool::Hdiutil, "hdiutil"), (Tool::Diskutil, "diskutil")] {
        for (format, kind) in lines.known.types[word].clone() {
            let format: Format = serde_json::from_value(format.into()).unwrap();
            for encryption in [Encryption::None, Encryption::Aes128, Encryption::Aes256] {
                let cipher = encryption.to_string();
                let own = [("type", kind.as_str()), ("encryption", cipher.as_str())];
                let values = [&length[..], &own].concat();
                let more = if encryption == Encryption::None { "" } else { ", encrypted" };
                let wanted = of(format, encryption);
                let created = wanted.create(tool, image, &Stop::never());
                lines.compare(&format!("create by {word}{more}"), &values, &created);
                let attached = wanted.attach(tool, image, place);
                lines.compare(&format!("attach by {word}{more}"), &[], &attached);
                let told = wanted.image_info(tool, image);
                lines.compare(&format!("identify by {word}{more}"), &[], &told);
                let compacted = wanted.compact(image, &Stop::never());
                lines.compare(&format!("compact{more}"), &[], &compacted);
            }
        }
    }
    for format in ImageFormat::ALL {
        let row = format.row();
        for (word, name) in [("hdiutil", row.hdiutil_type), ("diskutil", row.diskutil_format)] {
            let kind = lines.known.types[word].get(format.name());
            let places = "correct `types` in lines.json, or the ROW of the format";
            assert_eq!(name, kind.map(String::as_str), "{word} {format}: {places}");
        }
        let extension = lines.known.extensions.get(format.name());
        let first = row.hdiutil_type.or(row.diskutil_format).map(|_| row.extensions[0]);
        let places = "correct `extensions` in lines.json, or the ROW of the format";
        assert_eq!(first, extension.map(String::as_str), "{format}: {places}");
    }
    // 32 MiB are 65,536 sectors.
    let banded = Cell { format: Format::Udsb, band_bytes: Some(33_554_432), ..cell() };
    let banded = Wanted::of(&banded).unwrap().create(Tool::Hdiutil, image, &Stop::never());
    let own = [("type", "SPARSEBUNDLE"), ("band_sectors", "65536")];
    let values = [&length[..], &own].concat();
    lines.compare("create by hdiutil, with bands", &values, &banded);
    lines.compare("is it encrypted", &[], &is_encrypted(image));
    lines.compare("mount", &[("disk", "disk5s1")], &mount("disk5s1", place));
    lines.compare("about a volume", &[], &info(place));
    let disk = [("disk", "disk4")];
    lines.compare("about a disk", &disk, &info_of_disk("disk4"));
    lines.compare("keep out of backups", &[], &keep_out_of_backups(image));
    lines.compare("is it out of backups", &[], &is_out_of_backups(image));
    let listing = ["list by ioreg", "list by ioreg, older engine", "list by hdiutil"];
    for (name, call) in listing.into_iter().zip(inventory::calls()) {
        lines.compare(name, &[], &call);
    }
    let detaching =
        ["detach by hdiutil", "detach by diskutil", "unmount by force", "detach by force"];
    for (name, call) in detaching.into_iter().zip(detach::calls("disk4")) {
        lines.compare(name, &disk, &call);
    }
    let all: BTreeSet<String> = lines.known.lines.into_keys().collect();
    assert_eq!(lines.compared, all);
}

#[test]
fn no_call_shows_a_path_or_a_passphrase() {
    let secret = Cell { format: Format::Udsp, encryption: Encryption::Aes256, ..cell() };
    let text = passphrase_text(&secret);
    let wanted = Wanted::of(&secret).unwrap();
    let image = Path::new(PLACE);
    let calls = [
        wanted.create(Tool::Hdiutil, image, &Stop::never()),
        wanted.create(Tool::Diskutil, image, &Stop::never()),
        wanted.attach(Tool::Hdiutil, image, image),
        wanted.attach(Tool::Diskutil, image, image),
        wanted.compact(image, &Stop::never()),
        wanted.image_info(Tool::Hdiutil, image),
        wanted.image_info(Tool::Diskutil, image),
        is_encrypted(image),
        info(image),
        mount("disk5s1", image),
        keep_out_of_backups(image),
        is_out_of_backups(image),
    ];
    for call in calls {
        let shown = line(&call);
        assert!(!shown.contains("someone"), "{shown}");
        let given =
            |argument: &std::ffi::OsStr| argument.to_str().is_some_and(|a| a.contains(&text));
        assert!(!call.values().any(given), "{shown}");
    }
}

#[test]
fn what_takes_long_ends_at_ctrl_c_and_what_is_attached_is_not_left_half_attached() {
    let of = of(Format::Udsb, Encryption::None);
    let (image, stop) = (Path::new(PLACE), Stop::never());
    for tool in [Tool::Hdiutil, Tool::Diskutil] {
        assert!(of.create(tool, image, &stop).may_be_stopped());
        assert!(!of.attach(tool, image, image).may_be_stopped());
    }
    assert!(of.compact(image, &stop).may_be_stopped());
}
