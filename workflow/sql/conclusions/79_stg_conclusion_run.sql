-- The figures of each run (repeat) that test conclusions, besides speeds: sizes, spreads, rounds, correlations, and the share
-- that compaction freed. Intervals are computed from logarithms, from Fisher's z of correlations, and from the plain share,
-- which may be zero. Only comparable figures of macOS's own images, and of these the runs that count (stg_method); of sizes,
-- which cache mode, durability and blocks do not change, those measured like the newest. `item` names the figure without its
-- repeat; items of one host, release, storage, protocol, scale, state and direction are a family.
create temp table stg_conclusion_run as

with

sizes_of_files as (
    select
        cell,
        op,
        rank() over (partition by cell, op order by size_bytes) + (count(*) over (partition by cell, op, size_bytes) - 1) / 2 as by_size,
        rank() over (partition by cell, op order by size_bytes / elapsed_ns) as by_rate
    from sample
    where not slept and elapsed_ns > 0
),

relations as (
    select cell, op, corr(by_size, by_rate) as rho
    from sizes_of_files
    group by cell, op
    having count(*) > 3
),

values_of_cells as (
    select 'spread' as comparison, cell, op, cast(null as varchar) as state, ln(p95_gbps / nullif(p5_gbps, 0)) as value
    from file_summary
    union all
    select 'relation', cell, op, null, atanh(rho)
    from relations
    where abs(rho) < 1
    union all
    -- the slowest of several rounds is slower than the fastest by chance alone, the last than the first is not
    select 'rounds', cell, op, null, ln(max_by(total_gbps, round) / min_by(total_gbps, round))
    from round_speed
    group by cell, op
    having count(*) > 1
    union all
    select 'size', cell, null, state, ln(allocated_bytes)
    from container_size
    where allocated_bytes > 0
    union all
    -- without runs in which the image did not shrink, which would divide by zero
    select
        'reclaimed',
        cell,
        null,
        null,
        (max(allocated_bytes) filter (where state = 'emptied') - max(allocated_bytes) filter (where state = 'compacted'))
        / nullif(greatest(max(allocated_bytes) filter (where state = 'churned') - max(allocated_bytes) filter (where state = 'compacted'), 0), 0)
    from container_size
    group by cell
),

runs as (
    select
        one.comparison,
        cell.host,
        cell.release,
        cell.storage,
        cell.protocol,
        cell.scale,
        cell.format,
        cell.encryption,
        cell.band_bytes,
        coalesce(one.state, cell.phase) as state,
        one.op,
        cell.repeat,
        cell.series,
        cell.started_utc,
        case when one.op is null
            then {'epoch': how.method.epoch, 'chip': how.method.chip, 'machine': how.method.machine, 'disk': how.method.disk, 'disk_model': how.method.disk_model, 'disk_bus': how.method.disk_bus, 'file_system': how.method.file_system, 'disk_encryption': null, 'guest': how.method.guest, 'cache': null, 'durability': null, 'block_bytes': null, 'sets': how.method.sets}
            else how.method
        end as method,
        avg(one.value) as value
    from values_of_cells as one
    inner join cell using (cell)
    inner join stg_method as how
        on how.cell = one.cell
        and how.op = coalesce(one.op, 'write')
        and (one.op is null or (how.counts and how.comparable))
    where cell.status = 'measured' and not cell.stand_in and cell.driver <> 'portable' and cell.scale <> 'smoke' and one.value is not null
        and not list_has_any(coalesce(cell.why_not_comparable, []), ['image-unknown', 'in-memory'])
    group by all
)

select
    concat_ws(' ', comparison, host, release, storage, protocol, scale, state, op) as family,
    concat_ws(' ', comparison, host, release, storage, protocol, scale, state, op, format, encryption, band_bytes) as item,
    * exclude (series)
from runs
qualify method is not distinct from first_value(method) over (
    partition by comparison, series, state, op
    order by method.epoch desc, started_utc desc, repeat desc
)
order by family, item, repeat;
