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

/// Bytes from `512`, `500MB`, `8 MiB`: a whole number, and a decimal or binary unit.
///
/// # Errors
/// What is wrong, for a message.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or((text, ""));
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => GB,
        "tb" => 1_000 * GB,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => {
            return Err(
                "give a whole number of bytes, or one with kB, MB, GB, TB, KiB, MiB, GiB or TiB"
                    .to_owned(),
            );
        }
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| "give a whole number of at most 2^64 - 1 bytes".to_owned())
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
    use super::{duration, gigabytes, milli, parse_bytes, rate};

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
    fn bytes_are_read_in_decimal_and_binary_units() {
        for (text, expected) in [
            ("0", 0),
            ("512", 512),
            ("500MB", 500_000_000),
            ("8 MiB", 8_388_608),
            ("1gb", 1_000_000_000),
            ("1GiB", 1_073_741_824),
            ("3kB", 3_000),
            ("2TiB", 2_199_023_255_552),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_bytes(text), Ok(expected), "{text}");
        }
        for wrong in ["", "MB", "1.5GB", "-1", "1M", "1 GB x", "99999999TB", "18446744073709551616"]
        {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_rate_is_bytes_per_second_and_never_divides_by_zero() {
        assert_eq!(rate(1_000_000, 500_000_000), 2_000_000);
        assert_eq!(rate(1, 0), 0);
    }
}
