//! What is attached, when the two lists agree, contradict each other, leave things out or do not answer.

use super::{POLLS, info, of_image, registry};
use crate::image::macos::testing::{Mac, Says};
use crate::program::Call;
use crate::program::script::{Script, good, line};
use std::path::Path;

/// The calls that ask both.
pub(crate) fn calls() -> [Call; 3] {
    let [registry, older] = registry::calls();
    [registry, older, info::call()]
}

/// Whether what one of the two printed is such a list.
pub(crate) fn is_list(program: &str, stdout: &[u8]) -> bool {
    let [ioreg, older, hdiutil] = calls().map(|call| line(&call));
    let said = good(&String::from_utf8_lossy(stdout));
    if program == "ioreg" {
        let script = Script::default().then(&ioreg, good("")).then(&older, said);
        registry::ask(&mut script.programs().0) != registry::Answer::None
    } else {
        let script = Script::default().then(&hdiutil, said);
        matches!(info::ask(&mut script.programs().0), info::Answer::Listed(_))
    }
}

const OURS: &str = "/no-such/work/a-1/image.dmg";
const THEIRS: &str = "/no-such/downloads/image.dmg";

fn mac() -> Mac {
    Mac::with(&[(Path::new(OURS), "disk4")]).and_theirs(Path::new(THEIRS), "disk6")
}

fn disks(mac: &Mac, image: &str) -> Option<Vec<String>> {
    of_image(&mut mac.programs().0, Path::new(image))
}

fn repeat(says: Says, times: u32) -> impl Iterator<Item = Says> {
    (0..times).map(move |_| says)
}

#[test]
fn an_image_is_found_by_its_path_and_not_by_its_name() {
    assert_eq!(disks(&mac(), OURS).unwrap(), ["disk4"]);
    assert_eq!(disks(&mac(), THEIRS).unwrap(), ["disk6"]);
    assert_eq!(disks(&mac(), "/no-such/work/a-2/image.dmg"), Some(Vec::new()));
}

#[test]
fn the_registry_s_word_is_enough_to_know_a_device() {
    let (mut programs, notes) = mac().programs();
    of_image(&mut programs, Path::new(OURS)).unwrap();
    assert_eq!(notes.calls_of(&["hdiutil"]), Vec::<String>::new());
}

#[test]
fn an_image_that_either_lists_is_attached() {
    let info_only = mac().but(|mac| mac.ioreg.extend(repeat(Says::Nothing, 9)));
    assert_eq!(disks(&info_only, OURS).unwrap(), ["disk4"]);
    let ioreg_fails = mac().but(|mac| mac.ioreg.extend(repeat(Says::Fails, 9)));
    assert_eq!(disks(&ioreg_fails, OURS).unwrap(), ["disk4"]);
    let registry_only = mac().but(|mac| mac.info.extend(repeat(Says::Fails, 9)));
    assert_eq!(disks(&registry_only, OURS).unwrap(), ["disk4"]);
}

#[test]
fn an_image_that_is_left_out_once_is_asked_for_again() {
    let mac = mac().but(|mac| {
        mac.ioreg.extend(repeat(Says::Fails, 9));
        mac.info.extend(repeat(Says::Nothing, POLLS - 1));
    });
    let (mut programs, notes) = mac.programs();
    assert_eq!(of_image(&mut programs, Path::new(OURS)).unwrap(), ["disk4"]);
    assert!(!notes.waited().is_zero());
}

#[test]
fn without_the_registry_s_help_what_is_left_out_every_time_is_not_attached() {
    // It fails, or does not know what hdiutil lists.
    for registry in [Says::Fails, Says::Nothing] {
        let mac = mac().but(|mac| mac.ioreg.extend(repeat(registry, 9)));
        let (mut programs, notes) = mac.programs();
        assert_eq!(of_image(&mut programs, Path::new("/no-such/other.dmg")), Some(Vec::new()));
        assert_eq!(notes.calls_of(&["hdiutil"]).len(), 3);
    }
}

#[test]
fn when_nothing_is_attached_both_are_asked_once() {
    let (mut programs, notes) = Mac::default().programs();
    assert_eq!(of_image(&mut programs, Path::new(OURS)), Some(Vec::new()));
    assert_eq!(notes.calls(), calls().map(|call| line(&call)));
}

#[test]
fn when_nobody_answers_nothing_is_known() {
    for ioreg in [Says::Fails, Says::Nothing] {
        let mac = mac().but(|mac| {
            mac.ioreg.extend(repeat(ioreg, 9));
            mac.info.extend(repeat(Says::Fails, 9));
        });
        assert_eq!(disks(&mac, OURS), None);
    }
}

#[test]
fn without_hdiutil_the_registry_s_silence_says_that_nothing_is_attached() {
    let without = |mac: Mac| mac.but(|mac| mac.info.extend(repeat(Says::Missing, 9)));
    assert_eq!(disks(&without(mac()), OURS).unwrap(), ["disk4"]);
    assert_eq!(disks(&without(mac()), "/no-such/other.dmg"), Some(Vec::new()));
    assert_eq!(disks(&without(Mac::default()), OURS), Some(Vec::new()));
    let nobody = without(mac()).but(|mac| mac.ioreg.extend(repeat(Says::Fails, 9)));
    assert_eq!(disks(&nobody, OURS), None);
}

#[test]
fn who_is_silent_once_is_asked_again() {
    let mac = mac().but(|mac| {
        mac.ioreg.push_back(Says::Nothing);
        mac.info.push_back(Says::Fails);
    });
    assert_eq!(disks(&mac, OURS).unwrap(), ["disk4"]);
}

/// Answers of the registry and of `hdiutil`, in turn, with these images.
fn contradicting(registry: &[(&str, &str)], info: &[(&str, &str)]) -> Script {
    let device = |(image, disk): &(&str, &str)| {
        let media = if disk.is_empty() {
            String::new()
        } else {
            format!(
                "<key>m</key><dict><key>BSD Name</key><string>{disk}</string><key>Whole</key><true/></dict>"
            )
        };
        format!("<dict><key>DiskImageURL</key><string>file://{image}</string>{media}</dict>")
    };
    let image = |(image, disk): &(&str, &str)| {
        format!(
            "<dict><key>image-path</key><string>{image}</string><key>system-entities</key><array><dict>\
             <key>dev-entry</key><string>{disk}</string></dict></array></dict>"
        )
    };
    let registry: String = registry.iter().map(device).collect();
    let info: String = info.iter().map(image).collect();
    Script::default()
        .then(
            "ioreg -r -c AppleDiskImageDevice -l -w0 -a",
            good(&format!("<plist><array>{registry}</array></plist>")),
        )
        .then("ioreg -r -c IOHDIXHDDrive -l -w0 -a", good(""))
        .then(
            "hdiutil info -plist",
            good(&format!("<plist><dict><key>images</key><array>{info}</array></dict></plist>")),
        )
}

#[test]
fn a_device_that_the_registry_gives_to_another_image_is_not_ours() {
    let (mut programs, _) = contradicting(&[(THEIRS, "disk4")], &[(OURS, "disk4")]).programs();
    assert_eq!(of_image(&mut programs, Path::new(OURS)), Some(Vec::new()));
}

#[test]
fn an_image_without_a_device_in_the_registry_may_have_one_in_hdiutil_s_list() {
    let (mut programs, _) = contradicting(&[(OURS, "")], &[(OURS, "disk4")]).programs();
    assert_eq!(of_image(&mut programs, Path::new(OURS)).unwrap(), ["disk4"]);
}

#[test]
fn an_image_that_the_registry_does_not_know_is_found_in_hdiutil_s_list() {
    let lists = contradicting(&[(OURS, "disk4")], &[(OURS, "disk4"), (THEIRS, "disk6")]);
    assert_eq!(of_image(&mut lists.programs().0, Path::new(THEIRS)).unwrap(), ["disk6"]);
}
