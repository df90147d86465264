-- Unencrypted sparse images read at about 2.2 GB/s, and write faster than read-write images on the internal SSD. About
-- 2.2 GB/s is within 20 %, and faster is more than 10 % faster.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_read,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('performance-2024'))
        and storage = 'internal'
    group by all
)

select
    basis,
    host,
    release,
    case
        when udsp_plain_read between 0.8 * 2.2 and 1.2 * 2.2 and udsp_plain_write > 1.1 * udrw_plain_write then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDSP read {:.2f}, write {:.2f}; UDRW write {:.2f} GB/s', udsp_plain_read, udsp_plain_write, udrw_plain_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsp_plain_read is not null and udsp_plain_write is not null and udrw_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
