-- Read and write speeds stay the same as an image is used: new, partly filled, emptied. The same is: in each direction
-- of each unencrypted format the slowest phase is at most 10 % behind the fastest.
with phases as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        format,
        max(read_gbps) / min(read_gbps) as read_spread,
        max(write_gbps) / min(write_gbps) as write_spread
    from speed_pair
    where format in ('UDSB', 'UDRW', 'ASIF') and encryption = 'none' and (basis = 'measured' or article = 'encryption-2026')
    group by all
    having count(distinct phase) = 3
)

select
    basis,
    host,
    release,
    if(max(greatest(read_spread, write_spread)) <= 1.1, 'supported', 'contradicted') as outcome,
    concat('fastest phase / slowest: ', string_agg(format('{} read {:.2f}, write {:.2f}', format, read_spread, write_spread), '; ' order by format desc), ' (' || setup || ', ' || storage || ')') as detail
from phases
where read_spread is not null and write_spread is not null
group by basis, host, release, storage, setup
qualify row_number() over (partition by basis, host, release order by storage, setup) = 1
