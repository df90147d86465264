//! What is in the files: incompressible within 16 MiB, and no two pages alike.
//!
//! Random bytes are made once per cell, before any clock runs: a pool of 16 MiB and a block, from eight interleaved
//! lanes of xoshiro256+ (Blackman and Vigna, 2021), which compilers turn into vector code. A file is made of the
//! pool, over and over, from a page on that its id picks, and just before a block is handed over, the first 16 bytes
//! of each of its 4 KiB pages are stamped with the file's id and the page's number (little-endian `u64` each).
//!
//! So every page of an image is unique: what compares whole pages or larger blocks finds nothing twice. And no stretch
//! of 16 MiB of a file repeats anything: what compresses within that much finds nothing to save. That covers APFS,
//! Btrfs (128 KiB) and ZFS (records of up to 16 MiB), and compressors with windows of some megabytes. It does not
//! cover what remembers more (`zstd --long`) or cuts its pieces by content: that would find the pool again, between
//! files too, and no random content that is made as fast as a disk writes would be safe from it without costing time
//! inside the measured region.
//!
//! The stamping lies inside the timed region, since a whole file need not fit into memory. It touches one cache line
//! in 64 of a buffer that is being copied anyway: `diskbench ceiling` shows what that costs on a machine (2.3 us for
//! each MiB where this was written: 0.5 % of writing at 2 GB/s, 2 % at 8 GB/s). The bare loop that the harness is
//! compared with (`examples/bare_loop.rs`) stamps its blocks in the same way, and can leave it out to show the
//! difference.

use crate::workload::order::SplitMix64;

/// Unit of stamping and of direct I/O, in bytes: the page of most file systems and devices.
pub const PAGE: usize = 4096;

/// Alignment of buffers in bytes: the page of Apple silicon, and a multiple of everybody else's.
pub const ALIGNMENT: usize = 16_384;

/// Bytes after which a file's content comes again, but for the stamps: the largest record of ZFS, and larger than the
/// windows of all other file systems that compress.
const PERIOD: usize = 16 << 20;

/// Lanes of the generator: 8 x 64 bits are one AVX-512 register or four of NEON.
const LANES: usize = 8;

/// A page-aligned buffer, without `unsafe`: a little too much is allocated and the aligned part used.
#[derive(Debug)]
pub struct Aligned {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// A buffer of this many bytes, zeroed (and thereby touched: no page fault happens later).
    #[must_use]
    pub fn new(length: usize) -> Self {
        let mut storage = vec![1_u8; length.saturating_add(ALIGNMENT)];
        storage.fill(0);
        let start = storage.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        Self { storage, start, length }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.storage.get(self.start..).and_then(|tail| tail.get(..self.length)).unwrap_or_default()
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.storage
            .get_mut(self.start..)
            .and_then(|tail| tail.get_mut(..self.length))
            .unwrap_or_default()
    }
}

/// The content of all files of an image.
#[derive(Debug)]
pub struct Content {
    pool: Aligned,
}

impl Content {
    /// Content for this seed, to be handed over in blocks of `block_bytes` (a multiple of [`PAGE`]).
    #[must_use]
    pub fn new(seed: u64, block_bytes: usize) -> Self {
        let block = block_bytes.max(PAGE);
        // A block more than the period: a block that begins at the last page still is one piece.
        let mut content = Self { pool: Aligned::new(PERIOD.saturating_add(block)) };
        content.fill(seed);
        content
    }

    /// Makes all of it anew for another seed; gives the bytes that were made.
    pub fn fill(&mut self, seed: u64) -> u64 {
        let pool = self.pool.bytes_mut();
        fill(seed, pool);
        pool.len() as u64
    }

    /// The next `length` bytes of a file from `offset` on, stamped. `offset` is a multiple of the block size.
    pub fn block(&mut self, file_id: u64, offset: u64, length: usize) -> &[u8] {
        let pool = self.pool.bytes_mut();
        // The remainder is smaller than a length in memory.
        let place = offset.wrapping_add(first_byte(file_id)) % PERIOD as u64;
        let start = usize::try_from(place).unwrap_or_default();
        let Some(block) = pool.get_mut(start..) else { return &[] };
        let pages = block.chunks_mut(PAGE).take(length.div_ceil(PAGE));
        for (page_number, page) in (offset / PAGE as u64..).zip(pages) {
            if let Some(stamp) = page.first_chunk_mut::<8>() {
                *stamp = file_id.to_le_bytes();
            }
            if let Some(stamp) = page.get_mut(8..16) {
                stamp.copy_from_slice(&page_number.to_le_bytes());
            }
        }
        block.get(..length.min(block.len())).unwrap_or_default()
    }

    /// Where, counted from the file's start, `found` first differs from what the file must hold at `offset`.
    pub fn difference(&mut self, file_id: u64, offset: u64, found: &[u8]) -> Option<u64> {
        let expected = self.block(file_id, offset, found.len());
        if expected == found {
            return None;
        }
        let place = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(expected.len());
        Some(offset.saturating_add(place as u64))
    }
}

/// Where in the pool a file begins: at a page that its id picks, so that files of one size differ by more than stamps.
const fn first_byte(file_id: u64) -> u64 {
    SplitMix64::new(file_id).next() % (PERIOD / PAGE) as u64 * PAGE as u64
}

/// Fills a buffer from eight lanes of xoshiro256+, each seeded by four numbers of one SplitMix64.
fn fill(seed: u64, buffer: &mut [u8]) {
    let mut seeder = SplitMix64::new(seed);
    let mut state = [[0_u64; LANES]; 4];
    for lane in 0..LANES {
        for word in &mut state {
            if let Some(value) = word.get_mut(lane) {
                *value = seeder.next();
            }
        }
    }
    let [a, b, c, d] = &mut state;
    for chunk in buffer.chunks_mut(8 * LANES) {
        let lanes = a.iter_mut().zip(b.iter_mut()).zip(c.iter_mut().zip(d.iter_mut()));
        for (bytes, ((a, b), (c, d))) in chunk.chunks_mut(8).zip(lanes) {
            let number = a.wrapping_add(*d).to_le_bytes();
            let t = *b << 17;
            *c ^= *a;
            *d ^= *b;
            *b ^= *c;
            *a ^= *d;
            *c ^= t;
            *d = d.rotate_left(45);
            bytes.copy_from_slice(number.get(..bytes.len()).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIGNMENT, Aligned, Content, PAGE, fill};
    use std::collections::HashSet;

    #[test]
    fn buffers_are_aligned_to_the_page_of_apple_silicon() {
        for length in [1, 4096, 1 << 20] {
            let buffer = Aligned::new(length);
            assert_eq!(buffer.bytes().len(), length);
            assert_eq!(buffer.bytes().as_ptr().addr() % ALIGNMENT, 0);
        }
    }

    #[test]
    fn the_generator_is_xoshiro256_plus_in_eight_lanes() {
        // First two numbers of lanes 0 and 1 for seed 42, from a Python version of the published algorithm
        // (state of a lane: four numbers of SplitMix64 in turn).
        let mut buffer = [0_u8; 128];
        fill(42, &mut buffer);
        let word =
            |index: usize| u64::from_le_bytes(buffer[index * 8..index * 8 + 8].try_into().unwrap());
        assert_eq!([word(0), word(1), word(8), word(9)], EXPECTED);
    }

    const EXPECTED: [u64; 4] = [
        1_581_911_519_303_979_561,
        15_470_584_113_129_739_158,
        5_726_079_574_540_882_823,
        17_988_114_292_219_145_107,
    ];

    #[test]
    fn no_two_pages_of_an_image_are_alike() {
        let mut content = Content::new(1, 8192);
        let mut pages = HashSet::new();
        for file in [1, 2, 1 << 32] {
            for block in 0..300 {
                for page in content.block(file, block * 8192, 8192).chunks(PAGE) {
                    assert!(pages.insert(page.to_vec()));
                }
            }
        }
        assert_eq!(pages.len(), 1800);
    }

    /// The unstamped beginnings of all pages of a stretch of a file: 64 bytes each.
    fn windows(content: &mut Content, file: u64, start: u64, length: usize) -> Vec<[u8; 64]> {
        const BLOCK: usize = 1 << 20;
        let blocks = (0..length / BLOCK).map(|index| start + (index * BLOCK) as u64);
        blocks
            .flat_map(|offset| {
                let block = content.block(file, offset, BLOCK).to_vec();
                block
                    .chunks(PAGE)
                    .map(|page| page[16..80].try_into().unwrap())
                    .collect::<Vec<[u8; 64]>>()
            })
            .collect()
    }

    #[test]
    fn no_stretch_of_16_mib_repeats_anything() {
        let mut content = Content::new(1, 1 << 20);
        for (file, start) in [(1, 0), (2, 5 << 20), (1 << 32, 37 << 20)] {
            let windows = windows(&mut content, file, start, 16 << 20);
            let different: HashSet<&[u8; 64]> = windows.iter().collect();
            assert_eq!((windows.len(), different.len()), (4096, 4096), "file {file}");
        }
    }

    #[test]
    fn files_begin_at_different_places_of_the_pool() {
        let mut content = Content::new(1, 1 << 20);
        let starts: HashSet<[u8; 64]> = (1..=160)
            .map(|order| windows(&mut content, (1 << 32) | order, 0, 1 << 20)[0])
            .collect();
        // 4096 pages to begin at, drawn 160 times: two may coincide now and then.
        assert!(starts.len() > 145, "{}", starts.len());
    }

    #[test]
    fn the_content_does_not_compress() {
        // Apart from the stamps: every byte value about equally often (4080 times, give or take five standard
        // deviations), and hardly any 8-byte word twice.
        let mut content = Content::new(1, 1 << 20);
        let block = content.block(1, 0, 1 << 20);
        let mut counts = [0_u32; 256];
        for page in block.chunks(PAGE) {
            page[16..].iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        }
        assert!(counts.iter().all(|count| (3760..4400).contains(count)), "{counts:?}");
        let words: HashSet<&[u8]> = block.chunks(8).collect();
        assert!(words.len() > 131_072 - 300, "{}", words.len());
    }

    #[test]
    fn the_same_file_has_the_same_content_whenever_it_is_asked_for() {
        let mut content = Content::new(9, 4096);
        let first = content.block(7, 40_960, 4096).to_vec();
        content.block(8, 40_960, 4096);
        assert_eq!(content.block(7, 40_960, 4096), first);
        assert_ne!(Content::new(10, 4096).block(7, 40_960, 4096), first);
    }

    #[test]
    fn a_difference_is_found_at_its_very_byte() {
        let mut content = Content::new(9, 8192);
        let mut found = content.block(7, 16_384, 5000).to_vec();
        assert_eq!(content.difference(7, 16_384, &found), None);
        found[4999] ^= 1;
        assert_eq!(content.difference(7, 16_384, &found), Some(16_384 + 4999));
    }
}
