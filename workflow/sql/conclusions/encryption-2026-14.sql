-- An emptied sparse bundle keeps more space than an emptied read-write or ASIF image. More is by more than 10 %; less
-- than either by as much contradicts it.
with sizes as (
    select
        'published' as basis,
        host,
        macos as release,
        cast(null as varchar) as setup,
        format,
        value * case unit when 'GB' then 1 else 0.001 end as gb
    from published_size
    where article = 'encryption-2026' and quantity = 'on-disk' and state = 'emptied-again'
    union all
    select
        'measured',
        cell.host,
        cell.release,
        concat(cell.protocol, ', ', cell.scale, ', ', cell.storage),
        cell.format,
        size.allocated_bytes / 1e9
    from container_size as size
    inner join cell using (cell)
    where cell.status = 'measured' and not cell.stand_in and cell.driver = 'apple' and cell.scale <> 'smoke'
        and cell.band_bytes is null and cell.encryption = 'none' and size.state = 'emptied-again'
),

sides as (
    select
        basis,
        host,
        release,
        setup,
        median(gb) filter (where format = 'UDSB') as udsb,
        median(gb) filter (where format = 'UDRW') as udrw,
        median(gb) filter (where format = 'ASIF') as asif
    from sizes
    group by all
)

select
    basis,
    host,
    release,
    case
        when udsb > 1.1 * greatest(udrw, asif) then 'supported'
        when udsb * 1.1 < greatest(udrw, asif) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('emptied after use: UDSB {:.2f}, UDRW {:.2f}, ASIF {:.2f} GB on disk', udsb, udrw, asif), ' (' || setup || ')') as detail
from sides
where udsb is not null and udrw is not null and asif is not null
qualify row_number() over (partition by basis, host, release order by setup) = 1
