-- Sparse bundles are the fastest, most consistent and most space-efficient images. Fastest is: at most 10 % behind
-- UDRW and ASIF in reading and writing, unencrypted and encrypted. Most space-efficient is: emptied after use it keeps
-- at most 10 % more than either. One that fails contradicts it; where the space is not known, nothing is decided.
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
        and not second_hand and (basis = 'measured' or article in ('explainer-2026'))
    group by all
),

kept as (
    select
        cell.host,
        cell.release,
        cell.storage,
        concat(cell.protocol, ', ', cell.scale) as setup,
        median(size.allocated_bytes) filter (where cell.format = 'UDSB') / 1e9 as udsb_kept,
        median(size.allocated_bytes) filter (where cell.format = 'UDRW') / 1e9 as udrw_kept,
        median(size.allocated_bytes) filter (where cell.format = 'ASIF') / 1e9 as asif_kept
    from container_size as size
    inner join cell using (cell)
    where cell.status = 'measured' and not cell.stand_in and cell.driver = 'apple' and cell.scale <> 'smoke'
        and cell.band_bytes is null and cell.encryption = 'none' and size.state = 'emptied-again'
    group by all
)

select
    basis,
    host,
    release,
    case
        when udsb_plain_read * 1.1 < greatest(udrw_plain_read, asif_plain_read) or udsb_plain_write * 1.1 < greatest(udrw_plain_write, asif_plain_write) or udsb_enc_read * 1.1 < greatest(udrw_enc_read, asif_enc_read) or udsb_enc_write * 1.1 < greatest(udrw_enc_write, asif_enc_write) or udsb_kept > 1.1 * least(udrw_kept, asif_kept) then 'contradicted'
        when coalesce(udsb_plain_read * 1.1 >= greatest(udrw_plain_read, asif_plain_read), true) and coalesce(udsb_plain_write * 1.1 >= greatest(udrw_plain_write, asif_plain_write), true) and coalesce(udsb_enc_read * 1.1 >= greatest(udrw_enc_read, asif_enc_read), true) and coalesce(udsb_enc_write * 1.1 >= greatest(udrw_enc_write, asif_enc_write), true) and udsb_kept <= 1.1 * least(udrw_kept, asif_kept) then 'supported'
        else 'undecided'
    end as outcome,
    concat(format('unencrypted read: UDSB {}, UDRW {}, ASIF {}; unencrypted write: UDSB {}, UDRW {}, ASIF {}; encrypted read: UDSB {}, UDRW {}, ASIF {}; encrypted write: UDSB {}, UDRW {}, ASIF {} (GB/s)', coalesce(format('{:.2f}', udsb_plain_read), 'not known'), coalesce(format('{:.2f}', udrw_plain_read), 'not known'), coalesce(format('{:.2f}', asif_plain_read), 'not known'), coalesce(format('{:.2f}', udsb_plain_write), 'not known'), coalesce(format('{:.2f}', udrw_plain_write), 'not known'), coalesce(format('{:.2f}', asif_plain_write), 'not known'), coalesce(format('{:.2f}', udsb_enc_read), 'not known'), coalesce(format('{:.2f}', udrw_enc_read), 'not known'), coalesce(format('{:.2f}', asif_enc_read), 'not known'), coalesce(format('{:.2f}', udsb_enc_write), 'not known'), coalesce(format('{:.2f}', udrw_enc_write), 'not known'), coalesce(format('{:.2f}', asif_enc_write), 'not known')), format('; emptied after use: UDSB {}, UDRW {}, ASIF {} GB on disk', coalesce(format('{:.2f}', udsb_kept), 'not known'), coalesce(format('{:.2f}', udrw_kept), 'not known'), coalesce(format('{:.2f}', asif_kept), 'not known')), ' (' || setup || ', ' || storage || ')') as detail
from sides
left join kept using (host, release, storage, setup)
where udsb_plain_write is not null and udrw_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
