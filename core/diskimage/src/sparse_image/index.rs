//! Which band lies in which slot. Held in memory, written at a flush.
//!
//! A process may be killed at any write, so ids are written in an order in which no band is ever named twice: first the
//! ids that are gone, then new nodes, then the rest with the link to the new nodes. A slot that was freed is used again
//! only after the flush that wrote that it is free.

use std::collections::{BTreeMap, BTreeSet};

use system::flush::Durability;

use crate::error::{Result, damaged, internal};
use crate::sparse_image::node::Node;
use crate::store::Store;

/// A place for one band. Slots are in the order in which they lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot {
    /// Number of its node.
    pub node: usize,
    /// Number in the node.
    pub index: u32,
}

/// The index of an image.
#[derive(Debug)]
pub(crate) struct Index {
    /// Size of a band in bytes.
    pub band_bytes: u64,
    /// Length of the disk in bytes.
    pub len_bytes: u64,
    nodes: Vec<Node>,
    /// How many of the nodes can be reached in the file.
    linked: usize,
    slots: BTreeMap<u32, Slot>,
    /// Slots that may be used again.
    free: BTreeSet<Slot>,
    /// Slots that may be used again after the next flush.
    freed: Vec<Slot>,
    /// The slot behind all that are or were used. It may be one too many for its node.
    high: Slot,
    /// Second slots of bands that have two with the same content.
    echoes: BTreeSet<Slot>,
}

impl Index {
    /// The index that these nodes make; all of them are in the file. `echoes` are the slots to be forgotten.
    pub(crate) fn of(
        band_bytes: u64,
        len_bytes: u64,
        nodes: Vec<Node>,
        echoes: BTreeSet<Slot>,
    ) -> Self {
        let high = Slot { node: nodes.len() - 1, index: 0 };
        let linked = nodes.len();
        let (slots, free, freed) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
        let mut index =
            Self { band_bytes, len_bytes, nodes, linked, slots, free, freed, high, echoes };
        index.take_stock();
        index
    }

    /// The index of a new image, not in the file yet.
    pub(crate) fn new(band_bytes: u64, len_bytes: u64) -> Result<Self> {
        let header = Node::header(band_bytes, len_bytes)?;
        let mut index = Self::of(band_bytes, len_bytes, vec![header], BTreeSet::new());
        index.linked = 0;
        Ok(index)
    }

    /// Finds out from the nodes what is used and what is free.
    fn take_stock(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.freed.clear();
        let last = self.nodes.len() - 1;
        self.high = Slot { node: last, index: 0 };
        for slot in self.every_slot().collect::<Vec<_>>() {
            match self.id(slot) {
                0 if slot.node < last => {
                    self.free.insert(slot);
                }
                0 => {}
                id if !self.echoes.contains(&slot) => {
                    self.slots.insert(id, slot);
                }
                _ => {}
            }
            if slot.node == last && self.id(slot) != 0 {
                let skipped = self.high.index..slot.index;
                self.free.extend(skipped.map(|index| Slot { node: last, index }));
                self.high.index = slot.index + 1;
            }
        }
    }

    /// Every slot that the nodes have, in order.
    pub(crate) fn every_slot(&self) -> impl Iterator<Item = Slot> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(node, found)| (0..found.slots).map(move |index| Slot { node, index }))
    }

    #[expect(clippy::indexing_slicing, reason = "without its node a slot would pass for free")]
    fn id(&self, slot: Slot) -> u32 {
        self.nodes[slot.node].id(slot.index)
    }

    #[expect(clippy::indexing_slicing, reason = "without its node an id would be lost")]
    fn set_id(&mut self, slot: Slot, id: u32) {
        self.nodes[slot.node].set_id(slot.index, id);
    }

    /// Gives the disk another length, which the header node has from the next write on.
    pub(crate) fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        let header = self.nodes.first_mut().ok_or_else(|| internal("an index without a node"))?;
        header.set_len_bytes(len_bytes)?;
        self.len_bytes = len_bytes;
        Ok(())
    }

    /// Number of bands that have a slot.
    pub(crate) fn used(&self) -> usize {
        self.slots.len()
    }

    /// Bands that have a slot, in the order of slots.
    pub(crate) fn in_order(&self) -> Vec<(u64, Slot)> {
        let mut all: Vec<_> =
            self.slots.iter().map(|(id, slot)| (u64::from(id - 1), *slot)).collect();
        all.sort_unstable_by_key(|(_, slot)| *slot);
        all
    }

    /// The slot of a band, if it has one.
    pub(crate) fn slot_of(&self, band: u64) -> Option<Slot> {
        self.slots.get(&id_of(band).ok()?).copied()
    }

    /// The first band from this one on that has a slot.
    pub(crate) fn next_used(&self, band: u64) -> Option<u64> {
        let (id, _) = self.slots.range(id_of(band).ok()?..).next()?;
        Some(u64::from(id - 1))
    }

    /// Where a slot's bytes begin in the file.
    pub(crate) fn place(&self, slot: Slot) -> Result<u64> {
        match self.nodes.get(slot.node) {
            Some(node) if slot.index < node.slots => node.slot_offset(slot.index, self.band_bytes),
            // The first slot of a node that is still to be made.
            _ => Node::index(0, self.nodes_end()?).slot_offset(0, self.band_bytes),
        }
    }

    /// Where slots without a band begin, in a file of this length, and as many behind the last node.
    pub(crate) fn unnamed(&self, file_bytes: u64) -> Result<Vec<u64>> {
        let mut places = Vec::new();
        for slot in self.every_slot().filter(|slot| self.id(*slot) == 0) {
            places.push(self.place(slot)?);
        }
        let mut place = self.nodes_end()?;
        while place < file_bytes {
            places.push(place);
            place = place.saturating_add(self.band_bytes);
        }
        places.retain(|place| *place < file_bytes);
        Ok(places)
    }

    /// Where the slots of the last node end, and the next node would lie.
    fn nodes_end(&self) -> Result<u64> {
        let last = self.nodes.last().ok_or_else(|| damaged("an index without a node"))?;
        last.slot_offset(last.slots, self.band_bytes)
    }

    /// The slot that the next band shall have.
    pub(crate) fn vacant(&self) -> Slot {
        if let Some(slot) = self.free.first() {
            return *slot;
        }
        match self.nodes.get(self.high.node) {
            Some(node) if self.high.index < node.slots => self.high,
            _ => Slot { node: self.nodes.len(), index: 0 },
        }
    }

    /// Gives a band the slot that [`Index::vacant`] named.
    pub(crate) fn assign(&mut self, band: u64, slot: Slot) -> Result<()> {
        let id = id_of(band)?;
        if slot.node == self.nodes.len() {
            let offset = self.nodes_end()?;
            let number = u32::try_from(slot.node).map_err(internal)?;
            let last = self.nodes.last_mut().ok_or_else(|| internal("an index without a node"))?;
            last.set_next(offset);
            self.nodes.push(Node::index(number, offset));
        }
        if !self.free.remove(&slot) {
            self.high = Slot { node: slot.node, index: slot.index + 1 };
        }
        self.set_id(slot, id);
        self.slots.insert(id, slot);
        Ok(())
    }

    /// Takes its slot from a band.
    pub(crate) fn release(&mut self, band: u64) {
        if let Some(slot) = id_of(band).ok().and_then(|id| self.slots.remove(&id)) {
            self.set_id(slot, 0);
            self.freed.push(slot);
        }
    }

    /// Where the slots begin that are free after the next write.
    pub(crate) fn freed(&self) -> Result<Vec<u64>> {
        self.freed.iter().map(|slot| self.place(*slot)).collect()
    }

    /// Says that a band's content now lies in another slot. Only before [`Index::cut_and_write`], which takes stock.
    pub(crate) fn shift(&mut self, band: u64, from: Slot, to: Slot) -> Result<()> {
        self.set_id(to, id_of(band)?);
        self.set_id(from, 0);
        Ok(())
    }

    /// Forgets second slots, in the file too: from the next change of a band on they would differ.
    pub(crate) fn forget_echoes(&mut self, store: &mut dyn Store) -> Result<()> {
        if self.echoes.is_empty() {
            return Ok(());
        }
        for slot in std::mem::take(&mut self.echoes) {
            self.set_id(slot, 0);
            self.freed.push(slot);
        }
        self.write(store, Durability::None)?;
        // Their slots are free from here on.
        store.make_last()
    }

    /// Writes what has changed.
    pub(crate) fn write(&mut self, store: &mut dyn Store, durability: Durability) -> Result<()> {
        let (old, new) = self.nodes.split_at_mut(self.linked);
        let mut gone = false;
        if old.iter().filter(|node| node.is_dirty()).count() > 1 {
            for node in old.iter_mut() {
                gone |= node.is_dirty() && node.write_gone(store)?;
            }
        }
        for node in new.iter_mut().rev() {
            node.write(store)?;
        }
        if gone || (!new.is_empty() && !old.is_empty()) {
            // So that they last before what relies on them does.
            store.flush(durability)?;
        }
        write_dirty(old, store)?;
        self.linked = self.nodes.len();
        self.free.extend(self.freed.drain(..));
        Ok(())
    }

    /// Cuts the chain behind the last slot that is used, and writes what has changed in the order of nodes: bands have
    /// moved to the front only, so that a band is named twice for a moment, but never missing. Gives the length that the
    /// file needs.
    pub(crate) fn cut_and_write(&mut self, store: &mut dyn Store) -> Result<u64> {
        self.take_stock();
        let last = self.slots.values().max().copied();
        let keep = last.map_or(0, |slot| slot.node);
        self.nodes.truncate(keep + 1);
        self.linked = self.linked.min(self.nodes.len());
        if let Some((last, before)) = self.nodes.split_last_mut() {
            last.set_next(0);
            write_dirty(before, store)?;
            store.make_last()?;
            write_dirty(std::slice::from_mut(last), store)?;
        }
        self.linked = self.nodes.len();
        self.take_stock();
        let used = last.map_or(0, |slot| slot.index + 1);
        self.nodes.last().map_or(Ok(0), |node| node.slot_offset(used, self.band_bytes))
    }
}

fn write_dirty(nodes: &mut [Node], store: &mut dyn Store) -> Result<()> {
    for node in nodes.iter_mut().filter(|node| node.is_dirty()) {
        node.write(store)?;
    }
    Ok(())
}

/// The id that names a band.
fn id_of(band: u64) -> Result<u32> {
    u32::try_from(band + 1).map_err(|_| damaged(format!("band {band} has no id")))
}
