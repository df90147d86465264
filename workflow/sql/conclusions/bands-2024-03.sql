-- Sparse bundles and read-write images use disk space equally well. Small is at most 20 % between what the two take
-- while they hold the same files.
with sizes as (
    select
        'published' as basis,
        host,
        macos as release,
        storage,
        cast(null as varchar) as setup,
        format,
        state,
        value * 1e9 as bytes
    from published_size
    where article = 'bands-2024' and quantity = 'on-disk' and unit = 'GB'
    union all
    select
        'measured',
        cell.host,
        cell.release,
        cell.storage,
        concat(cell.protocol, ', ', cell.scale),
        cell.format,
        size.state,
        size.allocated_bytes
    from container_size as size
    inner join cell using (cell)
    where cell.status = 'measured' and not cell.stand_in and cell.driver = 'apple' and cell.scale <> 'smoke'
        and cell.band_bytes is null and cell.encryption = 'none' and cell.protocol = 'churn'
),

sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        median(bytes) filter (where format = 'UDSB') as udsb,
        median(bytes) filter (where format = 'UDRW') as udrw
    from sizes
    where state = 'churned'
    group by all
)

select
    basis,
    host,
    release,
    if(greatest(udsb, udrw) <= 1.2 * least(udsb, udrw), 'supported', 'contradicted') as outcome,
    concat(format('UDSB takes {:.2f} GB, UDRW {:.2f} GB after the same writing and deleting', udsb / 1e9, udrw / 1e9), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb is not null and udrw is not null
qualify row_number() over (partition by basis, host, release order by storage = 'internal', storage, setup) = 1
