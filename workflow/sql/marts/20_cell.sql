create table cell as

with judged as (
    select
        *,
        description.driver = 'apple' and description.format = 'ASIF' and image.requested.encrypted as closed,
        codes([
            case when status <> 'measured' then status end,
            case when host.stand_in then 'stand-in' end,
            case when description.scale = 'smoke' then 'smoke' end,
            -- conditions of one direction are in measured_speed
            case when cell in (select cell from warning where code = 'in-memory') then 'in-memory' end,
            case when cell in (select cell from warning where code = 'low-power') then 'low-power' end,
            case when cell in (select cell from warning where code = 'translated') then 'translated' end,
            case when list_contains(list_transform(samples, lambda sample: sample.slept), true) then 'slept' end,
            -- properties that the driver should have read back from the image; only macOS's encryption of ASIF is not public
            case when status = 'measured' and image.requested.on_image and (
                image.effective.format is null
                or (image.effective.encrypted is null and not closed)
                or (image.requested.cipher is not null and image.effective.cipher is null and not closed)
                or (image.requested.key_bits is not null and image.effective.key_bits is null and not closed)
            ) then 'image-unknown' end,
            case when status = 'measured' and cache.reached is distinct from cache.asked then 'cache-not-reached' end,
            case when status = 'measured' and durability.reached is distinct from durability.asked then 'durability-not-reached' end
        ]) as why_not_comparable
    from stg_record
)

select
    cell,
    regexp_replace(cell, '/[0-9]+/([^/]+)$', '/\1') as series,
    description.host as host,
    description.release as release,
    host.os.name as os_name,
    host.os.version as os_version,
    host.os.build as os_build,
    description.protocol as protocol,
    description.scale as scale,
    description.storage as storage,
    description.driver as driver,
    description.format as format,
    -- a study gives native files the label of the internal disk, on another disk, too
    case
        when description.format = 'native' and description.storage <> 'internal'
        then coalesce(host.storage.encryption, description.encryption)
        else description.encryption
    end as encryption,
    -- no format has both, so one column identifies all images with unusual sizes
    coalesce(description.band_bytes, description.block_bytes) as band_bytes,
    description.repeat as repeat,
    description.phase as phase,
    status,
    reason,
    coalesce(host.stand_in, false) as stand_in,
    why_not_comparable is null as comparable,
    why_not_comparable,
    cache.asked as cache_asked,
    cache.reached as cache_reached,
    durability.asked as durability_asked,
    durability.reached as durability_reached,
    description.io.block_bytes as block_bytes,
    description.nominal_bytes as nominal_bytes,
    access.cipher_threads as cipher_threads,
    access.ahead_bytes as ahead_bytes,
    cast(description.sets as integer) as sets,
    nullif(array_to_string(replayed_phases, ', '), '') as replayed_phases,
    started_utc,
    finished_utc,
    position,
    planned,
    description.seed as seed,
    harness.version as harness_version,
    harness.epoch as harness_epoch,
    ceiling.write_bytes_per_second / 1e9 as ceiling_write_gbps,
    ceiling.read_bytes_per_second / 1e9 as ceiling_read_gbps,
    ceiling.null_write_bytes_per_second / 1e9 as ceiling_null_write_gbps,
    ceiling.null_read_bytes_per_second / 1e9 as ceiling_null_read_gbps,
    ceiling.content_bytes_per_second / 1e9 as ceiling_content_gbps,
    ceiling.clock_ns as ceiling_clock_ns,
    sha256
from judged
order by cell;

comment on table cell is 'One row per record: one format x encryption x phase of a protocol on one host, storage, OS release and repeat';
comment on column cell.cell is 'Id of the cell: path of its record below data/runs without .json';
comment on column cell.series is 'The same without the repeat: the cells of one series are runs of the same thing';
comment on column cell.release is 'OS name or version with its build, as in the path of the record';
comment on column cell.driver is 'What served the image: apple, portable (our own), or native (no image)';
comment on column cell.band_bytes is 'Bytes of a band, or of a block (sector) of ASIF, as the study requests them; null: the format''s own size. An image with bands or blocks of another size counts as another image: no pair compares two sizes';
comment on column cell.comparable is 'True when all of this holds: measured; by macOS itself where macOS serves the image; above smoke scale; on a disk, not in memory; without sleep, low power mode and Rosetta; with the requested cache mode and durability; on an image of known format, encryption and key. measured_speed.comparable adds the conditions of one direction';
comment on column cell.cache_asked is 'Requested cache mode: none (ordinary cached I/O), bypass or drop';
comment on column cell.cache_reached is 'Effective cache mode';
comment on column cell.durability_asked is 'Requested durability of each write: none, fsync, barrier or full';
comment on column cell.durability_reached is 'Effective durability';
comment on column cell.block_bytes is 'Bytes per read or write call';
comment on column cell.nominal_bytes is 'Nominal size of the image in bytes';
comment on column cell.cipher_threads is 'Threads that encrypted and decrypted, where driver portable did; null in older records and where macOS does it';
comment on column cell.ahead_bytes is 'Read-ahead of the driver in bytes; null in older records and where macOS does it';
comment on column cell.sets is 'Sets of 16 files, one of each size, in one pass';
comment on column cell.replayed_phases is 'Earlier phases that were repeated without measuring, to bring the image into its state; null when none were';
comment on column cell.started_utc is 'When the cell started, UTC';
comment on column cell.finished_utc is 'When the cell finished, UTC';
comment on column cell.position is 'Position of the cell in the order of the study that measured it, from 1';
comment on column cell.planned is 'Number of cells that this study planned';
comment on column cell.seed is 'Seed of the order and content of the files';
comment on column cell.harness_version is 'Version of diskbench-core that measured it';
comment on column cell.harness_epoch is 'Epoch of the harness: it increases when a change makes old and new results differ';
comment on column cell.ceiling_write_gbps is 'How fast the harness itself wrote to memory just before the cell, with the cell''s blocks, GB/s';
comment on column cell.ceiling_read_gbps is 'How fast it read from memory, GB/s';
comment on column cell.ceiling_null_write_gbps is 'How fast it wrote to a target that discards the data, GB/s: the harness''s own cost for each block, and for content that has not been generated yet; null in older records, as are the next two';
comment on column cell.ceiling_null_read_gbps is 'How fast it read from a target without data, GB/s: the harness''s own cost for each block';
comment on column cell.ceiling_content_gbps is 'How fast one thread generated incompressible content, GB/s; the first 4 MiB of a file (16 MiB in epoch 2) are generated before its clock starts, the rest meanwhile';
comment on column cell.ceiling_clock_ns is 'Cost of starting and stopping the clock once, in nanoseconds';
comment on column cell.sha256 is 'SHA-256 of the content of its record, as the record states it';
