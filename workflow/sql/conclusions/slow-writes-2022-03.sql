-- The other images write at less than a fifth of the speed of the SSD. The text does not name the three images: here
-- the four that are no sparse bundle. Within 10 % of the bound nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'none') as udsp_plain_write,
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
        when greatest(udrw_plain_write, udsp_plain_write, udrw_enc_write, udsp_enc_write) < 0.2 * ssd_write then 'supported'
        when greatest(udrw_plain_write, udsp_plain_write, udrw_enc_write, udsp_enc_write) > 0.22 * ssd_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('write: UDRW {:.2f}, UDSP {:.2f}, encrypted UDRW {:.2f}, encrypted UDSP {:.2f}, SSD {:.2f} GB/s', udrw_plain_write, udsp_plain_write, udrw_enc_write, udsp_enc_write, ssd_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_plain_write is not null and udsp_plain_write is not null and udrw_enc_write is not null and udsp_enc_write is not null and ssd_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
