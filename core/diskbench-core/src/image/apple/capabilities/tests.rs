//! The refusals and tools of every release, as the manual pages have them.

use super::{Mac, Tool, Verb, major};
use crate::cell::{Cell, Driver, Encryption, Format, Step};
use crate::testing::cell;

fn mac(major: u32) -> Mac {
    Mac::new(Some(major))
}

fn of(format: Format, encryption: Encryption) -> Cell {
    Cell { driver: Driver::Apple, format, encryption, ..cell() }
}

const RELEASES: [u32; 5] = [13, 14, 15, 26, 27];

#[test]
fn three_formats_and_three_encryptions_are_served_by_every_release() {
    for release in RELEASES {
        for format in [Format::Udrw, Format::Udsp, Format::Udsb] {
            for encryption in [Encryption::None, Encryption::Aes128, Encryption::Aes256] {
                let mac = Mac::new(Some(release));
                let cell = of(format, encryption);
                assert_eq!(mac.refusal(&cell), None, "{release} {format} {encryption}");
                for verb in [Verb::Create, Verb::Attach] {
                    assert_eq!(mac.tools(verb, &cell).first(), Some(&Tool::Hdiutil));
                }
            }
        }
    }
}

#[test]
fn asif_is_refused_before_macos_26() {
    for release in [13, 14, 15] {
        let mac = Mac::new(Some(release));
        for encryption in [Encryption::None, Encryption::Aes256] {
            let reason = mac.refusal(&of(Format::Asif, encryption)).unwrap();
            let start = format!("macOS {release} cannot create ASIF images");
            assert!(reason.starts_with(&start), "{reason}");
            assert!(reason.ends_with("measure this cell on macOS 26 or later"), "{reason}");
        }
    }
    for release in [Some(26), Some(27), None] {
        assert_eq!(Mac::new(release).refusal(&of(Format::Asif, Encryption::Aes256)), None);
    }
}

#[test]
fn diskutil_makes_images_from_macos_14_on_and_is_asked_second() {
    let bundle = of(Format::Udsb, Encryption::None);
    for verb in [Verb::Create, Verb::Attach] {
        assert_eq!(mac(13).tools(verb, &bundle), [Tool::Hdiutil]);
        assert_eq!(mac(14).tools(verb, &bundle), [Tool::Hdiutil, Tool::Diskutil]);
        assert_eq!(mac(26).tools(verb, &of(Format::Asif, Encryption::None)), [Tool::Diskutil]);
    }
}

#[test]
fn diskutil_stands_in_for_hdiutil_only_where_it_makes_the_same() {
    let only = |cell: &Cell| mac(27).tools(Verb::Create, cell) == [Tool::Hdiutil];
    assert!(only(&of(Format::Udsp, Encryption::None)));
    assert!(only(&of(Format::Udsb, Encryption::Aes128)), "diskutil does AES-256 only");
    assert!(only(&Cell { band_bytes: Some(1 << 20), ..of(Format::Udsb, Encryption::None) }));
    assert!(!only(&of(Format::Udrw, Encryption::Aes256)));
}

#[test]
fn only_sparse_images_and_bundles_can_be_compacted() {
    let tools = |format| mac(27).tools(Verb::Compact, &of(format, Encryption::None));
    assert_eq!(tools(Format::Udsp), [Tool::Hdiutil]);
    assert_eq!(tools(Format::Udsb), [Tool::Hdiutil]);
    assert_eq!(tools(Format::Udrw), []);
    assert_eq!(tools(Format::Asif), []);
}

#[test]
fn what_no_mac_can_do_is_refused_with_what_to_do() {
    let reason = |cell: &Cell| Mac::new(Some(26)).refusal(cell).unwrap();
    assert!(reason(&of(Format::Native, Encryption::None)).ends_with("use driver native"));
    assert!(reason(&of(Format::Vm, Encryption::None)).contains("study=vm-2026 inside the guest"));
    assert!(reason(&of(Format::Asif, Encryption::Aes128)).contains("AES-256 only"));
    let blocks = Cell { block_bytes: Some(4096), ..of(Format::Asif, Encryption::None) };
    assert_eq!(
        reason(&blocks),
        "diskutil is not known to make ASIF images with blocks of 4096 bytes, on any macOS up to 27: \
         measure them with driver portable"
    );
    for encryption in [Encryption::FileVault, Encryption::Apfs] {
        let why = reason(&of(Format::Udrw, encryption));
        assert!(why.contains(encryption.name()) && why.contains("use none,"), "{why}");
    }
    let mut restarted = of(Format::Udrw, Encryption::None);
    restarted.phases[0].steps.push(Step::Restart {});
    assert!(reason(&restarted).contains("study=vm-2026 inside the guest"));
    let old = Mac::new(Some(12)).refusal(&of(Format::Udrw, Encryption::None)).unwrap();
    assert!(old.ends_with("measure on macOS 13 or later"), "{old}");
}

#[test]
fn what_is_no_longer_served_says_where_to_measure() {
    let mac = mac(28);
    let gone = mac.cannot(Verb::Create, &of(Format::Udsp, Encryption::None));
    assert_eq!(
        gone,
        "macOS 28 cannot create UDSP images: measure this cell on another release of macOS"
    );
}

#[test]
fn a_version_begins_with_its_major_number() {
    assert_eq!(major("26.4"), Some(26));
    assert_eq!(major("27"), Some(27));
    assert_eq!(major(""), None);
}

#[test]
fn from_macos_27_on_diskutil_is_asked_first_to_detach() {
    assert_eq!(mac(26).detaches_first(), Tool::Hdiutil);
    assert_eq!(mac(27).detaches_first(), Tool::Diskutil);
    assert_eq!(Mac::new(None).detaches_first(), Tool::Hdiutil);
}
