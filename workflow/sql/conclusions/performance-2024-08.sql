-- A read-write image reads slightly faster than a sparse bundle. Slightly faster is up to 20 % faster at reading, and
-- a write speed of at most 1.1 GB/s; more than 10 % slower than UDSB, or writes above 1.2 GB/s, contradict it.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('performance-2024'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when udrw_plain_read / udsb_plain_read between 1 and 1.2 and udrw_plain_write <= 1.1 then 'supported'
        when udrw_plain_read < udsb_plain_read / 1.1 or udrw_plain_write > 1.2 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('read: UDRW {:.2f}, UDSB {:.2f}; UDRW writes at {:.2f} GB/s', udrw_plain_read, udsb_plain_read, udrw_plain_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_read is not null and udsb_plain_read is not null and udrw_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
