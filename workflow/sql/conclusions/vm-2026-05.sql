-- A virtual machine with FileVault is much faster than encrypted images on its host. Much faster is more than 10 %
-- faster than both encrypted images at reading and writing; slower than one of them contradicts it.
with macs as (
    select
        basis,
        host,
        release,
        chip,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write,
        max(read_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_read,
        max(write_gbps) filter (where format = 'ASIF' and encryption = 'AES-256') as asif_enc_write
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
        when vm_fv_read > 1.1 * greatest(udrw_enc_read, asif_enc_read) and vm_fv_write > 1.1 * greatest(udrw_enc_write, asif_enc_write) then 'supported'
        when vm_fv_read < greatest(udrw_enc_read, asif_enc_read) or vm_fv_write < greatest(udrw_enc_write, asif_enc_write) then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('read: virtual machine with FileVault {:.2f}, encrypted UDRW {:.2f}, ASIF {:.2f}; write: {:.2f}, {:.2f}, {:.2f} GB/s', vm_fv_read, udrw_enc_read, asif_enc_read, vm_fv_write, udrw_enc_write, asif_enc_write), ' (' || setup || ', ' || storage || ', beside a guest of the same chip and release)') as detail
from macs
inner join guests using (basis, release, chip)
where udrw_enc_read is not null and udrw_enc_write is not null and asif_enc_read is not null and asif_enc_write is not null and vm_fv_read is not null and vm_fv_write is not null
qualify row_number() over (
    partition by basis, macs.host, release
    order by starts_with(setup, 'usage-phases') desc, storage, setup
) = 1
