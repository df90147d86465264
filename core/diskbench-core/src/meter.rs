//! Progress counters: relaxed atomics, written by the worker and read by the display.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A shared counter of bytes, files and sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    bytes: AtomicU64,
    files: AtomicU64,
    set: AtomicU64,
}

impl Meter {
    /// A meter at zero.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds bytes. Relaxed, since the order does not matter.
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds one file, which belongs to this set.
    pub(crate) fn add_file(&self, set: u32) {
        self.counts.files.fetch_add(1, Ordering::Relaxed);
        self.counts.set.store(u64::from(set), Ordering::Relaxed);
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.counts.bytes.load(Ordering::Relaxed)
    }

    /// Files so far.
    pub(crate) fn files(&self) -> u64 {
        self.counts.files.load(Ordering::Relaxed)
    }

    /// The set of the file that was finished last.
    pub(crate) fn set(&self) -> u64 {
        self.counts.set.load(Ordering::Relaxed)
    }
}
