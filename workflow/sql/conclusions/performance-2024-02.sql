-- On the internal SSD, encryption costs about 1 GB/s of read speed. About 1 GB/s is 0.5 to 1.5 GB/s, for both formats.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read
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
        when udsb_plain_read - udsb_enc_read between 0.5 and 1.5 and udrw_plain_read - udrw_enc_read between 0.5 and 1.5 then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('read: UDSB {:.2f}, encrypted {:.2f}; UDRW {:.2f}, encrypted {:.2f} GB/s', udsb_plain_read, udsb_enc_read, udrw_plain_read, udrw_enc_read), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_plain_read is not null and udsb_enc_read is not null and udrw_plain_read is not null and udrw_enc_read is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
