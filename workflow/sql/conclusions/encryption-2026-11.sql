-- The sparse bundle is the type of choice, for it stays fast when encrypted. Fast is: encrypted it keeps at least half
-- of its write speed, and no other encrypted image is more than 10 % faster.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
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
        when udsb_enc_write >= 0.5 * udsb_plain_write and udsb_enc_write * 1.1 >= greatest(udrw_enc_write, asif_enc_write) then 'supported'
        when true then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write: UDSB {:.2f}, encrypted {:.2f}; encrypted UDRW {:.2f}, ASIF {:.2f} GB/s', udsb_plain_write, udsb_enc_write, udrw_enc_write, asif_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_plain_write is not null and udsb_enc_write is not null and udrw_enc_write is not null and asif_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
