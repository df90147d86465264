-- For what is read more often than written, a read-write image is almost as good as a sparse bundle. Almost is at most
-- 10 % slower at reading, unencrypted and encrypted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read
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
        when udrw_plain_read >= 0.9 * udsb_plain_read and udrw_enc_read >= 0.9 * udsb_enc_read then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('read: UDRW {:.2f}, UDSB {:.2f}; encrypted UDRW {:.2f}, UDSB {:.2f} GB/s', udrw_plain_read, udsb_plain_read, udrw_enc_read, udsb_enc_read), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_read is not null and udsb_plain_read is not null and udrw_enc_read is not null and udsb_enc_read is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
