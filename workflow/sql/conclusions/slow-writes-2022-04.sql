-- An encrypted image writes at less than 1 % of the speed of the SSD, the worst of all. The text does not say whether
-- it is UDRW or UDSP: here the slower one. Within 10 % of the bound nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_write,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('slow-writes-2022'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when least(udrw_enc_write, udsp_enc_write) < 0.01 * ssd_write then 'supported'
        when least(udrw_enc_write, udsp_enc_write) > 0.011 * ssd_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write: encrypted UDRW {:.3f}, encrypted UDSP {:.3f}, SSD {:.2f} GB/s', udrw_enc_write, udsp_enc_write, ssd_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_enc_write is not null and udsp_enc_write is not null and ssd_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
