-- Read-write images write no faster than USB at 10 Gb/s. 10 Gb/s are 1.25 GB/s; within 10 % above that nothing is
-- decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write
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
        when greatest(udrw_plain_write, udrw_enc_write) <= 1.25 then 'supported'
        when greatest(udrw_plain_write, udrw_enc_write) > 1.375 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDRW writes at {:.2f} GB/s, encrypted at {:.2f}', udrw_plain_write, udrw_enc_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_write is not null and udrw_enc_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
