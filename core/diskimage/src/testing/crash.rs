//! An image's process is killed at each of its changes in turn, or its disk is full there for a while.

use std::ops::Range;

use system::flush::Durability;

use crate::disk::{Damage, VirtualDisk};
use crate::error::Result;
use crate::testing::content;
use crate::testing::memory::MemoryStore;
use crate::testing::reference::assert_same_from;

/// Something that is done to a disk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Offset, length, and the seed of the content.
    Write(u64, u64, u8),
    /// Offset and length.
    Discard(u64, u64),
    Flush,
    Compact,
}
use Act::{Compact, Discard, Flush, Write};

/// The parts of a disk that are written, and looked at.
pub(crate) struct Windows {
    pub starts: &'static [u64],
    /// Of each.
    pub len_bytes: u64,
}

impl Windows {
    pub(crate) fn zeros(&self) -> Vec<u8> {
        vec![0; self.starts.len() * self.size()]
    }

    /// Carries an act out on the disk and, however that ends, on what the windows must hold.
    pub(crate) fn carry_out(
        &self,
        disk: &mut impl VirtualDisk,
        now: &mut [u8],
        act: Act,
    ) -> Result<()> {
        match act {
            Write(offset, length, seed) => {
                let bytes = content(seed, length);
                now[self.place(offset, length)].copy_from_slice(&bytes);
                disk.write_at(&bytes, offset)
            }
            Discard(offset, length) => {
                now[self.place(offset, length)].fill(0);
                disk.discard(offset, length)
            }
            Flush => disk.flush(Durability::Fsync),
            Compact => disk.compact(),
        }
    }

    pub(crate) fn assert_same(&self, disk: &mut impl VirtualDisk, now: &[u8]) {
        for (start, bytes) in self.starts.iter().zip(now.chunks_exact(self.size())) {
            assert_same_from(disk, *start, bytes);
        }
    }

    pub(crate) fn read(&self, disk: &mut impl VirtualDisk) -> Vec<u8> {
        let mut found = vec![0xa5; self.zeros().len()];
        for (start, bytes) in self.starts.iter().zip(found.chunks_exact_mut(self.size())) {
            disk.read_at(bytes, *start).unwrap();
        }
        found
    }

    fn place(&self, offset: u64, length: u64) -> Range<usize> {
        let window = self.starts.iter().rposition(|start| *start <= offset).unwrap();
        let at = offset - self.starts[window];
        assert!(at + length <= self.len_bytes);
        let start = window * self.size() + usize::try_from(at).unwrap();
        start..start + usize::try_from(length).unwrap()
    }

    fn size(&self) -> usize {
        usize::try_from(self.len_bytes).unwrap()
    }
}

/// A format's images, and what is done to each of them.
pub(crate) struct Crash<'a, P, D> {
    pub windows: Windows,
    /// What the windows hold at first.
    pub start: Vec<u8>,
    pub acts: &'a [Act],
    /// What shows that an image can be used on.
    pub afterwards: &'a [Act],
    /// The acts change the image more often.
    pub least_changes: u64,
    /// Makes an image that carries out so many changes. The next one fails, and the later ones too if it is killed.
    pub begin: &'a dyn Fn(u64, bool) -> (P, D),
    /// Looks for damage, once the process that used the image is gone.
    pub damage: &'a dyn Fn(&P) -> Vec<Damage>,
    pub open: &'a dyn Fn(&P) -> D,
}

impl<P, D: VirtualDisk> Crash<'_, P, D> {
    /// Fails at every change.
    pub(crate) fn assert_survived(&self) {
        let mut changes = 0;
        while self.killed_after(changes) {
            self.full_after(changes);
            changes += 1;
        }
        assert!(changes > self.least_changes, "{changes} changes are too few for these acts");
    }

    /// The image stays sound, and each byte is one of those that were there since the last flush: what was not touched
    /// since then is as it was flushed. Gives whether there were more changes.
    fn killed_after(&self, changes: u64) -> bool {
        let (place, mut disk) = (self.begin)(changes, true);
        let mut now = self.start.clone();
        let mut states = vec![now.clone()];
        let is_killed = self.acts.iter().any(|act| {
            let done = self.windows.carry_out(&mut disk, &mut now, *act);
            if done.is_ok() && matches!(act, Flush | Compact) {
                states.clear();
            }
            states.push(now.clone());
            done.is_err()
        });
        drop(disk);
        assert_eq!((self.damage)(&place), [], "killed after {changes} changes");
        let mut disk = (self.open)(&place);
        let mut found = self.windows.read(&mut disk);
        let is_lost = |at: &usize| states.iter().all(|state| state[*at] != found[*at]);
        assert_eq!((0..found.len()).find(is_lost), None, "killed after {changes} changes");
        for act in self.afterwards {
            self.windows.carry_out(&mut disk, &mut found, *act).unwrap();
        }
        self.assert_holds(&place, disk, &found, changes);
        is_killed
    }

    /// Nothing is spoilt but what was being written.
    fn full_after(&self, changes: u64) {
        let (place, mut disk) = (self.begin)(changes, false);
        let mut now = self.start.clone();
        for act in self.acts {
            if self.windows.carry_out(&mut disk, &mut now, *act).is_ok() {
                continue;
            }
            // What was to be written is given up, as the volume does; all else is tried again.
            let again = match *act {
                Write(offset, length, _) => Discard(offset, length),
                other => other,
            };
            self.windows.carry_out(&mut disk, &mut now, again).unwrap();
            self.windows.assert_same(&mut disk, &now);
        }
        self.assert_holds(&place, disk, &now, changes);
    }

    fn assert_holds(&self, place: &P, mut disk: D, now: &[u8], changes: u64) {
        self.windows.assert_same(&mut disk, now);
        drop(disk);
        assert_eq!((self.damage)(place), [], "used on after {changes} changes");
        self.windows.assert_same(&mut (self.open)(place), now);
    }
}

/// A store that holds these bytes, and carries out so many changes.
pub(crate) fn failing(memory: MemoryStore, changes: u64, is_killed: bool) -> MemoryStore {
    if is_killed {
        memory.die_after(changes);
    } else {
        memory.fail_once_after(changes);
    }
    memory
}
