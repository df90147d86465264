//! What stands on the command lines, as hdiutil(1) and diskutil(8) want it, and what does not.

use std::path::Path;

use super::{Wanted, info, info_of_disk, is_encrypted, keep_out_of_backups, mount};
use crate::cell::{Cell, Driver, Encryption, Format};
use crate::image::apple::capabilities::Tool;
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

fn created(format: Format, encryption: Encryption, tool: Tool) -> String {
    line(&of(format, encryption).create(tool, Path::new(PLACE), &Stop::never()))
}

#[test]
fn hdiutil_makes_three_formats_of_exactly_so_many_sectors() {
    // 100 GB are 195,312,500 sectors of 512 bytes.
    assert_eq!(
        created(Format::Udrw, Encryption::None, Tool::Hdiutil),
        "hdiutil create -sectors 195312500 -type UDIF -fs APFS -volname diskbench -plist <image>"
    );
    assert_eq!(
        created(Format::Udsp, Encryption::Aes128, Tool::Hdiutil),
        "hdiutil create -sectors 195312500 -type SPARSE -fs APFS -volname diskbench \
         -encryption AES-128 -plist -stdinpass <image>"
    );
    let banded = Cell { format: Format::Udsb, band_bytes: Some(33_554_432), ..cell() };
    assert_eq!(
        line(&Wanted::of(&banded).unwrap().create(Tool::Hdiutil, Path::new(PLACE), &Stop::never())),
        "hdiutil create -sectors 195312500 -type SPARSEBUNDLE -fs APFS -volname diskbench \
         -imagekey sparse-band-size=65536 -plist <image>"
    );
}

#[test]
fn diskutil_makes_asif_and_stands_in_for_hdiutil_in_plain_bytes() {
    assert_eq!(
        created(Format::Asif, Encryption::Aes256, Tool::Diskutil),
        "diskutil image create blank --format ASIF --size 100000000000 --volumeName diskbench \
         --encrypt --stdinpassphrase <image>"
    );
    assert_eq!(
        created(Format::Udrw, Encryption::None, Tool::Diskutil),
        "diskutil image create blank --format RAW --size 100000000000 --volumeName diskbench <image>"
    );
    assert!(created(Format::Udsb, Encryption::None, Tool::Diskutil).contains("--format UDSB"));
}

#[test]
fn an_image_is_attached_to_a_place_of_its_own_with_nothing_done_beside() {
    let of = of(Format::Udsb, Encryption::Aes256);
    let (image, place) = (Path::new(PLACE), Path::new("/Users/someone/work/volume"));
    assert_eq!(
        line(&of.attach(Tool::Hdiutil, image, place)),
        "hdiutil attach -plist -nobrowse -noverify -noautofsck -noautoopen -owners off \
         -mountpoint <volume> -stdinpass <image>"
    );
    assert_eq!(
        line(&of.attach(Tool::Diskutil, image, place)),
        "diskutil image attach --plist --nobrowse --mountOptions nobrowse,noowners \
         --mountPoint <volume> --stdinpassphrase <image>"
    );
    assert_eq!(
        line(&of.compact(image, &Stop::never())),
        "hdiutil compact -batteryallowed -stdinpass <image>"
    );
    assert_eq!(
        line(&of.image_info(Tool::Hdiutil, image)),
        "hdiutil imageinfo -plist -stdinpass <image>"
    );
    assert_eq!(
        line(&of.image_info(Tool::Diskutil, image)),
        "diskutil image info --plist --stdinpassphrase <image>"
    );
    assert_eq!(line(&is_encrypted(image)), "hdiutil isencrypted -plist <image>");
    assert_eq!(line(&info_of_disk("disk4")), "diskutil info -plist disk4");
    assert_eq!(
        line(&mount("disk5s1", place)),
        "diskutil mount nobrowse -mountOptions noowners -mountPoint <volume> disk5s1"
    );
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
