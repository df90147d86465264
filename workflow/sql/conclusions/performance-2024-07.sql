-- On a fast external SSD, encryption costs a sparse bundle nothing. Nothing is at most 10 % of writing, and of reading
-- where that is known. The unencrypted figure is that of bands-2024.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('performance-2024', 'bands-2024'))
        and storage <> 'internal'
    group by all
)

select
    basis,
    host,
    release,
    case
        when least(udsb_enc_write / udsb_plain_write, udsb_enc_read / udsb_plain_read) >= 0.9 then 'supported'
        when least(udsb_enc_write / udsb_plain_write, udsb_enc_read / udsb_plain_read) < 0.9 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('UDSB writes at {:.2f} GB/s, encrypted at {:.2f}; {}', udsb_plain_write, udsb_enc_write, coalesce(format('encryption leaves {:.0f} % of the read speed', 100 * udsb_enc_read / udsb_plain_read), 'the read speeds are not known')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_enc_write is not null and udsb_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
