-- An encrypted image is written at the speed of a slow hard disk. A slow hard disk writes at less than 100 MB/s; above
-- 200 MB/s it is none.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        min(write_gbps) as encrypted_write
    from speed_pair
    where phase = 'fresh'
        and ((basis = 'measured' and format in ('UDRW', 'UDSP') and encryption = 'AES-256') or article = 'slow-writes-2022')
    group by all
)

select
    basis,
    host,
    release,
    case
        when encrypted_write < 0.1 then 'supported'
        when encrypted_write > 0.2 then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('the slowest encrypted image writes at {:.0f} MB/s', 1000 * encrypted_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where encrypted_write is not null and (basis = 'measured' or host = 'mac-studio-m1-max')
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
