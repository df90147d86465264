//! Looking for damage: every checksum that the file states.

use std::ops::Range;

use crc32fast::Hasher;
use system::memory::in_memory;

use crate::disk::{Advance, Damage, VirtualDisk};
use crate::error::{Kind, Result};
use crate::findings::Findings;
use crate::store::Store;
use crate::udif::Udif;
use crate::udif::map::{Block, Content, Map};
use crate::udif::sum::Sum;

/// Bytes that are summed in one call.
const PIECE: u64 = 4 << 20;

/// Unpacks everything, and compares the content of each map, and the file's data, with their checksums; `advance` gets
/// the progress.
///
/// # Errors
/// Damage is none; `Unsupported` for what is not known; otherwise any error of the system.
pub fn check(store: Box<dyn Store>, advance: Advance<'_>) -> Result<Vec<Damage>> {
    let mut findings = Findings::default();
    let opened = Udif::open_around(store, &mut findings.on_damage());
    let mut image = match opened {
        Err(error) if error.kind() == Kind::Damaged => {
            findings.add(error.to_string());
            return Ok(findings.into_lines());
        }
        opened => opened?,
    };
    // Without one of the maps their checksums differ from the stated one, which tells nothing new.
    let has_all_sums = findings.is_empty() && image.has_sums();
    let data = image.trailer.data.clone();
    let blocks = image.maps.iter().flat_map(kept).filter(|block| block.content != Content::Zeros);
    let all = blocks.map(length).fold(data.end - data.start, u64::saturating_add);
    let mut done = 0;
    let mut count = |bytes: &[u8]| {
        done += bytes.len() as u64;
        advance(done, all);
    };
    let mut sum = Hasher::new();
    add(&mut sum, data, &mut |piece, at| {
        count(piece);
        image.store.read_at(piece, at)
    })?;
    compare(&mut findings, "the data", image.trailer.data_sum, sum);
    let mut sums = Hasher::new();
    for map in image.maps.clone() {
        if let Sum::Crc32(stated) = map.sum {
            sums.update(&stated.to_be_bytes());
        }
        match content(&mut image, &map, &mut count) {
            Ok(sum) => {
                compare(&mut findings, &format!("the content of {}", map.name), map.sum, sum);
            }
            Err(error) if error.kind() == Kind::Damaged => {
                findings.add(format!("{}: {error}", map.name));
            }
            Err(error) => return Err(error),
        }
    }
    if has_all_sums {
        compare(&mut findings, "the list of checksums", image.trailer.master_sum, sums);
    }
    Ok(findings.into_lines())
}

/// The checksum of a map's sectors but for the free ones, in the order of its blocks: neighbours are read in one call, and
/// zeros not at all, of which a file of a kilobyte may state more than can ever be read.
fn content(image: &mut Udif, map: &Map, count: &mut dyn FnMut(&[u8])) -> Result<Hasher> {
    let mut sum = Hasher::new();
    let mut read = |piece: &mut [u8], at| {
        count(piece);
        image.read_at(piece, at)
    };
    let mut run = 0..0;
    for block in kept(map) {
        let is_zeros = block.content == Content::Zeros;
        if block.range.start != run.end || is_zeros {
            add(&mut sum, run.clone(), &mut read)?;
            run.start = block.range.start;
        }
        run.end = block.range.end;
        if is_zeros {
            sum.combine(&zeros(length(block)));
            run.start = run.end;
        }
    }
    add(&mut sum, run, &mut read)?;
    Ok(sum)
}

/// The checksum of so many zeros: each multiplies the inverse of the sum so far, and that of nothing is all ones.
fn zeros(length: u64) -> Hasher {
    let mut inverse = Hasher::new_with_initial(u32::MAX);
    inverse.combine(&Hasher::new_with_initial_len(0, length));
    Hasher::new_with_initial_len(!inverse.finalize(), length)
}

/// The blocks that the checksum is of.
fn kept(map: &Map) -> impl Iterator<Item = &Block> {
    map.blocks.iter().filter(|block| block.content != Content::Free)
}

fn length(block: &Block) -> u64 {
    block.range.end - block.range.start
}

fn compare(findings: &mut Findings, what: &str, stated: Sum, found: Hasher) {
    let found = found.finalize();
    if let Sum::Crc32(stated) = stated
        && stated != found
    {
        findings.add(format!("{what} has the CRC-32 {found:08x}, and {stated:08x} is stated"));
    }
}

/// Adds what `read` gives of a range.
fn add(
    sum: &mut Hasher,
    range: Range<u64>,
    read: &mut dyn FnMut(&mut [u8], u64) -> Result<()>,
) -> Result<()> {
    let mut buffer = Vec::new();
    let mut at = range.start;
    while at < range.end {
        buffer.resize(in_memory(PIECE.min(range.end - at)), 0);
        read(&mut buffer, at)?;
        sum.update(&buffer);
        at += buffer.len() as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::zeros;

    #[test]
    fn the_checksum_of_zeros_is_that_of_their_bytes() {
        for length in [0_u16, 1, 512, 5120, 65_535] {
            let bytes = vec![0; length.into()];
            assert_eq!(zeros(length.into()).finalize(), crc32fast::hash(&bytes), "{length}");
        }
    }
}
