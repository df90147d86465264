//! A store in memory for tests. It is shared by its clones, so that a disk can be dropped and opened again, and it can
//! be made to die after so many changes, as a process that is killed does.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex};

use crate::cell::Durability;
use crate::image::portable::store::Store;

/// The store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    bytes: Vec<u8>,
    changes: u64,
    dies_after: Option<u64>,
    encrypted: bool,
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

    /// From now on only so many changes are carried out; each later one fails and changes nothing.
    pub fn die_after(&self, changes: u64) {
        let mut inner = self.0.lock().unwrap();
        inner.dies_after = Some(inner.changes + changes);
    }

    /// Behaves like an encrypted store: holes are not zeros to everybody.
    pub fn with_noisy_holes(self) -> Self {
        self.0.lock().unwrap().encrypted = true;
        self
    }

    fn change<T>(&self, action: impl FnOnce(&mut Vec<u8>) -> T) -> io::Result<T> {
        let mut inner = self.0.lock().unwrap();
        if inner.dies_after.is_some_and(|last| inner.changes >= last) {
            return Err(io::Error::other("killed"));
        }
        inner.changes += 1;
        Ok(action(&mut inner.bytes))
    }
}

fn range(offset: u64, length: usize) -> std::ops::Range<usize> {
    let start = usize::try_from(offset).unwrap();
    start..start + length
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
        self.change(|all| {
            let place = all.get_mut(range(offset, bytes.len()));
            place.expect("a store grows by set_len only").copy_from_slice(bytes);
        })
    }

    fn set_len(&mut self, len_bytes: u64) -> io::Result<()> {
        self.change(|all| all.resize(usize::try_from(len_bytes).unwrap(), 0))
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).unwrap();
        self.change(|all| all[range(offset, length)].fill(0))
    }

    fn flush(&mut self, _durability: Durability) -> io::Result<()> {
        Ok(())
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
