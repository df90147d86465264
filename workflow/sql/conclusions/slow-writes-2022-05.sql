-- That an encrypted image is so slow is no fault of one Mac: two others write to it as slowly. As slow is below 100
-- MB/s, which a slow hard disk writes; above 200 MB/s, as no hard disk writes over its whole width, it is not.
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
where encrypted_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'as-created') desc, storage, setup
) = 1
