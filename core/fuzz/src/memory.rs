//! A store in memory that holds only the pages that were written, so that an input of a few bytes can claim to be a
//! file of terabytes. It is shared by its clones, holds no more than so many pages, and can be killed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diskimage::store::Store;
use system::flush::Durability;

/// Unit of what is held, in bytes: a page of the file systems at hand.
pub const PAGE: usize = 4096;

/// Most pages that are held: 64 MiB, well below the limit that the fuzzer sets.
const MOST_PAGES: usize = 16_384;

/// The store.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    length: u64,
    pages: BTreeMap<u64, Box<[u8; PAGE]>>,
    changes: u64,
    dies_after: Option<u64>,
}

impl Memory {
    /// A store of this length with nothing in it.
    pub fn of_length(length: u64) -> Self {
        let memory = Self::default();
        memory.inner().length = length;
        memory
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes where there is room, grows nothing: for making a store up.
    pub fn put(&self, bytes: &[u8], offset: u64) {
        let mut inner = self.inner();
        let room = inner.length.saturating_sub(offset).min(bytes.len() as u64) as usize;
        let _full = inner.write(&bytes[..room], offset);
    }

    /// Changes so far: writes, new lengths, punches.
    pub fn changes(&self) -> u64 {
        self.inner().changes
    }

    /// From now on so many changes are carried out; each later one fails. None revives it.
    pub fn die_after(&self, changes: Option<u64>) {
        let mut inner = self.inner();
        inner.dies_after = changes.map(|more| inner.changes + more);
    }

    /// Whether a change was refused since it was to die.
    pub fn is_dead(&self) -> bool {
        let inner = self.inner();
        inner.dies_after.is_some_and(|last| inner.changes >= last)
    }

    /// The pages that hold something, in order.
    pub fn pages(&self) -> Vec<(u64, [u8; PAGE])> {
        let inner = self.inner();
        inner.pages.iter().map(|(number, page)| (*number, **page)).collect()
    }

    fn change(&self, action: impl FnOnce(&mut Inner) -> io::Result<()>) -> io::Result<()> {
        let mut inner = self.inner();
        if inner.dies_after.is_some_and(|last| inner.changes >= last) {
            return Err(io::Error::other("killed"));
        }
        action(&mut inner)?;
        inner.changes += 1;
        Ok(())
    }
}

impl Inner {
    fn holds(&self, offset: u64, length: usize) -> io::Result<()> {
        match offset.checked_add(length as u64) {
            Some(end) if end <= self.length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        for (start, part) in parts(offset, bytes.len()) {
            let (number, within) = (start / PAGE as u64, (start % PAGE as u64) as usize);
            let part = &bytes[part];
            let full = self.pages.len() >= MOST_PAGES;
            let Some(page) = self.pages.get_mut(&number) else {
                if part.iter().any(|byte| *byte != 0) {
                    if full {
                        return Err(io::ErrorKind::StorageFull.into());
                    }
                    let mut page = Box::new([0; PAGE]);
                    page[within..within + part.len()].copy_from_slice(part);
                    self.pages.insert(number, page);
                }
                continue;
            };
            page[within..within + part.len()].copy_from_slice(part);
        }
        Ok(())
    }

    fn zero(&mut self, start: u64, end: u64) {
        let numbers: Vec<u64> = self
            .pages
            .range(start / PAGE as u64..end.div_ceil(PAGE as u64))
            .map(|p| *p.0)
            .collect();
        for number in numbers {
            let first = number * PAGE as u64;
            let from = start.max(first) - first;
            let to = end.min(first + PAGE as u64) - first;
            if (from, to) == (0, PAGE as u64) {
                self.pages.remove(&number);
            } else if let Some(page) = self.pages.get_mut(&number) {
                page[from as usize..to as usize].fill(0);
            }
        }
    }
}

/// The pieces of a range that lie in one page each: where in the store, and where in the range.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        (done < length).then(|| {
            let start = offset + done as u64;
            let count = (PAGE - (start % PAGE as u64) as usize).min(length - done);
            done += count;
            (start, done - count..done)
        })
    })
}

impl Store for Memory {
    fn len_bytes(&self) -> u64 {
        self.inner().length
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let inner = self.inner();
        inner.holds(offset, buffer.len())?;
        buffer.fill(0);
        let end = offset + buffer.len() as u64;
        for (number, page) in inner.pages.range(offset / PAGE as u64..end.div_ceil(PAGE as u64)) {
            let first = number * PAGE as u64;
            let (from, to) = (offset.max(first), end.min(first + PAGE as u64));
            buffer[(from - offset) as usize..(to - offset) as usize]
                .copy_from_slice(&page[(from - first) as usize..(to - first) as usize]);
        }
        Ok(())
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.change(|inner| {
            // Whoever writes beyond the end breaks the store's contract.
            inner.holds(offset, bytes.len()).expect("a store grows by set_len only");
            inner.write(bytes, offset)
        })
    }

    fn set_len(&mut self, len_bytes: u64) -> io::Result<()> {
        self.change(|inner| {
            if len_bytes < inner.length {
                let end = inner.length;
                inner.zero(len_bytes, end);
            }
            inner.length = len_bytes;
            Ok(())
        })
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.change(|inner| {
            let end = offset.checked_add(length).filter(|end| *end <= inner.length);
            inner.zero(offset, end.expect("what is punched lies within the store"));
            Ok(())
        })
    }

    fn flush(&mut self, _durability: Durability) -> io::Result<()> {
        if self.is_dead() {
            return Err(io::Error::other("killed"));
        }
        Ok(())
    }

    fn holes_are_zeros(&self) -> bool {
        true
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        Ok(self.inner().pages.len() as u64 * PAGE as u64)
    }

    fn for_each_file(
        &self,
        _action: &mut dyn FnMut(&File, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        Ok(())
    }
}
