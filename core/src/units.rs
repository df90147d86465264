//! Numbers for people: decimal units, made with integers only.

/// Bytes in one decimal gigabyte.
pub const GB: u64 = 1_000_000_000;

/// Nanoseconds in one second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// `53.30 GB`: decimal gigabytes, two places, rounded half up.
#[must_use]
pub fn gigabytes(bytes: u64) -> String {
    let hundredths = bytes.saturating_add(GB / 200) / (GB / 100);
    format!("{}.{:02} GB", hundredths / 100, hundredths % 100)
}

/// `1.20`: thousandths as a number with two places, rounded half up.
#[must_use]
pub fn milli(value: u64) -> String {
    let hundredths = value.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// `2 h 05 min`, `3 min 20 s` or `7 s`.
#[must_use]
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Bytes per second from bytes and nanoseconds; 0 when no time has passed.
#[must_use]
pub fn rate(bytes: u64, elapsed_ns: u64) -> u64 {
    if elapsed_ns == 0 {
        return 0;
    }
    let rate = u128::from(bytes) * u128::from(SECOND_NS) / u128::from(elapsed_ns);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{duration, gigabytes, milli, rate};

    #[test]
    fn gigabytes_are_decimal_and_rounded_half_up() {
        assert_eq!(gigabytes(53_300_000_000), "53.30 GB");
        assert_eq!(gigabytes(266_500_000), "0.27 GB");
        assert_eq!(gigabytes(4_999_999), "0.00 GB");
        assert_eq!(gigabytes(5_000_000), "0.01 GB");
        assert_eq!(gigabytes(u64::MAX), "18446744073.70 GB");
    }

    #[test]
    fn thousandths_show_two_places() {
        assert_eq!(milli(1200), "1.20");
        assert_eq!(milli(95), "0.10");
    }

    #[test]
    fn durations_use_the_two_largest_units() {
        assert_eq!(duration(7), "7 s");
        assert_eq!(duration(200), "3 min 20 s");
        assert_eq!(duration(7500), "2 h 05 min");
    }

    #[test]
    fn a_rate_is_bytes_per_second_and_never_divides_by_zero() {
        assert_eq!(rate(1_000_000, 500_000_000), 2_000_000);
        assert_eq!(rate(1, 0), 0);
    }
}
