//! One node of the index: a page of 4096 bytes. All numbers are big-endian.
//!
//! ```text
//! header node, at 0                     index node, where `next` of the node before says
//!    0  "sprs"                             0  "sprs"
//!    4  version, 3                         4  number of the node, from 1
//!    8  sectors per band                   8  flags, 1
//!   12  flags, 1                          12  next node, u64, 0 for none
//!   16  sectors, the low 32 bits          56  band ids, 1010 of them
//!   20  next node, u64, 0 for none
//!   28  sectors, u64
//!   64  band ids, 1008 of them
//! ```
//!
//! Behind each node lie its slots, one band each. An id of 0 is a slot that is not used, n is band n - 1.

use system::memory::in_memory;

use crate::bytes::{put, u32_at, u64_at};
use crate::disk::SECTOR;
use crate::error::{Result, damaged, internal};
use crate::sparse_image::MAGIC;
use crate::store::Store;

/// Length of a node in bytes.
pub(crate) const NODE: usize = 4096;

/// The only version that was ever seen.
const VERSION: u32 = 3;

/// What every file that was seen has there.
const FLAGS: u32 = 1;

/// Where the fields of a node lie.
#[derive(Debug, Clone, Copy)]
struct Layout {
    next: usize,
    ids: usize,
    slots: u32,
}

const HEADER: Layout = Layout { next: 20, ids: 64, slots: 1008 };
const INDEX: Layout = Layout { next: 12, ids: 56, slots: 1010 };

/// One node, as it should be and as it is in the file.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where it lies in the file, in bytes.
    pub offset: u64,
    /// Number of its slots.
    pub slots: u32,
    layout: Layout,
    page: Vec<u8>,
    /// What the file holds; empty when it holds nothing of this node yet.
    written: Vec<u8>,
}

impl Node {
    /// The header of a new image.
    pub(crate) fn header(band_bytes: u64, len_bytes: u64) -> Result<Self> {
        let mut node = Self::new(0, HEADER);
        let per_band = u32::try_from(band_bytes / SECTOR).map_err(internal)?;
        put(&mut node.page, 0, MAGIC);
        put(&mut node.page, 4, &VERSION.to_be_bytes());
        put(&mut node.page, 8, &per_band.to_be_bytes());
        put(&mut node.page, 12, &FLAGS.to_be_bytes());
        node.set_len_bytes(len_bytes)?;
        Ok(node)
    }

    /// Says in a header node how long the disk is.
    pub(crate) fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        let sectors = len_bytes / SECTOR;
        let low = u32::try_from(sectors & u64::from(u32::MAX)).map_err(internal)?;
        put(&mut self.page, 16, &low.to_be_bytes());
        put(&mut self.page, 28, &sectors.to_be_bytes());
        Ok(())
    }

    /// A new index node.
    pub(crate) fn index(number: u32, offset: u64) -> Self {
        let mut node = Self::new(offset, INDEX);
        put(&mut node.page, 0, MAGIC);
        put(&mut node.page, 4, &number.to_be_bytes());
        put(&mut node.page, 8, &FLAGS.to_be_bytes());
        node
    }

    fn new(offset: u64, layout: Layout) -> Self {
        Self::of(offset, layout, vec![0; NODE], Vec::new())
    }

    /// The node that lies in a file.
    ///
    /// # Errors
    /// `Damaged` when it does not begin as one.
    pub(crate) fn read(offset: u64, page: Vec<u8>) -> Result<Self> {
        if page.len() != NODE || !page.starts_with(MAGIC) {
            return Err(damaged(format!("the index node at {offset} does not begin with sprs")));
        }
        if offset == 0 && u32_at(&page, 4) != VERSION {
            let found = u32_at(&page, 4);
            return Err(damaged(format!("sprs version {found} is not known: only {VERSION} is")));
        }
        let layout = if offset == 0 { HEADER } else { INDEX };
        Ok(Self::of(offset, layout, page.clone(), page))
    }

    fn of(offset: u64, layout: Layout, page: Vec<u8>, written: Vec<u8>) -> Self {
        Self { offset, slots: layout.slots, layout, page, written }
    }

    /// Sectors per band, low 32 bits of the sectors, and sectors of a header node.
    pub(crate) fn geometry(&self) -> (u32, u32, u64) {
        (u32_at(&self.page, 8), u32_at(&self.page, 16), u64_at(&self.page, 28))
    }

    /// The id of a slot.
    pub(crate) fn id(&self, index: u32) -> u32 {
        u32_at(&self.page, self.place(index))
    }

    /// Changes the id of a slot.
    pub(crate) fn set_id(&mut self, index: u32, id: u32) {
        let place = self.place(index);
        put(&mut self.page, place, &id.to_be_bytes());
    }

    /// Where the next node lies; 0 when there is none.
    pub(crate) fn next(&self) -> u64 {
        u64_at(&self.page, self.layout.next)
    }

    /// Changes where the next node lies.
    pub(crate) fn set_next(&mut self, offset: u64) {
        put(&mut self.page, self.layout.next, &offset.to_be_bytes());
    }

    /// Where a slot's bytes begin in the file.
    pub(crate) fn slot_offset(&self, index: u32, band_bytes: u64) -> Result<u64> {
        let end = u64::from(index).checked_mul(band_bytes);
        end.and_then(|end| end.checked_add(NODE as u64))
            .and_then(|end| end.checked_add(self.offset))
            .ok_or_else(|| damaged("the file of this image would be too long"))
    }

    /// Whether the file does not hold this node as it should be.
    pub(crate) fn is_dirty(&self) -> bool {
        self.page != self.written
    }

    /// Writes the node as it should be.
    pub(crate) fn write(&mut self, store: &mut dyn Store) -> Result<()> {
        store.write_at(&self.page, self.offset)?;
        self.written.clone_from(&self.page);
        Ok(())
    }

    /// Writes the node as it is in the file but for those ids that are gone by now, and says whether there were any.
    pub(crate) fn write_gone(&mut self, store: &mut dyn Store) -> Result<bool> {
        let mut page = self.written.clone();
        for index in 0..self.slots {
            let place = self.place(index);
            let old = u32_at(&page, place);
            if old != 0 && u32_at(&self.page, place) != old {
                put(&mut page, place, &[0; 4]);
            }
        }
        if page == self.written {
            return Ok(false);
        }
        store.write_at(&page, self.offset)?;
        self.written = page;
        Ok(true)
    }

    fn place(&self, index: u32) -> usize {
        self.layout.ids + 4 * in_memory(index.into())
    }
}
