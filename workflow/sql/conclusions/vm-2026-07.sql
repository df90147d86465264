-- A virtual machine is unlikely to be slowed much by its disk. Not much is at least half the speed of the SSD in both
-- directions, with and without FileVault where both are known. Whether that is enough for what a virtual machine does,
-- no figure decides.
with macs as (
    select
        basis,
        host,
        release,
        chip,
        storage,
        setup,
        max(read_gbps) filter (where format = 'native') as ssd_read,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated') and format <> 'VM' and not second_hand and chip is not null
        and (basis = 'measured' or article = 'vm-2026')
    group by all
),

-- a guest knows the chip of its Mac, and nothing else of it
guests as (
    select
        basis,
        release,
        chip,
        max(read_gbps) filter (where format = 'VM' and encryption = 'none') as vm_plain_read,
        max(write_gbps) filter (where format = 'VM' and encryption = 'none') as vm_plain_write,
        max(read_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_read,
        max(write_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_write
    from speed_pair
    where format = 'VM' and not second_hand and (basis = 'measured' or article = 'vm-2026')
    group by all
)

select
    basis,
    macs.host,
    release,
    case
        when least(vm_plain_read, vm_fv_read) >= 0.5 * ssd_read and least(vm_plain_write, vm_fv_write) >= 0.5 * ssd_write then 'supported'
        when greatest(vm_plain_read, vm_fv_read) < 0.5 * ssd_read or greatest(vm_plain_write, vm_fv_write) < 0.5 * ssd_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('virtual machine: read {:.2f}, write {:.2f}; with FileVault: {:.2f}, {:.2f}; SSD: {:.2f}, {:.2f} GB/s', vm_plain_read, vm_plain_write, vm_fv_read, vm_fv_write, ssd_read, ssd_write), ' (' || setup || ', ' || storage || ', beside a guest of the same chip and release)') as detail
from macs
inner join guests using (basis, release, chip)
where ssd_read is not null and ssd_write is not null and vm_plain_read is not null and vm_plain_write is not null and vm_fv_read is not null and vm_fv_write is not null
qualify row_number() over (
    partition by basis, macs.host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
