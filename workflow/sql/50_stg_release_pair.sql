-- The same cell under two OS releases of one host, every earlier with every later one, in the order of host.release_number.
-- What programs said that stood in for those of macOS is a measurement of no release: such cells are in no pair.
--
-- `tolerance` is the ratio that two runs of one release may well differ by: that of verdict_rule, or more where the repeats of this cell
-- under either of the two releases do.
create temp table stg_release_pair as

with cells as (
    select
        measured.*,
        cell.harness_epoch,
        host.release_number as number,
        dense_rank() over (
            partition by
                measured.host, measured.storage, measured.driver, measured.protocol, measured.scale,
                measured.format, measured.encryption, measured.band_bytes, measured.repeat, measured.phase, measured.op
            order by host.release_number
        ) as place
    from measured_speed as measured
    inner join cell using (cell)
    inner join host
        on host.host = measured.host
        and host.release = measured.release
    where not measured.stand_in
),

-- the fastest of the repeats of a cell / the slowest
spreads as (
    select
        host,
        release,
        storage,
        driver,
        protocol,
        scale,
        format,
        encryption,
        band_bytes,
        phase,
        op,
        max(theil_sen_gbps) / min(theil_sen_gbps) as spread
    from cells
    where comparable
    group by all
)

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
    later.place = earlier.place + 1 as consecutive,
    earlier.cell as earlier_cell,
    later.cell as later_cell,
    earlier.theil_sen_gbps as earlier_gbps,
    earlier.theil_sen_gbps_low as earlier_gbps_low,
    earlier.theil_sen_gbps_high as earlier_gbps_high,
    later.theil_sen_gbps as later_gbps,
    later.theil_sen_gbps_low as later_gbps_low,
    later.theil_sen_gbps_high as later_gbps_high,
    nullif(concat_ws('; ',
        case when earlier.why_not_comparable = later.why_not_comparable then concat('both: ', earlier.why_not_comparable)
        else nullif(concat_ws('; ',
            concat(earlier.release, ': ') || earlier.why_not_comparable,
            concat(later.release, ': ') || later.why_not_comparable
        ), '') end,
        case when earlier.harness_epoch <> later.harness_epoch then concat(
            'measured with the harness of epoch ', earlier.harness_epoch, ' and of epoch ', later.harness_epoch
        ) end
    ), '') as why_not_comparable,
    (
        select greatest(1 + (select tolerance from verdict_rule where comparison = 'release_change' and rule = 'run-to-run'), max(spread))
        from spreads
        where spreads.host = earlier.host
            and spreads.release in (earlier.release, later.release)
            and spreads.storage = earlier.storage
            and spreads.driver = earlier.driver
            and spreads.protocol = earlier.protocol
            and spreads.scale = earlier.scale
            and spreads.format = earlier.format
            and spreads.encryption = earlier.encryption
            and spreads.band_bytes is not distinct from earlier.band_bytes
            and spreads.phase = earlier.phase
            and spreads.op = earlier.op
    ) as tolerance
from cells as earlier
inner join cells as later
    using (host, storage, driver, protocol, scale, format, encryption, repeat, phase, op)
-- null is the format's own size of bands, which `using` would never pair
where earlier.number < later.number and earlier.band_bytes is not distinct from later.band_bytes
order by earlier.cell, later.cell, earlier.op;

comment on table stg_release_pair is 'The same cell under two OS releases of one host, one row per pair and direction';
comment on column stg_release_pair.host is 'Slug of the machine';
comment on column stg_release_pair.storage is 'Slug of the storage';
comment on column stg_release_pair.driver is 'Who served the image';
comment on column stg_release_pair.protocol is 'The steps that were done';
comment on column stg_release_pair.scale is 'How much was written';
comment on column stg_release_pair.format is 'Format of the image';
comment on column stg_release_pair.encryption is 'Encryption';
comment on column stg_release_pair.band_bytes is 'Bytes of a band, where not the format''s own';
comment on column stg_release_pair.repeat is 'Number of the repeat';
comment on column stg_release_pair.phase is 'State of the image';
comment on column stg_release_pair.op is 'read or write';
comment on column stg_release_pair.earlier_release is 'The earlier release';
comment on column stg_release_pair.later_release is 'The later release';
comment on column stg_release_pair.earlier_number is 'Position of the earlier release among those of the host';
comment on column stg_release_pair.later_number is 'Position of the later release among those of the host';
comment on column stg_release_pair.consecutive is 'Whether this cell has no release between the two';
comment on column stg_release_pair.earlier_cell is 'Id of the cell under the earlier release';
comment on column stg_release_pair.later_cell is 'Id of the cell under the later release';
comment on column stg_release_pair.earlier_gbps is 'Headline speed under the earlier release';
comment on column stg_release_pair.earlier_gbps_low is 'Lower end of its interval';
comment on column stg_release_pair.earlier_gbps_high is 'Upper end of its interval';
comment on column stg_release_pair.later_gbps is 'Headline speed under the later release';
comment on column stg_release_pair.later_gbps_low is 'Lower end of its interval';
comment on column stg_release_pair.later_gbps_high is 'Upper end of its interval';
comment on column stg_release_pair.why_not_comparable is 'Why the two may not be compared';
comment on column stg_release_pair.tolerance is 'Ratio that two runs of one release may well differ by';
