-- Compacting a sparse bundle gives back little space. Little is at most 10 % of what the emptied bundle takes, and at
-- most 1 % of its nominal size.
with sides as (
    select
        'published' as basis,
        any_value(host) as host,
        any_value(macos) as release,
        cast(null as varchar) as setup,
        max(value) filter (where quantity = 'reclaimed') / 1e3 as reclaimed,
        max(value) filter (where quantity = 'on-disk' and state = 'emptied' and unit = 'GB') as emptied,
        max(value) filter (where quantity = 'nominal') as nominal
    from published_size
    where article = 'bands-2024' and format = 'UDSB' and host <> 'unstated'
    union all
    select
        'measured',
        cell.host,
        cell.release,
        concat(cell.protocol, ', ', cell.scale, ', ', cell.storage),
        (max(size.allocated_bytes) filter (where size.state in ('emptied', 'emptied-again'))
            - max(size.allocated_bytes) filter (where size.state = 'compacted')) / 1e9,
        max(size.allocated_bytes) filter (where size.state in ('emptied', 'emptied-again')) / 1e9,
        cell.nominal_bytes / 1e9
    from container_size as size
    inner join cell using (cell)
    where cell.status = 'measured' and not cell.stand_in and cell.driver = 'apple' and cell.scale <> 'smoke'
        and cell.band_bytes is null and cell.format = 'UDSB'
    group by cell.cell, cell.host, cell.release, cell.protocol, cell.scale, cell.storage, cell.nominal_bytes
)

select
    basis,
    host,
    release,
    if(reclaimed <= 0.1 * emptied and reclaimed <= 0.01 * nominal, 'supported', 'contradicted') as outcome,
    concat(
        case
            when reclaimed < 0 then format('compaction gives back nothing: the emptied bundle takes {:.2f} GB, and {:.3f} GB more after it', emptied, -reclaimed)
            else format('compaction gives back {:.3f} of {:.2f} GB that the emptied bundle takes', reclaimed, emptied)
        end,
        ' (' || setup || ')'
    ) as detail
from sides
where reclaimed is not null and emptied is not null
qualify row_number() over (partition by basis, host, release order by starts_with(setup, 'churn') desc, setup) = 1
