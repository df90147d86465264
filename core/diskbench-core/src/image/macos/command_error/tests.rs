//! Failures as they were really seen: the texts are quoted in issues of create-dmg, dmgbuild, Lima, autopkg and Homebrew.

use super::{CommandError, Kind, of};
use crate::program::End;
use crate::program::script::{ended, exited};
use proptest::prelude::{any, proptest};

fn kind(code: i32, stderr: &str) -> Kind {
    of(&exited(code, "", stderr)).kind
}

fn message(stdout: &str, stderr: &str) -> String {
    of(&exited(1, stdout, stderr)).message
}

#[test]
fn the_exit_code_goes_before_the_message() {
    assert_eq!(kind(16, "hdiutil: couldn't eject \"disk4\" - Resource busy"), Kind::Busy);
    assert_eq!(kind(16, "hdiutil: \"disk4\" konnte nicht ausgeworfen werden"), Kind::Busy);
    assert_eq!(kind(16, "hdiutil: detach failed - No such file or directory"), Kind::Busy);
    assert_eq!(kind(35, ""), Kind::Busy);
    assert_eq!(kind(28, "?"), Kind::NoSpace);
    assert_eq!(kind(80, "?"), Kind::Passphrase);
}

#[test]
fn where_the_exit_code_says_nothing_the_message_does() {
    for (text, expected) in [
        ("hdiutil: couldn't unmount \"disk18\" - Resource busy", Kind::Busy),
        ("hdiutil: create failed - Resource busy", Kind::Busy),
        ("hdiutil: detach: timeout for DiskArbitration expired", Kind::Busy),
        ("hdiutil: attach failed - Resource temporarily unavailable", Kind::Busy),
        ("Error: Couldn\u{2019}t communicate with a helper application.", Kind::Busy),
        ("Error: Couldn't communicate with a helper application.", Kind::Busy),
        ("hdiutil: detach failed - No such file or directory", Kind::Gone),
        ("hdiutil: create failed - File exists", Kind::Exists),
        ("hdiutil: create failed - No space left on device", Kind::NoSpace),
        ("hdiutil: attach failed - Authentication error", Kind::Passphrase),
        ("hdiutil: attach failed - Permission denied", Kind::NotPermitted),
        (
            "Error: Failed to create disk image: The operation couldn\u{2019}t be completed. Operation not permitted",
            Kind::NotPermitted,
        ),
        (
            "diskutil: did not recognize verb \"image\"; type \"diskutil\" for a list",
            Kind::Unsupported,
        ),
        ("hdiutil: create: invalid argument for -type", Kind::Unsupported),
        ("Error: Unknown option '--fs'", Kind::Unsupported),
        ("Error: Unknown option '--stdinpassphrase'", Kind::Unsupported),
        ("Error: The value 'ASIF' is invalid for '--format <format>'", Kind::Unsupported),
        ("hdiutil: compact failed - internal error", Kind::Unknown),
        ("hdiutil: attach failed - image not recognized", Kind::Unknown),
        ("hdiutil: create failed - Device not configured", Kind::Unknown),
    ] {
        assert_eq!(kind(1, text), expected, "{text}");
    }
}

#[test]
fn other_languages_are_understood_where_they_were_seen_and_kept_where_not() {
    let of = |text: &str| of(&exited(1, "", text));
    assert_eq!(of("hdiutil: detach: Ressource ist belegt").kind, Kind::Busy);
    assert_eq!(of("hdiutil: attach : Fichier ou répertoire introuvable").kind, Kind::Gone);
    let japanese = of("hdiutil: create に失敗しました - 装置が構成されていません");
    assert_eq!(japanese.kind, Kind::Unknown);
    assert_eq!(japanese.message, "hdiutil: create に失敗しました - 装置が構成されていません");
}

#[test]
fn warnings_are_no_errors() {
    let stderr = "hdiutil: WARNING: 'hdiutil detach ...' is deprecated. Please use 'diskutil eject ...' instead.\n\
                  hdiutil: couldn't unmount \"disk18\" - Resource busy\n\
                  hdiutil: WARNING: 'convert' will be deprecated in future releases.\n\n";
    let busy = CommandError {
        kind: Kind::Busy,
        message: "hdiutil: couldn't unmount \"disk18\" - Resource busy".into(),
    };
    assert_eq!(of(&exited(1, "", stderr)), busy);
    let only = "hdiutil: WARNING: 'hdiutil attach -nobrowse' is deprecated.\n";
    assert_eq!(message("", only), "it ended with exit code 1 and said nothing");
    assert_eq!(kind(1, only), Kind::Unknown);
}

#[test]
fn who_keeps_a_volume_from_being_unmounted_is_named_without_the_path() {
    let stdout = "Unmount of disk4 failed: at least one volume could not be unmounted\n\
                  Unmount was dissented by PID 20848 (/System/Library/Frameworks/Meta data.framework/Support/mds)\n\
                  Dissenter parent PPID 1 (/sbin/launchd)\n";
    let expected = "Unmount of disk4 failed: at least one volume could not be unmounted; \
                    Unmount was dissented by PID 20848 (mds)";
    let error = of(&exited(1, stdout, ""));
    assert_eq!((error.kind, error.message.as_str()), (Kind::Busy, expected));
    let (first, rest) = stdout.split_once('\n').unwrap();
    assert_eq!(message(rest, first), expected, "whichever pipe it comes through");
}

#[test]
fn no_path_gets_into_a_record() {
    for (line, expected) in [
        ("Failed: /Users/jane doe/My Images/image.dmg", "Failed: image.dmg"),
        ("/Users/jane/work/image.sparsebundle/: damaged", "image.sparsebundle/: damaged"),
        ("no \"/Volumes/jane's/x y\" there", "no \"x y\" there"),
        ("no \u{201c}/private/tmp/a b/volume\u{201d} there", "no \u{201c}volume\u{201d} there"),
        ("from /Users/jane/a to /Users/jane/b", "from a to b"),
        ("URL file:///Users/jane/image.asif", "URL file:image.asif"),
        ("Volume on /dev/disk4s1: I/O error", "Volume on disk4s1: I/O error"),
        ("read /Users/jane/x.dmg: I/O error", "read x.dmg: I/O error"),
        ("see ~/Library/Logs/jane.log", "see ~jane.log"),
        ("a\tb\u{7}c", "a b c"),
    ] {
        assert_eq!(message("", line), expected, "{line}");
    }
    assert_eq!(message("", &"x".repeat(1000)).len(), 300);
}

#[test]
fn a_property_list_is_no_message() {
    let list = "<?xml version=\"1.0\"?>\n<plist><dict/></plist>\n";
    assert_eq!(message(list, "Error: no"), "Error: no");
    assert_eq!(message(list, ""), "it ended with exit code 1 and said nothing");
}

#[test]
fn a_program_that_does_not_end_by_itself_has_that_as_its_error() {
    let of = |end: End| of(&ended(end, "", ""));
    assert_eq!(of(End::TimedOut).kind, Kind::TimedOut);
    assert_eq!(of(End::Stopped).kind, Kind::Stopped);
    assert_eq!(of(End::Killed(9)).message, "it was ended by signal 9");
    let missing = of(End::NotStarted("no such file or directory".into()));
    assert_eq!(missing.kind, Kind::Unsupported);
    assert_eq!(of(End::NotStarted("argument list too long".into())).kind, Kind::Unknown);
}

proptest! {
    #[test]
    fn nothing_that_a_program_says_breaks_it(
        code in any::<i32>(),
        stdout in ".{0,40}",
        stderr in "[ -~/\"'()\u{2019}\u{201c}\u{201d}\n]{0,80}",
    ) {
        let said = of(&exited(code, &stdout, &stderr)).message;
        assert!(!said.contains('\n'), "{said}");
    }
}
