-- Read-write images write at about 1 GB/s on either SSD, encrypted or not. About 1 GB/s is 0.8 to 1.2 GB/s, on every
-- storage that was measured.
with sides as (
    select
        basis,
        host,
        release,
        setup,
        count(distinct storage) as storages,
        min(write_gbps) as slowest,
        max(write_gbps) as fastest
    from speed_pair
    where phase = 'fresh' and format = 'UDRW' and encryption in ('none', 'AES-256') and not second_hand
        and (basis = 'measured' or article = 'performance-2024')
    group by all
    having count(distinct encryption) = 2
)

select
    basis,
    host,
    release,
    if(slowest >= 0.8 and fastest <= 1.2, 'supported', 'contradicted') as outcome,
    concat(format('UDRW writes at {} GB/s, plain and encrypted, on {}', if(slowest = fastest, format('{:.2f}', slowest), format('{:.2f} to {:.2f}', slowest, fastest)), if(storages = 1, 'one disk', concat(storages, ' disks'))), ' (' || setup || ')') as detail
from sides
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, setup
) = 1
