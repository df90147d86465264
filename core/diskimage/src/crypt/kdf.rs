//! From a passphrase to the key that wraps the keys: PBKDF2 with HMAC-SHA1.
//!
//! The number of rounds, stored in the header, makes guessing slow: each guess needs all of them.

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use system::clock;
use zeroize::Zeroizing;

/// Length of the wrapping key in bytes: AES-192 and 3DES alike.
pub(crate) const WRAPPING_KEY: usize = 24;

/// How long opening an image may take on the machine that made it, in nanoseconds: hardly felt by a person, and within
/// the range of what Apple's tools took on the machines of their time.
const GOAL_NS: u64 = 100_000_000;

/// The least count for a new image, however slow the machine is: what Apple's tools wrote from about 2013 on began
/// at 212,765.
const FLOOR: u32 = 200_000;

/// The highest count for a new image, however fast the machine is: ten times what Apple's tools write now, so that the
/// image can still be opened elsewhere in a moment.
const CAP: u32 = 5_000_000;

/// Rounds that are timed: about two hundredths of the goal on a machine of 2020.
const SAMPLE: u32 = 10_000;

/// How often they are timed; the fastest counts, because everything that disturbs makes it slower.
const SAMPLES: u32 = 3;

/// The most rounds that are believed when an image is opened, over all its passphrases: forty times what Apple's tools
/// write, and a few seconds of work. A damaged or hostile header could ask for hours.
pub(crate) const BELIEVED: u32 = 20_000_000;

/// The wrapping key that a passphrase gives.
pub(crate) fn wrapping_key(
    passphrase: &[u8],
    salt: &[u8],
    iterations: u32,
) -> Zeroizing<[u8; WRAPPING_KEY]> {
    let mut key = Zeroizing::new([0; WRAPPING_KEY]);
    pbkdf2_hmac::<Sha1>(passphrase, salt, iterations, key.as_mut());
    key
}

/// The count of rounds that takes this machine a tenth of a second, within sensible bounds.
pub(crate) fn calibrated() -> u32 {
    let fastest_ns = (0..SAMPLES).map(|_| sample_ns()).min().unwrap_or_default().max(1);
    let rounds = u64::from(SAMPLE).saturating_mul(GOAL_NS) / fastest_ns;
    u32::try_from(rounds).unwrap_or(CAP).clamp(FLOOR, CAP)
}

fn sample_ns() -> u64 {
    let mut key = [0; WRAPPING_KEY];
    let start = clock::awake_ns();
    pbkdf2_hmac::<Sha1>(b"a passphrase", &[0; 20], SAMPLE, &mut key);
    std::hint::black_box(key);
    clock::awake_ns() - start
}

#[cfg(test)]
mod tests {
    use super::{CAP, FLOOR, calibrated, wrapping_key};
    use crate::crypt::reference::hex;

    #[test]
    fn the_examples_of_rfc_6070_are_reproduced() {
        // The beginnings of those keys: ours has 24 bytes, theirs have 20 or 25.
        for (passphrase, salt, iterations, expected) in [
            ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (
                "passwordPASSWORDpassword",
                "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                4096,
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f070",
            ),
        ] {
            let key = wrapping_key(passphrase.as_bytes(), salt.as_bytes(), iterations);
            assert!(key.starts_with(&hex(expected)), "{salt} {iterations}");
        }
    }

    #[test]
    fn a_calibrated_count_is_within_its_bounds() {
        assert!((FLOOR..=CAP).contains(&calibrated()));
    }
}
