//! Reading the index of an image, and saying all that is wrong with it.

use std::collections::{BTreeSet, HashMap};

use crate::disk::{SECTOR, Sizes};
use crate::error::{Result, damaged};
use crate::findings::{OnDamage, tolerated};
use crate::holes::{is_zeros, same};
use crate::sparse_image::index::{Index, Slot};
use crate::sparse_image::node::{NODE, Node};
use crate::sparse_image::{LARGEST_BAND, LONGEST, MOST_BANDS};
use crate::store::Store;

/// Reads the index as far as it makes sense; `on_damage` is told of what does not.
///
/// # Errors
/// `Damaged` for a header that makes no sense; those of `on_damage`; otherwise any error of the system.
pub(crate) fn load(store: &mut dyn Store, on_damage: &mut OnDamage<'_>) -> Result<Index> {
    let header = read_node(store, 0)?;
    let (band_bytes, len_bytes) = geometry(&header)?;
    let nodes = chain(store, header, band_bytes, on_damage)?;
    let echoes = slots(store, &nodes, band_bytes, len_bytes, on_damage)?;
    Ok(Index::of(band_bytes, len_bytes, nodes, echoes))
}

/// What the header says of the disk.
///
/// # Errors
/// `Damaged` when it makes no sense; otherwise any error of the system.
pub(crate) fn sizes(store: &mut dyn Store) -> Result<Sizes> {
    let (band_bytes, len_bytes) = geometry(&read_node(store, 0)?)?;
    Ok(Sizes { len_bytes, band_bytes: Some(band_bytes), block_bytes: None })
}

fn read_node(store: &mut dyn Store, offset: u64) -> Result<Node> {
    let end = offset.checked_add(NODE as u64);
    if end.is_none_or(|end| end > store.len_bytes()) {
        return Err(damaged(format!(
            "the index node at {offset} reaches beyond the file's end at {}",
            store.len_bytes()
        )));
    }
    let mut page = vec![0; NODE];
    store.read_at(&mut page, offset)?;
    Node::read(offset, page)
}

/// Size of a band and length of the disk, in bytes.
fn geometry(header: &Node) -> Result<(u64, u64)> {
    let (per_band, low, sectors) = header.geometry();
    let band_bytes = u64::from(per_band) * SECTOR;
    if band_bytes == 0 || band_bytes > LARGEST_BAND {
        return Err(damaged(format!("bands of {per_band} sectors are not possible")));
    }
    if sectors == 0 || sectors > LONGEST / SECTOR {
        return Err(damaged(format!("a disk of {sectors} sectors is not possible")));
    }
    if sectors & u64::from(u32::MAX) != u64::from(low) {
        return Err(damaged(format!(
            "the header states two numbers of sectors that differ: {low} and {sectors}"
        )));
    }
    let bands = (sectors * SECTOR).div_ceil(band_bytes);
    if bands > MOST_BANDS {
        return Err(damaged(format!(
            "a disk of {sectors} sectors has {bands} bands of {per_band} sectors, more than there are ids"
        )));
    }
    Ok((band_bytes, sectors * SECTOR))
}

/// All nodes. Each must lie behind the one before, so that a chain ends.
fn chain(
    store: &mut dyn Store,
    header: Node,
    band_bytes: u64,
    on_damage: &mut OnDamage<'_>,
) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut node = header;
    while node.next() != 0 {
        let next = node.next();
        if next < node.slot_offset(1, band_bytes)? {
            let offset = node.offset;
            on_damage(format!(
                "the index node at {offset} states {next} as the next one, which is not after its first slot"
            ))?;
            break;
        }
        let following = match read_node(store, next) {
            Ok(following) => following,
            Err(error) => {
                tolerated(error, on_damage)?;
                break;
            }
        };
        // A node that does not begin behind the last slot leaves fewer of them.
        let room = (next - node.slot_offset(0, band_bytes)?) / band_bytes;
        let first_without = node.slots.min(u32::try_from(room).unwrap_or(u32::MAX));
        if let Some(slot) = (first_without..node.slots).find(|slot| node.id(*slot) != 0) {
            on_damage(format!(
                "slot {slot} of the index node at {} reaches into the next node at {next}",
                node.offset
            ))?;
        }
        node.slots = first_without;
        nodes.push(std::mem::replace(&mut node, following));
    }
    nodes.push(node);
    Ok(nodes)
}

/// Looks at every id. Gives the second slots of bands that have two with the same content: a process that was killed
/// while it compacted leaves such, and either slot will do.
fn slots(
    store: &mut dyn Store,
    nodes: &[Node],
    band_bytes: u64,
    len_bytes: u64,
    on_damage: &mut OnDamage<'_>,
) -> Result<BTreeSet<Slot>> {
    let bands = len_bytes.div_ceil(band_bytes);
    let mut first_places = HashMap::new();
    let mut echoes = BTreeSet::new();
    for (number, node) in nodes.iter().enumerate() {
        for index in 0..node.slots {
            let id = node.id(index);
            if id == 0 {
                continue;
            }
            let band = u64::from(id) - 1;
            let place = node.slot_offset(index, band_bytes)?;
            let behind =
                (band + 1).saturating_mul(band_bytes).saturating_sub(len_bytes).min(band_bytes);
            if band >= bands {
                on_damage(format!(
                    "the slot at {place} contains band {band}, but the disk ends with band {}",
                    bands - 1
                ))?;
            }
            if place.checked_add(band_bytes).is_none_or(|end| end > store.len_bytes()) {
                on_damage(format!(
                    "the slot at {place} (band {band}) reaches beyond the file's end at {}: the file was cut short",
                    store.len_bytes()
                ))?;
            } else if band + 1 == bands
                && !is_zeros(store, place + band_bytes - behind..place + band_bytes)?
            {
                on_damage(format!(
                    "the slot at {place} contains data beyond the disk's end, in its last {behind} bytes"
                ))?;
            } else if let Some(first) = first_places.insert(id, place) {
                first_places.insert(id, first);
                if same(store, first, place, band_bytes)? {
                    echoes.insert(Slot { node: number, index });
                } else {
                    on_damage(format!("band {band} occurs twice: at {first} and at {place}"))?;
                }
            }
        }
    }
    Ok(echoes)
}
