-- Images are read almost as fast as the SSD. Almost as fast is at least 90 % of the SSD for the slowest of the three;
-- below 80 % it is not.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(read_gbps) filter (where format = 'native') as ssd_read
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
        when least(udrw_plain_read, udsp_plain_read, udsb_plain_read) >= 0.9 * ssd_read then 'supported'
        when least(udrw_plain_read, udsp_plain_read, udsb_plain_read) < 0.8 * ssd_read then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('read: UDRW {:.2f}, UDSP {:.2f}, UDSB {:.2f}, SSD {:.2f} GB/s', udrw_plain_read, udsp_plain_read, udsb_plain_read, ssd_read), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_read is not null and udsp_plain_read is not null and udsb_plain_read is not null and ssd_read is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
