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
