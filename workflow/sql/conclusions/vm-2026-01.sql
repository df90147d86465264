-- Without FileVault, a virtual machine's disk is nearly as fast as the host's SSD. Nearly is at least 70 % of the SSD
-- in both directions; below half it is not.
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
        max(write_gbps) filter (where format = 'VM' and encryption = 'none') as vm_plain_write
    from speed_pair
    where format = 'VM' and not second_hand and (basis = 'measured' or article = 'vm-2026')
    group by all
)

select
    basis,
    macs.host,
    release,
    case
        when vm_plain_read >= 0.7 * ssd_read and vm_plain_write >= 0.7 * ssd_write then 'supported'
        when vm_plain_read < 0.5 * ssd_read or vm_plain_write < 0.5 * ssd_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('virtual machine: read {:.2f}, write {:.2f}; SSD: read {:.2f}, write {:.2f} GB/s', vm_plain_read, vm_plain_write, ssd_read, ssd_write), ' (' || setup || ', ' || storage || ', beside a guest of the same chip and release)') as detail
from macs
inner join guests using (basis, release, chip)
where ssd_read is not null and ssd_write is not null and vm_plain_read is not null and vm_plain_write is not null
qualify row_number() over (
    partition by basis, macs.host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
