-- The same cell under two OS releases of one host, every earlier with every later one, in the order of host.release_number.
-- Without stand-ins, which are no measurement of a release.
--
-- `value` is the logarithm of the ratio of two runs, `to_disk` the same beyond that of the disk itself: native files, measured in
-- the same repeats and nights in the same way: a format that was added to a study later has a night of its own. `item`
-- names the pair without its repeat. All runs of a series that count are comparable, or none is (stg_method); so are all repeats
-- of a pair.
create temp table stg_release_pair as

with cells as (
    select * from stg_release_cell where not stand_in
),

pairs as (
    select
        earlier.host,
        earlier.storage,
        earlier.driver,
        earlier.protocol,
        earlier.scale,
        earlier.format,
        earlier.encryption,
        earlier.band_bytes,
        earlier.repeat,
        earlier.phase,
        earlier.op,
        earlier.release as earlier_release,
        later.release as later_release,
        earlier.number as earlier_number,
        later.number as later_number,
        earlier.method as method,
        -- the order of the earlier ones: for a release, betas count as older than every release
        (later.beta or not earlier.beta, earlier.number) as place,
        earlier.status = 'measured' as earlier_measured,
        earlier.cell as earlier_cell,
        later.cell as later_cell,
        earlier.theil_sen_gbps as earlier_gbps,
        later.theil_sen_gbps as later_gbps,
        coalesce(
            codes(flatten([
                earlier.why_not_comparable,
                later.why_not_comparable,
                unlike(earlier.method, later.method),
                case when earlier.whose <> later.whose then ['other-machine'] end
            ])),
            case when earlier.depends or later.depends then ['statistics-differ'] end
        ) as why_not_comparable,
        concat_ws(' ', earlier.host, earlier.release, later.release, earlier.storage, earlier.protocol, earlier.scale, earlier.op) as family,
        concat_ws(' ', earlier.series, later.series, earlier.op) as item,
        array_to_string(codes([earlier.vouched_by, later.vouched_by]), ' and ') as vouched_by,
        earlier.started_utc as earlier_utc,
        later.started_utc as later_utc,
        ln(later.theil_sen_gbps / earlier.theil_sen_gbps) as value
    from cells as earlier
    inner join cells as later
        using (host, storage, driver, protocol, scale, format, encryption, repeat, phase, op)
    -- null means the default size; `using` would not join nulls
    where earlier.number < later.number and earlier.band_bytes is not distinct from later.band_bytes
),

disk as (
    select
        host,
        storage,
        protocol,
        scale,
        phase,
        repeat,
        op,
        earlier_release,
        later_release,
        any_value(method) as disk_method,
        any_value(value) as disk_value,
        any_value(earlier_utc) as disk_earlier_utc,
        any_value(later_utc) as disk_later_utc
    from pairs
    where format = 'native' and why_not_comparable is null
    group by all
    -- with FileVault on for some and off for others, there are two
    having count(*) = 1
)

select
    * exclude (disk_value, method, disk_method, earlier_utc, later_utc, disk_earlier_utc, disk_later_utc) replace (concat_ws(' ', why_not_comparable is null, family) as family),
    case
        when format <> 'native' and unlike(method, disk_method) is null
            and same_night(earlier_utc, disk_earlier_utc) and same_night(later_utc, disk_later_utc)
        then value - disk_value
    end as to_disk
from pairs
left join disk
    using (host, storage, protocol, scale, phase, repeat, op, earlier_release, later_release)
order by earlier_cell, later_cell, op;
