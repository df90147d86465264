//! What exit codes and messages mean.

use super::{Kind, message};
use crate::program::Answer;

/// How the system says that a file is not there.
pub(super) const MISSING: &str = "no such file or directory";

/// Specific exit codes. `hdiutil`: errno of macOS ("Primary error domain is BSD errno", its manual; 16 was seen for
/// `detach`). `diskutil`: sysexits(3) (its manual). Most failures exit with 1, which is unspecific, and so is 2, which
/// many programs use for wrong usage.
const CODES: [(i32, Kind); 10] = [
    (13, Kind::NotPermitted), // EACCES
    (16, Kind::Busy),         // EBUSY
    (17, Kind::Exists),       // EEXIST
    (28, Kind::NoSpace),      // ENOSPC
    (35, Kind::Busy),         // EAGAIN
    (45, Kind::Unsupported),  // ENOTSUP
    (64, Kind::Unsupported),  // EX_USAGE: we ask for nothing else than what a newer release knows
    (75, Kind::Busy),         // EX_TEMPFAIL
    (77, Kind::NotPermitted), // EX_NOPERM
    (80, Kind::Passphrase),   // EAUTH
];

/// Texts to search in a message, in this order: unknown arguments first, since messages repeat them. All were observed
/// (issues of create-dmg, dmgbuild, Lima, autopkg and Homebrew), except the texts of errno and of the argument parser
/// of Apple's newer programs, which are known from their sources.
const WORDS: [(&str, Kind); 36] = [
    ("did not recognize verb", Kind::Unsupported),
    ("invalid argument for -", Kind::Unsupported),
    ("unknown option", Kind::Unsupported),
    ("unrecognized option", Kind::Unsupported),
    ("invalid option", Kind::Unsupported),
    ("unknown format", Kind::Unsupported),
    ("unsupported format", Kind::Unsupported),
    ("unknown argument", Kind::Unsupported),
    ("unexpected argument", Kind::Unsupported),
    ("is invalid for '", Kind::Unsupported),
    ("operation not supported", Kind::Unsupported),
    ("function not implemented", Kind::Unsupported),
    ("resource busy", Kind::Busy),
    ("ressource ist belegt", Kind::Busy),
    ("was dissented by", Kind::Busy),
    ("could not be unmounted", Kind::Busy),
    ("timeout for diskarbitration expired", Kind::Busy),
    ("resource temporarily unavailable", Kind::Busy),
    ("couldn't communicate with a helper application", Kind::Busy),
    ("no space left on device", Kind::NoSpace),
    ("file exists", Kind::Exists),
    ("already exists", Kind::Exists),
    ("authentication error", Kind::Passphrase),
    ("passphrase", Kind::Passphrase),
    ("operation not permitted", Kind::NotPermitted),
    ("permission denied", Kind::NotPermitted),
    (MISSING, Kind::Gone),
    ("fichier ou répertoire introuvable", Kind::Gone),
    ("no such disk", Kind::Gone),
    ("unable to find disk", Kind::Gone),
    ("could not find disk", Kind::Gone),
    ("couldn't find disk", Kind::Gone),
    ("failed to find disk", Kind::Gone),
    ("unable to find volume", Kind::Gone),
    // A helper or kernel driver that does not answer; this alone says nothing about the device.
    ("device not configured", Kind::Unknown),
    ("装置が構成されていません", Kind::Unknown),
];

/// What an exit code means, where it says anything.
pub(super) fn of_code(code: i32) -> Option<Kind> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, kind)| *kind)
}

/// What a message means: the last line first, since it is the message, then those before it.
pub(super) fn of_message(answer: &Answer) -> Kind {
    let meaning = |line: &String| {
        let line = line.to_lowercase();
        WORDS.iter().find(|(known, _)| line.contains(known)).map(|(_, kind)| *kind)
    };
    message::lines(answer).iter().rev().find_map(meaning).unwrap_or(Kind::Unknown)
}
