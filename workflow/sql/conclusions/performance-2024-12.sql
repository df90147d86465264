-- Avoid sparse images, particularly encrypted ones: they are slow. Slow is, encrypted, less than half the write speed
-- of every other format that is known; as fast as another, it is contradicted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(read_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read
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
        when udsp_enc_write < 0.5 * least(udrw_enc_write, udsb_enc_write) then 'supported'
        when udsp_enc_write * 1.1 >= least(udrw_enc_write, udsb_enc_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('encrypted, write: UDSP {:.2f}, UDRW {}, UDSB {}', udsp_enc_write, coalesce(format('{:.2f} GB/s', udrw_enc_write), 'not known'), coalesce(format('{:.2f} GB/s', udsb_enc_write), 'not known')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsp_enc_write is not null and coalesce(udrw_enc_write, udsb_enc_write) is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
