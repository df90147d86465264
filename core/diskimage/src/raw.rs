//! `UDRW`: the disk's bytes, one after the other, in a file as long as the disk. No header and no trailer; the host
//! keeps it sparse where it can.

use std::ops::Range;

use system::flush::Durability;
use system::memory::in_memory;

use crate::disk::{Advance, SECTOR, Sizes, VirtualDisk, check_length, within};
use crate::error::{Result, damaged};
use crate::findings::{OnDamage, strict};
use crate::holes;
use crate::row::{File, Layout, Row};
use crate::store::Store;

/// What is known of the format.
pub(crate) const ROW: Row = Row {
    alias: Some("raw"),
    summary: "The disk's bytes, one after the other",
    extensions: &["dmg", "img", "raw"],
    band_bytes: None,
    large_block_bytes: None,
    has_map: false,
    hdiutil_type: Some("UDIF"),
    diskutil_format: Some("RAW"),
    own_encryption: false,
    layout: Layout::File(RAW),
};

/// What a file without a signature is.
pub(crate) const RAW: File = File {
    mark: &[],
    name: "",
    is_like: |_| false,
    sizes: |store| Ok(Sizes::of_plain(store.len_bytes())),
    create: |store, len_bytes, _| Ok(Box::new(RawDisk::create(store, len_bytes)?)),
    open: |store, on_damage| Ok(Box::new(RawDisk::open_around(store, on_damage)?)),
    check: |store| RawDisk::open(store).map(|_| Vec::new()),
};

/// A raw image.
pub struct RawDisk {
    store: Box<dyn Store>,
}

impl RawDisk {
    /// Makes a disk of this length, a multiple of 512 bytes, in an empty store.
    ///
    /// # Errors
    /// `Invalid` for another length; otherwise any error of the system.
    pub fn create(mut store: Box<dyn Store>, len_bytes: u64) -> Result<Self> {
        check_length("a raw image", len_bytes)?;
        store.set_len(len_bytes)?;
        Ok(Self { store })
    }

    /// Opens a disk: any whole number of sectors is one.
    ///
    /// # Errors
    /// `Damaged` when the length is no multiple of 512.
    pub fn open(store: Box<dyn Store>) -> Result<Self> {
        Self::open_around(store, &mut strict)
    }

    /// The same; told of a last sector that is not whole, it may go on: the rest of that sector is zeros.
    pub(crate) fn open_around(store: Box<dyn Store>, on_damage: &mut OnDamage<'_>) -> Result<Self> {
        let len_bytes = store.len_bytes();
        let told = format!(
            "a raw image is a whole number of {SECTOR}-byte sectors, but this file has {len_bytes} bytes"
        );
        if len_bytes == 0 {
            return Err(damaged(told));
        }
        if !len_bytes.is_multiple_of(SECTOR) {
            on_damage(told)?;
        }
        Ok(Self { store })
    }
}

impl VirtualDisk for RawDisk {
    fn len_bytes(&self) -> u64 {
        self.store.len_bytes().next_multiple_of(SECTOR)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, buffer.len() as u64)?;
        let there = in_memory(self.store.len_bytes().saturating_sub(offset)).min(buffer.len());
        let (there, beyond) = buffer.split_at_mut(there);
        beyond.fill(0);
        self.store.read_at(there, offset)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let found = self.store.next_data(from)?;
        Ok(found.map(|data| data.start..data.end.next_multiple_of(SECTOR)))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        within(self.len_bytes(), offset, bytes.len() as u64)?;
        self.store.write_at(bytes, offset)
    }

    fn discard(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        self.store.punch(offset, length)
    }

    fn write_zeros(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        holes::zero(self.store.as_mut(), offset, length)
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        self.store.flush(durability)
    }

    /// There is nothing to do: the host got everything back when it was discarded.
    fn compact_with(&mut self, _advance: Advance<'_>) -> Result<()> {
        self.flush(Durability::Fsync)
    }

    fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        check_length("a raw image", len_bytes)?;
        self.store.set_len(len_bytes)
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        self.store.will_read(offset, length);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RawDisk;
    use crate::error::Kind;
    use crate::testing::memory::MemoryStore;

    #[test]
    fn a_file_that_is_no_whole_number_of_sectors_is_refused() {
        for len_bytes in [0, 1, 513] {
            let memory = MemoryStore::of(vec![0; len_bytes]);
            assert!(RawDisk::open(Box::new(memory)).is_err(), "{len_bytes}");
            let refused = RawDisk::create(Box::new(MemoryStore::default()), len_bytes as u64);
            let refused = refused.map(drop).unwrap_err();
            assert_eq!(refused.kind(), Kind::Invalid);
        }
    }
}
