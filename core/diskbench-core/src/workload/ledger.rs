//! The files on the volume, derived from the protocol's steps, never read from the disk.

use std::collections::HashSet;

use system::memory::in_memory;

use crate::cell::{Cell, Which};
use crate::error::{Error, Result};
use crate::workload::FileSpec;
use crate::workload::order::round_files;

/// The files on an image's volume, in the order written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    round: u32,
    sets: u32,
    alive: Vec<FileSpec>,
}

impl Ledger {
    /// An empty volume on which nothing has been written.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Begins the next round and gives its files in the order of writing; each is added when it is written.
    pub(crate) fn begin_round(&mut self, cell: &Cell) -> Vec<FileSpec> {
        self.round += 1;
        self.sets = cell.sets;
        round_files(cell, self.round)
    }

    /// Notes that a file has been written.
    pub(crate) fn add(&mut self, file: FileSpec) {
        self.alive.push(file);
    }

    /// Notes that files have been deleted.
    pub(crate) fn remove(&mut self, files: &[FileSpec]) {
        let gone: HashSet<u64> = files.iter().map(FileSpec::id).collect();
        self.alive.retain(|file| !gone.contains(&file.id()));
    }

    /// Records that the image was removed. Rounds continue counting, so that no file repeats another's content.
    pub(crate) fn clear(&mut self) {
        self.alive.clear();
    }

    /// All files on the volume, in the order written.
    pub(crate) fn alive(&self) -> &[FileSpec] {
        &self.alive
    }

    /// The sum of their sizes.
    pub(crate) fn bytes(&self) -> u64 {
        self.alive.iter().map(|file| file.size_bytes).sum()
    }

    /// The files of the newest round that are still there, in the order written.
    pub(crate) fn newest(&self) -> Vec<FileSpec> {
        self.alive.iter().filter(|file| file.round == self.round).copied().collect()
    }

    /// The files that a `delete` step means.
    ///
    /// # Errors
    /// When the newest round does not have as many sets or files.
    pub(crate) fn select(
        &self,
        which: Which,
        sets: Option<u32>,
        files: Option<u32>,
    ) -> Result<Vec<FileSpec>> {
        match which {
            Which::All => Ok(self.alive.clone()),
            Which::LastSets => {
                let asked = sets.unwrap_or_default();
                if asked > self.sets {
                    return Err(Error::input(format!(
                        "delete the last {asked} sets: the newest round has only {} sets; ask for fewer",
                        self.sets
                    )));
                }
                let keep = self.sets - asked;
                Ok(self.newest().into_iter().filter(|file| file.set > keep).collect())
            }
            Which::Largest => {
                let mut newest = self.newest();
                let asked = in_memory(files.unwrap_or_default().into());
                if asked > newest.len() {
                    return Err(Error::input(format!(
                        "delete the {asked} largest files: the newest round has only {}; ask for fewer",
                        newest.len()
                    )));
                }
                // A stable sort: of equal sizes the one written earliest comes first.
                newest.sort_by_key(|file| std::cmp::Reverse(file.size_bytes));
                newest.truncate(asked);
                Ok(newest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::cell::{Cell, Which};
    use crate::testing::cell;

    /// The study's own round: 10 sets of 16 sizes.
    fn gold() -> Cell {
        let mut cell = cell();
        cell.sets = 10;
        let megabytes = [2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000];
        cell.sizes_bytes = megabytes.iter().map(|size| size * 1_000_000).collect();
        cell
    }

    fn written(cell: &Cell, rounds: u32) -> Ledger {
        let mut ledger = Ledger::new();
        for _ in 0..rounds {
            for file in ledger.begin_round(cell) {
                ledger.add(file);
            }
        }
        ledger
    }

    #[test]
    fn ten_sets_of_the_sixteen_sizes_are_160_files_and_53_3_gb() {
        let ledger = written(&gold(), 1);
        assert_eq!(ledger.alive().len(), 160);
        assert_eq!(ledger.bytes(), 53_300_000_000);
    }

    #[test]
    fn deleting_the_last_8_of_10_sets_leaves_32_files_and_10_66_gb() {
        let mut ledger = written(&gold(), 1);
        let gone = ledger.select(Which::LastSets, Some(8), None).unwrap();
        assert!(gone.iter().all(|file| file.set >= 3));
        ledger.remove(&gone);
        assert_eq!((ledger.alive().len(), ledger.bytes()), (32, 10_660_000_000));
    }

    #[test]
    fn deleting_the_40_largest_takes_600_mb_to_2_gb_and_leaves_120() {
        let mut ledger = written(&gold(), 1);
        let gone = ledger.select(Which::Largest, None, Some(40)).unwrap();
        assert_eq!(gone.iter().map(|file| file.size_bytes).min(), Some(600_000_000));
        assert_eq!(gone.iter().map(|file| file.size_bytes).max(), Some(2_000_000_000));
        ledger.remove(&gone);
        assert_eq!(ledger.alive().len(), 120);
        assert_eq!(ledger.alive().iter().map(|file| file.size_bytes).max(), Some(400_000_000));
    }

    #[test]
    fn of_equal_sizes_the_earliest_written_goes_first() {
        let ledger = written(&gold(), 1);
        let gone = ledger.select(Which::Largest, None, Some(3)).unwrap();
        let sets: Vec<u32> = gone.iter().map(|file| file.set).collect();
        assert_eq!(sets, [1, 2, 3]);
    }

    #[test]
    fn deletions_act_on_the_newest_round_except_all() {
        let mut ledger = written(&gold(), 2);
        assert!(
            ledger
                .select(Which::LastSets, Some(1), None)
                .unwrap()
                .iter()
                .all(|file| file.round == 2)
        );
        assert!(
            ledger
                .select(Which::Largest, None, Some(1))
                .unwrap()
                .iter()
                .all(|file| file.round == 2)
        );
        let all = ledger.select(Which::All, None, None).unwrap();
        assert_eq!(all.len(), 320);
        ledger.remove(&all);
        assert_eq!(ledger.bytes(), 0);
    }

    #[test]
    fn more_than_there_is_cannot_be_deleted() {
        let ledger = written(&gold(), 1);
        let error = ledger.select(Which::LastSets, Some(11), None).unwrap_err();
        assert!(error.line().contains("only 10 sets"), "{error}");
        let error = ledger.select(Which::Largest, None, Some(161)).unwrap_err();
        assert!(error.line().contains("only 160"), "{error}");
    }

    #[test]
    fn rounds_go_on_counting_after_the_image_is_gone() {
        let cell = cell();
        let mut ledger = written(&cell, 1);
        ledger.clear();
        assert_eq!(ledger.begin_round(&cell)[0].round, 2);
    }
}
