//! Random bytes of the operating system.

use std::io;

use crate::error::Result;

/// Fills the buffer.
///
/// # Errors
/// `Io` when the system gives no random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<()> {
    Ok(getrandom::fill(bytes).map_err(io::Error::other)?)
}

/// So many bytes.
///
/// # Errors
/// As [`fill`].
pub(crate) fn bytes<const LENGTH: usize>() -> Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    fill(&mut bytes)?;
    Ok(bytes)
}

/// A random UUID: version 4 of RFC 9562.
///
/// # Errors
/// As [`fill`].
pub(crate) fn uuid() -> Result<[u8; 16]> {
    let mut uuid: [u8; 16] = bytes()?;
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut uuid;
    *version = *version & 0x0F | 0x40;
    *variant = *variant & 0x3F | 0x80;
    Ok(uuid)
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn no_two_uuids_are_equal_and_each_says_that_it_is_random() {
        let (one, other) = (uuid().unwrap(), uuid().unwrap());
        assert_ne!(one, other);
        for uuid in [one, other] {
            assert_eq!((uuid[6] >> 4, uuid[8] >> 6), (4, 2));
        }
    }
}
