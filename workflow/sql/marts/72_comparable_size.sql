-- Sizes of images made by macOS on Macs that may be compared with the articles'; the counterpart of comparable_speed. Scale
-- counts, because it is the amount written; conditions that affect only speeds (warm reads, sleep) do not.
create view comparable_size as

select
    size.*,
    cell.series,
    cell.host,
    cell.release,
    cell.protocol,
    cell.scale,
    cell.storage,
    cell.driver,
    cell.format,
    cell.encryption,
    cell.band_bytes,
    cell.repeat,
    cell.phase,
    cell.nominal_bytes,
    cell.started_utc,
    cell.harness_epoch,
    host.macos,
    host.made_up,
    host.vouched_by
from container_size as size
inner join cell using (cell)
inner join host using (host, release)
where cell.status = 'measured'
    and cell.scale <> 'smoke'
    and not cell.stand_in
    and lower(cell.os_name) = 'macos'
    and cell.driver = 'apple'
    and cell.storage in (select storage from published_speed)
    and not coalesce(host.virtual_machine, true)
    and not list_has_any(coalesce(cell.why_not_comparable, []), ['image-unknown', 'in-memory']);

comment on view comparable_size is 'Sizes of images that macOS made on a Mac and that may be compared with what the articles state: the rows of container_size of driver apple on a storage of the articles, above smoke scale, of measured cells whose image is known and lay on a disk, without stand-ins and guests. Synthetic records are marked (made_up)';
