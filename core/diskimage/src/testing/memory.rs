//! A store in memory for tests. It is shared by its clones, so that a disk can be dropped and opened again, and it can
//! be made to die after so many changes, as a process that is killed does.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use system::flush::Durability;

use crate::store::Store;

/// The store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    asked: Vec<(u64, u64)>,
    bytes: Vec<u8>,
    changes: u64,
    dies_after: Option<u64>,
    fails_at: Option<u64>,
    encrypted: bool,
    /// Ranges that nobody wrote, or that were punched.
    holes: Vec<Range<usize>>,
}

impl MemoryStore {
    /// A store that holds these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Inner { bytes, ..Inner::default() })))
    }

    /// What it holds now.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }

    /// Changes (writes, new lengths, punches) so far.
    pub fn changes(&self) -> u64 {
        self.0.lock().unwrap().changes
    }

    /// The ranges that it was asked for ahead of reading, since the last call.
    pub fn asked(&self) -> Vec<(u64, u64)> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }

    /// From now on only so many changes are carried out; each later one fails and changes nothing.
    pub fn die_after(&self, changes: u64) {
        let mut inner = self.0.lock().unwrap();
        inner.dies_after = Some(inner.changes + changes);
    }

    /// The change after so many more fails and changes nothing, as on a full disk; the later ones are carried out.
    pub fn fail_once_after(&self, changes: u64) {
        let mut inner = self.0.lock().unwrap();
        inner.fails_at = Some(inner.changes + changes);
    }

    /// Behaves like an encrypted store: holes are not zeros to everybody.
    pub fn with_noisy_holes(self) -> Self {
        self.0.lock().unwrap().encrypted = true;
        self
    }

    /// Whether every byte of a range was written since it came to be or was punched.
    pub fn was_written(&self, offset: u64, length: u64) -> bool {
        let wanted = range(offset, usize::try_from(length).unwrap());
        let inner = self.0.lock().unwrap();
        inner.holes.iter().all(|hole| hole.end <= wanted.start || wanted.end <= hole.start)
    }

    fn change<T>(&self, action: impl FnOnce(&mut Inner) -> T) -> io::Result<T> {
        let mut inner = self.0.lock().unwrap();
        if inner.dies_after.is_some_and(|last| inner.changes >= last) {
            return Err(io::Error::other("killed"));
        }
        inner.changes += 1;
        if inner.fails_at.is_some_and(|at| inner.changes > at) {
            inner.fails_at = None;
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(action(&mut inner))
    }
}

fn range(offset: u64, length: usize) -> Range<usize> {
    let start = usize::try_from(offset).unwrap();
    start..start + length
}

impl Inner {
    /// A range is no hole any more.
    fn fill(&mut self, filled: &Range<usize>) {
        self.holes = (self.holes.iter())
            .flat_map(|hole| {
                [hole.start..hole.end.min(filled.start), hole.start.max(filled.end)..hole.end]
            })
            .filter(|hole| hole.start < hole.end)
            .collect();
    }
}

impl Store for MemoryStore {
    fn len_bytes(&self) -> u64 {
        self.0.lock().unwrap().bytes.len() as u64
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let inner = self.0.lock().unwrap();
        let found = inner.bytes.get(range(offset, buffer.len()));
        buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.change(|inner| {
            let place = range(offset, bytes.len());
            inner.fill(&place);
            let found = inner.bytes.get_mut(place);
            found.expect("a store grows by set_len only").copy_from_slice(bytes);
        })
    }

    fn set_len(&mut self, len_bytes: u64) -> io::Result<()> {
        self.change(|inner| {
            let (old, new) = (inner.bytes.len(), usize::try_from(len_bytes).unwrap());
            inner.fill(&(new..usize::MAX));
            if old < new {
                inner.holes.push(old..new);
            }
            inner.bytes.resize(new, 0);
        })
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).unwrap();
        self.change(|inner| {
            let place = range(offset, length);
            inner.bytes[place.clone()].fill(0);
            inner.holes.push(place);
        })
    }

    fn flush(&mut self, _durability: Durability) -> io::Result<()> {
        Ok(())
    }

    fn will_read(&self, offset: u64, length: u64) {
        self.0.lock().unwrap().asked.push((offset, length));
    }

    fn holes_are_zeros(&self) -> bool {
        !self.0.lock().unwrap().encrypted
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        Ok(self.len_bytes())
    }

    fn for_each_file(
        &self,
        _action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        Ok(())
    }
}
