-- Sparse bundles are the best choice in general: good at reading and writing, encrypted or not. Good is at least half
-- the speed of the SSD in both directions, plain and encrypted. Where one of the four is not known and the others do
-- not contradict it, nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(read_gbps) filter (where format = 'native') as ssd_read,
        max(write_gbps) filter (where format = 'native') as ssd_write
    from speed_pair
    where phase in ('fresh', 'unstated')
        and not second_hand and (basis = 'measured' or article in ('performance-2024'))
    group by all
)

select
    basis,
    host,
    release,
    case
        when least(udsb_plain_read / ssd_read, udsb_enc_read / ssd_read, udsb_plain_write / ssd_write, udsb_enc_write / ssd_write) < 0.5 then 'contradicted'
        when udsb_plain_read / ssd_read is not null and udsb_enc_read / ssd_read is not null and udsb_plain_write / ssd_write is not null then 'supported'
        else 'undecided'
    end as outcome,
    concat(format('UDSB read {}, write {}; encrypted read {}, write {}; SSD read {}, write {} GB/s', coalesce(format('{:.2f}', udsb_plain_read), 'not stated'), coalesce(format('{:.2f}', udsb_plain_write), 'not stated'), coalesce(format('{:.2f}', udsb_enc_read), 'not stated'), coalesce(format('{:.2f}', udsb_enc_write), 'not stated'), coalesce(format('{:.2f}', ssd_read), 'not stated'), coalesce(format('{:.2f}', ssd_write), 'not stated')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udsb_enc_write is not null and ssd_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
