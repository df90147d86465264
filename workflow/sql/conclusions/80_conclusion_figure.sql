-- The figures that test conclusions, published and measured, with intervals: one row per cell of a host, release and method,
-- over its repeats. Measured figures are only comparable ones of macOS's own images; their interval needs three runs and comes
-- from repeated_speed (speeds) or stg_conclusion_run (others). A published figure is what it may have been rounded from.
create table conclusion_figure as

with

-- as in article_table, a guest's own disk (format VM) is identified by its host's chip. Left out: other cells of a guest, machines
-- with the slug of a Mac but another chip, and other systems
machines as (
    select
        host.host,
        host.release,
        case when not coalesce(host.virtual_machine, true) and coalesce(named.chip = host.chip, named.chip is null) then host.host end as mac,
        case when host.virtual_machine then coalesce(published_host.host, host.host) else host.host end as mac_of_guest,
        host.os_version,
        host.os_build,
        host.vouched_by,
        host.made_up
    from host
    left join published_host as named on named.host = host.host
    left join published_host on published_host.chip = trim(replace(host.chip, '(Virtual)', ''))
    where lower(host.os_name) = 'macos'
    -- two kinds of Mac with one chip: the first by name
    qualify row_number() over (partition by host.host, host.release order by published_host.host) = 1
),

measured as (
    select distinct
        'measured' as basis,
        cast(null as varchar) as article,
        run.host,
        run.release,
        if(run.format = 'VM', machines.mac_of_guest, machines.mac) as mac,
        machines.os_version as macos,
        machines.os_build as macos_build,
        run.storage,
        run.protocol,
        run.scale,
        run.comparison,
        run.format,
        run.encryption,
        run.band_bytes,
        run.state,
        run.op,
        case run.comparison when 'relation' then tanh(interval.mean) when 'reclaimed' then interval.mean else exp(interval.mean) end as value,
        case run.comparison when 'relation' then tanh(interval.low) when 'reclaimed' then interval.low else exp(interval.low) end as low,
        case run.comparison when 'relation' then tanh(interval.high) when 'reclaimed' then interval.high else exp(interval.high) end as high,
        interval.runs as repeats,
        false as second_hand,
        cast(null as varchar) as statistics_differ,
        machines.vouched_by,
        machines.made_up,
        run.method,
        min(run.started_utc) over (partition by run.item) as first_started_utc,
        max(run.started_utc) over (partition by run.item) as last_started_utc,
        cast(null as boolean) as faster_than_disk
    from stg_conclusion_run as run
    inner join machines using (host, release)
    inner join stg_run_interval as interval
        on interval.source = 'stg_conclusion_run'
        and interval.item = run.item
    union all
    select
        'measured',
        null,
        speed.host,
        speed.release,
        if(speed.format = 'VM', machines.mac_of_guest, machines.mac),
        machines.os_version,
        machines.os_build,
        speed.storage,
        speed.protocol,
        speed.scale,
        'speed',
        speed.format,
        speed.encryption,
        speed.band_bytes,
        speed.phase,
        speed.op,
        speed.gbps,
        speed.gbps_low,
        speed.gbps_high,
        speed.runs,
        false,
        speed.statistics_differ,
        machines.vouched_by,
        machines.made_up,
        speed.method,
        speed.first_started_utc,
        speed.last_started_utc,
        -- part of such a write may still have been in memory when the clock stopped
        speed.op = 'write' and speed.format not in ('native', 'VM')
        and speed.gbps_low * (1 - tolerance_of('conclusion', 'faster than the disk')) > (
            select max(disk.gbps_high)
            from repeated_speed as disk
            where disk.format = 'native' and disk.statistic = 'theil_sen' and disk.comparable
                and (disk.host, disk.release, disk.storage, disk.protocol, disk.scale, disk.phase, disk.op)
                    = (speed.host, speed.release, speed.storage, speed.protocol, speed.scale, speed.phase, speed.op)
                and same_night(disk.first_started_utc, speed.first_started_utc)
                and same_night(disk.last_started_utc, speed.last_started_utc)
        ) as faster_than_disk
    from repeated_speed as speed
    inner join machines using (host, release)
    where speed.statistic = 'theil_sen' and speed.comparable and not speed.stand_in and speed.scale <> 'smoke'
        and speed.driver <> 'portable' and speed.gbps is not null
),

published as (
    select
        'speed' as comparison,
        article,
        host,
        macos,
        storage,
        protocol,
        scale,
        format,
        encryption,
        if(phase = 'unstated', 'fresh', phase) as state,
        op,
        gbps as value,
        rounded_by(as_printed) as rounded,
        second_hand,
        exists (
            from stg_published_figure as disk
            where disk.format = 'native' and figure.format <> 'native' and (disk.op, figure.op) = ('write', 'write')
                and (disk.article, disk.host, disk.macos, disk.storage) = (figure.article, figure.host, figure.macos, figure.storage)
                and disk.gbps < figure.gbps
        ) as faster_than_disk
    from stg_published_figure as figure
    where gbps is not null and kind <> 'range' and tool = 'Stibium' and scale <> 'tenth'
    union all by name
    select 'size' as comparison, article, host, macos, storage, format, encryption, state, value_bytes as value, rounded_by(as_printed) as rounded, second_hand
    from published_size
    where quantity = 'on-disk'
    union all by name
    select
        'reclaimed' as comparison,
        article,
        host,
        macos,
        storage,
        format,
        encryption,
        'fresh' as state,
        (max(value_bytes) filter (where state = 'emptied') - max(value_bytes) filter (where state = 'compacted'))
        / (max(value_bytes) filter (where state = 'churned') - max(value_bytes) filter (where state = 'compacted')) as value,
        0 as rounded,
        bool_or(second_hand) as second_hand
    from published_size
    where quantity = 'on-disk'
    group by all
)

select
    * exclude (method),
    method.*
from measured
union all by name
select
    'published' as basis, * exclude (rounded), macos as release, host as mac, false as made_up,
    value * (1 - rounded) as low, value * (1 + rounded) as high
from published
where value is not null
order by all;

comment on table conclusion_figure is 'The figures that conclusions are tested with, published and measured: one row per cell of a host, release and method, over its repeats. Measured figures only where comparable, from macOS''s own images or without an image; published figures except ranges, figures of other tools, and figures of one-tenth runs';
comment on column conclusion_figure.article is 'Slug of the article with the figure; null for measured ones';
comment on column conclusion_figure.release is 'Release of macOS as published, or "unstated"; of measured ones OS release as in the path of the record';
comment on column conclusion_figure.mac is 'Slug of the Mac; "unstated" where the source does not say. For a guest''s own disk (VM), the Mac in the articles with the chip of its host; null for other measurements in a guest';
comment on column conclusion_figure.macos_build is 'Its build; null for published ones';
comment on column conclusion_figure.comparison is 'speed, size, reclaimed, spread, rounds or relation (conclusion.comparison)';
comment on column conclusion_figure.state is 'Phase, or state of the size; a published figure without one counts as fresh';
comment on column conclusion_figure.value is 'The figure: GB/s, bytes, a ratio or a correlation; for repeats their mean (of logarithms; of Fisher''s z for a correlation; of the shares for what was reclaimed)';
comment on column conclusion_figure.low is 'Lower end of its 95 % interval across runs; null with fewer than three; of a published figure half a unit of its last printed digit less (not of what was reclaimed)';
comment on column conclusion_figure.high is 'Upper end of its 95 % interval across runs; null with fewer than three; of a published figure half a unit of its last printed digit more (not of what was reclaimed)';
comment on column conclusion_figure.repeats is 'Repeats behind it; null for published ones';
comment on column conclusion_figure.second_hand is 'True when the article only recalls the figure';
comment on column conclusion_figure.faster_than_disk is 'True when an image was written faster than the disk itself (verdict_rule): such a figure decides no conclusion; null for sizes, and for a measured write without native files of its night, or without an interval';
comment on column conclusion_figure.statistics_differ is 'What makes bytes / time and the headline of a measured speed differ (repeated_speed.statistics_differ); null when they agree, for other figures, and for published ones';
comment on column conclusion_figure.vouched_by is 'Who vouches for its records: own, community or hosted runner (host.vouched_by); null for published ones';
comment on column conclusion_figure.epoch is 'Epoch of the harness that measured it; null for published ones';
comment on column conclusion_figure.chip is 'Chip of the machine; null for published ones';
comment on column conclusion_figure.machine is 'Model and memory of the machine; null for published ones and a guest''s own disk';
comment on column conclusion_figure.disk is 'Capacity of the disk; null likewise';
comment on column conclusion_figure.disk_model is 'Model of the disk; null likewise, and where it is not known';
comment on column conclusion_figure.disk_bus is 'How the disk is attached; null likewise, and where it is not known';
comment on column conclusion_figure.file_system is 'File system that holds the image or the files; null for published ones, and where it is not known';
comment on column conclusion_figure.disk_encryption is 'Encryption of the disk below the image; null likewise, for sizes, which it does not change, and for native files on the internal disk, whose encryption is in column encryption';
comment on column conclusion_figure.guest is 'Cores and memory of the guest whose own disk was measured (format VM); else null';
comment on column conclusion_figure.cache is 'Effective cache mode; null for published ones and for sizes, which it does not change';
comment on column conclusion_figure.durability is 'Effective durability; null likewise';
comment on column conclusion_figure.block_bytes is 'Bytes per read or write call; null likewise';
comment on column conclusion_figure.sets is 'Sets of 16 files in one pass; null for published ones';
comment on column conclusion_figure.first_started_utc is 'When the first of its repeats started, UTC; null for published ones';
comment on column conclusion_figure.last_started_utc is 'When the last of them started, UTC; null for published ones';
comment on column conclusion_figure.op is 'read or write; null for sizes';
comment on column conclusion_figure.protocol is 'Protocol, the list of steps; "unstated" where the method is not given; null for published sizes';
comment on column conclusion_figure.scale is 'gold, half, tenth; "unstated" where the source does not say; null for published sizes';
