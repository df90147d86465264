//! A store in memory for tests and fuzzing. It holds only the pages that were written, so that a few bytes can claim to
//! be a file of terabytes. It is shared by its clones, so that a disk can be dropped and opened again, and it can be made
//! to fail, or to die after so many changes, as a process that is killed does.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use system::flush::Durability;

use crate::error::{Result, damaged};
use crate::store::Store;

/// Unit of what is held, in bytes: a page of the file systems at hand.
pub(crate) const PAGE: usize = 4096;
const PAGE_BYTES: u64 = PAGE as u64;

/// Most pages that are held: 64 MiB, well below the limit that a fuzzer sets.
const MOST_PAGES: usize = 16_384;

/// The store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    length: u64,
    pages: BTreeMap<u64, Box<[u8; PAGE]>>,
    asked: Vec<(u64, u64)>,
    read_bytes: u64,
    changes: u64,
    dies_after: Option<u64>,
    fails_at: Option<u64>,
    noisy_holes: bool,
    flushes: Vec<Durability>,
    refuses_full: bool,
}

impl MemoryStore {
    /// A store that holds these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let store = Self::of_length(bytes.len() as u64);
        store.put(bytes, 0);
        store
    }

    /// A store of this length with nothing in it.
    pub fn of_length(length: u64) -> Self {
        let store = Self::default();
        store.inner().length = length;
        store
    }

    /// Writes what lies within the length, and counts it as no change: for making a store up.
    pub fn put(&self, bytes: &[u8], offset: u64) {
        let mut inner = self.inner();
        let room = inner.length.saturating_sub(offset).min(bytes.len() as u64);
        inner.write(&bytes[..to_usize(room)], offset).ok();
    }

    /// What it holds now.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; to_usize(self.len_bytes())];
        self.inner().read(&mut bytes, 0);
        bytes
    }

    /// The pages that hold something, with their numbers, in order.
    pub fn pages(&self) -> Vec<(u64, [u8; PAGE])> {
        self.inner().pages.iter().map(|(number, page)| (*number, **page)).collect()
    }

    /// Changes (writes, new lengths, punches) so far.
    pub fn changes(&self) -> u64 {
        self.inner().changes
    }

    /// Bytes read so far.
    pub fn read_bytes(&self) -> u64 {
        self.inner().read_bytes
    }

    /// The ranges that it was asked for ahead of reading, since the last call.
    pub fn asked(&self) -> Vec<(u64, u64)> {
        std::mem::take(&mut self.inner().asked)
    }

    /// From now on only so many changes are carried out; each later one fails and changes nothing.
    pub fn die_after(&self, changes: u64) {
        let mut inner = self.inner();
        inner.dies_after = Some(inner.changes + changes);
    }

    /// It no longer dies.
    pub fn revive(&self) {
        self.inner().dies_after = None;
    }

    /// Whether the next change would be refused since it was to die.
    pub fn is_dead(&self) -> bool {
        self.inner().is_dead()
    }

    /// The change after so many more fails and changes nothing, as on a full disk; the later ones are carried out.
    pub fn fail_once_after(&self, changes: u64) {
        let mut inner = self.inner();
        inner.fails_at = Some(inner.changes + changes);
    }

    /// Behaves like an encrypted store: holes are not zeros to everybody.
    pub fn with_noisy_holes(self) -> Self {
        self.inner().noisy_holes = true;
        self
    }

    /// Behaves like a file on SMB, FUSE or exFAT: it knows no full flush.
    pub fn without_full_flush(self) -> Self {
        self.inner().refuses_full = true;
        self
    }

    /// The flushes that were carried out, since the last call.
    pub fn flushes(&self) -> Vec<Durability> {
        std::mem::take(&mut self.inner().flushes)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, action: impl FnOnce(&mut Inner) -> io::Result<()>) -> Result<()> {
        let mut inner = self.inner();
        if inner.is_dead() {
            return Err(killed().into());
        }
        inner.changes += 1;
        if inner.fails_at.is_some_and(|at| inner.changes > at) {
            inner.fails_at = None;
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(action(&mut inner)?)
    }
}

impl Inner {
    fn is_dead(&self) -> bool {
        self.dies_after.is_some_and(|last| self.changes >= last)
    }

    fn holds(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.length)
    }

    fn read(&self, buffer: &mut [u8], offset: u64) {
        buffer.fill(0);
        let end = offset + buffer.len() as u64;
        for (number, page) in self.pages.range(numbers(&(offset..end))) {
            let first = number * PAGE_BYTES;
            let (from, to) = (offset.max(first), end.min(first + PAGE_BYTES));
            buffer[to_usize(from - offset)..to_usize(to - offset)]
                .copy_from_slice(&page[to_usize(from - first)..to_usize(to - first)]);
        }
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut rest = bytes;
        let mut start = offset;
        while !rest.is_empty() {
            let (number, within) = (start / PAGE_BYTES, to_usize(start % PAGE_BYTES));
            let (part, behind) = rest.split_at(rest.len().min(PAGE - within));
            if part.iter().any(|byte| *byte != 0) || self.pages.contains_key(&number) {
                if self.pages.len() >= MOST_PAGES && !self.pages.contains_key(&number) {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                let page = self.pages.entry(number).or_insert_with(|| Box::new([0; PAGE]));
                page[within..within + part.len()].copy_from_slice(part);
            }
            start += part.len() as u64;
            rest = behind;
        }
        Ok(())
    }

    fn zero(&mut self, zeroed: &Range<u64>) {
        let touched: Vec<u64> = self.pages.range(numbers(zeroed)).map(|page| *page.0).collect();
        for number in touched {
            let first = number * PAGE_BYTES;
            let from = zeroed.start.max(first) - first;
            let to = zeroed.end.min(first + PAGE_BYTES) - first;
            if (from, to) == (0, PAGE_BYTES) {
                self.pages.remove(&number);
            } else if let Some(page) = self.pages.get_mut(&number) {
                page[to_usize(from)..to_usize(to)].fill(0);
            }
        }
    }
}

/// The numbers of the pages that a range touches.
const fn numbers(range: &Range<u64>) -> Range<u64> {
    range.start / PAGE_BYTES..range.end.div_ceil(PAGE_BYTES)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

fn killed() -> io::Error {
    io::Error::other("killed")
}

impl Store for MemoryStore {
    fn len_bytes(&self) -> u64 {
        self.inner().length
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let mut inner = self.inner();
        if !inner.holds(offset, buffer.len() as u64) {
            return Err(damaged("the store ends before"));
        }
        inner.read_bytes += buffer.len() as u64;
        inner.read(buffer, offset);
        Ok(())
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let inner = self.inner();
        let mut run: Option<Range<u64>> = None;
        for (number, _) in inner.pages.range(from / PAGE_BYTES..) {
            match &mut run {
                None => run = Some(*number..number + 1),
                Some(run) if run.end == *number => run.end += 1,
                Some(_) => break,
            }
        }
        let bytes = |run: Range<u64>| {
            from.max(run.start * PAGE_BYTES)..inner.length.min(run.end * PAGE_BYTES)
        };
        Ok(run.map(bytes).filter(|data| !data.is_empty()))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        self.change(|inner| {
            assert!(inner.holds(offset, bytes.len() as u64), "a store grows by set_len only");
            inner.write(bytes, offset)
        })
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        self.change(|inner| {
            if len_bytes < inner.length {
                let cut_off = len_bytes..inner.length;
                inner.zero(&cut_off);
            }
            inner.length = len_bytes;
            Ok(())
        })
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        self.change(|inner| {
            assert!(inner.holds(offset, length), "what is punched lies within the store");
            inner.zero(&(offset..offset + length));
            Ok(())
        })
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        let mut inner = self.inner();
        if inner.is_dead() {
            return Err(killed().into());
        }
        if inner.refuses_full && durability == Durability::Full {
            return Err(io::Error::from_raw_os_error(libc::ENOTSUP).into());
        }
        inner.flushes.push(durability);
        Ok(())
    }

    fn will_read(&self, offset: u64, length: u64) {
        self.inner().asked.push((offset, length));
    }

    fn holes_are_zeros(&self) -> bool {
        !self.inner().noisy_holes
    }
}
