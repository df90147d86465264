-- ASIF images promise to be fast and efficient. Fast is at least half the speed of the SSD in both directions,
-- unencrypted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_read,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_write,
        max(read_gbps) filter (where format = 'native') as ssd_read,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('explainer-2026'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when asif_plain_read >= 0.5 * ssd_read and asif_plain_write >= 0.5 * ssd_write then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('ASIF read {:.2f}, write {:.2f}; SSD read {:.2f}, write {:.2f} GB/s', asif_plain_read, asif_plain_write, ssd_read, ssd_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where asif_plain_read is not null and asif_plain_write is not null and ssd_read is not null and ssd_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
