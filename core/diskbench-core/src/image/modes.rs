//! The modes of I/O of an image: requested, refused, effective.

use system::flush;
use system::flush::Durability;

use crate::cell::Cache;
use crate::image::Reached;

/// The modes in use. They only ever become weaker, but for a cache mode that evicts, which is reached by evicting.
#[derive(Debug)]
pub(super) struct Modes {
    asked: Cache,
    reached: Reached,
    dropping: Dropping,
}

/// The state of a mode that evicts. It is effective if files are read or written after a drop, while every drop succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dropping {
    /// It was not requested, or a drop failed.
    No,
    /// Nothing has been dropped yet.
    Asked,
    /// Earlier data has been evicted from memory.
    Dropped,
}

impl Modes {
    /// The initial modes for this request.
    pub(super) const fn new(cache: Cache, durability: Durability) -> Self {
        let (before, dropping) =
            if cache.evicts() { (Cache::None, Dropping::Asked) } else { (cache, Dropping::No) };
        let durability = flush::offered(durability);
        Self { asked: cache, reached: Reached { cache: before, durability }, dropping }
    }

    /// Modes that are already effective, whatever this system supports.
    #[cfg(test)]
    pub(crate) const fn of(reached: Reached) -> Self {
        Self { asked: reached.cache, reached, dropping: Dropping::No }
    }

    /// The effective modes so far.
    pub(super) const fn reached(&self) -> Reached {
        self.reached
    }

    /// Files were evicted from the page cache, or stayed there (`is_cold` is false).
    pub(super) fn evicted(&mut self, is_cold: bool) {
        if is_cold && self.dropping == Dropping::Asked {
            self.dropping = Dropping::Dropped;
        }
        if !is_cold && self.dropping != Dropping::No {
            self.dropping = Dropping::No;
            self.reached.cache = Cache::None;
        }
    }

    /// The machine was restarted with these modes: refusals stay, and nothing is in memory any more.
    pub(super) fn restarted(&mut self, before: Reached) {
        self.reached = before;
        self.evicted(true);
    }

    /// A file is about to be moved: from here on an earlier drop counts.
    pub(super) fn count_drop(&mut self) {
        if self.dropping == Dropping::Dropped {
            self.reached.cache = self.asked;
        }
    }

    /// Going past the cache was refused.
    pub(super) const fn without_bypass(&mut self) {
        self.reached.cache = Cache::None;
    }

    /// Whether a failure to flush was a refusal of its strength; if so, `fsync` is used from here on.
    pub(super) fn weakened_by(&mut self, error: &std::io::Error) -> bool {
        let strong = matches!(self.reached.durability, Durability::Barrier | Durability::Full);
        if strong && flush::is_refusal(error) {
            self.reached.durability = Durability::Fsync;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Modes;
    use crate::cell::Cache;
    use crate::image::Reached;
    use system::flush::Durability;

    #[test]
    fn what_was_refused_before_a_restart_stays_refused_after_it() {
        let before = Reached { cache: Cache::None, durability: Durability::Fsync };
        let mut modes = Modes::new(Cache::Bypass, Durability::Full);
        modes.restarted(before);
        modes.count_drop();
        assert_eq!(modes.reached(), before);
    }

    #[test]
    fn a_restart_drops_what_was_to_be_dropped() {
        let before = Reached { cache: Cache::None, durability: Durability::Fsync };
        let mut modes = Modes::new(Cache::Drop, Durability::Fsync);
        modes.restarted(before);
        assert_eq!(modes.reached(), before, "nothing was read since");
        modes.count_drop();
        assert_eq!(modes.reached().cache, Cache::Drop);
    }
}
