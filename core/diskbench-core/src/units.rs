//! Numbers for people, made and read with integers only.

/// Bytes in one decimal gigabyte.
pub(crate) const GB: u64 = 1_000_000_000;

/// Nanoseconds in one second.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// `53.30 GB`: decimal gigabytes, two places, rounded half up.
pub(crate) fn gigabytes(bytes: u64) -> String {
    let hundredths = bytes.saturating_add(GB / 200) / (GB / 100);
    format!("{}.{:02} GB", hundredths / 100, hundredths % 100)
}

/// Bytes from `512`, `500MB`, `1.5 GB`, `8MiB` or `100g`: a number with an optional unit.
///
/// `MB` is decimal, `MiB` binary. A single letter is binary, as in `hdiutil`, `qemu-img` and `truncate`: `100g` is
/// 100 GiB. A lower-case `b` is 512 bytes in `hdiutil` and one byte elsewhere, so it is refused. Fractions of bytes are
/// rounded up.
///
/// # Errors
/// The fault, for a message.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    let factor = factor(unit.trim_start())
        .ok_or("give a number of bytes, or one with kB, MB, GB, TB, PB (decimal), KiB, MiB, GiB, TiB, PiB or k, m, g, t, p (binary)")?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit());
    let written = !whole.is_empty() && (!number.contains('.') || !fraction.is_empty());
    if !written
        || !digits(fraction)
        || fraction.len() > MOST_PLACES
        || (factor == 1 && number.contains('.'))
    {
        return Err(format!(
            "give a whole number of bytes, or one such as 1.5GB, with at most {MOST_PLACES} places"
        ));
    }
    let parts = 10_u128.pow(u32::try_from(fraction.len()).unwrap_or_default());
    // All digits as one number of that many parts of a unit.
    format!("{whole}{fraction}")
        .parse::<u128>()
        .ok()
        .and_then(|all| all.checked_mul(u128::from(factor)))
        .and_then(|bytes| u64::try_from(bytes.div_ceil(parts)).ok())
        .ok_or_else(|| "give at most 2^64 - 1 bytes".to_owned())
}

/// An unsigned decimal number, such as `1.2`, in thousandths; further digits are dropped.
pub(crate) fn decimal_milli(text: &str) -> Option<u64> {
    // Some languages use a comma, even with LC_ALL=C.
    let (whole, places) = text.trim().split_once(['.', ',']).unwrap_or((text.trim(), ""));
    let digits: String = places.chars().chain("000".chars()).take(3).collect();
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(digits.parse().ok()?)
}

/// Places behind the point: enough for every byte of a terabyte.
const MOST_PLACES: usize = 12;

fn factor(unit: &str) -> Option<u64> {
    if unit.is_empty() || unit == "B" {
        return Some(1);
    }
    Some(match unit.to_ascii_lowercase().as_str() {
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => GB,
        "tb" => 1_000 * GB,
        "pb" => 1_000_000 * GB,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "p" | "pib" => 1 << 50,
        _ => return None,
    })
}

/// `1.20`: thousandths as a number with two places, rounded half up.
pub(crate) fn milli(value: u64) -> String {
    let hundredths = value.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// `2 h 05 min`, `3 min 20 s` or `7 s`.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Bytes per second from bytes and nanoseconds; 0 when no time has passed.
pub(crate) fn rate(bytes: u64, elapsed_ns: u64) -> u64 {
    if elapsed_ns == 0 {
        return 0;
    }
    let rate = u128::from(bytes) * u128::from(SECOND_NS) / u128::from(elapsed_ns);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{decimal_milli, duration, gigabytes, milli, parse_bytes, rate};

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
    fn decimals_become_thousandths_without_a_float() {
        assert_eq!(decimal_milli("1.2"), Some(1200));
        assert_eq!(decimal_milli("0,05"), Some(50));
        assert_eq!(decimal_milli("12"), Some(12_000));
        assert_eq!(decimal_milli("0.12345"), Some(123));
        assert_eq!(decimal_milli("-1.0"), None);
    }

    #[test]
    fn durations_use_the_two_largest_units() {
        assert_eq!(duration(7), "7 s");
        assert_eq!(duration(200), "3 min 20 s");
        assert_eq!(duration(7500), "2 h 05 min");
    }

    #[test]
    fn bytes_are_read_as_people_type_them() {
        for (text, expected) in [
            ("0", 0),
            ("512", 512),
            ("512B", 512),
            ("500MB", 500_000_000),
            ("100 MB", 100_000_000),
            ("8 MiB", 8_388_608),
            ("1gb", 1_000_000_000),
            ("1.5GB", 1_500_000_000),
            ("1.5GiB", 1_610_612_736),
            ("1GiB", 1_073_741_824),
            ("1 gib", 1_073_741_824),
            // As hdiutil, qemu-img and truncate take them.
            ("100g", 107_374_182_400),
            ("100G", 107_374_182_400),
            ("1k", 1_024),
            ("64m", 67_108_864),
            ("0.5t", 549_755_813_888),
            ("1p", 1_125_899_906_842_624),
            ("3kB", 3_000),
            ("2TiB", 2_199_023_255_552),
            ("1.000000000001TB", 1_000_000_000_001),
            // 107,374,182.4 and 1.024 bytes.
            ("0.1GiB", 107_374_183),
            ("0.001k", 2),
            ("18446744073709551615", u64::MAX),
            ("18446744073709551.615kB", u64::MAX),
            ("00000000000000000000000001", 1),
        ] {
            assert_eq!(parse_bytes(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_could_be_meant_in_two_ways_or_in_none_is_no_size() {
        for (wrong, expected) in [
            // Sectors to hdiutil, bytes to others.
            ("100b", "kB, MB"),
            ("1 GB x", "kB, MB"),
            ("1,5GB", "kB, MB"),
            ("-1", "kB, MB"),
            ("1e9", "kB, MB"),
            ("1_000", "kB, MB"),
            ("\u{664}", "kB, MB"),
            ("1.5", "whole number"),
            ("1.5B", "whole number"),
            ("1.0", "whole number"),
            ("", "whole number"),
            ("MB", "whole number"),
            (".5GB", "whole number"),
            ("1.GB", "whole number"),
            ("1.2.3GB", "whole number"),
            (".", "whole number"),
            ("1.0000000000001TB", "at most 12 places"),
            ("99999999TB", "at most 2^64 - 1"),
            ("18446744073709551616", "at most 2^64 - 1"),
            ("18446744073709551.616kB", "at most 2^64 - 1"),
            ("999999999999999999999999999999999999999", "at most 2^64 - 1"),
            ("9999999999999999999999999999999999999999999GB", "at most 2^64 - 1"),
        ] {
            let refused = parse_bytes(wrong).unwrap_err();
            assert!(refused.contains(expected), "{wrong}: {refused}");
        }
    }

    #[test]
    fn a_rate_is_bytes_per_second_and_never_divides_by_zero() {
        assert_eq!(rate(1_000_000, 500_000_000), 2_000_000);
        assert_eq!(rate(1, 0), 0);
    }
}
