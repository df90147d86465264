-- Encryption costs sparse bundles and read-write images little if anything. Little is at most 10 % of each of the four
-- speeds. Where one of them is not known and the others do not contradict it, nothing is decided.
with sides as (
    select
        basis,
        host,
        release,
        storage,
        setup,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_read,
        max(read_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_read,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'none') as udsb_plain_write,
        max(write_gbps) filter (where format = 'UDSB' and encryption = 'AES-256') as udsb_enc_write,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_read,
        max(read_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_read,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'none') as udrw_plain_write,
        max(write_gbps) filter (where format = 'UDRW' and encryption = 'AES-256') as udrw_enc_write
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
        when least(udsb_enc_read, udsb_enc_write, udrw_enc_read, udrw_enc_write) is not null and udsb_enc_read >= 0.9 * udsb_plain_read and udsb_enc_write >= 0.9 * udsb_plain_write and udrw_enc_read >= 0.9 * udrw_plain_read and udrw_enc_write >= 0.9 * udrw_plain_write then 'supported'
        when udsb_enc_read < 0.9 * udsb_plain_read or udsb_enc_write < 0.9 * udsb_plain_write or udrw_enc_read < 0.9 * udrw_plain_read or udrw_enc_write < 0.9 * udrw_plain_write then 'contradicted'
        else 'undecided'
    end as outcome,
    concat(format('unencrypted to encrypted, GB/s: UDSB read {} to {}, write {} to {}; UDRW read {} to {}, write {} to {}', coalesce(format('{:.2f}', udsb_plain_read), 'not stated'), coalesce(format('{:.2f}', udsb_enc_read), 'not stated'), coalesce(format('{:.2f}', udsb_plain_write), 'not stated'), coalesce(format('{:.2f}', udsb_enc_write), 'not stated'), coalesce(format('{:.2f}', udrw_plain_read), 'not stated'), coalesce(format('{:.2f}', udrw_enc_read), 'not stated'), coalesce(format('{:.2f}', udrw_plain_write), 'not stated'), coalesce(format('{:.2f}', udrw_enc_write), 'not stated')), ' (' || setup || ', ' || storage || ')') as detail
from sides
where udrw_enc_write is not null and udrw_plain_write is not null
qualify row_number() over (
    partition by basis, host, release
    order by starts_with(setup, 'remounted') desc, storage, setup
) = 1
