-- A sparse bundle comes close to the speed of the SSD. Close is at least 80 % of the SSD in each direction that is
-- known.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(read_gbps) filter (where format = 'native') as ssd_read,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('encryption-2026'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when least(udsb_plain_read / ssd_read, udsb_plain_write / ssd_write) >= 0.8 then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDSB read {:.2f}, write {:.2f}; SSD read {}, write {:.2f} GB/s', udsb_plain_read, udsb_plain_write, coalesce(format('{:.2f}', ssd_read), 'not stated'), ssd_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_plain_write is not null and ssd_write is not null and udsb_plain_read is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
