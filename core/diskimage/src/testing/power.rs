//! A store that may lose power: the syncs are remembered, and of what was changed between two of them any part may be
//! on the disk after the cut.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use system::flush::Durability;

use crate::disk::{Damage, VirtualDisk, rest};
use crate::error::{Result, damaged};
use crate::store::Store;
use crate::testing::memory::PAGE;
use crate::testing::reference::{Act, Reference, Windows};

/// A change that may be on the disk, or not.
#[derive(Debug, Clone)]
enum Change {
    /// Bytes of one page, and their offset. A system writes pages in any order.
    Page(usize, Vec<u8>),
    Length(usize),
    Hole(Range<usize>),
}

impl Change {
    /// What was written behind the end is lost with the new length.
    fn apply(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len();
        match self {
            Self::Page(at, page) => {
                let there = end.saturating_sub(*at).min(page.len());
                if there > 0 {
                    bytes[*at..*at + there].copy_from_slice(&page[..there]);
                }
            }
            Self::Length(len_bytes) => bytes.resize(*len_bytes, 0),
            Self::Hole(hole) => bytes[hole.start.min(end)..hole.end.min(end)].fill(0),
        }
    }

    fn is_length(&self) -> bool {
        matches!(self, Self::Length(_))
    }
}

/// What the disk has for sure at one moment, and the changes since then.
#[derive(Debug, Clone, Default)]
struct Cut {
    synced: Vec<u8>,
    changes: Vec<Change>,
}

impl Cut {
    /// Contents of the disk after the power failed: each with the changes that reached it.
    fn outcomes(&self) -> Vec<Vec<u8>> {
        let all = 0..self.changes.len();
        let length = |at: &usize| self.changes[*at].is_length();
        let hole = |at: &usize| matches!(self.changes[*at], Change::Hole(_));
        let mut reached: Vec<Vec<usize>> = vec![
            all.clone().filter(length).collect(),
            all.clone().filter(|at| !length(at)).collect(),
            all.clone().filter(|at| !hole(at)).collect(),
        ];
        let mut by_place: Vec<usize> = all.clone().filter(|at| !length(at)).collect();
        by_place.sort_by_key(|at| match &self.changes[*at] {
            Change::Page(place, _) => *place,
            Change::Hole(hole) => hole.start,
            Change::Length(_) => 0,
        });
        let step = self.changes.len() / 64 + 1;
        for one in all.clone().rev().step_by(step) {
            reached.push(vec![one]);
            reached.push(all.clone().filter(|at| at == &one || length(at)).collect());
            reached.push(all.clone().filter(|at| at != &one).collect());
            reached.push((0..one).collect());
            let in_front = &by_place[..by_place.len().min(one)];
            reached.push(all.clone().filter(|at| in_front.contains(at) || length(at)).collect());
        }
        let outcome = |reached: &Vec<usize>| {
            let mut bytes = self.synced.clone();
            reached.iter().for_each(|at| self.changes[*at].apply(&mut bytes));
            bytes
        };
        reached.iter().map(outcome).collect()
    }
}

#[derive(Debug, Default)]
struct Inner {
    bytes: Vec<u8>,
    since: Cut,
    cuts: Vec<Cut>,
}

/// The store.
#[derive(Debug, Clone, Default)]
pub(crate) struct PowerStore(Arc<Mutex<Inner>>);

impl PowerStore {
    /// A store that holds these bytes for sure.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let store = Self::default();
        store.inner().since.synced.clone_from(&bytes);
        store.inner().bytes = bytes;
        store
    }

    /// What may be on the disk if the power failed at any moment since the last call.
    pub(crate) fn outcomes(&self) -> Vec<Vec<u8>> {
        let mut inner = self.inner();
        let cuts = std::mem::take(&mut inner.cuts);
        cuts.iter().chain([&inner.since]).flat_map(Cut::outcomes).collect()
    }

    /// What is on the disk for sure.
    pub(crate) fn synced(&self) -> Vec<u8> {
        self.inner().since.synced.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    fn change(&self, change: Change) {
        let mut inner = self.inner();
        change.apply(&mut inner.bytes);
        inner.since.changes.push(change);
    }
}

fn place(offset: u64, length: u64) -> Range<usize> {
    usize::try_from(offset).unwrap()..usize::try_from(offset + length).unwrap()
}

impl Store for PowerStore {
    fn len_bytes(&self) -> u64 {
        self.inner().bytes.len() as u64
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let inner = self.inner();
        let found = inner.bytes.get(place(offset, buffer.len() as u64));
        buffer.copy_from_slice(found.ok_or_else(|| damaged("the store ends before"))?);
        Ok(())
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let all = rest(from, self.len_bytes());
        let inner = self.inner();
        let start = inner.bytes.iter().skip(place(from, 0).start).position(|byte| *byte != 0);
        Ok(all.zip(start).map(|(all, start)| all.start + start as u64..all.end))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        let (mut rest, mut at) = (bytes, place(offset, 0).start);
        while !rest.is_empty() {
            let (page, behind) = rest.split_at(rest.len().min(PAGE - at % PAGE));
            self.change(Change::Page(at, page.to_vec()));
            (rest, at) = (behind, at + page.len());
        }
        Ok(())
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        self.change(Change::Length(place(len_bytes, 0).start));
        Ok(())
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        self.change(Change::Hole(place(offset, length)));
        Ok(())
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        let mut inner = self.inner();
        if durability != Durability::None {
            let synced = inner.bytes.clone();
            let cut = std::mem::replace(&mut inner.since, Cut { synced, changes: Vec::new() });
            inner.cuts.push(cut);
        }
        Ok(())
    }

    fn holes_are_zeros(&self) -> bool {
        true
    }
}

/// An image, and what its windows hold.
pub(crate) type Image = (Vec<u8>, Vec<u8>);

/// A format whose images lose power.
pub(crate) struct PowerCuts<D> {
    pub windows: Windows,
    pub open: fn(PowerStore) -> Result<D>,
    pub check: fn(PowerStore) -> Vec<Damage>,
}

impl<D: VirtualDisk> PowerCuts<D> {
    /// The image after these acts, flushed.
    pub(crate) fn after(&self, (image, now): Image, acts: &[Act]) -> Image {
        let store = PowerStore::of(image);
        let mut disk = (self.open)(store.clone()).unwrap();
        let mut reference = Reference::of(self.windows, now);
        for act in acts {
            reference.carry_out(&mut disk, *act).unwrap();
        }
        disk.make_last().unwrap();
        (store.synced(), reference.now)
    }

    /// After a cut at any moment of these acts the image is sound, and keeps what was flushed.
    pub(crate) fn assert_survived(&self, (image, now): Image, acts: &[Act]) {
        let store = PowerStore::of(image);
        let mut disk = (self.open)(store.clone()).unwrap();
        let mut reference = Reference::of(self.windows, now);
        for (number, act) in acts.iter().enumerate() {
            reference.carry_out(&mut disk, *act).unwrap();
            let when = format!("the power failed in act {number}, {act:?}");
            for left in store.outcomes() {
                assert_eq!((self.check)(PowerStore::of(left.clone())), [], "{when}");
                reference.survived(&mut (self.open)(PowerStore::of(left)).unwrap(), &when);
            }
            if act.is_flush() {
                reference.flushed();
            }
        }
    }
}
