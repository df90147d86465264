-- Every speed whose Mac and release are known: of the articles, of other publications, and measured (comparable_speed: the mean of
-- the runs of a cell). The pages of releases and the explorer of the start page are made from it.
create view known_speed as

with published as (
    select *, article as origin from published_speed
    union all by name
    select
        * exclude (op),
        source_id as origin,
        source_order as table_order,
        'unstated' as protocol,
        'unstated' as scale,
        read_as <> 'opening' as second_hand
    from published_elsewhere
    where quantity = 'speed'
)

select
    'published' as basis,
    article,
    origin,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    condition,
    protocol,
    scale,
    tool,
    op,
    case when op = 'write' then coalesce(write_kind, kind) else kind end as kind,
    case when op = 'write' then write_gbps else read_gbps end as gbps,
    case when op = 'write' then write_gbps_to else read_gbps_to end as gbps_to,
    null::double as gbps_low,
    null::double as gbps_high,
    null::bigint as runs,
    case when op = 'write' then write_as_printed else read_as_printed end as as_printed,
    unit_as_printed,
    second_hand,
    false as made_up,
    null as statistics_differ,
    null as vouched_by,
    note,
    table_order
from published
cross join (select unnest(['write', 'read']) as op)
where host <> 'unstated' and macos <> 'unstated' and gbps is not null

union all by name

select
    'measured' as basis,
    cell as origin,
    host,
    macos,
    storage,
    format,
    encryption,
    phase,
    protocol,
    scale,
    'diskbench' as tool,
    op,
    'exact' as kind,
    gbps,
    gbps_low,
    gbps_high,
    runs,
    false as second_hand,
    made_up,
    statistics_differ,
    vouched_by
from comparable_speed
where band_bytes is null and newest_build
-- native files of a disk may be in two series, measured with FileVault on the internal one and without
qualify row_number() over (
    partition by host, macos, storage, format, encryption, phase, protocol, scale, op
    order by last_started_utc desc, cell
) = 1;

comment on view known_speed is 'Every speed whose Mac and release of macOS are known, one row per direction: published by the articles and by others, and measured (comparable_speed, without other sizes of bands, and of each release of macOS its newest build)';
comment on column known_speed.host is 'Slug of the machine, which is known of every one';
comment on column known_speed.macos is 'Release of macOS as published, such as 26.3.1 (a), or as measured (host.macos): a beta is 26.4 beta, another release than 26.4';
comment on column known_speed.encryption is 'Of the image, or of native files that of their disk: none, AES-128, AES-256, FileVault, APFS, "unstated" or "any" (holds for all)';
comment on column known_speed.article is 'Slug of the article; null for what others published, and for what was measured';
comment on column known_speed.origin is 'Where it is from: the article, the other publication (published_elsewhere.source_id), or the first cell measured';
comment on column known_speed.gbps is 'Speed in GB/s (decimal); lower end of a published range; for measured speeds, the geometric mean of the runs';
comment on column known_speed.gbps_to is 'Upper end of a published range, GB/s; else null';
comment on column known_speed.tool is 'Benchmark that gave the figure, or "unstated"; diskbench for measured ones';
comment on column known_speed.runs is 'Runs that were measured; null for what was published';
comment on column known_speed.second_hand is 'True when others recall the figure: it is not known first-hand';
comment on column known_speed.table_order is 'Position of the row within its article (published_speed.table_order) or publication (published_elsewhere.source_order), from 1; null for what was measured';
comment on column known_speed.statistics_differ is 'What makes bytes / time and the headline of a measured speed differ (repeated_speed.statistics_differ); null when they agree, and for what was published';
