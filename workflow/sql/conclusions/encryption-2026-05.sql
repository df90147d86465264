-- An encrypted ASIF image is no faster than an encrypted read-write image. Faster is more than 10 % faster, at reading
-- or writing.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_read,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_write,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
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
        when asif_enc_read <= 1.1 * udrw_enc_read and asif_enc_write <= 1.1 * udrw_enc_write then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('encrypted ASIF read {:.2f}, write {:.2f}; encrypted UDRW read {:.2f}, write {:.2f} GB/s', asif_enc_read, asif_enc_write, udrw_enc_read, udrw_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where asif_enc_read is not null and asif_enc_write is not null and udrw_enc_read is not null and udrw_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
