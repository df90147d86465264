-- A virtual machine with FileVault reads and writes fast, and writes far faster than an encrypted sparse image. Far is
-- at least ten times; less than twice is not.
with macs as (
    select
        basis,
        host,
        release,
        chip,
        storage,
        setup,
        max(write_gbps) filter (where format = 'UDSP' and encryption = 'AES-256') as udsp_enc_write
    from speed_pair
    where phase in ('fresh', 'unstated') and format <> 'VM' and not second_hand and chip is not null
        and (basis = 'measured' or article = 'performance-2024')
    group by all
),

-- a guest knows the chip of its Mac, and nothing else of it
guests as (
    select
        basis,
        release,
        chip,
        max(read_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_read,
        max(write_gbps) filter (where format = 'VM' and encryption = 'FileVault') as vm_fv_write
    from speed_pair
    where format = 'VM' and not second_hand and (basis = 'measured' or article = 'performance-2024')
    group by all
)

select
    basis,
    macs.host,
    release,
    case
        when vm_fv_write >= 10 * udsp_enc_write then 'supported'
        when vm_fv_write < 2 * udsp_enc_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('virtual machine with FileVault: read {:.2f}, write {:.2f}; encrypted UDSP: write {:.2f} GB/s', vm_fv_read, vm_fv_write, udsp_enc_write), ' (' || setup || ', ' || storage || ', beside a guest of the same chip and release)') as detail
from macs
inner join guests using (basis, release, chip)
where udsp_enc_write is not null and vm_fv_read is not null and vm_fv_write is not null
qualify row_number() over (
    partition by basis, macs.host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
