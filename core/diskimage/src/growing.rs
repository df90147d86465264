//! A store that grows in large steps, so that its new length is rarely news to the disk.
//!
//! A file system keeps a file's bytes and its length apart: after a power failure an index can be on the disk, and the
//! file be too short for what it names. So a format flushes a store that grew before it writes its index. One more
//! flush for each band would halve the speed of small flushes; for each step it does not count. A process that ends
//! without closing leaves zeros at the end, which are used again.

use std::ops::Range;

use system::flush::Durability;

use crate::error::{Result, damaged};
use crate::store::Store;

/// What it grows by, in bytes. In tests always by just what is needed.
const STEP: u64 = if cfg!(test) { 1 } else { 64 << 20 };

/// The store. Dropping it cuts what was not used.
pub(crate) struct Growing {
    inner: Box<dyn Store>,
    len_bytes: u64,
    step: u64,
    grew: bool,
}

impl Growing {
    /// Around a store that is as long as its content.
    pub(crate) fn of(inner: Box<dyn Store>) -> Box<dyn Store> {
        Box::new(Self::by(STEP, inner))
    }

    fn by(step: u64, inner: Box<dyn Store>) -> Self {
        // A process that was killed may have made it longer just now.
        Self { len_bytes: inner.len_bytes(), inner, step, grew: true }
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if self.len_bytes < self.inner.len_bytes() {
            // What cannot be cut is zeros that nothing names.
            drop(self.inner.set_len(self.len_bytes));
        }
    }
}

impl Store for Growing {
    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.len_bytes) {
            return Err(damaged("it ends before what its structures say is in it"));
        }
        self.inner.read_at(buffer, offset)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let found = self.inner.next_data(from)?;
        let within = found.map(|data| data.start..data.end.min(self.len_bytes));
        Ok(within.filter(|data| !data.is_empty()))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        self.inner.write_at(bytes, offset)
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        if self.inner.len_bytes() < len_bytes {
            let ahead = len_bytes.next_multiple_of(self.step);
            // Near the longest file that a file system has only the exact length may be possible.
            if ahead == len_bytes || self.inner.set_len(ahead).is_err() {
                self.inner.set_len(len_bytes)?;
            }
            self.grew = true;
        } else if len_bytes < self.len_bytes {
            self.inner.set_len(len_bytes)?;
        }
        self.len_bytes = len_bytes;
        Ok(())
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        self.inner.punch(offset, length)
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        self.inner.flush(durability)?;
        self.grew &= durability == Durability::None;
        Ok(())
    }

    fn grew(&self) -> bool {
        self.grew
    }

    fn holes_are_zeros(&self) -> bool {
        self.inner.holes_are_zeros()
    }

    fn will_read(&self, offset: u64, length: u64) {
        self.inner.will_read(offset, length);
    }
}

#[cfg(test)]
mod tests {
    use super::Growing;
    use crate::store::Store;
    use crate::testing::memory::MemoryStore;
    use system::flush::Durability;

    #[test]
    fn it_grows_in_steps_and_is_cut_when_it_is_closed() {
        let memory = MemoryStore::of([7; 10]);
        let mut store = Growing::by(1000, Box::new(memory.clone()));
        let lengths = |store: &Growing| (store.len_bytes(), memory.bytes().len(), store.grew());
        assert_eq!(lengths(&store), (10, 10, true));
        store.set_len(20).unwrap();
        assert_eq!(lengths(&store), (20, 1000, true));
        store.flush(Durability::None).unwrap();
        assert!(store.grew());
        store.flush(Durability::Fsync).unwrap();
        store.set_len(1000).unwrap();
        assert_eq!(lengths(&store), (1000, 1000, false));
        store.set_len(1001).unwrap();
        assert_eq!(lengths(&store), (1001, 2000, true));
        store.set_len(15).unwrap();
        store.set_len(25).unwrap();
        assert_eq!(
            (lengths(&store), store.next_data(10).unwrap()),
            ((25, 1000, true), Some(10..25))
        );
        assert!(store.read_at(&mut [0; 5], 21).is_err());
        drop(store);
        assert_eq!(memory.bytes().len(), 25);
    }
}
