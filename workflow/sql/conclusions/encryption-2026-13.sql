-- Encrypted, a sparse bundle is the fastest of the three. Fastest is more than 10 % faster at reading and writing;
-- slower than another in one of the two by as much contradicts it.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_write
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
        when udsb_enc_read > 1.1 * greatest(udrw_enc_read, asif_enc_read) and udsb_enc_write > 1.1 * greatest(udrw_enc_write, asif_enc_write) then 'supported'
        when udsb_enc_read * 1.1 < greatest(udrw_enc_read, asif_enc_read) or udsb_enc_write * 1.1 < greatest(udrw_enc_write, asif_enc_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('encrypted, read: UDSB {:.2f}, UDRW {:.2f}, ASIF {:.2f}; write: UDSB {:.2f}, UDRW {:.2f}, ASIF {:.2f} GB/s', udsb_enc_read, udrw_enc_read, asif_enc_read, udsb_enc_write, udrw_enc_write, asif_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_enc_read is not null and udrw_enc_read is not null and asif_enc_read is not null and udsb_enc_write is not null and udrw_enc_write is not null and asif_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
