//! Paths of macOS's programs, and of their stand-ins in tests.

use std::path::PathBuf;
use std::time::Duration;

/// The variable with a folder of stand-ins for macOS's programs: with it, this program runs on any machine as if on the
/// Mac that they imitate, and marks every record. For tests.
pub(crate) const STAND_IN: &str = "DISKBENCH_STAND_IN";

/// Time limit of stand-ins in seconds, so that tests need not wait long for a hanging one.
const STAND_IN_SECONDS: &str = "DISKBENCH_STAND_IN_SECONDS";

/// With this set, macOS reports an older version than it has, 10.16 or 16.0.
pub(crate) const COMPATIBILITY: &str = "SYSTEM_VERSION_COMPAT";

/// Programs by their whole paths: an environment like conda's has other programs of the same names, and some paths
/// lack /usr/sbin.
const PLACES: [(&str, &str); 12] = [
    ("caffeinate", "/usr/bin/caffeinate"),
    ("df", "/bin/df"),
    ("diskutil", "/usr/sbin/diskutil"),
    ("fdesetup", "/usr/bin/fdesetup"),
    ("hdiutil", "/usr/bin/hdiutil"),
    ("ioreg", "/usr/sbin/ioreg"),
    ("pmset", "/usr/bin/pmset"),
    ("sw_vers", "/usr/bin/sw_vers"),
    ("sysctl", "/usr/sbin/sysctl"),
    ("tmutil", "/usr/bin/tmutil"),
    ("vm_stat", "/usr/bin/vm_stat"),
    ("sh", "/bin/sh"),
];

/// The folder of stand-ins for macOS's programs, if any.
pub fn stand_in() -> Option<PathBuf> {
    std::env::var_os(STAND_IN).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// How long a program may take that is given this long.
pub(crate) fn limit(given: Duration) -> Duration {
    let least = stand_in()
        .and_then(|_| std::env::var(STAND_IN_SECONDS).ok()?.parse().ok())
        .map_or(given, Duration::from_secs);
    given.min(least)
}

/// Whether macOS's programs are available: on a Mac, or as stand-ins.
pub(crate) fn are_of_macos() -> bool {
    cfg!(target_os = "macos") || stand_in().is_some()
}

/// The path of a program. Unknown ones are searched in PATH.
pub(crate) fn path(program: &str) -> PathBuf {
    let known = PLACES.iter().find(|(name, _)| *name == program);
    if let Some(folder) = stand_in() {
        let place = folder.join(program);
        // A broken link stands for a program that the Mac lacks.
        if place.symlink_metadata().is_ok() {
            return place;
        }
    }
    known.map_or_else(|| PathBuf::from(program), |(_, place)| PathBuf::from(place))
}
