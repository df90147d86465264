//! An image's process is killed at each of its changes in turn, or its disk is full there for a while.

use crate::disk::{Damage, VirtualDisk};
use crate::testing::memory::MemoryStore;
use crate::testing::reference::Act::{self, Discard, Write};
use crate::testing::reference::{Reference, Windows};

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

    /// The image stays sound, and keeps what was flushed. Gives whether there were more changes.
    fn killed_after(&self, changes: u64) -> bool {
        let (place, mut disk) = (self.begin)(changes, true);
        let mut reference = Reference::of(self.windows, self.start.clone());
        let is_killed = self.acts.iter().any(|act| {
            let done = reference.carry_out(&mut disk, *act);
            if done.is_ok() && act.is_flush() {
                reference.flushed();
            }
            done.is_err()
        });
        drop(disk);
        let when = format!("killed after {changes} changes");
        assert_eq!((self.damage)(&place), [], "{when}");
        let mut disk = (self.open)(&place);
        let mut reference = reference.survived(&mut disk, &when);
        for act in self.afterwards {
            reference.carry_out(&mut disk, *act).unwrap();
        }
        self.assert_holds(&place, disk, &reference, changes);
        is_killed
    }

    /// Nothing is spoilt but what was being written.
    fn full_after(&self, changes: u64) {
        let (place, mut disk) = (self.begin)(changes, false);
        let mut reference = Reference::of(self.windows, self.start.clone());
        for act in self.acts {
            if reference.carry_out(&mut disk, *act).is_ok() {
                continue;
            }
            // What was to be written is given up, as the volume does; all else is tried again.
            let again = match *act {
                Write(offset, length, _) => Discard(offset, length),
                other => other,
            };
            reference.carry_out(&mut disk, again).unwrap();
            reference.assert_same(&mut disk);
        }
        self.assert_holds(&place, disk, &reference, changes);
    }

    fn assert_holds(&self, place: &P, mut disk: D, reference: &Reference, changes: u64) {
        reference.assert_same(&mut disk);
        drop(disk);
        assert_eq!((self.damage)(place), [], "used on after {changes} changes");
        reference.assert_same(&mut (self.open)(place));
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
