//! The order of files: every size once in each set, shuffled by a simple, documented generator.
//!
//! All arithmetic is on unsigned 64-bit integers that wrap around.
//!
//! 1. **Generator**: SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014).
//!    `next`: state += 0x9E3779B97F4A7C15; z = state; z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
//!    z = (z ^ z >> 27) * 0x94D049BB133111EB; result z ^ z >> 31.
//! 2. **Seeding** for (seed, round, set): a = the first result of a generator started at `seed`, xor `round`;
//!    b = the first result of one started at a, xor `set`; the generator used starts at b. Rounds and sets
//!    count from 1.
//! 3. **Draw below n**: t = (2^64 - n) mod n; draw x until x >= t; the result is x mod n. No value is favoured.
//! 4. **Shuffle** (Fisher-Yates, as Knuth has it): start from `sizes_bytes` as the cell lists them; for i from
//!    the last index down to 1, swap item i with item (draw below i + 1).

use system::memory::in_memory;

use crate::cell::Cell;
use crate::workload::FileSpec;

/// The generator of step 1.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator started at this state.
    pub(crate) const fn new(state: u64) -> Self {
        Self { state }
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n` (step 3); 0 when `n` is 0.
    pub(crate) const fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let rejected = n.wrapping_neg() % n;
        loop {
            let x = self.next();
            if x >= rejected {
                return x % n;
            }
        }
    }

    /// Shuffles in place (step 4).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        let mut bound = items.len() as u64;
        for last in (1..items.len()).rev() {
            let other = in_memory(self.below(bound));
            items.swap(last, other);
            bound -= 1;
        }
    }
}

/// The generator for one set of one round (step 2).
pub(crate) const fn generator(seed: u64, round: u32, set: u32) -> SplitMix64 {
    let a = SplitMix64::new(seed).next() ^ round as u64;
    let b = SplitMix64::new(a).next() ^ set as u64;
    SplitMix64::new(b)
}

/// All files of a round, in the order of writing.
pub fn round_files(cell: &Cell, round: u32) -> Vec<FileSpec> {
    let mut files = Vec::new();
    let mut order = 0;
    for set in 1..=cell.sets {
        let mut sizes = cell.sizes_bytes.clone();
        generator(cell.seed, round, set).shuffle(&mut sizes);
        for size_bytes in sizes {
            order += 1;
            files.push(FileSpec { round, set, order, size_bytes });
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{SplitMix64, generator, round_files};
    use crate::testing::cell;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        // The known test vector of the reference implementation, seed 1234567.
        let mut generator = SplitMix64::new(1_234_567);
        let numbers = [generator.next(), generator.next(), generator.next()];
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(numbers, published);
    }

    #[test]
    fn the_same_seed_gives_the_same_order_everywhere() {
        // Computed apart from this code: the four numbered rules of the module's text, written down in 20
        // lines of Python with arbitrary-size integers masked to 64 bits, for the study's 16 sizes.
        let sizes = [2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000];
        let cases: [(u64, u32, u32, [u64; 16]); 5] = [
            (
                305_419_896,
                1,
                1,
                [200, 100, 20, 400, 80, 2000, 60, 600, 1000, 10, 8, 2, 4, 40, 6, 800],
            ),
            (
                305_419_896,
                1,
                2,
                [80, 8, 200, 20, 40, 60, 10, 1000, 800, 100, 2, 600, 400, 6, 4, 2000],
            ),
            (
                305_419_896,
                2,
                1,
                [600, 20, 1000, 800, 100, 2000, 10, 40, 80, 60, 400, 2, 4, 200, 6, 8],
            ),
            (0, 1, 1, [6, 4, 10, 600, 40, 80, 400, 800, 200, 100, 20, 2000, 2, 1000, 60, 8]),
            (
                u64::MAX,
                3,
                10,
                [20, 4, 600, 1000, 200, 800, 400, 100, 2000, 10, 2, 40, 8, 60, 80, 6],
            ),
        ];
        for (seed, round, set, expected) in cases {
            let mut order = sizes;
            generator(seed, round, set).shuffle(&mut order);
            assert_eq!(order, expected, "seed {seed}, round {round}, set {set}");
        }
    }

    #[test]
    fn a_round_holds_every_size_once_in_each_set() {
        let cell = cell();
        let files = round_files(&cell, 2);
        assert_eq!(files.len(), 6);
        for set in 1..=2 {
            let mut sizes: Vec<u64> =
                files.iter().filter(|file| file.set == set).map(|file| file.size_bytes).collect();
            sizes.sort_unstable();
            assert_eq!(sizes, [4096, 10_000, 70_001]);
        }
        let orders: Vec<u32> = files.iter().map(|file| file.order).collect();
        assert_eq!(orders, [1, 2, 3, 4, 5, 6]);
        assert!(files.iter().all(|file| file.round == 2));
    }

    #[test]
    fn a_draw_stays_below_its_bound_and_reaches_every_value() {
        let mut generator = SplitMix64::new(7);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[usize::try_from(generator.below(5)).unwrap()] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(generator.below(0), 0);
    }
}
