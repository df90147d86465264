-- All types of image write much slower than the SSD. Severely degraded is below half of the SSD, for the fastest of
-- the three; within 10 % of that nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_write,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('slow-writes-2022'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when greatest(udsb_plain_write, udrw_plain_write, udsp_plain_write) < 0.5 * ssd_write then 'supported'
        when greatest(udsb_plain_write, udrw_plain_write, udsp_plain_write) > 0.55 * ssd_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write: UDSB {:.2f}, UDRW {:.2f}, UDSP {:.2f}, SSD {:.2f} GB/s', udsb_plain_write, udrw_plain_write, udsp_plain_write, ssd_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_plain_write is not null and udrw_plain_write is not null and udsp_plain_write is not null and ssd_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
