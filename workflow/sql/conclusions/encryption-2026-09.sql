-- Encrypted, read-write and ASIF images write no faster than a link of 20 Gb/s. 20 Gb/s are 2.5 GB/s; within 10 %
-- above that nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
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
        when greatest(udrw_enc_write, asif_enc_write) <= 2.5 then 'supported'
        when greatest(udrw_enc_write, asif_enc_write) > 2.75 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('encrypted, write: UDRW {:.2f}, ASIF {:.2f} GB/s', udrw_enc_write, asif_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_enc_write is not null and asif_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
