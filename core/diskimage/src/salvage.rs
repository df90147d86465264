//! Reads around damage: unreadable ranges become zeros and are reported.

use std::ops::Range;

use system::medium;
use system::memory::in_memory;

use crate::bytes::part_mut;
use crate::disk::{SECTOR, VirtualDisk, rest};
use crate::error::{ImageError, Kind, Result};

/// What is given up of a bad medium at once, in bytes: the sector of most disks. Each try can take a disk seconds.
const MEDIUM: u64 = 4096;

/// Bytes read at a time if the map itself is unreadable.
const STEP: u64 = 4 << 20;

/// A disk that is read around its damage, and never written.
pub struct Salvaged<'a> {
    disk: &'a mut dyn VirtualDisk,
    lost: Vec<Range<u64>>,
}

impl<'a> Salvaged<'a> {
    /// The disk in an image that [`open_damaged`](crate::open::open_damaged) opened.
    pub fn of(disk: &'a mut dyn VirtualDisk) -> Self {
        Self { disk, lost: Vec::new() }
    }

    /// The ranges in bytes that could not be read so far, in the order of the disk; neighbours are one.
    pub fn lost(&self) -> &[Range<u64>] {
        &self.lost
    }

    fn lose(&mut self, range: Range<u64>) {
        let first = self.lost.partition_point(|known| known.end < range.start);
        let end = self.lost.partition_point(|known| known.start <= range.end);
        let touched = self.lost.splice(first..end, []).chain([range]);
        let whole = touched.reduce(|one, next| one.start.min(next.start)..one.end.max(next.end));
        self.lost.splice(first..first, whole);
    }
}

/// The least that is tried again after an error, in bytes; none when trying elsewhere is of no use.
fn least(error: &ImageError) -> Option<u64> {
    match (error.kind(), error.io()) {
        (Kind::Damaged, _) => Some(SECTOR),
        (Kind::Io, Some(error)) if medium::is_bad(error) => Some(MEDIUM),
        _ => None,
    }
}

impl VirtualDisk for Salvaged<'_> {
    fn len_bytes(&self) -> u64 {
        self.disk.len_bytes()
    }

    /// Halves an unreadable range to make the loss as small as possible.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let Err(error) = self.disk.read_at(buffer, offset) else { return Ok(()) };
        let Some(least) = least(&error) else { return Err(error) };
        let length = buffer.len() as u64;
        if length <= least {
            buffer.fill(0);
            self.lose(offset..offset + length);
            return Ok(());
        }
        let half = (length / 2).next_multiple_of(least);
        let start = part_mut(buffer, 0..in_memory(half));
        self.read_at(start, offset)?;
        let end = part_mut(buffer, in_memory(half)..in_memory(length));
        self.read_at(end, offset + half)
    }

    fn block_bytes(&self) -> Option<u64> {
        self.disk.block_bytes()
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        match self.disk.next_data(from) {
            Err(error) if least(&error).is_some() => {
                let end = from.saturating_add(STEP).min(self.len_bytes());
                Ok(rest(from, end))
            }
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Salvaged;
    use crate::disk::VirtualDisk;
    use crate::error::{ImageError, Kind, Result, damaged};
    use crate::testing::content;
    use std::io;
    use std::ops::Range;
    use system::memory::in_memory;

    /// A disk of which some ranges cannot be read, and that counts the tries.
    struct Spoilt {
        bytes: Vec<u8>,
        bad: Vec<Range<u64>>,
        error: fn() -> ImageError,
        tries: usize,
    }

    impl VirtualDisk for Spoilt {
        fn len_bytes(&self) -> u64 {
            self.bytes.len() as u64
        }
        fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
            self.tries += 1;
            let end = offset + buffer.len() as u64;
            if self.bad.iter().any(|bad| bad.start < end && offset < bad.end) {
                return Err((self.error)());
            }
            buffer.copy_from_slice(&self.bytes[in_memory(offset)..in_memory(end)]);
            Ok(())
        }
        fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
            if from == 0 { Err((self.error)()) } else { Ok(None) }
        }
    }

    const MIB: u64 = 1 << 20;

    fn spoilt(bad: &[Range<u64>], error: fn() -> ImageError) -> Spoilt {
        Spoilt { bytes: content(5, 4 * MIB), bad: bad.to_vec(), error, tries: 0 }
    }

    fn one(range: Range<u64>) -> [Range<u64>; 1] {
        [range]
    }

    fn bad_medium() -> ImageError {
        io::Error::from_raw_os_error(libc::EIO).into()
    }

    #[test]
    fn all_but_the_lost_sectors_is_read_and_they_are_told() {
        for (error, lost) in [
            ((|| damaged("no")) as fn() -> ImageError, vec![512..1024, MIB - 512..MIB + 1024]),
            (bad_medium, vec![0..4096, MIB - 4096..MIB + 4096]),
        ] {
            let mut disk = spoilt(&[700..701, MIB - 1..MIB + 513], error);
            let mut expected = disk.bytes.clone();
            for range in &lost {
                expected[in_memory(range.start)..in_memory(range.end)].fill(0);
            }
            let mut salvaged = Salvaged::of(&mut disk);
            let mut found = vec![0xa5; expected.len()];
            salvaged.read_at(&mut found, 0).unwrap();
            assert_eq!(salvaged.lost(), lost);
            assert!(found == expected);
            assert!(disk.tries < 100, "{} tries", disk.tries);
        }
    }

    #[test]
    fn neighbours_are_one_range_also_over_several_reads() {
        let mut disk = spoilt(&one(MIB..3 * MIB), bad_medium);
        let mut salvaged = Salvaged::of(&mut disk);
        for number in 0..4 {
            salvaged.read_at(&mut vec![0; 1 << 20], number * MIB).unwrap();
        }
        assert_eq!(salvaged.lost(), one(MIB..3 * MIB));
    }

    #[test]
    fn what_is_read_again_is_lost_once() {
        let mut disk =
            spoilt(&[MIB..MIB + 1, 2 * MIB..2 * MIB + 1, 3 * MIB..3 * MIB + 1], bad_medium);
        let mut salvaged = Salvaged::of(&mut disk);
        for number in [3, 1, 2, 1, 3, 0] {
            salvaged.read_at(&mut vec![0; 1 << 20], number * MIB).unwrap();
        }
        let lost = [1, 2, 3].map(|number| number * MIB..number * MIB + 4096);
        assert_eq!(salvaged.lost(), lost);
    }

    #[test]
    fn where_the_map_cannot_be_read_everything_may_be_data() {
        let mut disk = spoilt(&[], bad_medium);
        assert_eq!(Salvaged::of(&mut disk).next_data(0).unwrap(), Some(0..4 * MIB));
    }

    #[test]
    fn what_is_no_damage_ends_it() {
        for error in
            [(|| io::Error::from_raw_os_error(libc::EACCES).into()) as fn() -> ImageError, || {
                ImageError::new(Kind::Internal, "no")
            }]
        {
            let mut disk = spoilt(&one(0..1), error);
            let mut salvaged = Salvaged::of(&mut disk);
            assert!(salvaged.read_at(&mut [0; 4096], 0).is_err());
            assert!(salvaged.next_data(0).is_err());
            assert!(salvaged.lost().is_empty());
        }
    }
}
