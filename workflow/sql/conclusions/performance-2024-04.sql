-- Encrypted sparse images are by far the slowest of all. By far is at most half as fast at writing as every other
-- image that is known; no slower than another, it is contradicted.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write
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
        when udsp_enc_write <= 0.5 * least(udsp_plain_write, udrw_enc_write, udsb_enc_write) then 'supported'
        when udsp_enc_write >= least(udsp_plain_write, udrw_enc_write, udsb_enc_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write: encrypted UDSP {:.2f}, UDSP {}, encrypted UDRW {}, encrypted UDSB {}', udsp_enc_write, coalesce(format('{:.2f} GB/s', udsp_plain_write), 'not known'), coalesce(format('{:.2f} GB/s', udrw_enc_write), 'not known'), coalesce(format('{:.2f} GB/s', udsb_enc_write), 'not known')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsp_enc_write is not null and coalesce(udsp_plain_write, udrw_enc_write, udsb_enc_write) is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
