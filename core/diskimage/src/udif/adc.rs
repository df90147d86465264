//! Apple Data Compression: literal bytes, and copies of what was unpacked before.
//!
//! | first byte | further bytes | meaning |
//! | --- | --- | --- |
//! | `1nnnnnnn` | n + 1 | as they are |
//! | `00nnnndd` | 1: d | n + 3 bytes from d + 1 bytes back (10 bits) |
//! | `01nnnnnn` | 2: d | n + 4 bytes from d + 1 bytes back (16 bits) |
//!
//! As the readers of libdmg-hfsplus, dmg2img and 7-Zip have it.

use std::io;

use crate::bytes::{part, part_mut};

/// Fills the room.
///
/// # Errors
/// `InvalidData` when it ends too early, has more than fits, or goes back before the start.
pub(crate) fn unpack(mut packed: &[u8], room: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while let Some((first, rest)) = packed.split_first() {
        let first = usize::from(*first);
        let (length, back, used) = match (first >> 6, rest) {
            (2 | 3, _) => (first % 128 + 1, None, first % 128 + 1),
            (0, [low, ..]) => (first / 4 + 3, Some(first % 4 * 256 + usize::from(*low)), 1),
            (1, [high, low, ..]) => {
                (first % 64 + 4, Some(usize::from(u16::from_be_bytes([*high, *low]))), 2)
            }
            _ => return Err(wrong("it ends too early")),
        };
        if length > room.len() - done {
            return Err(wrong("it is longer than its sectors"));
        }
        match back {
            None if rest.len() < length => return Err(wrong("it ends too early")),
            None => part_mut(room, done..done + length).copy_from_slice(part(rest, ..length)),
            Some(back) if back >= done => return Err(wrong("it goes back before its start")),
            Some(back) => copy_within(room, done, length, back + 1),
        }
        done += length;
        packed = part(rest, used..);
    }
    if done == room.len() { Ok(()) } else { Err(wrong("it is shorter than its sectors")) }
}

/// Repeats what lies so far back. It may overlap what it makes: then that is repeated.
fn copy_within(room: &mut [u8], done: usize, length: usize, back: usize) {
    for at in done..done + length {
        let (before, after) = room.split_at_mut(at);
        if let (Some(from), Some(to)) = (before.get(at - back), after.first_mut()) {
            *to = *from;
        }
    }
}

fn wrong(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::unpack;

    fn unpacked(packed: &[u8], length: usize) -> Result<Vec<u8>, String> {
        let mut room = vec![0; length];
        unpack(packed, &mut room).map_err(|error| error.to_string())?;
        Ok(room)
    }

    #[test]
    fn bytes_are_literal_or_copies_of_what_came_before() {
        assert_eq!(unpacked(b"\x82abc", 3).unwrap(), b"abc");
        // three bytes from three back, then five of the last byte alone
        assert_eq!(unpacked(b"\x82abc\x00\x02\x08\x00", 11).unwrap(), b"abcabcccccc");
        // with a distance of two bytes: four bytes from three back
        assert_eq!(unpacked(b"\x82abc\x40\x00\x02", 7).unwrap(), b"abcabca");
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for (packed, length, words) in [
            (&b"\x82ab"[..], 3, "ends too early"),
            (b"\x82abc\x00", 6, "ends too early"),
            (b"\x82abc\x40\x00", 7, "ends too early"),
            (b"\x82abc\x00\x03", 6, "before its start"),
            (b"\x82abc", 2, "longer"),
            (b"\x82abc", 4, "shorter"),
        ] {
            assert!(unpacked(packed, length).unwrap_err().contains(words), "{packed:?}");
        }
    }
}
