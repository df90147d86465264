//! Reads stdin by each program's own rule.

use std::io::{self, BufRead, Read};

use diskimage::crypt::Passphrase;

use crate::world::hidden;

/// More is no passphrase, in bytes.
const MOST: u64 = 1 << 16;

/// `hdiutil`: all bytes up to NUL or the end, a line feed among them.
pub fn of_hdiutil() -> io::Result<Option<(Passphrase, String)>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST).read_to_end(&mut bytes)?;
    made(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
}

/// `diskutil`: one line, without its end.
pub fn of_diskutil() -> io::Result<Option<(Passphrase, String)>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST).read_until(b'\n', &mut bytes)?;
    made(bytes.strip_suffix(b"\n").unwrap_or_default())
}

/// An empty one is none.
fn made(bytes: &[u8]) -> io::Result<Option<(Passphrase, String)>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    Ok(Some((Passphrase::new(bytes.to_vec())?, hidden(bytes))))
}
