//! The time of day, in UTC, to the second.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plist::Date;
use system::clock;

use crate::units::SECOND_NS;

/// From this on, in seconds, the clock of the day was set; less is its daily correction.
const A_STEP: i64 = 3;

/// A moment by the clock of the day, which may be set, and by one that may not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    utc_ns: u64,
    always_ns: u64,
}

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        Self { utc_ns: now_ns(), always_ns: clock::always_ns() }
    }

    /// By how many seconds the clock was set between this moment and a later one, negative if back. None if it was not.
    pub(crate) fn step_until(&self, later: &Self) -> Option<i64> {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let shown_ns = signed(later.utc_ns).saturating_sub(signed(self.utc_ns));
        let step_ns = shown_ns.saturating_sub(signed(self.ns_until(later)));
        let half_ns = step_ns.signum().saturating_mul(signed(SECOND_NS / 2));
        let step = step_ns.saturating_add(half_ns) / signed(SECOND_NS);
        (step.abs() >= A_STEP).then_some(step)
    }

    /// The later moment by the clock of the day as it was set at this one, `2026-11-20T18:48:19Z`.
    pub(crate) fn utc_of(&self, later: &Self) -> String {
        utc(self.utc_ns.saturating_add(self.ns_until(later)) / SECOND_NS)
    }

    /// The same moment by a clock of the day that is ahead.
    #[cfg(test)]
    pub(crate) const fn of_a_clock_ahead_by(self, seconds: u64) -> Self {
        Self { utc_ns: self.utc_ns + seconds * SECOND_NS, ..self }
    }

    const fn ns_until(&self, later: &Self) -> u64 {
        later.always_ns.saturating_sub(self.always_ns)
    }
}

/// Now, as `2026-11-20T18:48:19Z`.
pub(crate) fn now_utc() -> String {
    utc(now_seconds())
}

/// Now, in seconds since 1970.
pub(crate) fn now_seconds() -> u64 {
    now_ns() / SECOND_NS
}

/// Now, in nanoseconds since 1970; 0 before that, and the largest number after the year 2554.
fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Seconds since 1970 as a UTC time. Property lists have the same form of times as records.
fn utc(seconds: u64) -> String {
    Date::from(UNIX_EPOCH + Duration::from_secs(seconds)).to_xml_format()
}

/// Whether this is a moment that there was, in the form of records.
pub(crate) fn is_utc(text: &str) -> bool {
    // A fraction of a second or another zone makes it longer; some times of other zones have no moment in UTC. Python,
    // which loads records, has no year 0.
    let may_be = text.len() == "2026-11-20T18:48:19Z".len() && !text.starts_with("0000");
    may_be && Date::from_xml_format(text).is_ok_and(|date| date.to_xml_format() == text)
}

#[cfg(test)]
mod tests {
    use super::{Moment, utc};
    use crate::units::SECOND_NS;

    fn at(utc_seconds: u64, awake_seconds: u64) -> Moment {
        Moment { utc_ns: utc_seconds * SECOND_NS, always_ns: awake_seconds * SECOND_NS }
    }

    #[test]
    fn a_clock_that_was_set_is_told_from_one_that_went_on() {
        let begun = at(1_795_200_499, 1000);
        assert_eq!(begun.step_until(&at(1_795_200_499 + 600, 1600)), None);
        assert_eq!(begun.step_until(&at(1_795_200_499 + 601, 1600)), None, "corrected a little");
        assert_eq!(begun.step_until(&at(1_795_200_499 - 3000, 1600)), Some(-3600));
        assert_eq!(begun.step_until(&at(1_795_200_499 + 4200, 1600)), Some(3600));
    }

    #[test]
    fn a_step_is_rounded_once_and_not_each_clock_alone() {
        let begun = Moment { utc_ns: 5_000 * SECOND_NS + 999_000_000, always_ns: SECOND_NS };
        let after = |utc_ns: u64| Moment { utc_ns, always_ns: 2 * SECOND_NS + 1_000_000 };
        // 1.001 s later by the one clock. By the other, whole seconds alone would say a second more or less.
        assert_eq!(begun.step_until(&after(8_602 * SECOND_NS)), Some(3600));
        assert_eq!(begun.step_until(&after(1_402 * SECOND_NS)), Some(-3600));
    }

    #[test]
    fn the_end_is_told_by_the_clock_of_the_beginning() {
        // 2026-11-20T18:48:19Z, set back by an hour after ten minutes.
        let begun = at(1_795_200_499, 1000);
        assert_eq!(begun.utc_of(&at(1_795_200_499 - 3000, 1600)), "2026-11-20T18:58:19Z");
    }

    #[test]
    fn seconds_become_dates_across_leap_days_and_centuries() {
        // From `date -u -d @N +%FT%TZ`.
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(1_795_200_499), "2026-11-20T18:48:19Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
