-- Another Mac gives similar speeds for an encrypted ASIF image. Similar is at most 25 % away from the Mac mini M4 Pro
-- under the same release, in both directions.
with sides as (
    select
        basis,
        host,
        release,
        setup,
        read_gbps,
        write_gbps
    from speed_pair
    where format = 'ASIF' and encryption = 'AES-256' and phase = 'fresh' and storage = 'internal' and not second_hand
        and read_gbps is not null and write_gbps is not null
        and (basis = 'measured' or article = 'encryption-2026')
)

select
    other.basis,
    other.host,
    other.release,
    if(
        other.read_gbps / mini.read_gbps between 1 / 1.25 and 1.25 and other.write_gbps / mini.write_gbps between 1 / 1.25 and 1.25,
        'supported',
        'contradicted'
    ) as outcome,
    concat(format('encrypted ASIF: read {:.2f}, write {:.2f} GB/s; on the Mac mini {:.2f} and {:.2f}', other.read_gbps, other.write_gbps, mini.read_gbps, mini.write_gbps), ' (' || other.setup || ')') as detail
from sides as other
inner join sides as mini
    on mini.host = 'mac-mini-m4-pro'
    and mini.basis = other.basis
    and mini.release = other.release
    and mini.setup is not distinct from other.setup
where other.host <> 'mac-mini-m4-pro'
qualify row_number() over (partition by other.basis, other.host, other.release order by other.setup) = 1
