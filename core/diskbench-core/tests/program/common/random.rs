//! Random numbers, the same in every run.

/// xorshift64* (Marsaglia and Vigna).
pub struct Random(u64);

impl Random {
    /// Those of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Self(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0x0100_0193));
        for _ in 0..9 {
            // The first numbers of seeds that are alike are alike.
            random.below(2);
        }
        random
    }

    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap() % end.max(1)
    }

    /// A number of a range.
    pub fn of_range(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// Whether something happens that does so often in a hundred.
    pub fn percent(&mut self, often: usize) -> bool {
        self.below(100) < often
    }

    pub fn byte(&mut self) -> u8 {
        self.below(256).to_le_bytes()[0]
    }

    /// So many bytes, none of them zero.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte() | 1).collect()
    }

    /// Puts them into another order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            all.swap(end, self.below(end + 1));
        }
    }
}
