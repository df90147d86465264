-- Encryption makes a read-write image much slower. Much slower is at most half as fast at writing; at most 10 % slower
-- contradicts it.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write
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
        when udrw_enc_write <= 0.5 * udrw_plain_write then 'supported'
        when udrw_enc_write >= 0.9 * udrw_plain_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDRW read {:.2f}, write {:.2f}; encrypted read {:.2f}, write {:.2f} GB/s', udrw_plain_read, udrw_plain_write, udrw_enc_read, udrw_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_read is not null and udrw_enc_read is not null and udrw_plain_write is not null and udrw_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
