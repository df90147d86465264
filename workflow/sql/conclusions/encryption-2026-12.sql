-- There is little to choose between read-write and ASIF images. Little is at most 10 % between the two in each
-- direction, unencrypted and encrypted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_read,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_write,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_read,
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
        when udrw_plain_read / asif_plain_read between 1 / 1.1 and 1.1 and udrw_plain_write / asif_plain_write between 1 / 1.1 and 1.1 and udrw_enc_read / asif_enc_read between 1 / 1.1 and 1.1 and udrw_enc_write / asif_enc_write between 1 / 1.1 and 1.1 then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDRW and ASIF, GB/s: read {:.2f} and {:.2f}, write {:.2f} and {:.2f}; encrypted read {:.2f} and {:.2f}, write {:.2f} and {:.2f}', udrw_plain_read, asif_plain_read, udrw_plain_write, asif_plain_write, udrw_enc_read, asif_enc_read, udrw_enc_write, asif_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_read is not null and asif_plain_read is not null and udrw_plain_write is not null and asif_plain_write is not null and udrw_enc_read is not null and asif_enc_read is not null and udrw_enc_write is not null and asif_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
