//! From a passphrase to the key that wraps the keys: PBKDF2 with HMAC-SHA1.
//!
//! The number of rounds, stored in the header, makes guessing slow: each guess needs all of them.

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use zeroize::Zeroizing;

/// Length of the wrapping key in bytes: AES-192 and 3DES alike.
pub(crate) const WRAPPING_KEY: usize = 24;

/// The count for a new image: what Apple's tools write now, about a tenth of a second on a machine of 2020.
pub(crate) const ROUNDS: u32 = 500_000;

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

#[cfg(test)]
mod tests {
    use super::wrapping_key;
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
}
