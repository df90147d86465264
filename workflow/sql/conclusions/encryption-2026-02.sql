-- Of the three formats, sparse bundles are the fastest and most consistent. Fastest is: at most 10 % behind the other
-- two in reading and writing, unencrypted and encrypted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'none') as asif_plain_write,
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
        when coalesce(udsb_plain_read * 1.1 >= greatest(udrw_plain_read, asif_plain_read), true) and coalesce(udsb_plain_write * 1.1 >= greatest(udrw_plain_write, asif_plain_write), true) and coalesce(udsb_enc_read * 1.1 >= greatest(udrw_enc_read, asif_enc_read), true) and coalesce(udsb_enc_write * 1.1 >= greatest(udrw_enc_write, asif_enc_write), true) then 'supported'
        when udsb_plain_read * 1.1 < greatest(udrw_plain_read, asif_plain_read) or udsb_plain_write * 1.1 < greatest(udrw_plain_write, asif_plain_write) or udsb_enc_read * 1.1 < greatest(udrw_enc_read, asif_enc_read) or udsb_enc_write * 1.1 < greatest(udrw_enc_write, asif_enc_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('unencrypted read: UDSB {}, UDRW {}, ASIF {}; unencrypted write: UDSB {}, UDRW {}, ASIF {}; encrypted read: UDSB {}, UDRW {}, ASIF {}; encrypted write: UDSB {}, UDRW {}, ASIF {} (GB/s)', coalesce(format('{:.2f}', udsb_plain_read), 'not stated'), coalesce(format('{:.2f}', udrw_plain_read), 'not stated'), coalesce(format('{:.2f}', asif_plain_read), 'not stated'), coalesce(format('{:.2f}', udsb_plain_write), 'not stated'), coalesce(format('{:.2f}', udrw_plain_write), 'not stated'), coalesce(format('{:.2f}', asif_plain_write), 'not stated'), coalesce(format('{:.2f}', udsb_enc_read), 'not stated'), coalesce(format('{:.2f}', udrw_enc_read), 'not stated'), coalesce(format('{:.2f}', asif_enc_read), 'not stated'), coalesce(format('{:.2f}', udsb_enc_write), 'not stated'), coalesce(format('{:.2f}', udrw_enc_write), 'not stated'), coalesce(format('{:.2f}', asif_enc_write), 'not stated')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_plain_write is not null and udrw_plain_write is not null and asif_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
