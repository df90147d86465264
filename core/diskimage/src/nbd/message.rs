//! Numbers and texts of the protocol, as they go over the stream: the highest byte first.

use std::io::{Error, ErrorKind, Read, Result};

/// Reads so many bytes.
pub(crate) fn array<const N: usize>(from: &mut impl Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads a number of 4 bytes.
pub(crate) fn u32_of(from: &mut impl Read) -> Result<u32> {
    Ok(u32::from_be_bytes(array(from)?))
}

/// Reads a number of 8 bytes.
pub(crate) fn u64_of(from: &mut impl Read) -> Result<u64> {
    Ok(u64::from_be_bytes(array(from)?))
}

/// Reads a text behind its length, which is at most what is there.
pub(crate) fn text(from: &mut &[u8]) -> Result<Vec<u8>> {
    let length = u32_of(from)?;
    let taken = usize::try_from(length).ok().and_then(|length| from.split_at_checked(length));
    let (text, rest) = taken.ok_or_else(|| wrong("a text is longer than its message"))?;
    *from = rest;
    Ok(text.to_vec())
}

/// The error of a client that does not speak the protocol.
pub(crate) fn wrong(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
