-- The fastest and most consistent image is a sparse bundle. Fastest is more than 10 % faster at writing than UDRW and
-- UDSP, encrypted, and unencrypted where that is known.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_write,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_write
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
        when udsb_enc_write > 1.1 * greatest(udrw_enc_write, udsp_enc_write) and coalesce(udsb_plain_write > 1.1 * greatest(udrw_plain_write, udsp_plain_write), true) then 'supported'
        when udsb_enc_write * 1.1 < greatest(udrw_enc_write, udsp_enc_write) or udsb_plain_write * 1.1 < greatest(udrw_plain_write, udsp_plain_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write, encrypted: UDSB {:.2f}, UDRW {:.2f}, UDSP {:.2f} GB/s; unencrypted: UDSB {}, UDRW {}, UDSP {}', udsb_enc_write, udrw_enc_write, udsp_enc_write, coalesce(format('{:.2f}', udsb_plain_write), 'not known'), coalesce(format('{:.2f}', udrw_plain_write), 'not known'), coalesce(format('{:.2f}', udsp_plain_write), 'not known')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_enc_write is not null and udrw_enc_write is not null and udsp_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
