-- FileVault in the guest makes its disk slower, and halves its write speed. Half is 40 to 60 % of the write speed, and
-- reading is more than 10 % slower; at most 10 % slower at writing contradicts it.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'VM' and encryption = 'none') as vm_plain_read,
        max(write_gbps) filter (where format = 'VM' and encryption = 'none') as vm_plain_write,
        max(read_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_read,
        max(write_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('vm-2026'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when vm_fv_write / vm_plain_write between 0.4 and 0.6 and vm_fv_read < 0.9 * vm_plain_read then 'supported'
        when vm_fv_write >= 0.9 * vm_plain_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('virtual machine without FileVault: read {:.2f}, write {:.2f}; with it: read {:.2f}, write {:.2f} GB/s', vm_plain_read, vm_plain_write, vm_fv_read, vm_fv_write), ' (' || setup || ', ' || storage || ')') as detail
from sides
where vm_plain_read is not null and vm_plain_write is not null and vm_fv_read is not null and vm_fv_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'restart') desc, storage, setup
) = 1
