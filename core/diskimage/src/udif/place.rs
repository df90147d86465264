//! Maps whose first sector is damaged. A flipped bit of it puts a volume terabytes behind the disk's end.

use std::ops::Range;

use crate::disk::SECTOR;
use crate::error::Result;
use crate::findings::OnDamage;
use crate::udif::map::Map;

/// The maps, each where it belongs. One that reaches beyond the stated end of the disk goes into a gap between the
/// others if that is as long as it; else it is left out. `on_damage` receives both. If there is no gap at all, the stated
/// end is what is wrong, and all stay where they are.
///
/// # Errors
/// Those of `on_damage`.
pub(crate) fn placed(
    mut maps: Vec<Map>,
    stated_sectors: u64,
    on_damage: &mut OnDamage<'_>,
) -> Result<Vec<Map>> {
    maps.sort_by_key(|map| map.range.start);
    let end = stated_sectors.saturating_mul(SECTOR);
    if end == 0 || gaps(&maps, 0).is_empty() {
        return Ok(maps);
    }
    let (mut placed, strays): (Vec<_>, Vec<_>) =
        maps.into_iter().partition(|map| map.range.end <= end);
    let gaps = gaps(&placed, end);
    let lengths: Vec<u64> = strays.iter().map(|map| length(&map.range)).collect();
    for mut map in strays {
        let is_as_long = |range: &&Range<u64>| length(range) == length(&map.range);
        let mut fitting = gaps.iter().filter(is_as_long);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        let others = lengths.iter().filter(|other| **other == length(&map.range)).count();
        let said = format!(
            "the map of {} states the first sector {}, but the disk ends at sector {stated_sectors}",
            map.name,
            map.range.start / SECTOR
        );
        match only {
            Some(gap) if others == 1 => {
                on_damage(format!(
                    "{said}: it fits the gap at sector {} and is read there",
                    gap.start / SECTOR
                ))?;
                move_to(&mut map, gap.start);
                placed.push(map);
            }
            _ => on_damage(format!("{said}: no single gap is as long as it, so it is left out"))?,
        }
    }
    placed.sort_by_key(|map| map.range.start);
    Ok(placed)
}

/// What no map holds, before the last map's end or this one.
fn gaps(maps: &[Map], end: u64) -> Vec<Range<u64>> {
    let mut gaps = Vec::new();
    let mut at = 0;
    for map in maps.iter().map(|map| &map.range).chain([&(end..end)]) {
        if map.start > at {
            gaps.push(at..map.start);
        }
        at = at.max(map.end);
    }
    gaps
}

fn move_to(map: &mut Map, start: u64) {
    let before = map.range.start;
    let moved = |range: &Range<u64>| range.start - before + start..range.end - before + start;
    for block in &mut map.blocks {
        block.range = moved(&block.range);
    }
    map.range = moved(&map.range);
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}
