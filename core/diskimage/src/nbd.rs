//! Serving a disk to other programs: NBD, the network block device, over any stream of bytes.
//!
//! What `qemu`, `nbdcopy` and `nbdfuse` ask for, and no more: the fixed newstyle handshake without TLS, structured
//! replies, and the map of extents as `base:allocation`. Source: the protocol's own description
//! (NetworkBlockDevice/nbd, `doc/proto.md`).

mod handshake;
mod message;
#[cfg(test)]
mod tests;
mod transmission;

use std::fmt;
use std::io::{Read, Result, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk::VirtualDisk;

/// Longest read or write that is served, in bytes: what the protocol lets a client send that has not asked for a limit.
pub(crate) const MOST_BYTES: u32 = 32 << 20;

/// A disk that clients share.
pub struct Export {
    image: Mutex<Box<dyn VirtualDisk>>,
    len_bytes: u64,
    writable: bool,
    report: Report,
}

/// Gets a line about each request that the image did not carry out.
pub type Report = Box<dyn Fn(&str) + Send + Sync>;

impl fmt::Debug for Export {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Export").field("len_bytes", &self.len_bytes).finish_non_exhaustive()
    }
}

impl Export {
    /// The disk of an image; with `writable` clients may change it, and it must be open for writing.
    pub fn new(image: Box<dyn VirtualDisk>, writable: bool) -> Self {
        let len_bytes = image.len_bytes();
        Self { image: Mutex::new(image), len_bytes, writable, report: Box::new(|_| ()) }
    }

    /// The same, with a report of what the image could not do: clients get no more than a number.
    #[must_use]
    pub fn reporting(self, report: Report) -> Self {
        Self { report, ..self }
    }

    /// Serves a client until it leaves. What it wrote is then flushed, also when it died.
    ///
    /// # Errors
    /// Those of the stream; `InvalidData` for a client that does not speak the protocol.
    pub fn serve(&self, mut from: impl Read, mut to: impl Write) -> Result<()> {
        let served = match handshake::agree(self, &mut from, &mut to)? {
            None => return Ok(()),
            Some(agreed) => transmission::serve(self, &agreed, &mut from, &mut to),
        };
        let flushed = self.flush();
        served.and(flushed)
    }

    /// Makes all that was written last.
    ///
    /// # Errors
    /// Any error of the image.
    pub fn flush(&self) -> Result<()> {
        if self.writable { Ok(self.image().make_last()?) } else { Ok(()) }
    }

    /// A client at a time uses it. One that panicked has left it as whole as a process that is killed.
    fn image(&self) -> MutexGuard<'_, Box<dyn VirtualDisk>> {
        self.image.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it can do, as the protocol says it.
    fn flags(&self) -> u16 {
        const HAS_FLAGS: u16 = 1 << 0;
        const READ_ONLY: u16 = 1 << 1;
        const FLUSH: u16 = 1 << 2;
        const FUA: u16 = 1 << 3;
        const TRIM: u16 = 1 << 5;
        const WRITE_ZEROES: u16 = 1 << 6;
        const DF: u16 = 1 << 7;
        // a flush on one connection makes last what was written on any
        const MULTI_CONN: u16 = 1 << 8;
        let kind = if self.writable { FLUSH | FUA | TRIM | WRITE_ZEROES } else { READ_ONLY };
        HAS_FLAGS | DF | MULTI_CONN | kind
    }
}
