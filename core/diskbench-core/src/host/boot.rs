//! Boot identity (session UUID, else boot time), to detect a reboot between two invocations.

use serde::{Deserialize, Serialize};

/// Boot times that differ by at most this many seconds count as equal: macOS changes the boot time when its clock is
/// set. Writing in a guest and restarting it takes longer.
const SAME: u64 = 10;

/// A boot of the system. It is not in records, only in the checkpoint of a cell that waits for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Boot {
    /// The name that the kernel gave it, another one each time.
    Session(String),
    /// When it was, in seconds since 1970, where it has no name.
    Since(u64),
}

impl Boot {
    /// Whether the system was restarted since this boot, if `now` is the current one. False if they cannot be compared:
    /// an unnecessary restart costs a minute, a missing one makes reads warm.
    pub(crate) fn is_over(&self, now: &Self) -> bool {
        match (self, now) {
            (Self::Session(then), Self::Session(now)) => then != now,
            (Self::Since(then), Self::Since(now)) => now.saturating_sub(*then) > SAME,
            _ => false,
        }
    }
}

/// The time in an answer of `sysctl -n kern.boottime`, such as `{ sec = 1774895400, usec = 0 } Mon Mar 30 ...`.
pub(super) fn since(answer: &str) -> Option<Boot> {
    let (_, rest) = answer.split_once("sec = ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    rest.get(..end)?.parse().ok().map(Boot::Since)
}

#[cfg(test)]
mod tests {
    use super::{Boot, since};

    #[test]
    fn a_start_is_over_when_the_kernel_gave_the_next_one_another_name() {
        let first = Boot::Session("6F9619FF-8B86-D011-B42D-00C04FC964FF".into());
        assert!(!first.is_over(&first.clone()));
        assert!(first.is_over(&Boot::Session("0E984725-C51C-4BF4-9960-E1C80E27ABA0".into())));
    }

    #[test]
    fn a_clock_that_is_set_is_no_restart() {
        let first = Boot::Since(1_774_895_400);
        assert!(!first.is_over(&Boot::Since(1_774_895_402)), "set forward by two seconds");
        assert!(!first.is_over(&Boot::Since(1_774_891_800)), "set back by an hour");
        assert!(first.is_over(&Boot::Since(1_774_895_430)));
    }

    #[test]
    fn starts_that_cannot_be_compared_count_as_one() {
        let name = Boot::Session("6F9619FF-8B86-D011-B42D-00C04FC964FF".into());
        assert!(!name.is_over(&Boot::Since(1_774_895_400)));
        assert!(!Boot::Since(1_774_895_400).is_over(&name));
    }

    #[test]
    fn the_time_is_read_from_the_words_of_sysctl() {
        // The form of XNU's bsd/kern/kern_sysctl.c and sysctl(8).
        let answer = "{ sec = 1774895400, usec = 251873 } Mon Mar 30 19:50:00 2026";
        assert_eq!(since(answer), Some(Boot::Since(1_774_895_400)));
        assert_eq!(since("sysctl: unknown oid"), None);
    }
}
