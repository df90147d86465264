//! The content of a disk, independent of its image: checksum, map of extents, and comparison.

use std::iter;
use std::ops::{ControlFlow, Range};

use sha2::{Digest, Sha256};
use system::memory::in_memory;

use crate::convert::{BLOCK, Failure, reported, stream};
use crate::disk::VirtualDisk;
use crate::error::Result;

static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Told after each part how many bytes it has, and says whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// The SHA-256 of all bytes of a disk: that of its raw image.
///
/// # Errors
/// `Source` or `Stopped`.
pub fn sha256(
    disk: &mut dyn VirtualDisk,
    progress: Progress<'_>,
) -> std::result::Result<[u8; 32], Failure> {
    let mut sum = Sha256::new();
    read(disk, &mut |bytes| {
        sum.update(bytes);
        progress(bytes.len() as u64)
    })?;
    Ok(sum.finalize().into())
}

/// Gives all bytes of a disk to `take`, piece by piece, which says whether to go on.
///
/// # Errors
/// `Source` or `Stopped`.
pub fn read(
    disk: &mut dyn VirtualDisk,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> std::result::Result<(), Failure> {
    let mut take =
        |bytes: &[u8]| if take(bytes).is_break() { Err(Failure::Stopped) } else { Ok(()) };
    stream(disk, true, &mut |block| {
        if !block.bytes.is_empty() {
            return take(&block.bytes);
        }
        let mut zeros = block.length;
        while zeros > 0 {
            let length = in_memory(zeros).min(ZEROS.len());
            take(ZEROS.split_at(length).0)?;
            zeros -= length as u64;
        }
        Ok(())
    })
}

/// How two disks differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// They have these lengths in bytes.
    Length(u64, u64),
    /// The first byte that differs is at this offset.
    Byte(u64),
}

/// How two disks differ, if they do. Ranges that are zeros in both maps are not read.
///
/// # Errors
/// `Source` for the first of them, `Destination` for the second; `Stopped`.
pub fn difference(
    one: &mut dyn VirtualDisk,
    other: &mut dyn VirtualDisk,
    progress: Progress<'_>,
) -> std::result::Result<Option<Difference>, Failure> {
    let len_bytes = one.len_bytes();
    if len_bytes != other.len_bytes() {
        return Ok(Some(Difference::Length(len_bytes, other.len_bytes())));
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < len_bytes {
        let start = |found: Result<Option<Range<u64>>>| {
            found.map(|data| data.map_or(len_bytes, |data| data.start.max(at)))
        };
        let ours = start(one.next_data(at)).map_err(Failure::Source)?;
        let data = ours.min(start(other.next_data(at)).map_err(Failure::Destination)?);
        let length = BLOCK.min(len_bytes - data);
        if length > 0 {
            left.resize(in_memory(length), 0);
            right.resize(in_memory(length), 0);
            let (read, read_other) =
                rayon::join(|| one.read_at(&mut left, data), || other.read_at(&mut right, data));
            read.map_err(Failure::Source)?;
            read_other.map_err(Failure::Destination)?;
            let differing = iter::zip(&left, &right).position(|(left, right)| left != right);
            if let (true, Some(differing)) = (left != right, differing) {
                return Ok(Some(Difference::Byte(data + differing as u64)));
            }
        }
        reported(progress, data + length - at)?;
        at = data + length;
    }
    Ok(None)
}

/// A range of a disk, and whether it may hold something else than zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Its bytes of the disk.
    pub range: Range<u64>,
    /// Whether the image contains them; otherwise they are zeros.
    pub data: bool,
}

/// The map of extents of a disk: all of it, from start to end, as the image has it. One without a map is all data, but
/// for the holes of its file.
///
/// # Errors
/// Any error of the image.
pub fn extents(disk: &mut dyn VirtualDisk) -> Result<Vec<Extent>> {
    let all = 0..disk.len_bytes();
    extents_in(disk, &all, usize::MAX)
}

/// The same of a range, and no more of them than this.
///
/// # Errors
/// Any error of the image.
pub(crate) fn extents_in(
    disk: &mut dyn VirtualDisk,
    range: &Range<u64>,
    most: usize,
) -> Result<Vec<Extent>> {
    let mut extents: Vec<Extent> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let found = disk.next_data(at)?.unwrap_or(range.end..range.end);
        let data = found.start <= at;
        let end = if data { found.end } else { found.start }.min(range.end);
        let full = extents.len() == most;
        match extents.last_mut() {
            Some(last) if last.data == data => last.range.end = end,
            _ if full => break,
            _ => extents.push(Extent { range: at..end, data }),
        }
        at = end;
    }
    Ok(extents)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

    use super::{Difference, Extent, difference, extents, sha256};
    use crate::convert::{BLOCK, Failure};
    use crate::disk::VirtualDisk;
    use crate::raw::RawDisk;
    use crate::sparse_image::SparseImage;
    use crate::testing::content;
    use crate::testing::memory::MemoryStore;
    use std::ops::ControlFlow;

    const MIB: u64 = 1 << 20;

    fn on(_: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn raw(bytes: &[u8]) -> RawDisk {
        RawDisk::open(Box::new(MemoryStore::of(bytes))).unwrap()
    }

    /// A sparse image with a MiB of content at each of these places.
    fn sparse(len_bytes: u64, places: &[u64]) -> SparseImage {
        let mut image =
            SparseImage::create(Box::new(MemoryStore::default()), len_bytes, None).unwrap();
        for place in places {
            image.write_at(&content(place.to_be_bytes()[7] | 1, MIB), *place).unwrap();
        }
        image
    }

    #[test]
    fn the_checksum_is_that_of_all_bytes_also_of_those_that_are_no_data() {
        // sha256sum of as many zeros, and of "abc" and 509 zeros
        for (len_bytes, start, expected) in [
            (MIB, &b""[..], "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"),
            (512, b"abc", "b064446561934ed673ed230b6c0e68ebde7d574bf81288b00ac88ff6e518ade4"),
        ] {
            let mut bytes = start.to_vec();
            bytes.resize(len_bytes as usize, 0);
            let found = sha256(&mut raw(&bytes), &mut on).unwrap();
            let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, expected);
        }
        let image = &mut sparse(9 * BLOCK, &[0, 5 * BLOCK + 3]);
        let mut bytes = vec![0; 9 * BLOCK as usize];
        image.read_at(&mut bytes, 0).unwrap();
        assert_eq!(sha256(image, &mut on).unwrap(), sha256(&mut raw(&bytes), &mut on).unwrap());
    }

    #[test]
    fn two_disks_are_the_same_or_differ_at_their_first_differing_byte() {
        let places = [0, 5 * BLOCK + 3, 8 * BLOCK];
        let same = || sparse(9 * BLOCK, &places);
        let mut bytes = vec![0; 9 * BLOCK as usize];
        same().read_at(&mut bytes, 0).unwrap();
        assert_eq!(difference(&mut same(), &mut raw(&bytes), &mut on).unwrap(), None);
        for place in [0, 7, BLOCK - 1, 3 * BLOCK, 5 * BLOCK + 4, 9 * BLOCK - 1] {
            let mut other = bytes.clone();
            other[place as usize] ^= 1;
            other[9 * BLOCK as usize - 1] ^= 1 & u8::from(place != 9 * BLOCK - 1);
            let expected = Some(Difference::Byte(place));
            assert_eq!(difference(&mut same(), &mut raw(&other), &mut on).unwrap(), expected);
            assert_eq!(difference(&mut raw(&other), &mut same(), &mut on).unwrap(), expected);
        }
        let longer = &mut sparse(9 * BLOCK + 512, &places);
        let expected = Some(Difference::Length(9 * BLOCK, 9 * BLOCK + 512));
        assert_eq!(difference(&mut same(), longer, &mut on).unwrap(), expected);
    }

    #[test]
    fn progress_adds_up_to_the_whole_disk_and_can_stop() {
        let len_bytes = 9 * BLOCK + 512;
        let mut told = 0;
        let mut add = |bytes| {
            told += bytes;
            ControlFlow::Continue(())
        };
        sha256(&mut sparse(len_bytes, &[BLOCK]), &mut add).unwrap();
        let (one, other) = (&mut sparse(len_bytes, &[BLOCK]), &mut sparse(len_bytes, &[BLOCK]));
        difference(one, other, &mut add).unwrap();
        assert_eq!(told, 2 * len_bytes);
        let mut stop = |_| ControlFlow::Break(());
        assert!(matches!(sha256(one, &mut stop), Err(Failure::Stopped)));
        assert!(matches!(difference(one, other, &mut stop), Err(Failure::Stopped)));
    }

    #[test]
    fn the_map_of_extents_is_all_of_the_disk_once() {
        let found = extents(&mut sparse(8 * MIB + 512, &[MIB, 2 * MIB, 5 * MIB])).unwrap();
        let expected = [
            (0..MIB, false),
            (MIB..3 * MIB, true),
            (3 * MIB..5 * MIB, false),
            (5 * MIB..6 * MIB, true),
            (6 * MIB..8 * MIB + 512, false),
        ];
        let expected = expected.map(|(range, data)| Extent { range, data });
        assert_eq!(found, expected);
        let full = Extent { range: 0..512, data: true };
        assert_eq!(extents(&mut raw(&[1; 512])).unwrap(), [full]);
    }
}
