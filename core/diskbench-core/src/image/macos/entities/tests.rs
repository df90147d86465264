//! Answers of both tools, real ones among them: see the README beside the fixtures.

use super::{Attachment, VolumeDevice, read};
use proptest::prelude::{Just, Strategy, any, proptest};

const APFS: &str = include_str!("../fixtures/hdiutil-attach-apfs.plist");
const SHUFFLED: &str = include_str!("../fixtures/hdiutil-attach-apfs-efi-shuffled.plist");
const NOMOUNT: &str = include_str!("../fixtures/hdiutil-attach-nomount.plist");
const LIMA: &str = include_str!("../fixtures/diskutil-attach-lima.plist");
const PARTITIONLESS: &str = include_str!("../fixtures/diskutil-attach-partitionless.plist");
const BLANK: &str = include_str!("../fixtures/diskutil-attach-blank.plist");

fn attached(disk: &str, device: &str, mount_point: Option<&str>) -> Attachment {
    let volume = VolumeDevice { device: device.into(), mount_point: mount_point.map(Into::into) };
    Attachment { disk: disk.into(), volume: Some(volume) }
}

/// An answer with these devices: `device;hint;more keys as xml`.
fn answer(devices: &[&str]) -> String {
    let mut text = "<plist><dict><key>system-entities</key><array>".to_owned();
    for device in devices {
        let mut parts = device.split(';');
        let name = parts.next().unwrap();
        text += &format!("<dict><key>dev-entry</key><string>{name}</string>");
        if let Some(hint) = parts.next().filter(|hint| *hint != "-") {
            text += &format!("<key>content-hint</key><string>{hint}</string>");
        }
        text += parts.next().unwrap_or_default();
        text += "</dict>";
    }
    text + "</array></dict></plist>"
}

fn of(devices: &[&str]) -> Result<Attachment, String> {
    read(answer(devices).as_bytes())
}

const MOUNTED: &str = "<key>mount-point</key><string>/m</string>";

#[test]
fn an_apfs_image_is_detached_by_its_own_disk_and_not_by_its_container_s() {
    let expected = attached("disk4", "disk5s1", Some("/Volumes/untitled"));
    assert_eq!(read(APFS.as_bytes()).unwrap(), expected);
}

#[test]
fn neither_order_nor_number_nor_a_missing_hint_misleads() {
    let expected = attached("disk9", "disk3s1", Some("/private/tmp/work/volume"));
    assert_eq!(read(SHUFFLED.as_bytes()).unwrap(), expected);
}

#[test]
fn what_is_not_mounted_has_a_volume_without_a_mount_point() {
    let udsp = attached("disk10", "disk11s1", None);
    assert_eq!(read(NOMOUNT.as_bytes()).unwrap(), udsp);
}

#[test]
fn diskutil_names_devices_and_what_is_on_them_in_its_own_way() {
    let lima = attached("disk4", "disk7s1", None);
    assert_eq!(read(LIMA.as_bytes()).unwrap(), lima);
    let partitionless = attached("disk4", "disk5s1", None);
    assert_eq!(read(PARTITIONLESS.as_bytes()).unwrap(), partitionless);
}

#[test]
fn an_image_with_nothing_on_it_has_no_volume() {
    let blank = Attachment { disk: "disk8".into(), volume: None };
    assert_eq!(read(BLANK.as_bytes()).unwrap(), blank);
}

#[test]
fn without_any_hint_a_volume_tells_which_disk_is_a_container() {
    let kind = format!("disk5s1;-;<key>volume-kind</key><string>apfs</string>{MOUNTED}");
    let expected = attached("disk7", "disk5s1", Some("/m"));
    assert_eq!(of(&["disk5", "disk7s1", "disk7", &kind]).unwrap(), expected);
}

#[test]
fn a_file_system_may_lie_straight_on_the_disk() {
    let whole = format!("/dev/disk6;;<key>volume-kind</key><string>exfat</string>{MOUNTED}");
    let expected = attached("disk6", "disk6", Some("/m"));
    assert_eq!(of(&[&whole]).unwrap(), expected);
}

#[test]
fn of_several_volumes_the_mounted_one_is_ours() {
    let second = format!("disk5s2;Apple_APFS_Volume;{MOUNTED}");
    let expected = attached("disk4", "disk5s2", Some("/m"));
    let devices = [
        "disk5s1;Apple_APFS_Volume",
        &second,
        "disk5;Apple_APFS_Container",
        "disk4;",
        "disk4s1;Apple_APFS",
    ];
    assert_eq!(of(&devices).unwrap(), expected);
}

#[test]
fn an_answer_that_leaves_the_image_s_disk_open_is_refused() {
    for (devices, error) in [
        (&["disk4;GUID_partition_scheme", "disk6;GUID_partition_scheme"][..], "several disks"),
        (&["disk5;Apple_APFS_Container", "disk5s1;Apple_APFS_Volume"], "no disk"),
        (&["disk4s1;Apple_HFS"], "no disk"),
        (&["rdisk4", "disk", "disk4x", "disk99999999999", "/dev/disk-1"], "no disk"),
        (&[], "no disk"),
    ] {
        let said = of(devices).unwrap_err();
        assert!(said.contains(error), "{devices:?}: {said}");
    }
}

#[test]
fn what_is_no_answer_is_refused_in_words() {
    let cut = &APFS[..APFS.len() / 2];
    for (text, error) in [
        ("", "it is empty"),
        ("/dev/disk4          \tGUID_partition_scheme\n", "it is not a property list"),
        (cut, "it is cut short"),
        ("<plist><dict/></plist>", "it lists no devices"),
        ("<plist><dict><key>system-entities</key><true/></dict></plist>", "it lists no devices"),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap_err(), error, "{text}");
    }
}

#[test]
fn warnings_before_the_answer_are_passed_over() {
    let warned = format!("hdiutil: WARNING: 'hdiutil attach ...' is deprecated.\n{APFS}");
    assert_eq!(read(warned.as_bytes()), read(APFS.as_bytes()));
}

/// The devices of an APFS image with an EFI slice, whichever tool lists them, in any order.
fn in_any_order() -> impl Strategy<Value = Vec<String>> {
    let hints = [
        [
            "GUID_partition_scheme",
            "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
            "7C3457EF-0000-11AA-AA11-00306543ECAC",
            "EF57347C-0000-11AA-AA11-00306543ECAC",
            "41504653-0000-11AA-AA11-00306543ECAC",
        ],
        ["-", "EFI", "Apple_APFS", "Apple_APFS_Container", "Apple_APFS_Volume"],
        ["", "EFI", "Apple_APFS", "-", "apple_apfs_volume"],
    ];
    (proptest::sample::select(hints.to_vec()), any::<bool>()).prop_flat_map(|(hints, bare)| {
        let start = if bare { "" } else { "/dev/" };
        let names = ["disk12", "disk12s1", "disk12s2", "disk3", "disk3s1"];
        let devices: Vec<String> =
            names.iter().zip(hints).map(|(name, hint)| format!("{start}{name};{hint}")).collect();
        Just(devices).prop_shuffle()
    })
}

proptest! {
    #[test]
    fn order_and_names_do_not_matter(devices in in_any_order()) {
        let devices: Vec<&str> = devices.iter().map(String::as_str).collect();
        assert_eq!(of(&devices).unwrap(), attached("disk12", "disk3s1", None));
    }

    #[test]
    fn no_answer_whatever_breaks_the_reader(bytes in any::<Vec<u8>>(), cut in 0..APFS.len()) {
        drop(read(&bytes));
        let mut answer = APFS.as_bytes().to_vec();
        answer.splice(cut.., bytes);
        drop(read(&answer));
    }

    #[test]
    fn no_device_s_name_breaks_the_reader(name in "[a-z/0-9]{0,14}", other in "disk[0-9s]{0,30}") {
        drop(of(&[&name, &other]));
    }
}
